#!/bin/sh
# Shows a mistake in a lesson, and what it changes in the lesson's output.
#
#   lessons/break.sh PATCH RIGHT BROKEN [NAMES]     RIGHT and BROKEN are the lesson's program without and with the patch
#
# The program with the mistake draws its pictures in build/pictures/broken. The exit code is 0 if the output differs.
# With KEPT=1 nothing is run: what the programs printed lies beside them, where make has kept it.
set -u
patch=$1 right=$2 broken=$3
shift 3
red='' green='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR-}" ] && [ "${TERM-dumb}" != dumb ]; then
  red=$(printf '\033[31m') green=$(printf '\033[32m') plain=$(printf '\033[0m')
fi
coloured() { sed -e "s/^-.*/$red&$plain/" -e "s/^+.*/$green&$plain/"; }
at=$(dirname "$broken")

# The output, errors and exit code of a program that draws its pictures in a folder: run FOLDER PROGRAM [NAMES].
run() {
  kept=$(dirname "$2")
  if [ -z "${KEPT-}" ]; then
    PICTURES=$1
    export PICTURES
    shift
    "$@"
  else
    cat "$kept/printed.txt"
    cat "$kept/errors.txt" >&2
    return "$(cat "$kept/code.txt")"
  fi
}

# The sentence above the patch, and the patch without its line numbers.
sed -E '/^(diff|index|--- |Index:|watch: )/d; s|^\+\+\+ b/([^[:space:]]*).*|in \1:|; s/^@@ .*/.../' "$patch" | coloured

run "$at" "$right" "$@" >"$at/right.txt" 2>"$at/right.errors" &
run build/pictures/broken "$broken" "$@" >"$at/broken.txt" 2>"$at/broken.errors"
code=$?
if ! wait $! && [ -s "$at/right.errors" ]; then
  cat "$at/right.errors" >&2
  exit 1
fi
printf '\nwhat changes in the output:\n'
diff -U 1 "$at/right.txt" "$at/broken.txt" >"$at/difference.txt"
differs=$?
sed -E '1,2d; s/^@@ .*/.../' "$at/difference.txt" | coloured
cat "$at/broken.errors" >&2
if [ $code -gt 128 ]; then
  echo "+the program crashed (signal $((code - 128)))" | coloured
elif [ $differs -eq 0 ]; then
  echo "nothing" && exit 1
fi
exit 0
