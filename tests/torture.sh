#!/usr/bin/env bash
# Kills trainings at random moments and goes on with each, until they are done: tests/torture.sh PROGRAM KILLS
#
# What they save in the end must be what a training saves that nobody interrupted.
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

# Trains, and kills that after a random time. Succeeds if it was done before. The more often one training was killed,
# the longer it may live: a busy machine may need longer for a single step.
train_a_while() {
  local how=("$@")
  if [ -e "$parts" ]; then how=(--resume "$parts"); fi
  "$program" train "${how[@]}" --save "$parts" --save-every 1 --quiet >/dev/null 2>"$folder/errors" &
  sleep "$(printf 0.%03d $((RANDOM % (64 + 4 * killed))))"
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
  killed=0
  until train_a_while "${how[@]}"; do
    done=$((done + 1)) killed=$((killed < 200 ? killed + 1 : killed))
    if [ -t 1 ]; then printf '\r%s kills' "$done"; fi
  done
  finished=$((finished + 1))
  cmp "$whole" "$parts"
done
if [ -t 1 ]; then printf '\r'; fi

# Eight trainings save in one folder all the time, and none disturbs another.
save() { # SEED PATH
  "$program" train --seed "$1" --steps 100 --n-embd 4 --n-head 1 --samples 1 --quiet --save "$2" --save-every 1 >/dev/null
}
mkdir "$folder/eight"
pids=()
for seed in 1 2 3 4 5 6 7 8; do
  save $seed "$folder/eight/$seed" &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid"; done
[ "$(ls "$folder/eight" | tr '\n' ' ')" = '1 2 3 4 5 6 7 8 ' ]
for seed in 1 2 3 4 5 6 7 8; do
  save $seed "$folder/alone"
  cmp "$folder/alone" "$folder/eight/$seed"
done
echo "$done kills, $finished trainings, eight at once: each ended as if alone and not interrupted"
