#!/bin/sh
# Every exercise must fail unsolved, and pass with its solution: tests/exercises.sh BUILD LESSON...
set -u
build=$1
shift
code=0
for lesson in "$@"; do
  at=$build/lessons/$lesson
  if "$at/exercise" >"$at/exercise.txt" 2>&1; then
    echo "exercise $lesson: passes unsolved, so there is nothing to solve" >&2
    code=1
  elif ! "$at/solution" >"$at/solution.txt" 2>&1; then
    cat "$at/solution.txt" >&2
    echo "exercise $lesson: its solution fails" >&2
    code=1
  else
    echo "exercise $lesson: unsolved as it stands, solved by its solution"
  fi
done
exit $code
