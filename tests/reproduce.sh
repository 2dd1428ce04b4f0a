#!/bin/sh
# Compares losses and names of the lessons with those of the published build steps: losses to the last bit, or to four
# digits ("about") if the C library rounds otherwise. Lesson 03 stops after 50 steps, and the names of lesson 02 are
# others. (Lesson 04 adds up gradients in another order.) tests/reproduce.sh BUILD/lessons NAMES
set -u
[ $# -eq 2 ] || { echo "the 32,033 names are missing; get them with: make names" >&2; exit 1; }

code=0
for pair in bigram:train0 gradient:train1 value:train2 neural_bigram:train2 attention:train3 \
  multi_head:train4 adam:train5; do  # lesson:build step
  built=$(echo "$1"/??_"${pair%:*}")
  others='^(sample|num params)' steps=1000
  case $pair in gradient:*) others='^num params' ;; value:*) steps=50 ;; esac
  printf '%-17s ' "${built##*/}"
  DIGITS=1 "$built/main" "$2" >"$built/reproduced.txt" 2>"$built/errors.txt" &&
    awk -v others="$others" -v steps=$steps '
      FNR == NR { if (/^step/) published[$2] = $NF; else line[$0]; next }
      /^step +[0-9]+ \| (loss|about)/ { off = $NF - published[$2]; equal += $4 == "about" ? off ^ 2 <= 0.5e-4 ^ 2 : off == 0 }
      $0 ~ others { n++; found += $0 in line }
      END {
        printf "%d of %d losses, %d of %d other lines\n", equal, steps, found, n
        exit !(equal == steps && found == n)
      }' "tests/golden/ladder/${pair#*:}_makemore.txt" "$built/reproduced.txt" || { echo FAILED; code=1; }
done
exit $code
