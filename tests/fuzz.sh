#!/bin/sh
# Runs targets of libFuzzer, which vary their input to reach more of the code: tests/fuzz.sh BUILD SECONDS TARGET...
#
# Each begins with its seeds and with what earlier runs found interesting, in BUILD/corpus/NAME, and runs for so many
# seconds or until a finding: a sanitizer's report, an exception that is not an Error, an input that takes more than 10
# seconds, or one that allocates more than 300 MB at once or 2 GB in all. Inputs of earlier findings are tried first.
set -u
build=$1 seconds=$2
shift 2

# The last word that follows $1 in the log.
last() { sed -n "s/.*$1 *\([0-9][0-9]*\).*/\1/p" "$log" | tail -n 1; }

fuzz() {
  mkdir -p "$corpus" "$findings"
  SEEDS=$corpus "$target" || exit 1
  "$target" -max_total_time="$seconds" -timeout=10 -malloc_limit_mb=300 -rss_limit_mb=2000 \
    -close_fd_mask=1 -print_final_stats=1 -artifact_prefix="$findings/" $words "$corpus" "$findings" >"$log" 2>&1
}

code=0
printf '%-12s %12s %9s %8s %9s\n' target executions coverage seconds findings
for target; do
  name=${target##*/}
  corpus=$build/corpus/$name findings=$build/findings/$name log=$build/$name.log
  words=$(ls tests/fuzz/"$name".dict 2>/dev/null | sed 's/^/-dict=/')
  begin=$(date +%s)
  fuzz && found=0 || found=1 code=1
  printf '%-12s %12s %9s %8s %9s\n' "$name" "$(last number_of_executed_units:)" "$(last cov:)" \
    $(($(date +%s) - begin)) $found
  [ $found = 0 ] && continue
  grep -E 'ERROR: |^WRONG: |SUMMARY: |runtime error: |^terminate|^  what\(\)' "$log"
  sed -nE 's|^ *#[0-9]+ 0x[0-9a-f]+ in (.*) .*/(src/[^ ]*)$|  \2  \1|p' "$log" | cut -c1-160 | head -n 5
  input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
  echo "  found by $input; see $log; to repeat it:"
  echo "  $target -timeout=10 -malloc_limit_mb=300 -rss_limit_mb=2000 $input"
done
exit $code
