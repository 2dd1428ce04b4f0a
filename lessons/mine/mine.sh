#!/usr/bin/env bash
# The reader's own microgpt, stage by stage, and exercises of lessons: lessons/mine/mine.sh COMMAND [NUMBER]
#
#   test       creates mine/microgpt.cpp if there is none, tests it, and says what comes next
#   test N     tests stage N alone, whatever is done
#   watch      tests after each change of the file
#   hint       a hint for the next stage; again: another as well; again: its solution as well
#   hint NN    the same for the exercise of lesson NN
#   reset N    puts the file to the solution before stage N, and keeps the old file beside it
#   back K     puts the file and the progress to what reset kept as number K
#   run        compiles the file and runs it
#   gdb        runs the tests of the next stage in gdb
#   progress   which stages and exercises are done
#   exercise NN PROGRAM    runs the exercise of lesson NN, which is that program, and says what is wrong with it
#   cut N      prints the solution at stage N
#   losses     prints what each stage of the solution is worth
#
# MINE_FOLDER is the reader's folder, mine/ if it is not set. Its file `progress` holds the stages done, and how many
# hints were seen for the next. Its file exercise-NN holds how many were seen for that exercise, or that it is solved.
set -u
texts=lessons/mine/stages.txt solution=lessons/mine/solution.cpp tests=tests/mine/tests.cpp
own=${MINE_FOLDER:-mine} stages=15 extra=17 whole=15 # from stage `whole` on, what the whole program prints is tested
file=$own/microgpt.cpp
CXX=${CXX:-g++}
scratch=

# What the compiler says is read below, so it speaks English; letters stay those of the reader's language.
{ export LC_CTYPE="${LC_ALL:-${LC_CTYPE:-${LANG:-C}}}" LANG=C LANGUAGE= &&
  unset LC_ALL LC_MESSAGES LC_NUMERIC LC_COLLATE; } 2>/dev/null # it may not be installed

fail() {
  echo "$1" >&2
  exit 1
}

cut_at() {
  awk -v n="$1" '/^\/\/@ / { split($2, at, "-"); on = n >= at[1] && (at[2] == "" || n <= at[2]); next } on' $solution
}

# What stages.txt says of stage $1: its title; or part 0, the task; or part 1 or 2, a hint.
title() { awk -v n="$1" '/^# / && $2 == n { sub(/^# [0-9]+ /, ""); print }' $texts; }
part() {
  awk -v n="$1" -v k="$2" '/^# / { on = $2 == n; at = 0; next } on && /^\? / { at++; sub(/^\? /, "") }
    on && at == k && NF { print "  " $0 }' $texts
}

finished=0 hints=0
read_progress() {
  [ ! -r "$own/progress" ] || read -r finished hints <"$own/progress"
  case $finished in '' | *[!0-9]*) finished=0 ;; esac
  case $hints in '' | *[!0-9]*) hints=0 ;; esac
  [ "$finished" -le $extra ] || finished=$extra
}
write_progress() { echo "$1 $2" >"$own/progress.new" && mv "$own/progress.new" "$own/progress"; }

bar() {
  local i line=
  for ((i = 1; i <= stages; i++)); do line+=$([ "$i" -le "$finished" ] && echo '#' || echo .); done
  echo "[$line] $((finished < stages ? finished : stages)) of $stages stages done"
}

# The loss to expect at a stage.
figure() {
  awk -F'|' -v n="$1" '$1 + 0 > 0 && $1 + 0 <= n { loss = $2 }
    END { if (n >= 2 && n < 16) printf "%.2f", loss }' lessons/mine/expected.txt
}

say_next() {
  local next=$((finished + 1))
  if [ "$next" -gt $extra ]; then
    echo "You have written microgpt. What src/microgpt.cpp does differently: lessons/mine/README.md"
    return
  fi
  echo "next: stage $next, $(title $next)"
  part $next 0
  awk -v n=$next '/ wanted_[0-9]+\(/ { on = index($0, " wanted_" n "(") }
    on && sub(/.*\/\/ wants: /, "  ") { print (told++ ? "" : "it wants:\n") $0 }' $tests
}

# --- Compiling ---

need_compiler() {
  command -v ${CXX%% *} >/dev/null || fail "there is no compiler called ${CXX%% *}; make setup installs one"
}

