#!/bin/sh
# Compares attention, and what is measured of heads, with PyTorch: tests/oracle.sh TESTS MICROGPT FOLDER [options of
# oracle.py]
set -eu
tests=$1 microgpt=$2 folder=$3
shift 3
export PYTHONDONTWRITEBYTECODE=1

python=$(tests/python_with_torch.sh)
rm -rf "$folder"
"$python" tests/oracle.py "$@" "$folder"
ORACLE_DIR=$folder "$tests" -tc="attention has PyTorch's *"

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
