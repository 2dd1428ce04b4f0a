#!/usr/bin/env bash
# Kills trainings at random moments and goes on with each, until they are done: tests/torture.sh PROGRAM KILLS
#
# What they save in the end must be what a training saves that nobody interrupted, and no temporary file may be left.
set -euo pipefail
program=$1 kills=$2
folder=$(mktemp -d)
disk=$folder/disk
trap 'umount "$disk" 2>/dev/null || true; rm -rf "$folder"' EXIT
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
  if [ "$(ls "$folder" | tr '\n' ' ')" != 'errors parts whole ' ]; then
    ls "$folder" >&2
    exit 1
  fi
done
if [ -t 1 ]; then printf '\r'; fi

# Eight trainings save in one folder all the time, and none removes what another writes. Half of them are the first
# process of a container, so that all those have the same process id.
one_of_eight() { # SEED PATH [MORE...]
  local seed=$1 path=$2 container=(env)
  shift 2
  if [ "$seed" -gt 4 ] && unshare -pf true 2>/dev/null; then container=(unshare -pf); fi
  "${container[@]}" "$program" train --seed "$seed" --steps 100 --n-embd 4 --n-head 1 --samples 1 --quiet \
    --save "$path" "$@" >/dev/null 2>>"$folder/errors.txt"
}
for ((round = 0; round * 100 < kills; round++)); do
  rm -rf "$folder/eight"
  mkdir "$folder/eight"
  pids=()
  for seed in 1 2 3 4 5 6 7 8; do
    one_of_eight $seed "$folder/eight/$seed" --save-every 1 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid"; done
  [ "$(ls "$folder/eight" | tr '\n' ' ')" = '1 2 3 4 5 6 7 8 ' ]
  for seed in 1 2 3 4 5 6 7 8; do
    if [ $round = 0 ]; then one_of_eight $seed "$folder/alone$seed"; fi
    cmp "$folder/alone$seed" "$folder/eight/$seed"
  done
  if [ -s "$folder/errors.txt" ]; then
    cat "$folder/errors.txt" >&2
    exit 1
  fi
done

# A disk that is too small is noticed before training; one that is full for a while costs nothing.
mkdir "$disk"
if mount -t tmpfs -o size=64k tmpfs "$disk" 2>/dev/null; then
  if "$program" train --steps 2 --save "$disk/model" >"$folder/out" 2>"$folder/errors"; then exit 1; fi
  grep -q 'No space left' "$folder/errors"
  if grep -q step "$folder/out"; then exit 1; fi
  mount -o remount,size=300k "$disk"
  "$program" train --steps 1000000 --save "$disk/model" --save-every 1 --quiet >/dev/null 2>"$folder/errors" &
  until [ -e "$disk/model" ]; do kill -0 $!; sleep 0.01; done
  until grep -q 'training goes on' "$folder/errors"; do
    head -c 300000 /dev/zero >"$disk/filler" 2>/dev/null || true
    kill -0 $!
  done
  rm "$disk/filler"
  kill $!
  wait $! || true
  grep -q 'stopped and saved' "$folder/errors"
else
  echo 'no tmpfs can be mounted here, so no full disk was tried'
fi
echo "$done kills, $finished trainings, $round times eight at once: each ended as if alone and not interrupted, and left" \
  'no temporary file'
