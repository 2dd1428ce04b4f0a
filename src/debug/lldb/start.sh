#!/bin/sh
# Starts lldb with the commands: src/debug/lldb/start.sh [ARGUMENT OF LLDB...]
here=$(dirname "$0")
lldb=$(command -v lldb) || { echo "no lldb" >&2; exit 1; }

# Some Linux packages of lldb look for its Python module in the wrong place. It is beside the program.
if [ ! -e "$("$lldb" -P 2>/dev/null)/lldb/embedded_interpreter.py" ]; then
  for module in "$(dirname "$(readlink -f "$lldb")")"/../lib/python3*/*-packages; do
    if [ -e "$module/lldb/embedded_interpreter.py" ]; then
      export PYTHONPATH="$module${PYTHONPATH:+:$PYTHONPATH}"
    fi
  done
fi

exec "$lldb" -O "command script import '$here/microgpt.py'" "$@"
