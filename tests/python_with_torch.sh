#!/bin/sh
# Prints the first python3 that has PyTorch: the first in the path may not be the one for which that is installed.
for python in python3 /usr/bin/python3; do
  "$python" -c 'import torch' 2>/dev/null && echo "$python" && exit
done
echo "PyTorch is not installed; try: apt-get install python3-torch" >&2
exit 1
