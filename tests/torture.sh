#!/usr/bin/env bash
# Kills trainings at random moments and goes on with each, until they are done: tests/torture.sh PROGRAM KILLS
#
# What they save in the end must be what a training saves that nobody interrupted, and no temporary file may be left.
set -euo pipefail
program=$1 kills=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
whole=$folder/whole parts=$folder/parts
trainings=(
  '--steps 150'
  '--steps 80 --n-layer 2 --optimizer sgd --hold-out'
  '--steps 150 --engine tensor --batch 4 --dropout 0.1'
  '--steps 100 --engine tensor --dtype f64 --attention mla --pos rope --rope-dim 2 --mask local:4 --threads 2'
)

# Trains, and kills that after at most 63 milliseconds. Succeeds if it was done before.
train_a_while() {
  local how=("$@")
  if [ -e "$parts" ]; then how=(--resume "$parts"); fi
  "$program" train "${how[@]}" --save "$parts" --save-every 1 --quiet >/dev/null 2>"$folder/errors" &
  sleep "$(printf 0.%03d $((RANDOM % 64)))"
  kill -9 $! 2>/dev/null || true
  if wait $! 2>/dev/null; then return 0; fi
  grep -q 'has done' "$folder/errors" && return 0  # it was killed after its last step
  if [ -s "$folder/errors" ]; then
    cat "$folder/errors" >&2
    exit 1
  fi
  return 1
}

RANDOM=1
done=0 finished=0
while [ "$done" -lt "$kills" ]; do
  how=(${trainings[finished % ${#trainings[@]}]})
  "$program" train "${how[@]}" --save "$whole" --quiet >/dev/null
  rm -f "$parts"
  until train_a_while "${how[@]}"; do
    done=$((done + 1))
    if [ -t 1 ]; then printf '\r%s kills' "$done"; fi
  done
  finished=$((finished + 1))
  cmp "$whole" "$parts"
  if [ "$(ls "$folder" | tr '\n' ' ')" != 'errors parts whole ' ]; then
    ls "$folder" >&2
    exit 1
  fi
done
if [ -t 1 ]; then printf '\r'; fi
echo "$done kills, $finished trainings: each ended as if nobody had interrupted it, and left no temporary file"