compiled=() # the last FLAGS and SOURCE, for crash_place
compile() { # OUTPUT [FLAG...] SOURCE
  local output=$1
  shift
  compiled=("$@")
  need_compiler
  $CXX -std=c++20 -Isrc -I. -fno-diagnostics-color "$@" -o "$output" 2>"$scratch/errors"
}

test_flags='-w -O0 -D_GLIBCXX_ASSERTIONS -Dmain=mine_main'
program_flags='-Werror=return-type -O1 -D_GLIBCXX_ASSERTIONS'
compile_tests() { # STAGE OUTPUT [FLAG]
  compile "$2" ${3:-} $test_flags ${header:+-include $header $header.o} -DSTAGE="$1" -include "$file" $tests
}

# Most of the time goes to the headers. Compiled once as MINE_HEADER, they serve the tests of all stages.
header=${MINE_HEADER:-}
compile_header() { # FILE
  mkdir -p "$1.gch" && cp tests/mine/headers.h "$1" &&
    compile "$1.gch/tests" $test_flags -x c++-header "$1" &&
    compile "$1.gch/program" $program_flags -x c++-header "$1" &&
    compile "$1.o" $test_flags -DINSTANCE=template -x c++ -c "$1"
}

# What a compiler said first that it calls an error, without its place; or just what it said first.
first_error() {
  [ -s "$1" ] || echo "$CXX does not say why"
  { grep -m 1 -E 'error: |undefined' "$1" || head -n 1 "$1"; } | sed 's/^.*error: //'
}

# The first line of the reader's that the compiler did not like.
say_syntax_error() { # is true if there is one
  local line
  ! $CXX -std=c++20 -Isrc -I. -fno-diagnostics-color -Werror=return-type -fsyntax-only "$file" \
    2>"$scratch/errors.own" || return 1
  line=$(sed -n "s|^$file:\([0-9][0-9]*\):.*error: .*|\1|p" "$scratch/errors.own" | head -n 1)
  echo "$file${line:+:$line} does not compile: $(first_error "$scratch/errors.own")"
  [ -z "$line" ] || sed -n "${line}s/^/  $line |  /p" "$file"
}

