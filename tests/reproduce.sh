#!/bin/sh
# Compares the lessons' output with the published build steps. A lesson that stops early or generates no names is
# compared up to there. (Lesson 04 adds up gradients in another order.) tests/reproduce.sh BUILD/lessons NAMES
set -u
[ $# -eq 2 ] || { echo "the 32,033 names are missing; get them with: make names" >&2; exit 1; }

code=0
for pair in 01:train0 02:train1 03:train2 05:train2 07:train3 08:train4 09:train5; do  # lesson:build step
  built=$(echo "$1/${pair%:*}"_*)
  golden=tests/golden/ladder/${pair#*:}_makemore.txt
  failed=
  "$built/main" "$2" --golden "$golden" >"$built/reproduced.txt" 2>"$built/errors.txt" || { failed=' FAILED'; code=1; }
  printf '%-17s %s%s\n' "${built##*/}" "$(sed -n 's/^reproduced: //p' "$built/reproduced.txt")" "$failed"
done
exit $code
