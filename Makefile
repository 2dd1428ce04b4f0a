# microgpt: `make` alone lists what can be made.
#
#   make setup train          everything from an empty machine to twenty invented names
#   make test MODE=asan       the same tests under the address and undefined-behaviour sanitizers
#   make build CXX=clang++    another compiler
#   make build OPENMP=0       one thread only
#   make build NATIVE=0       a program that runs on other processors of this kind, too
#   make build O=1            compiled sooner, and slower

MODE ?= release
OPENMP ?= 1
NATIVE ?= 1
O ?= 3
ifeq ($(origin CXX),default)
CXX := g++
endif

BUILD := build/$(MODE)
OS := $(shell uname -s)

# Without a -j of yours, use every core.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
endif

# --- Flags, and why ---------------------------------------------------------------------------------------------------
# -std=c++20         std::span, concepts and designated initialisers
# -Wall ... -Werror  a warning is an error: what the compiler doubts, a reader will doubt too
# -ffp-contract=off  a * b + c is rounded twice, as in Python; a fused multiply-add would round once
# -fno-math-errno    sqrt need not set errno, so it can be one instruction; no result changes
# -Isrc              headers are named from src, as on the map in src/microgpt.h
# -MMD -MP           write down which headers each file used, so that changing one rebuilds what needs it
CPPFLAGS := -Isrc -MMD -MP
CXXFLAGS := -std=c++20 -Wall -Wextra -Wshadow -Werror -ffp-contract=off -fno-math-errno
LDLIBS := -lfmt

# MICROGPT_CHECKED: a Value used after its Scope throws, and MICROGPT_TRACE=1 prints every node.
# _GLIBCXX_ASSERTIONS: v[i] out of range stops the program.
CHECKED := -DMICROGPT_CHECKED -D_GLIBCXX_ASSERTIONS
ifeq ($(MODE),release)
CXXFLAGS += -O$(O)
ifeq ($(NATIVE),1)
CXXFLAGS += -march=native # the vector instructions of this very processor
endif
else ifeq ($(MODE),debug)
CXXFLAGS += -O0 -g3 $(CHECKED) # -O0 -g3: a debugger sees every line, variable and macro
else ifeq ($(MODE),asan)
# -O1: fast enough for the long tests. -g1: the lines of a finding. -fno-sanitize-recover: the first one fails the test.
# -Wno-pass-failed: that clang leaves an "omp simd" loop as it is at -O1 is no mistake.
CXXFLAGS += -O1 -g1 -Wno-pass-failed -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer $(CHECKED)
LDFLAGS += -fsanitize=address,undefined
else ifeq ($(MODE),tsan)
# A race detector. Who waits for whom in OpenMP it hears from libomp, which brings a translator, Archer; GCC's libgomp
# tells nothing, and every number passed from thread to thread would look like a race. Inside libomp it shall not look.
ifeq ($(findstring clang,$(CXX)),)
$(error MODE=tsan needs CXX=clang++, whose OpenMP explains itself to the race detector)
endif
CXXFLAGS += -O1 -g -fsanitize=thread
LDFLAGS += -fsanitize=thread
TSAN_OPTIONS ?= ignore_noninstrumented_modules=1
export TSAN_OPTIONS
else
$(error MODE is '$(MODE)'; it can be release, debug, asan or tsan)
endif

ifeq ($(OS),Darwin)
HOMEBREW := $(shell brew --prefix 2>/dev/null)
CPPFLAGS += -I$(HOMEBREW)/include
LDFLAGS += -L$(HOMEBREW)/lib
endif

# OpenMP is the compiler's; clang wants libomp beside it. -fopenmp-simd: without threads, too, "omp simd" asks for vectors.
ifeq ($(OPENMP),0)
CXXFLAGS += -fopenmp-simd
else ifeq ($(OS),Darwin)
LIBOMP := $(shell brew --prefix libomp 2>/dev/null)
CPPFLAGS += -I$(LIBOMP)/include
CXXFLAGS += -Xpreprocessor -fopenmp
LDFLAGS += -L$(LIBOMP)/lib -lomp
else
CXXFLAGS += -fopenmp
endif
OPENMP_HELP := $(if $(filter Darwin,$(OS)),brew install libomp,apt-get install libomp-dev)
HAVE_OPENMP = test '$(OPENMP)' = 0 || printf '\#include <omp.h>\nint main() { return omp_get_max_threads() == 0; }\n' | \
  $(CXX) -Isrc $(filter-out -MMD -MP,$(CPPFLAGS)) $(CXXFLAGS) -x c++ - $(LDFLAGS) -o $(BUILD)/have_openmp 2>/dev/null

