#!/bin/sh
# Trains a model that lessons of the book open, in seconds, and writes its page: inspect.sh PROGRAM MODEL FOLDER
set -eu
program=$1
model=$2
files=$3/$2

# write OPTION...: trains with these options, and measures on documents that the model has not seen
write() {
  "$program" train --engine tensor --samples 1 --quiet --force --save "$files.safetensors" "$@" >/dev/null
  shift $#
  [ "$model" = names ] || set -- --data "$files.unseen"
  "$program" inspect "$files.safetensors" "$@" --html "$files.html" 2>/dev/null
}

mkdir -p "$3"
if [ "$model" != names ]; then
  "$program" task "$model" --num 20000 >"$files.txt"
  "$program" task "$model" --num 300 --held-out >"$files.unseen"
fi
case $model in
names) write --batch 32 --steps 1000 --hold-out ;;
copy) write --batch 32 --steps 1000 --n-embd 32 --data "$files.txt" ;;
induction) write --batch 16 --n-embd 32 --n-layer 2 --pos rope --seed 1 --data "$files.txt" ;;
esac
