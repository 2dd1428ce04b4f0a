#!/usr/bin/env bash
# Every exercise must pass with its solution and, but for QUICK=1, fail unsolved. Each mistake of its mistakes.txt, made
# in its solution, must be named: tests/exercises.sh BUILD LESSON...
#
# COMPILE is the compiler with its flags, LINK the libraries. With COMPILE= no mistakes are made: some need threads.
#   exercises.sh mistake BUILD LESSON K    only makes mistake K of this lesson
set -u
. tests/mine/mistake.sh

mistake() { # BUILD LESSON K
  local at=$1/lessons/$2/mistake/$3 folder=lessons/$2 table=lessons/$2/mistakes.txt said expected
  mkdir -p "$at"
  expected=$(field "$3" '?' | tr -s ' ')
  cp "$folder/exercise.cpp" "$at" && make_mistake "$3" <"$folder/solution.cpp" >"$at/solution.cpp" || {
    echo "exercise $2, mistake $3 ($expected): its text is not in the solution" >&2
    return 1
  }
  $COMPILE -DSOLUTION -I"$folder" -c "$at/exercise.cpp" -o "$at/exercise.o" &&
    $COMPILE "$at/exercise.o" $LINK -o "$at/exercise" || return 1
  said=$(ulimit -t 60; "$at/exercise" 2>&1 | tr -s ' \n' ' '; exit "${PIPESTATUS[0]}") && said="it passes. $said"
  [ "${said#*"$expected"}" != "$said" ] && [ -n "$expected" ] || {
    printf 'exercise %s, mistake %s (%s) is not named, but:\n%s\n' "$2" "$3" "$expected" "$said" >&2
    return 1
  }
}

if [ "$1" = mistake ]; then mistake "$2" "$3" "$4"; exit; fi
build=$1
shift
code=0
for lesson in "$@"; do
  at=$build/lessons/$lesson
  said=
  [ -n "${QUICK:-}" ] || said='fails unsolved, '
  if [ -n "$said" ] && "$at/exercise" >"$at/exercise.txt" 2>&1; then
    echo "exercise $lesson: passes unsolved, so there is nothing to solve" >&2
    code=1
  elif ! "$at/solution" >"$at/solution.txt" 2>&1; then
    cat "$at/solution.txt" >&2
    echo "exercise $lesson: its solution fails" >&2
    code=1
  else
    if [ -n "${COMPILE:-}" ] && [ -e "lessons/$lesson/mistakes.txt" ]; then
      named=$(grep -c '^# ' "lessons/$lesson/mistakes.txt")
      seq "$named" | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" "$0" mistake "$build" "$lesson" || {
        code=1
        continue
      }
      said+="$named usual mistakes named, "
    fi
    echo "exercise $lesson: ${said}solved by its solution"
  fi
done
exit $code
