#!/bin/sh
# Compares with PyTorch attention, the loss of whole models, and what is measured of their heads: tests/oracle.sh TESTS MICROGPT FOLDER [options of
# oracle.py]
set -eu
tests=$1 microgpt=$2 folder=$3
shift 3
export PYTHONDONTWRITEBYTECODE=1

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

# Each kind of model that lesson 24's script knows. A loss is a mean of 20,000 logarithms of numbers with 16 digits.
for options in "--preset gist" "--preset walkthrough" "--engine tensor --n-layer 2 --attention gqa --pos rope"; do
  "$microgpt" train $options --steps 100 --quiet --samples 1 --save "$folder/model.safetensors" >/dev/null
  ours=$("$microgpt" eval "$folder/model.safetensors" --dtype f64 --digits 17 | sed -n 's/^held-out loss: \([^ ]*\).*/\1/p')
  theirs=$("$python" lessons/24_training_well/pytorch_gpt.py "$folder/model.safetensors" | sed 's/^held-out loss: //')
  echo "train $options: held-out loss $ours, in PyTorch $theirs"
  awk -v a="$ours" -v b="$theirs" 'BEGIN { exit !(a > 0 && a - b < 1e-9 && b - a < 1e-9) }' ||
    { echo "they differ by more than 1e-9" >&2; exit 1; }
done

# Each kind of attention, masks, positions, and a task.
"$microgpt" task copy --num 400 >"$folder/copy.txt"
heads() {
  data=$1
  shift
  "$microgpt" train --data "$data" --engine tensor --dtype f64 --batch 8 --steps 300 --quiet --samples 1 "$@" \
    --save "$folder/model.safetensors" >/dev/null
  "$microgpt" heads "$folder/model.safetensors" --data "$data" --num-documents 40 --prune --json >"$folder/heads.json"
  "$python" tests/heads_oracle.py "$folder/model.safetensors" "$data" "$folder/heads.json"
}
heads data/names.txt --n-layer 2
heads data/names.txt --n-layer 2 --n-embd 32 --n-head 8 --attention gqa --n-kv-head 2 --pos rope
heads data/names.txt --attention mqa --mask local:3
heads data/names.txt --attention mla --rope-dim 2 --mask global:2:1
heads data/names.txt --attention mla --mask block:4 --preset walkthrough
heads data/names.txt --mask strided:2:3
heads "$folder/copy.txt" --n-layer 2
