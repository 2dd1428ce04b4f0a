#!/bin/sh
# Starts gdb or lldb with the commands of microgpt.py: src/debug/start.sh gdb|lldb [ARGUMENT...]
fail() { echo "$*" >&2; exit 1; }
export SHELL=/bin/sh # in which gdb starts the program
here=$(dirname "$0")
case $1 in
  gdb)
    said=$(gdb -nx -batch -ex 'python 0' 2>&1) ||
      fail "no gdb with Python ($(echo "$said" | head -n 1)); try: apt-get install gdb (on macOS: make lldb)"
    shift
    exec gdb -q -iex 'set debuginfod enabled off' -x "$here/microgpt.py" "$@"
    ;;
  lldb)
    try='try: apt-get install lldb (on macOS: xcode-select --install)'
    lldb=$(command -v lldb) || fail "no lldb; $try"
    has_python() { "$lldb" -x -b -o 'script print(6 * 7)' 2>/dev/null | grep -qx 42; }
    # Some Linux packages of lldb look for its Python module in the wrong place. It is beside the program.
    beside=$(dirname "$(readlink -f "$lldb")")
    has_python || for module in "$beside"/../lib/python3*/*-packages/lldb/embedded_interpreter.py; do
      export PYTHONPATH="${module%/lldb/*}${PYTHONPATH:+:$PYTHONPATH}"
    done
    has_python || fail "this lldb runs no Python; $try"
    shift
    exec "$lldb" -O "command script import '$here/microgpt.py'" "$@"
    ;;
esac
