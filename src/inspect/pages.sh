#!/bin/sh
# Trains three small models, which takes seconds, and writes the page of each, and one of links to them, into a folder:
# pages.sh PROGRAM FOLDER
set -eu
program=$1
folder=$2

# model NAME OPTION...: trains a model with these options
model() {
  name=$1
  shift
  "$program" train --engine tensor --batch 32 --steps 1000 --samples 1 --quiet --save "$folder/$name.safetensors" \
    --force "$@" >/dev/null
}

mkdir -p "$folder"
"$program" task copy >"$folder/copy.txt"
"$program" task copy --held-out --num 500 >"$folder/unseen.txt"
model copy --n-embd 32 --data "$folder/copy.txt"
"$program" inspect "$folder/copy.safetensors" --html "$folder/copy.html" --data "$folder/unseen.txt" \
  --text chafed=chafed

rm -rf "$folder/names.history"
model names --hold-out --history "$folder/names.history"
"$program" inspect "$folder/names.history" --html "$folder/names.html"

model gqa_rope --hold-out --n-embd 32 --n-layer 2 --attention gqa --n-kv-head 2 --pos rope
"$program" inspect "$folder/gqa_rope.safetensors" --html "$folder/gqa_rope.html"

cp "$(dirname "$0")/pages.html" "$folder/index.html"
echo "wrote $folder/index.html: open it in a browser"