# The first thing that the compiler did not like, in the reader's file or in a test. What stage $1 wants comes first.
say_compile_error() {
  local first line wanted
  ! grep -q "^$file:" "$scratch/errors" || ! say_syntax_error || return 0
  first=$(awk -v n="${1:-0}" -F: '
    FNR == NR && index($0, " wanted_" n "(") { from = NR }
    FNR == NR && /^}/ && from && !to { to = NR }
    FNR < NR && /error: / && $1 ~ /tests\.cpp$/ && $2 > from && $2 < to { print; exit }' $tests "$scratch/errors")
  first=${first:-$(grep -m 1 'error: ' "$scratch/errors")}
  line=$(echo "$first" | sed -n "s|^[^:]*$tests:\([0-9][0-9]*\):.*|\1|p")
  line=${line:-$(sed -n "s|^[^:]*$tests:\([0-9][0-9]*\):.*|\1|p" "$scratch/errors" | head -n 1)}
  if [ -z "$line" ]; then
    echo "$file does not fit its tests: $(first_error "$scratch/errors")"
    return
  fi
  wanted=$(awk -v line="$line" 'NR > line { exit }
    match($0, /wanted_[0-9]+/) { n = substr($0, RSTART + 7, RLENGTH - 7) }
    /\/\/ wants: / { sub(/.*\/\/ /, ""); last = n " " $0 } END { print last }' $tests)
  echo "stage ${wanted%% *} ${wanted#* }"
  echo "  the compiler says: ${first#*error: }"
}

# --- Testing ---

# Runs a program for at most $1 seconds of computing. What it prints, a megabyte at most, goes to the file $2, and what
# it says on standard error to $2.errors. A sanitizer needs more memory than there is.
memory=4000000
ran=() # the last arguments, for crash_place
limited() {
  local seconds=$1 output=$2
  shift 2
  ran=("${@:2}")
  { (
    ulimit -S -c 0
    ulimit -S -t "$seconds"
    ulimit -S -f 1024
    ulimit -S -v $memory 2>/dev/null
    exec "$@"
  ) </dev/null >"$output" 2>"$output.errors"; } 2>/dev/null
}

# Where in the reader's file the last program crashed: it is compiled and run again, with a sanitizer if there is one.
crash_place() {
  [ ${#compiled[@]} -gt 0 ] && compile "$scratch/crash" -g -fsanitize=address "${compiled[@]}" || return 0
  local line at='in'
  memory=unlimited
  export ASAN_OPTIONS=handle_abort=1:detect_leaks=0:allow_addr2line=1:hard_rss_limit_mb=4000
  cp "$scratch/result" "$scratch/result.kept"
  limited 60 "$scratch/trace" "$scratch/crash" ${ran[@]+"${ran[@]}"}
  cp "$scratch/result.kept" "$scratch/result"
  # The first stack of the sanitizer's report ends with an empty line.
  awk -v name="${file##*/}:" 'i = index($0, name) { print substr($0, i + length(name)) + 0; n++ } !NF && n { exit }' \
    "$scratch/trace.errors" | head -n 2 | while read -r line; do
    echo "$at $file:$line: $(sed -n "${line}s/^ *//p" "$file")"
    at='called in'
  done
}

say_crash() { # STAGE EXIT_CODE SECONDS
  local call=$(sed -n 2p "$scratch/result") because=$(sed -n 3p "$scratch/result") slow=$(sed -n 4p "$scratch/result")
  case $2 in 137 | 152) because=${slow:-$because} ;; esac
  case $2 in
    137 | 152) echo "$call: still computing after $3 seconds, and was stopped. Does a loop never end?" ;;
    153) echo "$call: it printed more than a megabyte, and was stopped. Does a loop print for ever?" ;;
    126) echo "no program runs in $scratch: clone the project to a disk that is not mounted with noexec" ;;
    0) echo "$call: the program ended. Is there an exit() in it?" ;;
    136) echo "$call: divided by 0, in whole numbers." ;;
    139 | 138) echo "$call: crashed (signal $(($2 - 128))): memory that is not yours, or a recursion too deep." ;;
    *)
      echo "$call: stopped with code $2."
      grep -hoE 'what\(.*|Assertion .* failed|ThreadSanitizer: .*' "$scratch"/printed.errors "$scratch"/*.txt.errors 2>/dev/null |
        sed "s/^Assertion '__[np].* size().*/An index is past the end of a vector or a string./
             s/^Assertion '__n < this->size()'.*/An index is past the end of a vector./
             s/^what.*(which is .*/An index is past the end of a vector or a string./
             s/^Assertion '_M_a <= _M_b' /Assertion '__sum > 0' /
             s/^Assertion '__sum > 0' .*/The weights to draw by add up to 0, or to less, or to nan. Was nothing counted? Are they scores, without softmax()? Or is the rate too large?/
             s/^what.*\(bad_alloc\|max_size\|length\|_M_\).*/It asked for more memory than there is. Does a list grow for ever, or is a size below 0?/" | tail -n 1
      ;;
  esac
  case $2 in 134 | 138 | 139) crash_place ;; esac
  [ -z "$because" ] || echo "$because"
}

say_wrong() { # STAGE EXIT_CODE SECONDS
  if [ "$2" = 1 ] && [ -s "$scratch/result" ]; then sed 1d "$scratch/result"; else say_crash "$@"; fi |
    fold -s -w 110 | sed 's/^/  /'
}

say_verdict() { # STAGE EXIT_CODE SECONDS
  local stage=$(sed -n 1p "$scratch/result") of
  stage=${stage:-$1}
  of=$([ "$stage" -gt $stages ] || echo " of $stages")
  if [ "$stage" -le "$finished" ]; then
    echo "stage $stage$of, $(title "$stage"): it was done, and no longer holds"
  else
    echo "stage $stage$of, $(title "$stage"): not yet"
  fi
  say_wrong "$@"
  cat "$scratch/printed.errors" >>"$scratch/printed" 2>/dev/null
  if [ -s "$scratch/printed" ] && [ "$1" -lt $whole ] && [ "$2" = 1 ]; then
    echo "  your file printed:"
    tail -n 5 "$scratch/printed" | cut -c 1-100 | sed 's/^/    /'
  fi
  echo "  again: make mine      a hint: make hint      step through it: make gdb MINE=1"
}

