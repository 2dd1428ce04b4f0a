#!/usr/bin/env bash
# `make check-mine`: at each stage to 14, and at 17, the solution passes. Unless QUICK is set, that of the stage before
# fails, each mistake of mistakes.txt is named, and each style of variants.txt passes at stages that have all its parts,
# as tests of a stage include those of the parts before. Without arguments it runs all of this; with two one job:
#
#   check.sh solved N     check.sh unsolved N     check.sh mistake K     check.sh variant STYLE-N     check.sh around it
set -u
table=tests/mine/mistakes.txt variants=tests/mine/variants.txt mine=lessons/mine/mine.sh

. tests/mine/mistake.sh

one() { # KIND NUMBER
  local folder stage=$2 said= expected= code=0
  folder=$(mktemp -d)
  trap "rm -rf '$folder'" EXIT
  export MINE_FOLDER=$folder
  case $1 in
    solved)
      case $stage in 1 | 15 | 16 | 17) unset MINE_HEADER && CXX=${GIVEN:-${CXX:-g++}} ;; esac
      $mine cut "$stage" >"$folder/microgpt.cpp"
      ;;
    unsolved) $mine cut $((stage - 1)) >"$folder/microgpt.cpp" expected="stage $stage" ;;
    mistake)
      stage=$(field "$2" '#') expected=$(field "$2" '?' | tr -s ' ')
      $mine cut "$stage" | make_mistake "$2" >"$folder/microgpt.cpp" || said='its text is not in the solution' code=9
      ;;
    variant)
      stage=${2#*-} table=$variants
      $mine cut "$stage" | make_mistake "${2%-*}" "$stage" >"$folder/microgpt.cpp" ||
        said='its text is not in the solution' code=9
      ;;
  esac
  echo "$((stage - 1)) 0" >"$folder/progress"
  if [ $code = 0 ]; then said=$($mine test "$stage" 2>&1 | tr -s ' \n' ' '; exit ${PIPESTATUS[0]}) || code=1; fi
  if [ $code = 9 ] || [ $code != $(case $1 in solved | variant) echo 0 ;; *) echo 1 ;; esac) ] ||
    [ "${said#*"$expected"}" = "$said" -a -n "$expected" ]; then
    printf 'stage %s, %s %s (%s): wrong\n%s\n' "$stage" "$1" "$2" "$expected" "$said"
    return 1
  fi
}

# --- What can go wrong around the file ---

# says TEXT COMMAND...: the command says this, among other things.
says() {
  local text=$1 said
  shift
  said=$("$@" 2>&1 </dev/null | tr -s ' \n' ' ')
  [ "${said#*"$text"}" != "$said" ] || { printf '%s: does not say "%s", but:\n%s\n' "$*" "$text" "$said" && return 1; }
}

# Puts stage $1's solution, with $2 replaced by $3, into the folder, and tests it: it must say $4.
edited() {
  $mine cut "$1" | awk -v from="$2" -v to="$3" '
    i = index($0, from) { $0 = substr($0, 1, i - 1) to substr($0, i + length(from)) } 1' >"$MINE_FOLDER/microgpt.cpp"
  echo "$(($1 - 1)) 0" >"$MINE_FOLDER/progress"
  says "$4" $mine test ${5:-}
}

wait_for() { # TEXT FILE
  local i
  for ((i = 0; i < 600; i++)); do
    ! grep -q "$1" "$2" || return 0
    sleep 0.1
  done
  echo "nobody wrote '$1'; but:" && cat "$2" && return 1
}

watched() {
  local folder=$MINE_FOLDER process
  $mine cut 2 >"$folder/microgpt.cpp"
  echo '2 0' >"$folder/progress"
  $mine watch >"$folder/seen.txt" 2>&1 &
  process=$!
  wait_for 'stage 3 wants' "$folder/seen.txt" && says 'is being watched already' $mine watch &&
    $mine cut 3 >"$folder/microgpt.cpp" && wait_for 'stage 3, .*: done.*about 2.67' "$folder/seen.txt"
  local code=$?
  kill $process
  wait $process 2>/dev/null
  [ $code = 0 ] && [ ! -e "$folder/watching" ]
}

