#!/bin/sh
# Downloads the 32,033 names of makemore to a file, and checks that they are unchanged: data/download.sh FILE
set -u
url=https://raw.githubusercontent.com/karpathy/makemore/988aa59/names.txt
sha256=0a30b5557f192f32ab962680889aac5f6fda0f4cecf40a6d0b5694f58ea8cc4d

fail() {
  rm -f "$1.part"
  echo "$2" >&2
  exit 1
}

check=$(command -v sha256sum || echo shasum -a 256)
why=$(curl -fsSL --retry 2 --max-time 60 -o "$1.part" $url 2>&1) ||
  fail "$1" "cannot download the names from $url: $(echo "$why" | tail -n 1)"
echo "$sha256  $1.part" | $check -c - >/dev/null 2>&1 ||
  fail "$1" "the downloaded names are not the expected 32,033: their sha256 differs"
mv "$1.part" "$1"
echo "wrote $1"