# Runs the whole program. Freed memory is NaN in it, where the C library can do that.
run_main() { # STAGE
  local code=0
  printf '%s\n' "$1" 'main()' 'Is each table and matrix as large as it should be (rows first), and made before it is used, and before the mark is taken? Is a Value, as the loss, read after tape.resize(mark)? Or is a weight nan: is the rate too large'"$([ "$1" -lt 14 ] || echo ', or the temperature 0, as 1 / 2 of whole numbers is')?" \
    >"$scratch/result"
  MALLOC_PERTURB_=255 limited 10 "$scratch/program.txt" "$scratch/program" || code=$?
  if grep -q 'loss.*[ -]nan' "$scratch/program.txt"; then
    printf '%s\n' "$1" 'main() prints that the loss is nan, not a number.' \
      'Is the rate too large? Or is loss.data() read after tape.resize(mark)?' >"$scratch/result"
    say_verdict "$1" 1 10 && return 1
  fi
  case $code in 134 | 138 | 139) say_verdict "$1" $code 10 && return 1 ;; esac
}

# Runs the whole program with files of a few names, and tests that; then with all names.
run_whole() {
  local code=0
  [ ! -t 2 ] || echo 'training your program with 60 names, then with all: up to two minutes' >&2
  local slow='If it gets slower and slower: each step ends with tape.resize(mark), or backward() goes through all steps so far.'
  { yes A | head -n 30 && printf '%s\n' {a..z} {0..3}; } >"$scratch/names.txt"
  echo abcdefghijklmno >"$scratch/name.txt"
  printf '%s\n' "$1" 'The program, with a file of 60 names: 30 times A, a to z, and 0 to 3' \
    'Is the vocabulary still a to z? Is BOS still 26? Or are there 1,000 names? After the last: names[step % names.size()]. Was the model made before the letters were collected, or the mark taken before the model? Or does tape.resize(mark) end Values that are still used?'"$([ "$1" -lt $extra ] || echo ' Or is argv[2] read where argc is 2?')" \
    "$slow" >"$scratch/result"
  MALLOC_PERTURB_=255 limited 40 "$scratch/other.txt" "$scratch/program" "$scratch/names.txt" ||
    { say_verdict "$1" $? 40 && return 1; }
  limited 100 "$scratch/first.txt" sh -c '"$0" "$1" | head -n 9' "$scratch/program" "$scratch/name.txt"
  printf '%s\n' "$1" 'The program, with a file that is not there, should print one line and return 1.' \
    'The file is argv[1]. Without names, names.empty() is true: look at it before anything divides by names.size().' \
    >"$scratch/result"
  limited 100 "$scratch/missing.txt" "$scratch/program" "$scratch/no-such-file" || code=$?
  [ $code = 1 ] && [ "$(cat "$scratch"/missing.txt* | wc -l)" -eq 1 ] || { say_verdict "$1" 1 100 && return 1; }
  run_tests "$1" $whole $whole || return 1
  printf '%s\n' "$1" 'The program' \
    'Is a Value used after tape.resize(mark), or the mark taken before the matrices are made? Are their sizes right?' \
    "$slow" >"$scratch/result"
  cp data/names.txt "$scratch" && MALLOC_PERTURB_=255 limited 100 "$scratch/program.txt" "$scratch/program" "$scratch/names.txt" "$scratch/model" ||
    { say_verdict "$1" $? 100 && return 1; }
}

run_tests() { # STAGE FIRST LAST: what stage STAGE tests of stages FIRST to LAST
  : >"$scratch/result"
  local code=0
  limited 10 "$scratch/printed" "$scratch/test" "$scratch/result" "$scratch" "$2" "$3" || code=$?
  [ $code = 0 ] && grep -qx finished "$scratch/result" || { say_verdict "$1" $code 10 && return 1; }
}

# Tests one stage; says what is wrong with it, if something is. The parts come before the whole program.
test_stage() {
  compile_tests "$1" "$scratch/test" || { say_compile_error "$1" && return 1; }
  run_tests "$1" 1 $((whole - 1)) || return 1
  compile "$scratch/program" $program_flags ${header:+-include $header} "$file" || { say_compile_error && return 1; }
  if [ "$1" -lt $whole ]; then run_main "$1"; else run_whole "$1" && run_tests "$1" $((whole + 1)) $extra; fi
}

# --- What it is worth ---

last_losses() { sed -n 's/.*loss \([0-9.]*\).*/\1/p' "$1" | tail -n 100; }

# The last 100 losses of the solution at a stage.
losses_of() { # STAGE
  cut_at "$1" | sed 's/if (step >= 900) last_100 += \(.*\);/std::printf("loss %.4f\\n", \1);/' >"$scratch/ours.cpp"
  compile "$scratch/ours" $program_flags ${header:+-include $header} "$scratch/ours.cpp" &&
    limited 100 "$scratch/ours.txt" "$scratch/ours"
  last_losses "$scratch/ours.txt"
}

