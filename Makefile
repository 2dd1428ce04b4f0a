# `make` alone lists what can be made.
#
#   make setup train          everything from an empty machine to twenty new names
#   make test MODE=asan       the same tests under the address and undefined-behaviour sanitizers
#   make build CXX=clang++    another compiler
#   make build OPENMP=0       one thread only
#   make build NATIVE=0       a program that runs on other processors of this kind, too
#   make build O=1            compiles faster, runs slower
#
# What is asked stands behind `make`: a MODE or STAGE in the environment is another program's.
MODE := release
OPENMP := 1
NATIVE := 1
O := 3
NAMES := data/names.txt
OF := tensor
EMXX := em++
$(foreach option,ARGS AT AXE BACK BREAK CACHE DEV KILLS L MINE NAME ROWS RUN SECONDS SHAPES STAGE,$(eval $(option) :=))
ifeq ($(origin CXX),default)
CXX := g++
endif

# Without a -j of yours, use every core. MAKEFLAGS shows it here only since GNU make 4.4.
JOBS := $(shell { echo "$$MAKEFLAGS"; tr '\0' ' ' </proc/$$PPID/cmdline 2>/dev/null || ps -o args= -p $$PPID; } | \
  grep -oE '(^| )-[-a-zA-Z]*j')
ifeq ($(MAKELEVEL)$(JOBS),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
endif

# --- Flags, and why ---------------------------------------------------------------------------------------------------
# -Isrc              headers are included by their path from src, as in src/microgpt.h
# -DDOCTEST_...      a check calls a function, so a file of tests compiles in four fifths of the time
# -std=c++20         std::span, concepts and designated initializers
# -Wall ... -Werror  what the compiler doubts, a reader will doubt too; an error only with DEV=1, as in tests/builds.sh
# -Wno-psabi         no notes from GCC that passing vectors to functions depends on their width
# -ffp-contract=off  a * b + c is rounded twice, as in Python; a fused multiply-add would round once
# -fno-math-errno    sqrt need not set errno, so it is one instruction; no result changes
CPPFLAGS := -Isrc -DDOCTEST_CONFIG_SUPER_FAST_ASSERTS
CXXFLAGS := -std=c++20 -Wall -Wextra -Wshadow $(if $(DEV),-Werror) -Wno-psabi -ffp-contract=off -fno-math-errno
LDLIBS := -lfmt

# release: -march=native uses the vector instructions of this machine's processor.
# debug: -O0 -g3 lets a debugger see every line, variable and macro.
# asan: -O1 is fast enough for the long tests, -g1 gives line numbers, and the first finding fails the test.
#   -Wno-pass-failed: it is no mistake if clang does not vectorize an "omp simd" loop here.
# tsan: a race detector. clang's libomp tells it, through a library called Archer, which thread waits for which; the
#   detector must not look inside libomp. GCC's libgomp tells it nothing, so every number passed between threads would
#   look like a race.
# fuzz: asan, and clang's libFuzzer, which varies input so that it reaches more of the code.
# _GLIBCXX_ASSERTIONS: v[i] out of range stops the program.
CHECKED := -D_GLIBCXX_ASSERTIONS
FLAGS.release := -O$(O) $(if $(filter 1,$(NATIVE)),-march=native)
FLAGS.debug := -O0 -g3 $(CHECKED)
FLAGS.asan := -O1 -g1 $(CHECKED) -Wno-pass-failed -fno-omit-frame-pointer -fno-sanitize-recover=all \
  -fsanitize=address,undefined
FLAGS.tsan := -O1 -g -fsanitize=thread
FLAGS.fuzz := $(FLAGS.asan),fuzzer-no-link
LDFLAGS += $(if $(filter fuzz,$(MODE)),-fsanitize=fuzzer)

# wasm: for the book. Debian's Emscripten takes fmt's headers from this machine; src/book/fmt.cpp is the library.
#   -msimd128 has vectors of 16 bytes.
#   Linking with -O1 leaves the code as the compiler made it, so a break differs from its lesson by a few hundred bytes.
#   NODE_PATH is where Debian keeps what Emscripten needs, if node is not Debian's.
FLAGS.wasm := -O2 -msimd128 -fwasm-exceptions -idirafter /usr/include -include src/book/std.h
ifeq ($(MODE),wasm)
export NODE_PATH ?= /usr/share/nodejs
LDFLAGS += -O1 -sALLOW_MEMORY_GROWTH -sEXIT_RUNTIME -sFORCE_FILESYSTEM -sENVIRONMENT=worker -sINVOKE_RUN=0 \
  -sEXPORTED_RUNTIME_METHODS=FS,ENV,callMain
endif
TSAN_OPTIONS ?= ignore_noninstrumented_modules=1
export TSAN_OPTIONS
ifndef FLAGS.$(MODE)
$(error MODE is '$(MODE)'; it can be release, debug, asan, tsan, fuzz or wasm)
else ifeq ($(filter tsan fuzz,$(MODE))$(findstring clang,$(CXX)),$(MODE))
$(error MODE=$(MODE) needs CXX=clang++: only its OpenMP works with the race detector, and libFuzzer is a part of it)
endif

# OpenMP comes with the compiler; clang also needs libomp. Without threads, -fopenmp-simd still vectorizes.
OPENMP_FLAGS := -fopenmp
OPENMP_HELP := $(if $(findstring clang,$(CXX)),apt-get install clang libomp-dev,make setup)
ifeq ($(shell uname -s),Darwin)
HOMEBREW := $(shell brew --prefix 2>/dev/null)
CPPFLAGS += -I$(HOMEBREW)/include -I$(HOMEBREW)/opt/libomp/include
LDFLAGS += -L$(HOMEBREW)/lib -L$(HOMEBREW)/opt/libomp/lib $(if $(filter-out 0,$(OPENMP)),-lomp)
OPENMP_FLAGS := -Xpreprocessor -fopenmp
OPENMP_HELP := brew install libomp
endif
CXXFLAGS += $(FLAGS.$(MODE)) $(if $(filter 0,$(OPENMP)),-fopenmp-simd,$(OPENMP_FLAGS))

# The whole program compiles in 42 to 49 seconds on two processors of 2022 (`time make build`: 80 to 93 of both).
# Whoever adds to it keeps that. The tensor path uses vectors as wide as the processor has them. Code that runs only for
# a moment is not optimized much, because that would take longer than it saves: -Og takes four fifths of the time that
# -O1 does. A break trains, and the program reads and prints many names, so they have -O1. (src/base is that unit,
# without libm.cpp: see APART.)
TENSOR := src/tensor% $(addsuffix /%,$(wildcard lessons/*_openmp lessons/*_flash))
TENSOR_FLAGS = $(if $(filter x86_64-%,$(shell $(CXX) -dumpmachine 2>/dev/null)),-mprefer-vector-width=512)
COOL := src/base src/program $(filter-out $(TENSOR),$(patsubst %.patch,%/main,$(wildcard lessons/*/break/*.patch)))
COOL_FLAGS := $(if $(filter release,$(MODE)),-O1)
COLD := src/draw% src/heads% src/page% src/program/% src/lesson% src/train/safetensors tests/% \
  $(addprefix lessons/%/,exercise solution)
COLD_FLAGS := $(COOL_FLAGS:-O1=-Og)
flags_of = $(foreach kind,TENSOR COOL COLD,$(if $(filter $($(kind)),$(1)),$($(kind)_FLAGS)))

# --- Targets ----------------------------------------------------------------------------------------------------------
BUILD := build/$(MODE)
SCALAR := $(BUILD)/libscalar.a
LIBRARY := $(BUILD)/libmicrogpt.a
HEART := $(BUILD)/heart
PROGRAM := $(BUILD)/microgpt
MPI_PROGRAM := $(BUILD)/microgpt_mpi
PAGE := $(patsubst src/%,$(BUILD)/%.inc,$(wildcard $(addprefix src/page/*.,js css html)))
PAGE_WORDS := $(BUILD)/page/words.md.inc
CPPFLAGS += -I$(BUILD)
TESTS := $(BUILD)/microgpt_tests
SOME_TESTS := $(BUILD)/tests_of_$(subst $() ,_,$(strip $(OF)))
README_CHECKER := $(BUILD)/check_readme
LESSONS := $(patsubst lessons/%/main.cpp,%,$(sort $(wildcard lessons/*/main.cpp)))
LESSON_MAINS := $(LESSONS:%=$(BUILD)/lessons/%/main)
BREAKS := $(patsubst lessons/%.patch,$(BUILD)/lessons/%/main,$(wildcard lessons/*/break/*.patch))
PRINTED := $(patsubst %/main,%/printed.txt,$(LESSON_MAINS) $(BREAKS))
MUSEUM := $(filter %_museum,$(LESSONS))
EXERCISES := $(LESSONS:%=$(BUILD)/lessons/%/exercise) $(LESSONS:%=$(BUILD)/lessons/%/solution)
FUZZERS := $(patsubst %,$(BUILD)/tests/fuzz/%,$(if $(filter file,$(origin OF)),checkpoint data,$(OF)))
OTHERS := $(BUILD)/lessons/ladder $(BUILD)/lessons/forms $(BUILD)/lessons/study/study $(BUILD)/tests/gdb/main \
  $(BUILD)/tests/inspector/figures
MAKEMORE := $(firstword $(wildcard data/makemore.txt ../shared/data/names.txt))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.PHONY: help setup build mpi train train-fast train-best test test-some builds nightly oracle check-torch bench names \
  no-such-lesson no-such-break no-such-tests ladder forms study check-study reproduce check-lessons \
  check-exercises check-readmes gdb step check-gdb sessions check-inspector picture check-races races fuzz \
  fuzzers torture format lint clean FORCE

help: ## list the targets
	@echo "usage: make TARGET [MODE=release|debug|asan|tsan] [CXX=clang++]"
	@awk -F ':.*## ' '/^[a-z% -]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' Makefile

setup: ## install what is missing: a compiler, fmt, doctest, nlohmann-json
	@CXX='$(CXX)' CPPFLAGS='$(CPPFLAGS)' MAKE_VERSION='$(MAKE_VERSION)' tests/setup.sh

build: $(PROGRAM) ## compile the program, to build/MODE/microgpt
mpi: $(MPI_PROGRAM) ## compile it for several machines, with MPI, to build/MODE/microgpt_mpi
train: $(HEART) ## compile src/microgpt.cpp and nothing else, train, and generate twenty names: make train [NAMES=file]
	$(HEART) $(NAMED)

# passive: a thread that waits for others sleeps. Some tests start more threads than there are cores. ARGS are arguments
# for the tests, such as ARGS='-tc=*softmax*'.
test: $(TESTS) $(PROGRAM) $(HEART) ## run every test
	OMP_WAIT_POLICY=passive MICROGPT_PROGRAM=$(PROGRAM) $(TESTS) $(ARGS)

# RUN is an emulator, for tests built for another processor.
test-some: $$(ASKED) ## run the tests for some folders of src: make test-some OF="microgpt tensor"
	OMP_WAIT_POLICY=passive $(RUN) $(SOME_TESTS) $(ARGS)
no-such-tests:
	@echo "no tests for '$(filter-out $(TESTED),$(OF))'; there are tests for: $(TESTED)" >&2; exit 2
builds nightly: ## build and test as other machines would: make builds [ROWS="arm libc++"]; at night: what takes longer
	@tests/builds.sh $(ROWS) $(filter nightly,$@)
oracle: $(TESTS) check-torch ## compute the golden files of attention again with PyTorch, and compare them with src/tensor
	@$$(tests/python_with_torch.sh) -B tests/golden/attention/make.py
	@$(TESTS) -tc="attention has PyTorch's *"
check-torch: $(PROGRAM) ## train models with PyTorch, in one process and in two, and open what it writes
	@tests/check_torch.sh $(PROGRAM) $(BUILD)/check_torch

train-fast: $(PROGRAM) ## train for about a second, three times, and evaluate on held-out names
	$(PROGRAM) train-fast --data $(firstword $(MAKEMORE) data/names.txt)
train-best: $(PROGRAM) ## the same for about a minute: the best model of this project
	$(PROGRAM) train-fast --preset best --data $(firstword $(MAKEMORE) data/names.txt)
bench: $(PROGRAM) ## measure the speed of training, attention and sampling
	$(PROGRAM) bench

names: data/makemore.txt ## download the 32,033 names of makemore to data/makemore.txt
data/makemore.txt:
	@data/download.sh $@

# --- Lessons ----------------------------------------------------------------------------------------------------------
# Lesson NN is lessons/NN_*/main.cpp. $(call lesson,NN,main) is that program, or no-such-lesson. $(NAMED) is the file of
# names for the shell, with a quote or a dollar in it. FORCE: a file called lesson-08 does not make the lesson done.
NAMED = '$(subst ','\'',$(value NAMES))'
lesson = $(or $(patsubst %,$(BUILD)/lessons/%/$(2),$(filter $(1)_%,$(LESSONS))),no-such-lesson)

# A mistake to try is a patch: $(call broken,NN) is that lesson's program with lessons/NN_*/break/$(BREAK).patch applied
# to a copy, or no-such-break. Without BREAK it is nothing.
patches = $(wildcard lessons/$(1)_*/break/$(2).patch)
broken = $(if $(BREAK),$(or \
  $(patsubst lessons/%.patch,$(BUILD)/lessons/%/main,$(call patches,$(1),$(BREAK))),no-such-break))

lesson-%: $$(call lesson,$$*,main) $$(call broken,$$*) FORCE ## run a lesson: make lesson-08 [NAMES=file] [BREAK=idea]
	@$(if $(BREAK),lessons/break.sh lessons/$(<:$(BUILD)/lessons/%/main=%)/break/$(BREAK).patch $< $(word 2,$^),$<) $(NAMED)
$(MUSEUM:%_museum=lesson-%): | $(BREAKS:main=printed.txt)
exercise-%: $$(call lesson,$$*,exercise) FORCE ## run a lesson's exercise: make exercise-08
	@$(if $(wildcard lessons/$*_*/exercise_tests.h),$(MINE_SH) exercise $* $< || :,$<)
solution-%: $$(call lesson,$$*,solution) FORCE ## run an exercise with its solution: make solution-08
	@$<
no-such-break:
	@echo "there is no such break; there are: $(basename $(notdir \
	  $(call patches,$(or $(L),$(MAKECMDGOALS:lesson-%=%)),*)))" >&2; exit 2
no-such-lesson:
	@echo "there is no such lesson; there are: $(foreach name,$(LESSONS),$(firstword $(subst _, ,$(name))))" >&2; exit 2

# The reader's own microgpt. What goes wrong in it is said in words; an error of make would only add noise. The same is
# true of exercises with an exercise_tests.h; the others are tests for doctest.
MINE_SH := CXX='$(CXX)' lessons/mine/mine.sh
.PHONY: mine mine-watch mine-reset mine-run hint progress check-mine
mine: ## write a microgpt of your own, stage by stage; again: test it, and see what comes next
	@$(MINE_SH) test || :
mine-watch: ## test it each time you save it, until Ctrl-C
	@$(MINE_SH) watch || :
mine-run: ## run it: make mine-run [NAMES=file]
	@$(MINE_SH) run $(NAMED) || :
hint: ## a hint for its next stage; again: another; then the solution of this stage. For an exercise: make hint L=12
	@$(MINE_SH) hint $(L) || :
mine-reset: ## put it to the solution before a stage: make mine-reset STAGE=5; to your own again: BACK=1
	@$(MINE_SH) $(if $(BACK),back $(BACK) $(STAGE),reset $(STAGE)) || :
progress: ## show which of its stages and which exercises are done
	@$(MINE_SH) progress
check-mine: ## check that the solution passes every stage, and that the tests name the usual mistakes
	@CXX='$(CXX)' tests/mine/check.sh

ladder: $(BUILD)/lessons/ladder ## train the models of lessons 01 to 09 with several seeds and compare them
	@$< $(NAMED)
forms: $(BUILD)/lessons/forms ## train every form of attention with several seeds and compare them (takes minutes)
	@$< $(NAMED)
study: $(BUILD)/lessons/study/study ## train models with 1 to 16 heads and look at their heads (takes a quarter hour)
	@$< $(NAMED)
check-study: $(BUILD)/lessons/study/study ## the same, compared with what its page quotes
	@$< $(NAMED) | diff lessons/study/expected.txt - && echo 'study: prints its expected output'

reproduce: $(LESSON_MAINS) ## compare the lessons with the published build steps, on the 32,033 names
	@tests/reproduce.sh $(BUILD)/lessons $(MAKEMORE)
# What programs print and draw is kept for all checks, with errors and exit codes. The museum reads what breaks print.
$(PRINTED): %/printed.txt: %/main data/names.txt
	@echo "run     $<"
	@PICTURES=$(if $(findstring /break/,$@),build/pictures/broken,$*) $< >$@ 2>$*/errors.txt; echo $$? >$*/code.txt
$(MUSEUM:%=$(BUILD)/lessons/%/printed.txt): $(BREAKS:main=printed.txt)
check-lessons: $(LESSON_MAINS:main=printed.txt) ## run every lesson and compare with its expected.txt
	@tests/lessons.sh $(BUILD) $(LESSONS)
check-exercises: $(EXERCISES) ## check that exercises fail unsolved, pass solved, and name the usual mistakes
	@COMPILE='$(if $(filter-out 0,$(OPENMP)),$(CXX) $(CPPFLAGS) $(CXXFLAGS) -w -O0)' \
	  LINK='$(LIBRARY) $(SCALAR) $(LDFLAGS) $(LDLIBS)' tests/exercises.sh $(BUILD) $(LESSONS)

# The checker runs commands as if they were typed, so they must not be part of this run of make. One checker runs each
# command once, so two of them share all READMEs.
check-readmes: $(README_CHECKER) $(PRINTED) ## check everything the READMEs quote: code, commands, output
	@printf '%s\n' README.md src/program/README.md src/debug/README.md lessons/claims.md lessons/study/README.md $(LESSONS:%=lessons/%/README.md) | \
	  env -u MAKELEVEL MAKEFLAGS='MODE=$(MODE) NATIVE=$(NATIVE) OPENMP=$(OPENMP) DEV=$(DEV)' KEPT=1 CXX='$(CXX)' xargs -n 15 -P 2 $<

# src/debug adds commands to gdb and lldb that print Values, walk the graph and find a lesson's stops. The gdb blocks of
# a README are a session that a learner types, word for word. check-gdb types it, too: build/debug/.../session.txt.
# In lldb the commands must print the same. The heart is also looked at without them.
DEBUGGER := src/debug/start.sh
SESSIONS := $(patsubst %,$(BUILD)/%/stepped,$(LESSONS:%=lessons/%) tests/gdb)

gdb: ## step through a lesson: make gdb L=08 [NAMES=file] [BREAK=idea]; or through your own: make gdb MINE=1
	@$(DEBUGGER) gdb -nx -batch
	@$(if $(MINE),$(MINE_SH) gdb || :,$(MAKE) --no-print-directory MODE=debug step)
lldb: ## the same with lldb: make lldb L=08 [NAMES=file] [BREAK=idea]
	@$(DEBUGGER) lldb -x -b >/dev/null
	@$(MAKE) --no-print-directory MODE=debug step-lldb
STEPPED := $(or $(call broken,$(L)),$(call lesson,$(L),main))
step: $(STEPPED)
	@$(DEBUGGER) gdb -ex 'stops all' -ex run --args $< $(NAMED)
step-lldb: $(STEPPED)
	@$(DEBUGGER) lldb -o 'stops all' -o run -- $< $(NAMED)

session-%: FORCE ## type the walk of one lesson: make session-08
	@$(DEBUGGER) gdb -nx -batch
	@$(MAKE) --no-print-directory MODE=debug build/debug/lessons/$(filter $*_%,$(LESSONS))/stepped
check-gdb: ## type the debugger walks of the READMEs and compare with what they show
	@$(DEBUGGER) gdb -nx -batch
	@$(MAKE) --no-print-directory MODE=debug sessions
check-lldb: ## type a session in lldb and compare it with gdb's
	@$(DEBUGGER) lldb -x -b >/dev/null
	@$(MAKE) --no-print-directory MODE=debug session-lldb
.PHONY: lldb step-lldb check-lldb session-lldb breaks
sessions: $(SESSIONS) $(HEART)
	@diff -u tests/gdb/expected.txt $(BUILD)/tests/gdb/session.txt
	@tests/gdb/stock.sh gdb $(HEART)
session-lldb: $(BUILD)/tests/gdb/main $(HEART)
	@PYTHONPATH=tests/gdb $(DEBUGGER) lldb -x -b -o 'script import lldb_session; lldb_session.check("$<")' | grep ': runs as shown$$'
	@tests/gdb/stock.sh lldb $(HEART)
$(MUSEUM:%=$(BUILD)/lessons/%/stepped) $(if $(filter $(L)_%,$(MUSEUM)),step step-lldb): | breaks
breaks:
	@$(MAKE) --no-print-directory MODE=release $(BREAKS:$(BUILD)/%/main=build/release/%/printed.txt)
$(BUILD)/%/stepped: $(BUILD)/%/main FORCE
	@PYTHONPATH=tests/gdb $(DEBUGGER) gdb -nx -batch -ex 'python import session; session.check("$*", "$(@D)")' $< > $(@D)/session.raw
	@echo "session $*: runs as shown"

# The page that `microgpt inspect --html` writes, in a browser without a window, beside what the program computes.
check-inspector: $(PROGRAM) $(BUILD)/tests/inspector/figures ## compare the inspector's page with the program, in browsers [AXE=axe.min.js]
	@python3 -B tests/inspector/check.py $^ $(BUILD)/inspector

# The picture of it in README.md: look at it before it is committed.
picture: $(PROGRAM) ## draw the README's picture of the inspector anew, in Chromium
	@python3 -B tests/inspector/picture.py $< $(BUILD)/inspector src/page/inspector.webp

# What a browser needs to read the lessons without a network: the READMEs as pages.
.PHONY: book check-book dist
INSPECTED := $(patsubst %,$(BUILD)/inspected/%.html,names copy induction)
$(INSPECTED): $(BUILD)/inspected/%.html: src/book/inspect.sh $(PROGRAM)
	@$^ $* $(@D)
book: book-programs $(INSPECTED) ## make a book of all lessons for a browser: build/book/index.html
	@python3 -B src/book/book.py build/book $(BUILD)/inspected
check-book: book ## check its links and that all of the READMEs is there [AXE=axe.min.js]
	@python3 -B tests/book/pages.py build/book
	@python3 -B tests/book/reader.py build/book
dist: book ## pack the book, with the inspector's pages, and the project for another machine: build/microgpt.zip
	@python3 -B src/book/dist.py build/book build/microgpt.zip

# The programs of the book, compiled to WebAssembly and packed as scripts: build/book/run/01_bigram.js is lesson 01, and
# 01_bigram.peek.js is it with a mistake. The museum reads what breaks print, so it is among them once `make lesson-25`
# has run. A page has no processes, which the lesson on many machines starts. With or without a cache before the
# compiler, the objects are the same, so its name does not count among the flags.
WASM := MODE=wasm CXX='$(lastword $(EMXX))' CACHE='$(filter-out %em++,$(EMXX))' AR=emar LDLIBS= OPENMP=0 NATIVE=0
KEPT_BREAKS := $(wildcard $(BREAKS:$(BUILD)/%/main=build/release/%/printed.txt))
NOT_IN_PAGE := %_many_machines $(if $(filter-out $(words $(KEPT_BREAKS)),$(words $(BREAKS))),%_museum)
IN_PAGE := $(filter-out $(NOT_IN_PAGE),$(LESSONS))
RUNS := heart $(IN_PAGE) $(filter $(IN_PAGE:%=%/%),$(BREAKS:$(BUILD)/lessons/%/main=%))
PACKED := $(patsubst %,build/book/run/%.js,data $(subst /break/,.,$(RUNS)))
lesson_of = $(firstword $(subst ., ,$(1)))
run_needs = $(if $(filter heart,$(1)),$(HEART),$(BUILD)/lessons/$(call lesson_of,$(1))/main \
  $(BUILD)/lessons/$(subst .,/break/,$(1))/main lessons/$(call lesson_of,$(1))/expected.txt)
PACK := node src/book/pack.mjs

.PHONY: book-programs packed check-book-programs
book-programs: ## compile the lessons' programs to WebAssembly, for the book: make book-programs [EMXX='ccache em++']
	@if command -v $(lastword $(EMXX)) >/dev/null; then $(MAKE) --no-print-directory $(WASM) packed; else \
	  echo "the book is written without programs that run in the page; for them: apt-get install emscripten"; fi
packed: build/book/run.js
build/book/run.js: src/book/curve.js src/book/run.js $(PACKED)
	@$(PACK) list $@ $(RUNS)
build/book/run/data.js: src/book/worker.js src/book/pack.mjs data/names.txt
	@mkdir -p $(@D) && $(PACK) data $@
build/book/run/%.js: $$(call run_needs,$$*) src/book/pack.mjs
	@mkdir -p $(@D) && $(PACK) program $(subst .,/break/,$*) $(BUILD) $@
$(MUSEUM:%=build/book/run/%.js): $(KEPT_BREAKS)

check-book-programs: book $(IN_PAGE:%=$(BUILD)/lessons/%/main) $(HEART) ## run them in browsers: they print what native ones do
	@python3 -B tests/book/run.py $(BUILD) build/book $(IN_PAGE) heart

check-races: ## look for data races between threads (with clang++ and its OpenMP)
	@$(MAKE) --no-print-directory MODE=tsan OPENMP=1 CXX='$(if $(findstring clang,$(CXX)),$(CXX),clang++)' races
races: $(addprefix $(BUILD)/$(wildcard lessons/*_openmp)/,main break/race/main) $(SOME_TESTS) $(PROGRAM)
	@tests/races.sh $^

fuzz: ## look for input that makes the program fail (with clang++): make fuzz [SECONDS=60] [OF=data]
	@$(MAKE) --no-print-directory MODE=fuzz OPENMP=0 CXX='$(if $(findstring clang,$(CXX)),$(CXX),clang++)' fuzzers
fuzzers: $(FUZZERS)
	@tests/fuzz.sh $(BUILD) $(or $(SECONDS),60) $^

torture: $(PROGRAM) ## kill trainings at random moments and go on with them: make torture [KILLS=1000]
	@tests/torture.sh $(PROGRAM) $(or $(KILLS),1000)

# --- Compiling --------------------------------------------------------------------------------------------------------
# A unit is compiled as one, because its files include the same headers, and parsing those takes most of the time. Files
# are on their own that take long by themselves; naive.cpp, which defines the same names as fast.cpp; libm.cpp, which
# must be fast; main.cpp, as a fuzzer has a main() of its own; and processes.cpp, which `make mpi` replaces. A build for
# tsan compiles file by file, as does `make lint`, and so finds a missing #include.
#
# The lessons before 10_tensors need neither tensors nor checkpoints: the first three units are all they wait for.
UNITS := base scalar lesson tensor train heads program
UNIT.base := $(wildcard src/base/*.cpp)
UNIT.scalar := $(addprefix src/train/,scalar_trainer.cpp gradient.cpp evaluation.cpp)
UNIT.lesson := $(wildcard src/draw/*.cpp) src/lesson/lesson.cpp
UNIT.tensor := $(wildcard src/tensor/*.cpp)
UNIT.train := $(filter-out $(UNIT.scalar),$(wildcard src/train/*.cpp))
UNIT.heads := $(filter-out $(UNIT.scalar) $(UNIT.lesson),$(wildcard $(addprefix src/,heads/*.cpp page/*.cpp lesson/*.cpp)))
UNIT.program := $(wildcard src/program/*.cpp)
APART := $(addprefix src/,tensor/short_attention.cpp program/main.cpp train/safetensors.cpp train/processes.cpp \
  tensor/matmul.cpp tensor/flash.cpp tensor/naive.cpp base/libm.cpp)
objects = $(patsubst %.cpp,$(BUILD)/%.o,$(wildcard $(1)))
ifneq ($(MODE),tsan)
units = $(foreach unit,$(1),$(call objects,$(filter $(APART),$(UNIT.$(unit)))) $(BUILD)/src/$(unit).o)
else
units = $(foreach unit,$(1),$(call objects,$(UNIT.$(unit))))
endif

$(SCALAR): $(call units,base scalar lesson) $(if $(filter wasm,$(MODE)),$(BUILD)/src/book/fmt.o)
$(LIBRARY): $(call units,tensor train heads)
$(SCALAR) $(LIBRARY):
	@rm -f $@
	@$(AR) rcs $@ $^

# The whole of a GPT in one file. -Wno-psabi and threads are for the tensor path.
$(HEART): src/microgpt.cpp $(wildcard src/base/*.h) $(BUILD)/flags
	$(CXX) -Isrc $(filter-out $(OPENMP_FLAGS),$(CXXFLAGS)) $(LDFLAGS) $< -o $@

# The linker takes an inline function from the first object that has it, so the optimized ones come first.
$(PROGRAM): $(call units,scalar program)

# The same program but for one object, which the linker takes instead of the library's. mpicxx knows where MPI is.
MPI_OBJECT := $(BUILD)/src/train/processes_mpi.o
COMPILER = $(if $(filter $(MPI_PROGRAM) $(MPI_OBJECT),$@),OMPI_CXX='$(CXX)' MPICH_CXX='$(CXX)' mpicxx,$(CXX))
HAVE_MPI := command -v mpicxx >/dev/null || \
  { echo "no mpicxx; try: apt-get install openmpi-bin libopenmpi-dev (on macOS: brew install open-mpi)" >&2; exit 1; }
$(MPI_PROGRAM): $(MPI_OBJECT) $(call units,scalar program)
$(MPI_OBJECT): src/train/processes.cpp $(BUILD)/openmp
	@$(HAVE_MPI)
	@$(call compile,$< with MPI,-DMICROGPT_MPI $<)
$(TESTS): $(call units,scalar) $(call objects,tests/*.cpp)
$(README_CHECKER): $(call objects,tests/check_readme/*.cpp)
$(LESSON_MAINS) $(BREAKS) $(OTHERS): $$@.o
$(FUZZERS): $$@.o $(call objects,tests/fuzz/seeds.cpp tests/fuzz/edit_text.cpp) \
  $(filter-out %/main.o,$(call units,program))
$(EXERCISES): $$@.o $$(if $$(call by_doctest,$$@),$(BUILD)/lessons/doctest_main.o)
# Those of some exercises that are tests for doctest.
by_doctest = $(foreach e,$(1),$(if $(wildcard $(patsubst $(BUILD)/%,%,$(dir $(e))exercise_tests.h)),,$(e)))
# The tests that include headers of the folders OF, or microgpt.h, without those of the program.
UNIT_TESTS := $(filter-out tests/cli_%,$(wildcard tests/*_test.cpp))
TESTED = $(sort microgpt $(shell sed -n 's|^\#include "\([a-z]*\)/.*|\1|p' $(UNIT_TESTS)))
ASKED = $(if $(filter-out $(TESTED),$(OF)),no-such-tests,$(SOME_TESTS))
$(SOME_TESTS): $(call objects,tests/main.cpp $(shell grep -lE '"($(subst $() ,|,$(strip $(OF))))[/.]' $(UNIT_TESTS)))

LINKED := $(PROGRAM) $(MPI_PROGRAM) $(TESTS) $(SOME_TESTS) $(README_CHECKER) $(LESSON_MAINS) $(BREAKS) $(EXERCISES) \
  $(FUZZERS) $(OTHERS)
WITHOUT_TENSORS := $(shell ls lessons | sed '/_tensors$$/,$$d')
$(filter-out $(WITHOUT_TENSORS:%=$(BUILD)/lessons/%/%),$(LINKED)): $(LIBRARY)
$(LINKED): $(SCALAR)
	@echo "link    $@"
	@$(COMPILER) $(CXXFLAGS) $(LDFLAGS) $(filter %.o,$^) $(filter $(LIBRARY),$^) $(SCALAR) $(LDLIBS) -o $@

# -MMD -MP: records which headers an object includes, so that changing one of them recompiles it.
compile = mkdir -p $(@D); echo "compile $(1)"; \
  $(CACHE) $(COMPILER) $(CPPFLAGS) $(PARSED) -MMD -MP $(CXXFLAGS) $(call flags_of,$(@:$(BUILD)/%.o=%)) -o $@ -c $(2)

# What most tests, or programs of the book, include is parsed once for all of them. tsan's build does without, see above.
PARSED_ONCE := fmt/format.h algorithm cmath fstream set sstream string utility vector
ifeq ($(MODE),wasm)
PARSED_ONCE += functional memory numeric span
USE_PARSED := $(addsuffix .o,$(LESSON_MAINS) $(BREAKS))
else ifneq ($(MODE),tsan)
PARSED_ONCE += doctest/doctest.h filesystem
USE_PARSED := $(call objects,tests/*.cpp) $(addsuffix .o,$(call by_doctest,$(EXERCISES)))
endif
PARSED = $(if $(filter $@,$(USE_PARSED)),-include $(BUILD)/parsed.h)
$(USE_PARSED): $(BUILD)/parsed.h.gch
$(BUILD)/parsed.h.gch: $(BUILD)/openmp
	@printf '#include <%s>\n' $(PARSED_ONCE) >$(BUILD)/parsed.h
	@$(CXX) $(CPPFLAGS) $(CXXFLAGS) $(COLD_FLAGS) -x c++-header $(BUILD)/parsed.h -o $@

# The page of the inspector becomes text in the program: src/page/page.cpp includes it, with the glossary of the
# lessons. Comments in its scripts, a tenth of the page, are read here.
$(PAGE_WORDS): lessons/words.md
$(PAGE): $(BUILD)/%.inc: src/%
$(PAGE) $(PAGE_WORDS):
	@mkdir -p $(@D) && { printf 'R"page('; sed -e '/^ *\/\/ /d' -e 's/-----*//' $<; printf ')page"\n'; } > $@
$(BUILD)/src/heads.o $(BUILD)/src/page/page.o: $(PAGE) $(PAGE_WORDS)

# With SOLUTION, exercise.cpp includes the answers of solution.cpp. This shows that the exercise can be solved.
$(BUILD)/%/solution.o: %/exercise.cpp %/solution.cpp $(BUILD)/openmp
	@$(call compile,$< with its solution,-DSOLUTION $<)

$(BREAKS:%=%.cpp): $(BUILD)/%/main.cpp: %.patch $$(wildcard lessons/$$(word 2,$$(subst /, ,$$*))/*.h) \
  lessons/$$(word 2,$$(subst /, ,$$*))/main.cpp
	@command -v patch >/dev/null || { echo "a break needs the program patch; try: make setup" >&2; exit 1; }
	@mkdir -p $(@D) && cp $(filter-out $<,$^) $(@D)
	@(cd $(@D) && patch -N -p1) <$< >$(@D)/patch.txt || \
	  { echo "you changed a line that $< changes, too; see: git diff lessons/$(word 2,$(subst /, ,$*))" >&2; exit 1; }
$(BREAKS:%=%.o): %.o: %.cpp $(BUILD)/openmp
	@$(call compile,$(*:$(BUILD)/%/main=%),$<)

$(BUILD)/%.o: %.cpp $(BUILD)/openmp
	@$(call compile,$<,$<)

together = $(filter-out $(APART),$(UNIT.$(*F)))
$(UNITS:%=$(BUILD)/src/%.o): $(BUILD)/src/%.o: $$(together) $(BUILD)/openmp
	@mkdir -p $(@D) && printf '#include "%s"\n' $(together:src/%=%) >$(@:.o=.cpp)
	@$(call compile,src/$*,$(@:.o=.cpp))

# This file changes only when the compiler or its flags do; then everything is recompiled.
FLAGS = $(CXX) $(CPPFLAGS) $(CXXFLAGS) $(LDFLAGS) $(TENSOR_FLAGS) $(COOL_FLAGS) $(COLD_FLAGS)
$(BUILD)/flags: FORCE | $(filter setup,$(MAKECMDGOALS))
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@

# All objects, but not the heart, wait for this program, which shows that the compiler has OpenMP.
$(BUILD)/openmp: $(BUILD)/flags
	@test '$(OPENMP)' = 0 && touch $@ || echo 'int main() {}' | \
	  $(CXX) $(CPPFLAGS) $(CXXFLAGS) -include omp.h -x c++ - $(LDFLAGS) -o $@ 2>$@.txt || \
	  { sed 3q $@.txt; echo "$(CXX) does not compile with OpenMP: $(OPENMP_HELP), or use OPENMP=0"; exit 1; } >&2

# A file that was removed is no reason to stop: what was compiled from it is compiled again.
src/%.cpp %.d: ;

-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d $(BUILD)/lessons/*/break/*/*.d)

# --- Housekeeping -----------------------------------------------------------------------------------------------------
format: ## format the code with clang-format
	find src lessons tests -name '*.cpp' -o -name '*.h' | xargs clang-format -i

lint: ## look for likely bugs with clang-tidy
	clang-tidy --quiet $(filter-out src/page/page.cpp,$(wildcard src/*.cpp src/*/*.cpp)) -- -std=c++20 -Isrc

clean: ## remove the build folder
	rm -rf build