# An exercise of a lesson: two hints and a solution; failed, solved, and failed again.
exercise() {
  local number code=0
  number=$(ls -d lessons/*_split_heads | sed 's|lessons/||; s|_.*||')
  says 'again: another' $mine hint "$number" || code=1
  says 'Hint 2: ' $mine hint "$number" || code=1
  says 'NdArray merge(const NdArray& x)' $mine hint "$number" || code=1
  says 'there is no exercise 99' $mine hint 99 || code=1
  says 'stopped with code 1.' $mine exercise "$number" /bin/false || code=1
  says "exercise $number: solved" $mine exercise "$number" /bin/true || code=1
  says "[#] exercise-$number" $mine progress || code=1
  says "exercise $number: not yet" $mine exercise "$number" /bin/false || code=1
  says "[.] exercise-$number" $mine progress || code=1
  says 'Here is' $mine test || code=1
  rm "$MINE_FOLDER"/*
  return $code
}

# In gdb, step goes into the reader's file, which lies in the project.
stepped() {
  mkdir -p build/stepped && cp "$MINE_FOLDER"/{microgpt.cpp,progress} build/stepped
  printf 'step\n%.0s' {1..12} | MINE_FOLDER=build/stepped $mine gdb 2>&1 | grep -q 'build/stepped/microgpt.cpp:' ||
    { echo 'step does not go into the file' && return 1; }
}

# What the README shows.
shown() {
  $mine cut 5 | sed 's/->grad += /->grad = /' >"$MINE_FOLDER/microgpt.cpp"
  echo '4 0' >"$MINE_FOLDER/progress"
  $mine test
  $mine losses
  $mine cut 15 >"$MINE_FOLDER/microgpt.cpp"
  $mine test 15
}

around() {
  local folder=$MINE_FOLDER/new code=0
  exercise || code=1
  says 'next: stage 1, count and draw' env MINE_FOLDER="$folder" $mine test || code=1
  says 'stage 1 wants: using Counts' env MINE_FOLDER="$folder" $mine test || code=1
  cmp -s "$folder/microgpt.cpp" <($mine cut 0) || { echo 'the file was changed' && code=1; }
  says 'hint 1 of 2 for stage 1' env MINE_FOLDER="$folder" $mine hint || code=1
  says 'like all others. hint 2 of 2 for stage 1' env MINE_FOLDER="$folder" $mine hint || code=1
  says '+Token draw(const std::vector<double>& weights)' env MINE_FOLDER="$folder" $mine hint || code=1
  says 'there is no compiler called g+++' env CXX=g+++ MINE_FOLDER="$folder" $mine test || code=1
  says 'does not compile: /bin/false does not say why' env CXX=/bin/false MINE_FOLDER="$folder" $mine test || code=1
  echo 'echo "error: ${LC_ALL-}$LANG, $LC_CTYPE" >&2; exit 1' >"$folder/cxx"
  says 'does not compile: C, de_DE.UTF-8' \
    env LC_ALL=de_DE.UTF-8 TMPDIR=/no/such/folder CXX="sh $folder/cxx" MINE_FOLDER="$folder" $mine test || code=1
  says 'kept as' env MINE_FOLDER="$folder" $mine reset 3 || code=1
  cmp -s "$folder/before-reset-1.cpp" <($mine cut 0) || { echo 'reset lost the file' && code=1; }
  says 'before-reset-2.cpp; back: make mine-reset BACK=2' env MINE_FOLDER="$folder" $mine back 1 || code=1
  cmp -s "$folder/microgpt.cpp" <($mine cut 0) && [ "$(cat "$folder/progress")" = '0 3' ] ||
    { echo 'back did not bring the file and its progress' && code=1; }
  says '[##.............] 2 of 15' env MINE_FOLDER="$folder" $mine back 2 || code=1
  says 'there is no' env MINE_FOLDER="$folder" $mine back 9 || code=1
  says 'there is no such stage; use STAGE=1 to STAGE=17' env MINE_FOLDER="$folder" $mine reset 18 || code=1
  says 'there is no such stage' env MINE_FOLDER="$folder" $mine reset x || code=1
  rm "$folder/microgpt.cpp"
  says 'is gone; make mine-reset STAGE=3' env MINE_FOLDER="$folder" $mine test || code=1
  edited 1 '  std::string name;' '  std::string name; for (;;) std::puts("for ever");' \
    'printed more than a megabyte' 1 || code=1
  edited 1 'new_name(counts).c_str()' '""' 'But your main() prints no letter' || code=1
  edited 2 'std::vector<double> p;' 'std::vector<double> p; *(volatile int*)8 = 1;' 'crashed (signal 11)' 2 || code=1
  edited 2 'std::vector<double> p;' 'std::vector<double> p; p[7] = 1;' \
    'probabilities({0, 2, 1}): stopped with code 134. An index is past the end of a vector.' 2 || code=1
  edited 2 'double total = 0;' 'double total = 0' 'microgpt.cpp:' || code=1
  edited 2 'std::vector<double> p;' 'std::vector<double> p(1ul << 40);' 'It asked for more memory than there is' 2 || code=1
  CXX=g++ edited 2 '  return p;' '' 'does not compile: no return statement in function returning non-void' || code=1
  edited 2 'std::vector<double> p;' 'std::vector<double> p; exit(0);' 'the program ended. Is there an exit() in it?' 2 ||
    code=1
  $mine cut 2 >"$MINE_FOLDER/microgpt.cpp" && rm "$MINE_FOLDER/progress"
  says '[##.............] 2 of 15' $mine test || code=1
  says 'stage 2, the loss (lesson 01): it holds' $mine test 2 || code=1
  edited 2 'probabilities(' 'chances(' 'stage 2 wants: std::vector<double> probabilities(const' || code=1
  says 'either STAGE, for a solution, or BACK' $mine back 1 5 || code=1
  edited 7 '    loss.backward();' '' '(the loss: about 2.68) Your main() prints no such number, but 3.' || code=1
  edited 5 'if (v.a != nullptr) v.grad = 0;' '' 'and L.backward() twice' 5 || code=1
  ! command -v gdb >/dev/null || says 'should_be(small(2)' $mine gdb || code=1
  ! command -v gdb >/dev/null || stepped || code=1
  watched || code=1
  $mine cut 17 >"$MINE_FOLDER/microgpt.cpp"
  says 'sample 20: beryin' $mine run data/names.txt || code=1
  says 'layer 0, head 3' "$PROGRAM" heads "$MINE_FOLDER/model.safetensors" --text emma || code=1
  [ -n "${QUICK:-}" ] || shown | diff -u lessons/mine/expected.txt - || code=1
  return $code
}

if [ "${1:-}" = around ]; then
  MINE_FOLDER=$(mktemp -d)
  export MINE_FOLDER
  trap 'rm -rf "$MINE_FOLDER"' EXIT
  around
  exit
fi
if [ $# = 2 ]; then one "$@"; exit; fi

# Stages that begin to use a header are compiled without this one, by the given compiler: a forgotten #include shows.
# With it clang takes half of g++'s time; the usual linker takes twice as long as gold, which not every machine has.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CXX=${CXX:-g++} GIVEN=${CXX:-g++} MINE_HEADER=$folder/headers.h
! command -v clang++ >/dev/null || CXX='clang++ -fpch-instantiate-templates'
! echo 'int main() {}' | $CXX -fuse-ld=gold -x c++ - -o "$folder/linked" 2>/dev/null || CXX+=' -fuse-ld=gold'
$mine header "$MINE_HEADER" || exit

mistakes=$([ -n "${QUICK:-}" ] && echo 0 || grep -c '^# ' $table)
styles=$([ -n "${QUICK:-}" ] || sed -n 's/^# \([a-z]\) .*/\1/p' $variants | sort -u)
jobs=$(
  echo around it
  for ((n = 17; n >= 1; n--)); do
    case $n in 15 | 16) ;; *) echo "solved $n" ;; esac # 17 has all their parts
    [ -n "${QUICK:-}" ] || echo "unsolved $n"
    for style in $styles; do # the graph of style a is slow
      case $style$n in ?[236] | a14 | [!a]16) echo "variant $style-$n" ;; esac
    done
  done
  for ((k = mistakes; k >= 1; k--)); do echo "mistake $k"; done
)
echo "$jobs" | xargs -n 2 -P "$(getconf _NPROCESSORS_ONLN)" "$0" || exit 1
echo "mine: as expected: $(echo "$jobs" | cut -d' ' -f1 | sort | uniq -c | xargs)"