mean() { awk '{ sum += $1 } END { printf "%.3f", sum / NR }' "$1"; }

# The mean of the differences of two files' numbers, and two standard errors.
paired() { # FILE FILE
  paste "$1" "$2" | awk '{ a += $1; aa += $1 ^ 2; d += $1 - $2; dd += ($1 - $2) ^ 2 }
    END {
      d /= NR
      margin = 2 * sqrt((dd / NR - d ^ 2) / (NR - 1) + 1e-12)
      verdict = dd == 0 ? "the same" : d < -margin ? "better" : d > margin ? "worse" : "cannot tell"
      if (dd / NR - d ^ 2 > aa / NR - (a / NR) ^ 2) verdict = verdict " (not the same names: read in another order?)"
      printf "%+.3f +- %.3f: %s", d, margin, verdict
    }'
}

losses() {
  local stage before=2
  echo 'stage | loss  | minus counting               | minus the stage before'
  for stage in 2 7 8 9 10 11 12 13; do
    losses_of $stage >"$scratch/$stage"
    printf '%5d | %s | %-28s | %s\n' $stage "$(mean "$scratch/$stage")" \
      "$(paired "$scratch/$stage" "$scratch/2")" "$(paired "$scratch/$stage" "$scratch/$before")"
    before=$stage
  done
}

# After the last stage of the path.
ending() {
  last_losses "$scratch/program.txt" >"$scratch/yours"
  losses_of 2 >"$scratch/counting"
  losses_of $stages >"$scratch/solution"
  printf '\nYou have written a GPT, in %d lines. ' "$(grep -c '[^[:space:]]' "$file")"
  printf 'Its loss on the last 100 names, each before it was learnt, is %s;\n' "$(mean "$scratch/yours")"
  echo 'name by name, with two standard errors of the mean:'
  printf '  minus counting (%s)      %s\n' "$(mean "$scratch/counting")" "$(paired "$scratch/yours" "$scratch/counting")"
  printf '  minus our solution (%s)  %s\n' "$(mean "$scratch/solution")" "$(paired "$scratch/yours" "$scratch/solution")"
  sed -n 's/^sample [ 0-9]*: //p' "$scratch/program.txt" | paste -sd ' ' - | fold -s -w 110 | sed 's/^/  /; s/ *$//'
  part end 0
  echo
}

# A stage, or as far as the file is: it then lacks what early ones want. Tests with a header find errors of syntax.
test_one() { # STAGE
  read_progress
  { [ -n "$header" ] || ! say_syntax_error; } && test_stage $(($1 > finished ? $1 : finished)) || return 1
  echo "stage $1, $(title "$1"): it holds"
  [ "$1" != $stages ] || ending
}

test_all() {
  read_progress
  local before=$finished stage loss numbers
  [ -e "$file" ] || fail "$file is gone; make mine-reset STAGE=$((finished + 1)) writes one that is done up to there"
  : >"$scratch/said"
  need_compiler
  ! say_syntax_error || return 1
  if [ ! -e "$own/progress" ]; then # it is found again
    local above=$((extra + 1))
    while stage=$(((finished + above) / 2)) && [ $stage -gt "$finished" ]; do
      test_stage $stage >/dev/null && finished=$stage || above=$stage
    done
    before=$finished
    write_progress "$finished" 0
  fi
  while stage=$((finished < extra ? finished + 1 : extra)) && test_stage $stage >"$scratch/said"; do
    [ "$finished" -lt $extra ] || break
    finished=$stage
    write_progress $finished 0
    loss=$(figure $finished)
    echo "stage $finished, $(title $finished): done. See what it is worth: make mine-run${loss:+ (the loss: about $loss)}"
    numbers=$(grep -oE '[0-9]+[.][0-9]+' "$scratch/program.txt")
    [ -z "$loss" ] || echo "$numbers" | awk -v loss=$loss '($1 - loss) ^ 2 < 0.05 ^ 2 { near = 1 } END { exit !near }' ||
      echo "Your main() prints no such number${numbers:+, but $(echo "$numbers" | tail -n 1)}. Is it the mean of the last 100 of 1,000 names, each judged before it is learnt?
$([ $finished -lt 7 ] && echo 'Is each name counted, in the table that is asked, not in a copy?' || echo 'Is each matrix made by matrix()? Is there backward(), then a step, with a rate that shrinks? (step / 1000 of whole numbers is 0.)')
Or are the names in another order?"
    [ $finished != 1 ] || grep -q '[a-z]' "$scratch/program.txt" ||
      echo 'But your main() prints no letter. Is the table that it draws from the one that was counted?'
    [ $finished != $stages ] || ending
  done
  bar
  # After a success the next stage is told. That it fails is no news: the reader has not begun with it.
  if [ "$finished" -gt "$before" ] || [ ! -s "$scratch/said" ]; then
    say_next
    return 0
  fi
  cat "$scratch/said"
  [ "$finished" -ge $extra ] || ! grep -q '^stage [0-9]* wants:' "$scratch/said" || say_next
  return 1
}

