#!/bin/sh
# Looks for data races in programs built with ThreadSanitizer: tests/races.sh LESSON_13 ITS_RACE TESTS MICROGPT
#
# First it checks the detector: that must listen to OpenMP, and find the race of lesson 13, BREAK=race. Then it
# runs the tests of the tensor path with up to 8 threads, and one second of training.
set -u
lesson=$1 race=$2 tests=$3 program=$4
log=$lesson.txt
fail() { echo "$1" >&2; exit 1; }

ARCHER_OPTIONS=verbose=1 "$lesson" >"$log" 2>&1
grep -q 'Archer detected' "$log" ||
  fail "OpenMP's Archer (libarcher.so) is missing; for example: apt-get install clang libomp-dev"
"$race" >"$log" 2>&1
grep -q 'WARNING: ThreadSanitizer: data race' "$log" ||
  fail "the race of lesson 13 is not found, so the detector cannot be trusted: see $log"
echo "the race of lesson 13: found"

quietly() { "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }; }
quietly "$lesson"
echo "the rest of lesson 13: no race"
"$tests" -sf='*tensor*,*threads*,*kernels*,*attention*,*batch*' || exit 1
echo "the tests of the tensor path: no race"
quietly "$program" train --preset fast --steps 100 --threads 3
echo "training on three threads: no race"
