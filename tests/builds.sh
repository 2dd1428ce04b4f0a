#!/usr/bin/env bash
# Builds and tests the project as on other people's machines, and prints a table of the results.
#
#   tests/builds.sh [ROW...]      from the project's root; without a row, all but the nightly ones
#
# The output of a row goes to build/rows/ROW.txt. A row for another machine is built in build/rows/ROW, beside links to
# the sources. Its build is kept, so the next time only changes are compiled.
set -uo pipefail

# A warning is an error here.
export MAKEFLAGS=DEV=1
unset MAKELEVEL

# This machine, with everything that the READMEs show but mistakes and measurements.
release() {
  make setup test && make check-lessons && make check-exercises check-mine QUICK=1 &&
    make check-readmes QUICK=1 && make check-gdb && make check-lldb
}

# The mistakes of all lessons, those that readers make in exercises and in their own microgpt, and what is measured.
mistakes() { make museum && make check-readmes && make check-exercises && make check-mine; }

# Tests that take long where code runs slowly, and depend on no compiler or processor: statistics of models, and memory.
statistics='the memory of a training *,of freshly drawn models *,the bar takes *,an alphabet of *,rare names *'

# The sanitizers, with the other compiler and its own C++ library, as on a Mac, without threads. What is done in doubles
# is done in floats, too, and no compiler changes the project's texts.
other='clang++ -stdlib=libc++ -DFMT_HEADER_ONLY'
asan() {
  make test MODE=asan CXX="$other -D_LIBCPP_ENABLE_ASSERTIONS=1" LDLIBS= OPENMP=0 \
    ARGS="-sfe='*/map_test*' -tce='$statistics,*<double>,*central diff*,bench counts*,no number of *,what no file *'"
}

# A processor with vectors of 8 floats, and instructions scheduled for it.
znver3() { elsewhere test check-lessons NATIVE=0 CXX='g++ -march=x86-64-v3 -mtune=znver3'; }

# Any x86-64 processor: vectors of 4 floats, no fused multiply-add.
x86-64() { elsewhere test NATIVE=0 CXX='g++ -march=x86-64' ARGS="-tce='$statistics'"; }

# The other compiler with its own C++ library, with threads, for vectors of 8 floats.
libc++() { elsewhere test O=1 NATIVE=0 CXX="$other -march=x86-64-v3 -Wno-pass-failed" LDLIBS=; }

# ARM, in an emulator: char is unsigned there. The program must print what the published ones printed. One test starts
# thousands of threads, which would take hours.
arm() {
  local preset files='*/text*,*/py*,*/libm*,*/value*,*/ta*,*/gpt*,*/simd*,*/kern*,*/att*,*/tensor*,*/batch*,*/opt*'
  elsewhere test RUN=qemu-aarch64 ARGS="-sf='$files' -tce='no number of threads *,$statistics'" \
    NATIVE=0 O=1 CXX='aarch64-linux-gnu-g++ -static -idirafter /usr/include -DFMT_HEADER_ONLY' LDLIBS= \
    AR=aarch64-linux-gnu-ar || return
  for preset in gist walkthrough; do
    qemu-aarch64 build/rows/arm/build/release/microgpt train --preset "$preset" --digits 17 |
      diff <(sed 's/| loss .* | /| loss /' "tests/golden/microgpt/${preset}_builtin.txt") - || return
  done
}

# Every lesson stepped with `next`, from main()'s first line to its last: some minutes each.
straight() {
  local lessons=($(printf 'build/release/%sstraight ' lessons/[0-9]*/))
  make "${lessons[@]}" && printf '%s\n' "${lessons[@]}" |
    xargs -P 2 -I IT bash -o pipefail -c 'gdb -nx -batch -x tests/gdb/straight.py IT 2>&1 | grep -A9 ^straight'
}

# Input that nobody would give on purpose.
fuzz() { make fuzz SECONDS=15; }

# Trainings that are killed.
torture() { make build && tests/torture.sh build/release/microgpt 40; }

# Training as several processes. Only one object is compiled with MPI. A cache, or nice, stands before g++ alone.
mpi() { make build mpi CACHE=nice && timeout 900 tests/mpi.sh build/release/microgpt_mpi build/release/microgpt; }

# The page that shows a model at work, in a browser.
inspector() { timeout 900 make check-inspector; }

# The book, without the programs that run in its pages: compiling those takes longer than all else here. The row
# browsers has them, and looks in other browsers, too, if they are installed: firefox-esr, webkit2gtk-driver and xvfb.
book() { make check-book EMXX=none; }
browsers() { make check-inspector check-book check-book-programs; }