start() {
  [ ! -e "$file" ] && [ ! -e "$own/progress" ] || return 1
  mkdir -p "$own" && cut_at 0 >"$file" && write_progress 0 0
  echo "Here is $file. It reads names, and you make it write some. Change it, then: make mine"
}

watch() {
  mkdir "$own/watching" 2>/dev/null || ! kill -0 "$(cat "$own/watching/process" 2>/dev/null)" 2>/dev/null ||
    fail "$file is being watched already (by process $(cat "$own/watching/process"))"
  echo $$ >"$own/watching/process"
  trap 'rm -rf "$own/watching" "$scratch"' EXIT
  trap 'exit 0' INT TERM HUP
  local seen='' now
  while :; do
    now=$(cksum "$file" 2>/dev/null)
    if [ "$now" != "$seen" ]; then
      seen=$now
      printf '\n--- %s, compiling\n' "$(date +%T)"
      (test_all)
      echo "(watching $file; Ctrl-C ends it)"
    fi
    sleep 0.3
  done
}

hint() {
  read_progress
  local next=$((finished + 1)) shown again=another
  [ $next -le $extra ] || fail "all stages are done; there is nothing to hint at"
  [ "$hints" -ge 3 ] || hints=$((hints + 1))
  write_progress "$finished" "$hints"
  for ((shown = 1; shown <= hints && shown <= 2; shown++)); do
    echo "hint $shown of 2 for stage $next, $(title $next); again: $again"
    part $next $shown
    again='its solution'
  done
  [ "$hints" = 3 ] || return 0
  echo "one solution of stage $next, $(title $next): lines with + are new, lines with - go"
  cut_at "$finished" >"$scratch/before"
  cut_at $next | diff -U 2 "$scratch/before" - | sed '1,2d; s/^@@.*/.../'
}

# --- Exercises of lessons ---

solution_of() { ls lessons/"$1"_*/solution.cpp 2>/dev/null; }
mark_exercise() { mkdir -p "$own" && echo "$2" >"$own/exercise-$1"; }
marked() { cat "$own/exercise-$1" 2>/dev/null || echo 0; }