# The tensor path takes vectors as wide as the processor has them. A fused multiply-add is written where it is wanted
# (src/tensor/multiply_add.h). -Wno-psabi: GCC would tell that functions which take vectors depend on that width.
TENSOR_FLAGS := -Wno-psabi $(if $(filter x86_64-%,$(shell $(CXX) -dumpmachine)),-mprefer-vector-width=512)

# --- What there is ----------------------------------------------------------------------------------------------------
LIBRARY := $(BUILD)/libmicrogpt.a
PROGRAM := $(BUILD)/microgpt
TESTS := $(BUILD)/microgpt_tests
ORACLE := $(BUILD)/attention_oracle

objects = $(patsubst %.cpp,$(BUILD)/%.o,$(1))
LIBRARY_OBJECTS := $(call objects,src/microgpt.cpp $(filter-out src/program/%,$(wildcard src/*/*.cpp)))
TEST_OBJECTS := $(call objects,$(wildcard tests/*.cpp))
LESSON_OBJECTS := $(call objects,$(wildcard lessons/*.cpp lessons/*/*.cpp))
ORACLE_OBJECTS := $(call objects,$(wildcard tests/attention_oracle/*.cpp))
# `make train` need not wait for what src holds for lessons and tests alone.
LESSONS_ALONE := src/lesson/% src/debug/% src/scalar/mlp src/train/gradient src/train/sgd \
  $(addprefix src/inspect/,attention likeliest plot svg work)
PROGRAM_OBJECTS := $(call objects,$(wildcard src/program/*.cpp)) \
  $(filter-out $(LESSONS_ALONE:%=$(BUILD)/%.o),$(LIBRARY_OBJECTS))
README_CHECKER := $(call objects,$(wildcard tests/check_readme/*.cpp))

# The tests that include something of these folders of src, and need no other program. RUN is what runs them, if they
# are for another processor, and ARGS what they are told.
OF ?= tensor
SOME_TESTS := $(BUILD)/tests_of_$(subst $() ,_,$(strip $(OF)))
SOME_TEST_OBJECTS := $(call objects,tests/main.cpp \
  $(shell grep -L run_program.h $$(grep -lE '"($(subst $() ,|,$(strip $(OF))))/' tests/*_test.cpp)))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: help setup build train train-fast test test-some builds oracle bench names ladder forms reproduce check-lessons check-exercises check-readmes gdb check-gdb sessions check-races races format lint clean FORCE

help: ## list the targets
	@echo "usage: make TARGET [MODE=release|debug|asan|tsan] [CXX=clang++]"
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: $(PROGRAM) ## compile the program, to build/MODE/microgpt

train: $(PROGRAM) ## train on data/names.txt and invent twenty names
	$(PROGRAM) train

test: $(TESTS) $(PROGRAM) $(ORACLE) ## run every test
	MICROGPT_PROGRAM=$(PROGRAM) ATTENTION_ORACLE=$(ORACLE) $(TESTS)
	$(ORACLE)

test-some: $(SOME_TESTS) ## run the tests of some folders of src: make test-some OF="scalar tensor"
	$(RUN) $(SOME_TESTS) $(ARGS)

builds: ## build and test as other machines would: make builds [ROWS="arm libc++"]
	@tests/builds.sh $(ROWS)

oracle: $(ORACLE) ## have PyTorch compute attention again: make oracle [SEED=1] [SHAPES=3]
	@python=$$(for p in python3 /usr/bin/python3; do $$p -c 'import torch' 2>/dev/null && echo $$p && break; done); \
	test -n "$$python" || { echo "PyTorch is not installed; try: apt-get install python3-torch" >&2; exit 1; }; \
	rm -rf $(BUILD)/oracle && $$python tests/oracle.py $(if $(SEED),--seed $(SEED)) $(if $(SHAPES),--shapes $(SHAPES)) $(BUILD)/oracle
	ORACLE_DIR=$(BUILD)/oracle $(ORACLE)

train-fast: $(PROGRAM) ## train for one second, three times, and judge by held-out names
	$(PROGRAM) train-fast --data $(firstword $(MAKEMORE) data/names.txt)

bench: $(PROGRAM) ## measure the speed of training, attention and sampling
	$(PROGRAM) bench

# --- Compiling --------------------------------------------------------------------------------------------------------
$(PROGRAM): $(PROGRAM_OBJECTS)
	@echo "link    $@"
	@$(CXX) $(CXXFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(TESTS): $(TEST_OBJECTS) $(LIBRARY)
	@echo "link    $@"
	@$(CXX) $(CXXFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(SOME_TESTS): $(SOME_TEST_OBJECTS) $(LIBRARY)
	@echo "link    $@"
	@$(CXX) $(CXXFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(ORACLE): $(ORACLE_OBJECTS) $(LIBRARY)
	@echo "link    $@"
	@$(CXX) $(CXXFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(LIBRARY): $(LIBRARY_OBJECTS)
	@rm -f $@
	@$(AR) rcs $@ $^

$(BUILD)/%.o: %.cpp $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "compile $<"
	@$(CXX) $(CPPFLAGS) $(CXXFLAGS) $(MORE_FLAGS) -c $< -o $@

# What runs but a moment: to make it fast would take longer than it saves. (MORE_FLAGS is a variable of its own: CXXFLAGS,
# changed for some objects, would be changed for $(BUILD)/flags as well.)
COLD_OBJECTS := $(addprefix src/,$(addsuffix /%,debug inspect lesson program)) \
  $(patsubst %.cpp,%,$(filter-out src/base/libm.cpp,$(wildcard src/base/*.cpp))) \
  src/train/checkpoint src/train/safetensors tests/%
COLD_FLAGS := $(if $(filter release,$(MODE)),-O1)
$(COLD_OBJECTS:%=$(BUILD)/%.o): MORE_FLAGS := $(COLD_FLAGS)

# The tests and lessons here call vector code that is in headers. This stands below what is cold: for a test that is both,
# make takes what comes last.
TENSOR_OBJECTS := src/tensor/% tests/fma_peak_test tests/rows_test tests/simd_test tests/visible_test lessons/11_openmp/% lessons/12_flash/%
$(TENSOR_OBJECTS:%=$(BUILD)/%.o): MORE_FLAGS := $(TENSOR_FLAGS)

# Changes only when the compiler or its flags do, and then everything is compiled again.
FLAGS = $(CXX) $(CPPFLAGS) $(CXXFLAGS) $(LDFLAGS) $(TENSOR_FLAGS) $(COLD_FLAGS)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || { $(HAVE_OPENMP) || { echo "$(CXX) has no OpenMP here: $(OPENMP_HELP), or say OPENMP=0" >&2; exit 1; }; \
	  echo '$(FLAGS)' > $@; }

# --- Lessons ----------------------------------------------------------------------------------------------------------
# Lesson 07 is lessons/07_*/main.cpp. Its exercise is exercise.cpp, which takes solution.cpp's answer if SOLUTION is
# defined; that is how every exercise is shown to be unsolved as it stands and solvable.
LESSONS := $(patsubst lessons/%/main.cpp,%,$(sort $(wildcard lessons/*/main.cpp)))
LESSON_NUMBERS := $(foreach lesson,$(LESSONS),$(firstword $(subst _, ,$(lesson))))
lesson_name = $(filter $(1)_%,$(LESSONS))

NAMES ?= data/names.txt

.SECONDEXPANSION:

$(LESSON_NUMBERS:%=lesson-%): lesson-%: $$(BUILD)/lessons/$$(call lesson_name,$$*)/main
	@$< $(NAMES) $(if $(BREAK),--break $(BREAK))

$(LESSON_NUMBERS:%=exercise-%): exercise-%: $$(BUILD)/lessons/$$(call lesson_name,$$*)/exercise
	@$<

$(LESSON_NUMBERS:%=solution-%): solution-%: $$(BUILD)/lessons/$$(call lesson_name,$$*)/solution
	@$<

lesson-%: ## run a lesson: make lesson-07 [NAMES=file] [BREAK=idea]
	@echo "there is no lesson $*; there are: $(LESSON_NUMBERS)" >&2; exit 2

exercise-%: ## run a lesson's exercise: make exercise-07
	@echo "there is no exercise $*; there are: $(LESSON_NUMBERS)" >&2; exit 2

ladder: $(BUILD)/lessons/ladder ## train the models of lessons 01 to 08 with several seeds and compare them
	@$< $(NAMES)

forms: $(BUILD)/lessons/forms ## train every form of attention with several seeds and compare them: some minutes
	@$< $(NAMES)

# Lesson:build step. A lesson that stops early or invents no names is compared as far as it goes.
GOLDENS := 01:train0 02:train1 03:train2 04:train2 05:train2 06:train3 07:train4 08:train5
MAKEMORE = $(firstword $(wildcard data/makemore.txt ../shared/data/names.txt))

reproduce: $(LESSONS:%=$(BUILD)/lessons/%/main) ## compare the lessons with the published build steps, on the 32,033 names
	@test -n "$(MAKEMORE)" || { echo "the 32,033 names are missing; get them with: make names" >&2; exit 1; }
	@code=0; for pair in $(GOLDENS); do \
	  lesson=$$(cd lessons && echo $${pair%:*}_*); of=$(BUILD)/lessons/$$lesson; \
	  if $$of/main $(MAKEMORE) --golden tests/golden/ladder/$${pair#*:}_makemore.txt > $$of/reproduced.txt 2> $$of/errors.txt; \
	  then failed=; else failed=' FAILED'; code=1; fi; \
	  printf '%-17s %s%s\n' "$$lesson" "$$(sed -n 's/^reproduced: //p' $$of/reproduced.txt)" "$$failed"; \
	done; exit $$code

check-lessons: $(LESSONS:%=$(BUILD)/lessons/%/checked) ## run every lesson and compare with its expected.txt

check-exercises: $(LESSONS:%=$(BUILD)/lessons/%/practised) ## exercises fail as they stand, and pass with their solution

# The commands that it runs are like typed ones: no part of this run of make.
check-readmes: $(BUILD)/check_readme ## compare what the READMEs quote with what really happens
	@env -u MAKEFLAGS -u MAKELEVEL MODE=$(MODE) CXX='$(CXX)' NATIVE=$(NATIVE) OPENMP=$(OPENMP) $< README.md $(LESSONS:%=lessons/%/README.md)

$(BUILD)/check_readme: $(README_CHECKER) $(LIBRARY)
	@$(CXX) $(CXXFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(BUILD)/lessons/ladder $(BUILD)/lessons/forms: $(BUILD)/lessons/%: $(BUILD)/lessons/%.o $(LIBRARY)
	@$(CXX) $(CXXFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(BUILD)/lessons/%/main: $(BUILD)/lessons/%/main.o $(LIBRARY)
	@$(CXX) $(CXXFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(BUILD)/lessons/%/exercise: $(BUILD)/lessons/%/exercise.o $(BUILD)/lessons/doctest_main.o $(LIBRARY)
	@$(CXX) $(CXXFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(BUILD)/lessons/%/solution: $(BUILD)/lessons/%/solved.o $(BUILD)/lessons/doctest_main.o $(LIBRARY)
	@$(CXX) $(CXXFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(BUILD)/lessons/%/solved.o: lessons/%/exercise.cpp lessons/%/solution.cpp $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "compile $< with its solution"
	@$(CXX) $(CPPFLAGS) $(CXXFLAGS) $(MORE_FLAGS) -DSOLUTION -c $< -o $@

$(BUILD)/lessons/doctest_main.o: $(BUILD)/flags
	@mkdir -p $(@D)
	@printf '#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include <doctest/doctest.h>\n' | \
	  $(CXX) $(CXXFLAGS) -x c++ -c - -o $@

$(BUILD)/lessons/%/checked: $(BUILD)/lessons/%/main lessons/%/expected.txt FORCE
	@$< > $(@D)/output.txt 2> $(@D)/errors.txt || { cat $(@D)/errors.txt; echo "lesson $*: failed" >&2; exit 1; }
	@diff -u lessons/$*/expected.txt $(@D)/output.txt || { echo "lesson $*: prints something else than its expected.txt" >&2; exit 1; }
	@echo "lesson $*: prints its expected.txt"

$(BUILD)/lessons/%/practised: $(BUILD)/lessons/%/exercise $(BUILD)/lessons/%/solution FORCE
	@! $< > $(@D)/exercise.txt 2>&1 || { echo "exercise $*: passes as it stands, so there is nothing to solve" >&2; exit 1; }
	@$(@D)/solution > $(@D)/solution.txt 2>&1 || { cat $(@D)/solution.txt; echo "exercise $*: its solution fails" >&2; exit 1; }
	@echo "exercise $*: unsolved as it stands, solved by its solution"

# --- Debugger ---------------------------------------------------------------------------------------------------------
# src/debug/gdb teaches gdb to print Values, to walk the graph and to find a lesson's stops. A session.gdb is what a
# learner might type; its transcript, build/debug/.../session.txt, is what the lesson's README shows.
GDB := gdb -q -iex 'set debuginfod enabled off' -x src/debug/gdb/microgpt.py
HAVE_GDB = command -v gdb >/dev/null || { echo "gdb is not installed; try: apt-get install gdb (on macOS: lldb)" >&2; exit 1; }
SESSIONS := $(patsubst %/session.gdb,%,$(wildcard lessons/*/session.gdb tests/gdb/session.gdb))

gdb: ## step through a lesson: make gdb L=07 [NAMES=file] [BREAK=idea]
	@$(HAVE_GDB)
	@$(if $(call lesson_name,$(L)),,echo "there is no lesson '$(L)'; there are: $(LESSON_NUMBERS)" >&2; exit 2)
	@$(MAKE) --no-print-directory MODE=debug build/debug/lessons/$(call lesson_name,$(L))/main
	@$(GDB) -ex 'stop all' -ex run \
	  --args build/debug/lessons/$(call lesson_name,$(L))/main $(NAMES) $(if $(BREAK),--break $(BREAK))

check-gdb: ## run every session.gdb and compare with what the READMEs show
	@$(HAVE_GDB)
	@$(MAKE) --no-print-directory MODE=debug sessions

sessions: $(SESSIONS:%=$(BUILD)/%/stepped)
	@diff -u tests/gdb/expected.txt $(BUILD)/tests/gdb/session.txt
	@for lesson in $(LESSONS); do grep -q "\"$$lesson\"" .vscode/launch.json || \
	  { echo ".vscode/launch.json does not offer $$lesson" >&2; exit 1; }; done

$(BUILD)/tests/gdb/main: $(BUILD)/tests/gdb/main.o $(LIBRARY)
	@$(CXX) $(CXXFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(BUILD)/%/stepped: $(BUILD)/%/main %/session.gdb FORCE
	@$(GDB) -nx -batch -ex 'python import session; session.check("$*", "$(@D)")' $< > $(@D)/session.raw
	@echo "session $*: runs as shown"

# --- Data races -------------------------------------------------------------------------------------------------------
# First the detector is checked: it must be listening to OpenMP, and find the race that lesson 11 makes on request. Then
# it watches the tests of the tensor path, with up to 8 threads, and a second of training and what follows.
RACY := $(BUILD)/lessons/11_openmp/main
RACE_HELP := for example: apt-get install clang libomp-dev

check-races: ## look for data races between threads (with clang++ and its OpenMP)
	@command -v $(RACE_CXX) >/dev/null || { echo "$(RACE_CXX) is not installed; $(RACE_HELP)" >&2; exit 1; }
	@$(MAKE) --no-print-directory MODE=tsan OPENMP=1 CXX=$(RACE_CXX) races
check-races: RACE_CXX = $(if $(findstring clang,$(CXX)),$(CXX),clang++)

races: $(RACY) $(SOME_TESTS) $(PROGRAM)
	@ARCHER_OPTIONS=verbose=1 $(RACY) > $(RACY).txt 2>&1; \
	  grep -q 'Archer detected' $(RACY).txt || { echo "OpenMP's Archer (libarcher.so) is missing; $(RACE_HELP)" >&2; exit 1; }
	@! $(RACY) --break race > $(RACY).txt 2>&1 && grep -q 'WARNING: ThreadSanitizer: data race' $(RACY).txt || \
	  { echo "the race of lesson 11 is not found, so nothing can be said about the rest: see $(RACY).txt" >&2; exit 1; }
	@echo "the race of lesson 11: found"
	@$(RACY) > $(RACY).txt 2>&1 || { cat $(RACY).txt >&2; exit 1; }
	@echo "the rest of lesson 11: no race"
	@$(SOME_TESTS)
	@echo "the tests of the tensor path: no race"
	@$(PROGRAM) train-fast --seeds 1 --threads 3 > $(RACY).txt 2>&1 || { cat $(RACY).txt >&2; exit 1; }
	@echo "training on three threads: no race"

# --- Packages ---------------------------------------------------------------------------------------------------------
# One run of the preprocessor tells whether the compiler and all headers are there.
HEADERS := fmt/core.h doctest/doctest.h CLI/CLI.hpp nlohmann/json.hpp
HAVE_PACKAGES = printf '\#include <%s>\n' $(HEADERS) | $(CXX) $(CPPFLAGS) -std=c++20 -x c++ -M -MF /dev/null - 2>/dev/null
APT_PACKAGES := g++ libfmt-dev doctest-dev libcli11-dev nlohmann-json3-dev
BREW_PACKAGES := fmt doctest cli11 nlohmann-json libomp
SUDO := $(shell test "$$(id -u)" = 0 || echo sudo)

setup: ## install what is missing: a compiler, fmt, doctest, CLI11, nlohmann-json
	@if $(HAVE_PACKAGES); then exit 0; \
	elif command -v apt-get >/dev/null; then \
	  echo "installing $(APT_PACKAGES)"; \
	  $(SUDO) apt-get update -qq && $(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(APT_PACKAGES) >/dev/null; \
	elif command -v brew >/dev/null; then brew install $(BREW_PACKAGES); \
	else echo "please install: a C++20 compiler, fmt, doctest, CLI11, nlohmann-json" >&2; exit 1; fi

# `make setup train` must not compile while it installs.
ifneq ($(filter setup,$(MAKECMDGOALS)),)
$(LIBRARY_OBJECTS) $(PROGRAM_OBJECTS) $(TEST_OBJECTS) $(ORACLE_OBJECTS): | setup
endif

# --- Data -------------------------------------------------------------------------------------------------------------
MAKEMORE_URL := https://raw.githubusercontent.com/karpathy/makemore/988aa59/names.txt
MAKEMORE_SHA256 := 0a30b5557f192f32ab962680889aac5f6fda0f4cecf40a6d0b5694f58ea8cc4d
SHA256 := $(shell command -v sha256sum >/dev/null && echo sha256sum || echo shasum -a 256)

names: data/makemore.txt ## download the 32,033 names of makemore to data/makemore.txt

data/makemore.txt:
	@curl -fsSL --retry 2 --max-time 60 -o $@.part $(MAKEMORE_URL) 2>/dev/null || \
	  { rm -f $@.part; echo "cannot download the names: is there a network, and curl? (from $(MAKEMORE_URL))" >&2; exit 1; }
	@echo "$(MAKEMORE_SHA256)  $@.part" | $(SHA256) -c - >/dev/null 2>&1 || \
	  { rm -f $@.part; echo "the downloaded names are not the well-known 32,033: their sha256 differs" >&2; exit 1; }
	@mv $@.part $@
	@echo "wrote $@"

# --- Housekeeping -----------------------------------------------------------------------------------------------------
SOURCES := $(shell find src lessons tests -name '*.cpp' -o -name '*.h')

format: ## lay the code out with clang-format
	clang-format -i $(SOURCES)

lint: ## look for likely mistakes with clang-tidy
	clang-tidy --quiet $(filter src/%.cpp,$(SOURCES)) -- -std=c++20 -Isrc -DMICROGPT_CHECKED

clean: ## remove everything that was built
	rm -rf build

# What each object was made from, as the compiler wrote it down.
-include $(wildcard $(patsubst %,$(BUILD)/%/*.d,src src/* tests tests/* lessons/*))
