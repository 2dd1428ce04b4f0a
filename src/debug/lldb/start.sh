#!/bin/sh
# Starts lldb with the commands: src/debug/lldb/start.sh [ARGUMENT OF LLDB...]
lldb=$(command -v lldb) || { echo "no lldb" >&2; exit 1; }
has_python() { "$lldb" -x -b -o 'script print(6 * 7)' 2>/dev/null | grep -qx 42; }

# Some Linux packages of lldb look for its Python module in the wrong place. It is beside the program.
if ! has_python; then
  for module in "$(dirname "$(readlink -f "$lldb")")"/../lib/python3*/*-packages/lldb/embedded_interpreter.py; do
    export PYTHONPATH="${module%/lldb/*}${PYTHONPATH:+:$PYTHONPATH}"
  done
  has_python || { echo "this lldb runs no Python; try: apt-get install lldb (on macOS: xcode-select --install)" >&2; exit 1; }
fi

exec "$lldb" -O "command script import '$(dirname "$0")/microgpt.py'" "$@"
