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
# What mistakes do is for `make museum` to say; which there are, and what each is, must stand in its record anyway.
for patch in lessons/*/break/*.patch; do
  printf '%s\t%s\n' "$patch" "$(head -n 1 "$patch")"
done | sort >"$build/mistakes.txt"
awk -F '\t' 'NR > 1 { print "lessons/" $1 "/break/" $2 ".patch\t" $7 }' lessons/*/seen.tsv | sort | diff "$build/mistakes.txt" - ||
  { echo "seen.tsv has not the same mistakes as lessons/*/break; see make museum" >&2 && code=1; }
exit $code
