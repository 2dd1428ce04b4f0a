#!/bin/sh
# Compares all losses and names of the lessons with those of the published build steps; losses to four digits, as some C
# libraries round otherwise. A lesson that stops early or generates no names is compared up to there, and the names of
# lesson 02 are others. (Lesson 04 adds up gradients in another order.) tests/reproduce.sh BUILD/lessons NAMES
set -u
[ $# -eq 2 ] || { echo "the 32,033 names are missing; get them with: make names" >&2; exit 1; }

code=0
for pair in bigram:train0 gradient:train1 value:train2 neural_bigram:train2 attention:train3 \
  multi_head:train4 adam:train5; do  # lesson:build step
  built=$(echo "$1"/??_"${pair%:*}")
  others='^(sample|num params)'
  [ "${pair%:*}" = gradient ] && others='^num params'
  printf '%-17s ' "${built##*/}"
  DIGITS=1 "$built/main" "$2" >"$built/reproduced.txt" 2>"$built/errors.txt" &&
    awk -v others="$others" '
      FNR == NR { if (/^step/) published[$2] = $NF; else line[$0]; next }
      /^step +[0-9]+ \| loss/ { losses++; equal += $NF == published[$2]; near += ($NF - published[$2]) ^ 2 < 1e-8 / 4 }
      $0 ~ others { n++; found += $0 in line }
      END {
        printf "%d of %d losses, %d to the last bit; %d of %d other lines\n", near, losses, equal, found, n
        exit !(losses && near == losses && found == n)
      }' "tests/golden/ladder/${pair#*:}_makemore.txt" "$built/reproduced.txt" || { echo FAILED; code=1; }
done
exit $code
