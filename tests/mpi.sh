#!/usr/bin/env bash
# Trains as several processes: tests/mpi.sh MICROGPT_WITH_MPI MICROGPT
#
# Any number of them must save the bytes that one process saves. If one is killed, the others must stop and save, and
# from there any number must reach the same bytes.
set -euo pipefail
mpi=$(realpath "$1") plain=$(realpath "$2") names=$(realpath data/names.txt)
mpirun=(mpirun --allow-run-as-root --oversubscribe)
folder=$(mktemp -d)
run=
trap 'kill $run 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  cat said errors >&2 2>/dev/null || true
  echo "mpi: $1" >&2
  exit 1
}

# Forms with all kinds of weights; a batch that does not divide evenly; fewer documents than processes.
trainings=(
  '--batch 16 --dropout 0.1 --loss token-mean'
  '--batch 7 --n-layer 2 --attention mla --pos rope --rope-dim 2 --dtype f64'
  '--batch 3 --n-embd 24 --attention gqa --n-kv-head 2 --optimizer sgd --kernels naive'
)
for how in "${trainings[@]}"; do
  train="train --engine tensor --steps 20 --samples 1 --quiet --data $names $how"
  "$plain" $train --threads 2 --save alone >said_alone
  for n in 1 2 4; do
    "${mpirun[@]}" -n $n "$mpi" $train --threads 1 --save together >said 2>errors || fail "$n processes: $how"
    cmp alone together || fail "$n processes save other bytes: $how"
    [ "$(grep '^sample' said)" = "$(grep '^sample' said_alone)" ] || fail "$n processes print something else: $how"
  done
  echo "mpi: 1, 2 and 4 processes save the bytes of one without MPI: $how"
done

# Goes on as N processes until they have saved something new; then does `end` to mpirun, process $run.
stopped_by() { # END N ARGUMENTS...
  local end=$1 n=$2
  shift 2
  cp parts before 2>/dev/null || : >before
  "${mpirun[@]}" -n "$n" "$mpi" train "$@" --threads 1 --quiet --save-every 5 >said 2>errors &
  run=$!
  until [ -e parts ] && ! cmp -s before parts; do kill -0 $run || fail "it ended too early"; sleep 0.01; done
  $end
  if wait $run; then fail "$end did not stop it"; fi
  run=
  [ "$(grep -c '^microgpt: stopped and saved after step .* go on with: .*--resume' errors)" = 1 ] ||
    { [ $end = interrupt ] && [[ "$(mpirun --version)" =~ MPI\)\ 5 ]]; } || # then it passes on nothing that is printed
    fail "$end: no single line says how to go on"
}
kill_one() { kill -9 "$(pgrep -P $run | tail -1)"; }
interrupt() { kill -INT $run; }

how="--engine tensor --batch 16 --steps 5000 --data $names"
"$plain" train $how --quiet --save whole >said
stopped_by kill_one 4 $how --save parts
stopped_by interrupt 2 --resume parts
"${mpirun[@]}" -n 3 "$mpi" train --resume parts --quiet --threads 1 >said 2>errors || fail 'it did not go on'
cmp whole parts || fail 'a training that was stopped twice saves other bytes'
echo 'mpi: one of 4 processes killed, 2 interrupted, 3 to the end: the bytes of a training that was never stopped'

# What cannot work is said once.
says() { # LINE PROGRAM ARGUMENTS...
  local line=$1
  shift
  if "${mpirun[@]}" -n 4 "$@" >said 2>errors; then fail "it should fail: $*"; fi
  [ "$(grep '^microgpt: ' errors)" = "microgpt: $line" ] || fail "it should say once: $line"
}
says "this program was compiled without MPI, so the 4 processes cannot work together; run \`make mpi\`, then mpirun -n 4 \
build/release/microgpt_mpi" "$plain" train
says 'mpirun needs --engine tensor' "$mpi" train
says 'mpirun is only for microgpt train --engine tensor' "$mpi" sample whole
says "process 1 of 4: -: no documents in it; put one name on each line" "$mpi" train --engine tensor --data - <"$names"
says 'step 3: the loss is nan; training diverged, try a smaller --lr' "$mpi" train $how --optimizer sgd --lr 1000000
for variables in PMI_SIZE=2 'PMI_SIZE=2 PMI_RANK=1' SLURM_STEP_NUM_TASKS=3; do # a launcher that this MPI does not know
  code=0
  env $variables timeout -k 1 20 "$mpi" train $how >said 2>errors || code=$?
  [ $code = 1 ] && [ "$(grep -c 'processes were started, but MPI joins only this one' errors)" = 1 ] || fail "$variables: $code"
done
"${mpirun[@]}" -n 2 env -u OMPI_COMM_WORLD_SIZE -u OMPI_COMM_WORLD_RANK "$mpi" train --engine tensor --batch 2 --steps 3 \
  --data "$names" >said 2>errors || fail 'without variables of its launcher'
[ "$(grep -c '^processes: 2;' said)" = 1 ] || fail 'without variables of their launcher, processes are alone'
echo 'mpi: wrong use is told in one line'
