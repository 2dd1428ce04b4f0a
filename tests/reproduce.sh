#!/bin/sh
# Compares the lessons' output with the published build steps. A lesson that stops early or generates no names is
# compared up to there. (Lesson 04 adds up gradients in another order.) tests/reproduce.sh BUILD/lessons NAMES
set -u
[ $# -eq 2 ] || { echo "the 32,033 names are missing; get them with: make names" >&2; exit 1; }

code=0
for pair in bigram:train0 gradient:train1 value:train2 neural_bigram:train2 attention:train3 \
  multi_head:train4 adam:train5; do  # lesson:build step
  built=$(echo "$1"/??_"${pair%:*}")
  golden=tests/golden/ladder/${pair#*:}_makemore.txt
  failed=
  "$built/main" "$2" --golden "$golden" >"$built/reproduced.txt" 2>"$built/errors.txt" || { failed=' FAILED'; code=1; }
  printf '%-17s %s%s\n' "${built##*/}" "$(sed -n 's/^reproduced: //p' "$built/reproduced.txt")" "$failed"
done
exit $code
