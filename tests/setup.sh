#!/bin/sh
# `make setup`: installs the compiler and the libraries that are missing. Its last two lines say what is here, and what
# of it no test has run with: the first thing to put into a report.
set -eu
headers='fmt/format.h doctest/doctest.h nlohmann/json.hpp'
apt_packages='g++ patch libfmt-dev doctest-dev nlohmann-json3-dev'
brew_packages='fmt doctest nlohmann-json libomp'
versions='FMT_VERSION DOCTEST_VERSION_MAJOR DOCTEST_VERSION_MINOR NLOHMANN_JSON_VERSION_MAJOR NLOHMANN_JSON_VERSION_MINOR __VERSION__'

# One run of the preprocessor shows whether the compiler and all headers are there, and which.
look() {
  text=$({ printf '#include <%s>\n' $headers && echo found $versions; } |
    ${CXX:-g++} ${CPPFLAGS:-} -std=c++20 -x c++ -E -P - 2>&1) && command -v patch >/dev/null
}

if look; then
  :
elif command -v apt-get >/dev/null; then
  sudo=$(test "$(id -u)" = 0 || echo sudo)
  if [ -n "$sudo" ] && ! { command -v sudo && sudo true; } >/dev/null; then
    echo "sudo is not for you here; ask an administrator to run: apt-get install $apt_packages" >&2
    exit 1
  fi
  echo "installing $apt_packages"
  $sudo apt-get update -qq
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $apt_packages >/dev/null
elif command -v brew >/dev/null; then
  brew install $brew_packages
else
  echo "please install: a C++20 compiler, patch, fmt, doctest, nlohmann-json" >&2
  exit 1
fi
if ! look; then
  echo "something is still missing: ${text:-the program patch}" >&2
  exit 1
fi

number() { sed -n '1s/^[^0-9]*\([0-9][0-9.]*\).*/\1/p'; }
here= untried=
# tell NAME VERSION OLDEST NEWEST: the major versions that the tests have run with
tell() {
  here="$here, $1 ${2:-none}"
  [ -z "$2" ] || { [ "${2%%.*}" -ge "$3" ] && [ "${2%%.*}" -le "$4" ]; } || untried="$untried, $1 $2 (only $3 to $4)"
}
set -- ${text##*found }
fmt=$(($1 / 10000)).$(($1 / 100 % 100)) doctest=$2.$3 json=$4.$5
shift 5
case $* in
  *[Cc]lang*) tell clang++ "$(echo "$*" | number)" 14 14 ;;
  *) tell g++ "$(echo "$*" | number)" 12 16 ;;
esac
tell make "${MAKE_VERSION:-$(make --version | number)}" 4 4
tell gdb "$(gdb --version 2>/dev/null | number)" 13 18
tell lldb "$(lldb --version 2>/dev/null | number)" 14 21
tell fmt $fmt 9 12
tell doctest $doctest 2 2
tell nlohmann-json $json 3 3
[ "$(uname -s)" = Linux ] || untried="$untried, $(uname -s)"
echo "here: $(. /etc/os-release 2>/dev/null && echo "$PRETTY_NAME, ")$(uname -srm)$here"
echo "the tests have run with all of this${untried:+, but not with ${untried#, }}"
