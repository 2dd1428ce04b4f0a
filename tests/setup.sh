#!/bin/sh
# `make setup`: installs the compiler and the libraries that are missing.
set -eu
headers='fmt/format.h doctest/doctest.h nlohmann/json.hpp'
apt_packages='g++ libfmt-dev doctest-dev nlohmann-json3-dev'
brew_packages='fmt doctest nlohmann-json libomp'

# One run of the preprocessor shows whether the compiler and all headers are there.
if printf '#include <%s>\n' $headers | ${CXX:-g++} ${CPPFLAGS:-} -std=c++20 -x c++ -E - >/dev/null 2>&1; then
  exit 0
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
  echo "please install: a C++20 compiler, fmt, doctest, nlohmann-json" >&2
  exit 1
fi
