#!/bin/sh
# Every lesson must have printed its expected.txt and drawn the pictures that lie beside it:
# tests/lessons.sh BUILD LESSON...
set -u
build=$1
shift
code=0
for lesson in "$@"; do
  at=$build/lessons/$lesson
  if [ "$(cat "$at/code.txt")" != 0 ]; then
    cat "$at/errors.txt" >&2
    echo "lesson $lesson: failed" >&2
    code=1
  elif ! diff -u "lessons/$lesson/expected.txt" "$at/printed.txt"; then
    echo "lesson $lesson: its output differs from its expected.txt" >&2
    code=1
  else
    echo "lesson $lesson: prints its expected.txt"
    for picture in "lessons/$lesson"/*.svg; do
      [ -e "$picture" ] || continue
      cmp "$at/${picture##*/}" "$picture" || code=1
    done
  fi
done
exit $code
