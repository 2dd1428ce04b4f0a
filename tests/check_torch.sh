#!/bin/sh
# Trains models of this project with PyTorch, by lesson 24's script, with one process and with two, and opens what it
# writes: tests/check_torch.sh MICROGPT FOLDER
set -eu
microgpt=$1 folder=$2
script=lessons/24_training_well/pytorch_gpt.py
export OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1  # torchrun would say that it sets the first
python=$(tests/python_with_torch.sh)
rm -rf "$folder"
mkdir -p "$folder"

fail() {
  echo "$0: $*" >&2
  exit 1
}

# Fails unless two losses are close. A loss is the mean of up to 13,306 logarithms. Each addition rounds by 1e-16 of the
# sum, so they differ by 2e-12 of the loss at most, and by less for the dot products, which have at most a hundred
# terms. Training adds little: Adam divides by |g| + 1e-8, so a gradient that is 1e-18 off moves its weight by 1e-10 of
# a step.
same() {
  echo "  $3: $1, $2"
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a - b < 1e-11 && b - a < 1e-11) }' ||
    fail "they differ by more than 1e-11"
}
ours() { "$microgpt" eval "$1" --dtype f64 --digits 17 | sed -n 's/^held-out loss: \([^ ]*\).*/\1/p'; }
theirs() { "$python" "$@" | sed -n 's/.*held-out loss: //p'; }
run() { "$@" >"$folder/output.txt" 2>&1 || fail "$* fails: $(cat "$folder/output.txt")"; }
# Fails unless the command does, and says this.
refused() {
  message=$1
  shift
  "$@" >"$folder/output.txt" 2>&1 && fail "$* does not fail"
  grep -qF "$message" "$folder/output.txt" || fail "$* says: $(cat "$folder/output.txt")"
}
train() { run "$microgpt" train --hold-out --steps 100 --quiet --samples 1 --save "$@"; }

# Each kind of model that the script knows. The redirections are for the torchrun of Debian 12, which fails without.
start=$folder/start.safetensors one=$folder/one.safetensors two=$folder/two.safetensors
for options in "--preset gist" "--preset walkthrough" \
  "--engine tensor --batch 8 --n-layer 2 --attention gqa --pos rope" \
  "--engine tensor --n-embd 24 --n-head 6 --attention mqa --block-size 7"; do
  echo "train $options"
  train "$start" $options
  before=$(ours "$start")
  same "$before" "$(theirs $script "$start")" "as it is, here and in PyTorch"
  after_one=$(theirs $script "$start" --steps 40 --save "$one")
  after_two=$(theirs -m torch.distributed.run --rdzv_backend c10d --rdzv_endpoint localhost:0 --nproc_per_node 2 \
    --redirects 1 --tee 1 $script "$start" --steps 40 --save "$two")
  same "$after_one" "$after_two" "trained by 1 process and by 2"
  same "$(ours "$one")" "$after_one" "the file of 1, here and in PyTorch"
  same "$(ours "$two")" "$after_two" "the file of 2, here and in PyTorch"
  awk -v a="$after_two" -v b="$before" 'BEGIN { exit !(a < b - 0.001) }' || fail "training does not lower the loss"
  run "$microgpt" sample "$two"
  run "$microgpt" heads "$two" --num-documents 10
  run "$microgpt" inspect "$two" --html "$folder/two.html"
done

# What the file does not have, and what the script does not know or cannot share.
refused "it has a model, but not the state of its training; start anew" "$microgpt" train --resume "$two" --steps 200
refused "2 processes cannot have equal shares of 33 names" \
  env RANK=0 WORLD_SIZE=2 "$python" $script "$start" --batch 33
train "$start" --engine tensor --attention mla
refused "this script does not know kv_latent 8" "$python" $script "$start"
train "$start" --engine tensor --mask local:3
refused "this script does not know mask local:3" "$python" $script "$start"
train "$start" --lower
refused "this script does not know training.lower yes" "$python" $script "$start"
train "$start" --data data/names.txt
echo "Zoë" >"$folder/other.txt"
refused "the model does not know ['Z', 'ë']" "$python" $script "$start" "$folder/other.txt"
echo "all refused that should be"