# For the C library, a processor without fused multiply-add: exp and others then round differently. An older one still
# lacks instructions of the program, which says so. What is no number is left to other rows.
no-fma() {
  local -x GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA
  make test ARGS="-sfe='*hostile*,*bad_in*,*terminal*,*safet*,*replace*,*map*,*make*,*text*' -tce='$statistics'" |
    tee build/rows/no-fma.tests && grep -q '^golden numbers: compared to four digits' build/rows/no-fma.tests &&
    grep -q '^this processor lacks .*NATIVE=0$' < <(qemu-x86_64 -cpu core2duo build/release/microgpt train 2>&1)
}

# A bare Debian of another release, by debootstrap: the README's two commands, three walks in its gdb and a lesson with
# its clang. What `make setup` finds must be known there. A command first adds what the release does not have.
debian() { # RELEASE [COMMAND]
  local root=build/rows/$row
  if ! unshare --mount true; then
    echo "not run: no namespaces of mounts here"
    return
  fi
  [ -e "$root" ] || { debootstrap --variant=minbase "$1" "$root.new" && mv "$root.new" "$root"; } || return
  mkdir -p "$root/microgpt" "$root/build"
  unshare --mount sh -ec 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev"
    mount --bind . "$0/microgpt" && mount --bind "$0/build" "$0/microgpt/build"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb OMP_WAIT_POLICY=passive chroot "$0" bash -exc "$1"' "$root" '
    export DEBIAN_FRONTEND=noninteractive
    cd /microgpt
    echo "Acquire::Check-Valid-Until false;" >/etc/apt/apt.conf.d/mirror-stands-still
    '"${2:-:}"'
    apt-get update -qq
    apt-get install -y -qq make >/dev/null
    make setup train
    make setup test
    apt-get install -y -qq gdb clang libomp-dev >/dev/null
    make setup | tee -a /dev/stderr | grep -q " with all of this$"
    make session-03 session-04 session-08
    make lesson-03 CXX=clang++'
}
trixie() { debian trixie; }

# Debian of today, with the newest fmt.
sid() {
  debian sid 'echo deb http://deb.debian.org/debian experimental main >/etc/apt/sources.list.d/experimental.list
    apt-get update -qq
    apt-get install -y -qq -t experimental libfmt-dev >/dev/null'
}

# Runs make in the row's folder.
elsewhere() {
  local file
  mkdir -p "build/rows/$row"
  for file in Makefile README.md data lessons src tests .vscode; do ln -sfn "$PWD/$file" "build/rows/$row/$file"; done
  make -C "build/rows/$row" "$@"
}

# How many tests, and how many lessons, exercises, sessions and other files, passed in a row.
count() { sed -nE 's/^\[doctest\] test cases: .* ([0-9]+) passed .*/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'; }
count_checks() {
  grep -cE -e ': prints its expected|solved by its solution$|: runs as shown$|, 0 wrong$' \
    -e '^(checkpoint|data) .* 0$|not interrupted$' -e ' documents, equal$|^(inspector|mpi|book|museum): ' "$1"
}

# Runs rows one after the other, and writes a line of the table for each.
run() {
  local row log failed seconds cpu TIMEFORMAT='%0R %0U'
  for row in "$@"; do
    log=build/rows/$row.txt
    echo "$row: ..."
    { time "$row" >"$log" 2>&1; } 2>"$log.time" && failed= ||
      { failed=' FAILED'; grep -vE '^(compile|link|run) |, 0 wrong$|: runs as shown$' "$log" | tail -n 20; }
    read -r seconds cpu <"$log.time"
    printf '%-9s %6s %7s %8s %8s%s\n' \
      "$row" "$(count "$log")" "$(count_checks "$log")" "$seconds" "$cpu" "$failed" >"build/rows/$row.line"
  done
}

# Two rows at a time, as much of a row keeps one core busy only, and threads that wait must leave it to others. The rows
# from mpi on use what release has built.
export OMP_WAIT_POLICY=passive
[ "$*" != nightly ] || set -- trixie sid mistakes browsers straight znver3 x86-64 libc++ fuzz
rows=("$@")
mkdir -p build/rows && rm -f build/rows/*.line
if [ $# -gt 0 ]; then
  run "${rows[@]}"
else
  make setup || exit
  rows=(release asan arm mpi inspector no-fma book torture)
  run release & release=$!
  for row in "${rows[@]:1}"; do
    [ "$row" != mpi ] || wait $release
    run "$row" &
    wait -n
  done
  wait
fi
printf '%-9s %6s %7s %8s %8s\n' row tests checks seconds 'CPU s'
(cd build/rows && cat "${rows[@]/%/.line}") && ! grep -q FAILED build/rows/*.line