exercise() { # LESSON PROGRAM
  local code=0
  case $2 in *san/*) memory=unlimited ;; esac
  limited 20 "$scratch/printed" "$2" "$scratch/result" || code=$?
  cat "$scratch"/printed*
  if [ $code = 0 ]; then
    mark_exercise "$1" solved
    echo "exercise $1: solved. Another solution: $(solution_of "$1")"
    return
  fi
  [ "$(marked "$1")" != solved ] || mark_exercise "$1" 0
  echo "exercise $1: not yet"
  say_wrong "$1" $code 20
  echo "  again: make exercise-$1      a hint: make hint L=$1"
}

# The hints stand at the beginning of the solution.
hint_exercise() { # LESSON
  local solution=$(solution_of "$1") seen=$(marked "$1")
  [ -n "$solution" ] || fail "there is no exercise $1"
  case $seen in [12]) seen=$((seen + 1)) ;; 3 | solved) seen=3 ;; *) seen=1 ;; esac
  [ "$(marked "$1")" = solved ] || mark_exercise "$1" $seen
  awk -v seen=$seen '/^\/\/ Hint [0-9]: / { at = $3 + 0 } !/^\/\// { at = 3 } at < 3 { sub(/^\/\/ ?/, "") }
    at <= seen' "$solution"
  [ $seen = 3 ] || echo "again: $([ $seen = 1 ] && echo another || echo a solution)"
}

# --- The way around ---

# Keeps the file and the progress beside it, under the next number.
keep() {
  local n=1
  [ -e "$file" ] || return
  read_progress
  while [ -e "$own/before-reset-$n.cpp" ]; do n=$((n + 1)); done
  mv "$file" "$own/before-reset-$n.cpp"
  echo "$finished $hints" >"$own/before-reset-$n.progress"
  echo "your file is kept as $own/before-reset-$n.cpp; back: make mine-reset BACK=$n"
}

reset() {
  case $1 in '' | *[!0-9]*) set -- 0 ;; esac
  [ "$1" -ge 1 ] && [ "$1" -le $extra ] || fail "there is no such stage; use STAGE=1 to STAGE=$extra"
  mkdir -p "$own"
  keep
  cut_at $(($1 - 1)) >"$file"
  write_progress $(($1 - 1)) 0
  read_progress
  bar
  say_next
}

back() { # NUMBER
  [ $# = 1 ] || fail "either STAGE, for a solution, or BACK, for what was kept; not both"
  local kept=$own/before-reset-$1
  [ -e "$kept.cpp" ] || fail "there is no $kept.cpp"
  keep
  cp "$kept.cpp" "$file"
  [ ! -e "$kept.progress" ] || cp "$kept.progress" "$own/progress"
  read_progress
  bar
  say_next
}

run() {
  mkdir -p build/mine
  compile build/mine/microgpt -Wall -Wextra -g -O2 -D_GLIBCXX_ASSERTIONS "$file" || { say_compile_error; exit 1; }
  cat "$scratch/errors" >&2
  local code=0
  [ ! -f "$1" ] || { cp "$1" "$scratch/names.txt" && set -- "$scratch/names.txt"; } # the program may write there
  ran=("$@")
  { (exec build/mine/microgpt "$@" "$own/model.safetensors" 2>"$scratch/printed.errors") || code=$?; } 2>/dev/null
  case $code in
    134 | 138 | 139) printf '0\nmain()\n' >"$scratch/result" && say_wrong 0 $code 0 ;;
    *) cat "$scratch/printed.errors" >&2 ;;
  esac
  return $code
}

debug() {
  read_progress
  local next=$((finished < extra ? finished + 1 : extra))
  [ "${file#/}" != "$file" ] || file=$PWD/$file # step goes into no file that is called ./...
  mkdir -p build/mine
  set -- src/debug/start.sh gdb -ex 'set print address on'
  if [ $next -ge $whole ]; then
    compile build/mine/debug -w -g -O0 "$file" || { say_compile_error; exit 1; }
    "$@" -ex 'break main' -ex run --args build/mine/debug
    return
  fi
  compile_tests $next build/mine/debug -g || { say_compile_error; exit 1; }
  "$@" -x lessons/mine/failing.py -ex run --args build/mine/debug "$scratch/result" "$scratch" 1 $next
}

progress() {
  read_progress
  local stage mark exercise todo
  for ((stage = 1; stage <= extra; stage++)); do
    mark=$([ $stage -le "$finished" ] && echo '#' || echo .)
    echo "[$mark] stage $stage, $(title $stage)"
  done
  for exercise in lessons/[0-9]*/exercise.cpp; do
    todo=$(grep -c TODO "$exercise")
    exercise=${exercise#lessons/}
    exercise=${exercise%%_*}
    [ "$(marked "$exercise")" != solved ] || todo=0
    mark=$([ "$todo" = 0 ] && echo '#' || echo .)
    echo "[$mark] exercise-$exercise$([ "$todo" = 0 ] || echo ": $todo left to do")"
  done
}

mkdir -p build && scratch=$(mktemp -d build/mine.XXXXXX) || exit 1 # programs run in it, which /tmp may forbid
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
command=${1:-test}
[ $# -eq 0 ] || shift
case $command in
  test) if [ -n "${1:-}" ]; then test_one "$1"; elif start; then say_next; else test_all; fi ;;
  watch) start; watch ;;
  hint) if [ -n "${1:-}" ]; then hint_exercise "$1"; else start; hint; fi ;;
  reset) reset "${1:-}" ;;
  back) back "$@" ;;
  run) start; run "$@" ;;
  gdb) start; debug ;;
  progress) progress ;;
  exercise) exercise "$@" ;;
  cut) cut_at "$1" ;;
  losses) losses ;;
  header) compile_header "$1" ;;
  *) fail "lessons/mine/mine.sh does not know '$command'" ;;
esac
