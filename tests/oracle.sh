#!/bin/sh
# Compares attention with PyTorch's: tests/oracle.sh TESTS FOLDER [options of oracle.py]
set -eu
tests=$1 folder=$2
shift 2

# The first python3 in the path may not be the one for which PyTorch is installed.
for python in python3 /usr/bin/python3 ''; do
  if [ -z "$python" ]; then
    echo "PyTorch is not installed; try: apt-get install python3-torch" >&2
    exit 1
  fi
  "$python" -c 'import torch' 2>/dev/null && break
done

rm -rf "$folder"
"$python" tests/oracle.py "$@" "$folder"
ORACLE_DIR=$folder "$tests" -tc="attention has PyTorch's *"
