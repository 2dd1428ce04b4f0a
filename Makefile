# `make` alone lists what there is to make. Choices stand behind `make`; a MODE in the environment is another program's:
#
#   MODE=debug    or asan, tsan, fuzz: see below     NATIVE=0    runs on other processors of this kind, too
#   CXX=clang++   another compiler                   O=1         compiles faster, runs slower
#   OPENMP=0      one thread only                    DEV=1       what the compiler doubts is an error
# What debuggers, check-races and fuzz need follows from their names.
MODE := $(firstword $(patsubst check-races,tsan,$(patsubst session-%,debug,$(patsubst %db,debug, \
  $(filter %gdb %lldb session-% check-races fuzz,$(MAKECMDGOALS))))) release)
OPENMP := $(if $(filter fuzz,$(MODE)),0,1)
NATIVE := 1
O := 3
NAMES := data/names.txt
OF := checkpoint data
EMXX := em++
$(foreach option,ARGS BACK BREAK CACHE DEV L LIGHT MINE QUICK README RUN SECONDS STAGE,$(eval $(option) :=))
override CXX := $(or $(if $(findstring clang,$(CXX)),$(CXX)),$(if $(filter check-races fuzz,$(MAKECMDGOALS)),clang++), \
  $(if $(filter default,$(origin CXX)),g++,$(CXX)))
ifeq ($(MAKELEVEL)$(shell { echo "$$MAKEFLAGS"; tr '\0' ' ' </proc/$$PPID/cmdline 2>/dev/null || ps -o args= -p $$PPID; } | \
  grep -oE '(^| )-[-a-zA-Z]*j'),0)
MAKEFLAGS += -j$(shell nproc 2>/dev/null || sysctl -n hw.ncpu)  # without a -j of yours, every core
endif

# --- Flags, and why ---------------------------------------------------------------------------------------------------
# -ffp-contract=off  a * b + c is rounded twice, as in Python; a fused multiply-add would round once
# -fno-math-errno    sqrt need not set errno, so it is one instruction; no result changes
# -Wno-psabi         no notes from GCC that passing vectors to functions depends on their width
# -DDOCTEST_...      a check calls a function, so a file of tests compiles in four fifths of the time
CPPFLAGS := -Isrc -Ibuild/$(MODE) -DDOCTEST_CONFIG_SUPER_FAST_ASSERTS
CXXFLAGS := -std=c++20 -Wall -Wextra -Wshadow $(if $(DEV),-Werror) -Wno-psabi -ffp-contract=off -fno-math-errno
LDLIBS := -lfmt

# release  for this machine's processor, and its widest vectors
# debug    _GLIBCXX_ASSERTIONS: v[i] out of range stops the program
# asan     clang does not vectorize every "omp simd" loop here, which is no mistake
# tsan     a race detector. clang's libomp tells it which thread waits for which; it must not look inside libomp
# fuzz     asan, and clang's libFuzzer, which varies input so that it reaches more of the code
# wasm     for the book. Debian's Emscripten takes fmt's headers from this machine; src/book/fmt.cpp is the library
FLAGS.release := -O$(O) $(if $(filter 1,$(NATIVE)),-march=native) \
  $(if $(filter x86_64-%,$(shell $(CXX) -dumpmachine 2>/dev/null)),-mprefer-vector-width=512)
FLAGS.debug := -O0 -g -D_GLIBCXX_ASSERTIONS
FLAGS.asan := -O1 -g1 -D_GLIBCXX_ASSERTIONS -Wno-pass-failed -fno-omit-frame-pointer -fno-sanitize-recover=all \
  -fsanitize=address,undefined
FLAGS.tsan := -O1 -g -fsanitize=thread
FLAGS.fuzz := $(FLAGS.asan),fuzzer-no-link
FLAGS.wasm := -O2 -msimd128 -fwasm-exceptions -idirafter /usr/include -include src/book/std.h
LDFLAGS.fuzz := -fsanitize=fuzzer
LDFLAGS.wasm := -O1 -sALLOW_MEMORY_GROWTH -sEXIT_RUNTIME -sFORCE_FILESYSTEM -sENVIRONMENT=worker -sINVOKE_RUN=0 \
  -sEXPORTED_RUNTIME_METHODS=FS,ENV,callMain
LDFLAGS += $(LDFLAGS.$(MODE))
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

# --- Files ------------------------------------------------------------------------------------------------------------
BUILD := build/$(MODE)
HEART := $(BUILD)/heart
PROGRAM := $(BUILD)/microgpt
MPI_PROGRAM := $(BUILD)/microgpt_mpi
TESTS := $(BUILD)/microgpt_tests
LESSONS := $(patsubst lessons/%/main.cpp,%,$(sort $(wildcard lessons/*/main.cpp)))
MAINS := $(LESSONS:%=$(BUILD)/lessons/%/main)
BREAKS := $(patsubst lessons/%.patch,$(BUILD)/lessons/%/main,$(wildcard lessons/*/break/*.patch))
STRAIGHT := $(MAINS:main=straight)
EXERCISES := $(LESSONS:%=$(BUILD)/lessons/%/exercise) $(LESSONS:%=$(BUILD)/lessons/%/solution)
FUZZERS := $(OF:%=$(BUILD)/tests/fuzz/%)
OTHERS := $(addprefix $(BUILD)/,lessons/ladder lessons/forms tests/gdb/main tests/inspector/figures)
INSPECTED := $(patsubst %,$(BUILD)/inspected/%.html,names copy induction)
MAKEMORE := $(firstword $(wildcard data/makemore.txt ../shared/data/names.txt))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.PHONY: FORCE $(shell sed -n 's/^\([a-z -]*\):\( .*\)*$$/\1/p' Makefile)

help:
	@echo "usage: make TARGET [MODE=release|debug|asan|tsan] [CXX=clang++]"
	@awk -F ':.*## ' '/^##/ { print "\n" substr($$0, 4) } /^[a-z% -]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' Makefile

## To start
setup: ## install what is missing: a compiler, fmt, doctest, nlohmann-json
	@CXX='$(CXX)' CPPFLAGS='$(CPPFLAGS)' MAKE_VERSION='$(MAKE_VERSION)' tests/setup.sh
train: $(HEART) ## compile src/microgpt.cpp and nothing else, train, and generate twenty names: make train [NAMES=file]
	$(HEART) $(NAMED)
build: $(PROGRAM) ## compile the program, to build/release/microgpt
test: $(TESTS) $(PROGRAM) $(HEART) ## run every test
	@export OMP_WAIT_POLICY=passive MICROGPT_PROGRAM=$(PROGRAM); \
	  $(if $(ARGS),$(RUN) $(TESTS) $(ARGS),printf '%s\n' '-sf=*/cli_*' '-sfe=*/cli_*' | xargs -P 2 -n 1 $(RUN) $(TESTS))
names: data/makemore.txt ## download the 32,033 names of makemore to data/makemore.txt
data/makemore.txt:
	@data/download.sh $@
clean: ## remove the build folder
	rm -rf build

# $(call lesson,NN,main) is the program of lessons/NN_*/main.cpp, $(call broken,NN) that with break/$(BREAK).patch, which
# is a mistake to try, or nothing. $(NAMED) is the file of names for the shell, with a quote or a dollar in it. FORCE: a
# file called lesson-08 does not make the lesson done.
NAMED = '$(subst ','\'',$(value NAMES))'
lesson = $(or $(patsubst %,$(BUILD)/lessons/%/$(2),$(filter $(1)_%,$(LESSONS))),no-such-lesson)
patches = $(wildcard lessons/$(1)_*/break/$(2).patch)
broken = $(if $(BREAK),$(or \
  $(patsubst lessons/%.patch,$(BUILD)/lessons/%/main,$(call patches,$(1),$(BREAK))),no-such-break))

## The lessons
lesson-%: $$(call lesson,$$*,main) $$(call broken,$$*) FORCE ## run a lesson: make lesson-08 [NAMES=file] [BREAK=idea]
	@$(if $(BREAK),lessons/break.sh lessons/$(<:$(BUILD)/lessons/%/main=%)/break/$(BREAK).patch $< $(word 2,$^),$<) $(NAMED)
exercise-%: $$(call lesson,$$*,exercise) FORCE ## run a lesson's exercise: make exercise-08
	@$(MINE_SH) exercise $* $< || :
solution-%: $$(call lesson,$$*,solution) FORCE ## run an exercise with its solution: make solution-08
	@$<
gdb lldb: $$(if $$(MINE),,$$(STEPPED)) ## step through a lesson: make gdb L=08 [NAMES=file] [BREAK=idea]; or through your own: make gdb MINE=1
	@$(if $(MINE),$(MINE_SH) gdb || :,src/debug/start.sh $@ $(if $(filter gdb,$@),-ex 'stops all' -ex run --args, \
	  -o 'stops all' -o run --) $< $(NAMED))
book: book-programs $(INSPECTED) ## make a book of all lessons for a browser: build/book/index.html
	@python3 -B src/book/book.py build/book $(BUILD)/inspected
no-such-break:
	@echo "there is no such break; there are: $(basename $(notdir \
	  $(call patches,$(or $(L),$(MAKECMDGOALS:lesson-%=%)),*)))" >&2; exit 2
no-such-lesson:
	@echo "there is no such lesson; there are: $(foreach name,$(LESSONS),$(firstword $(subst _, ,$(name))))" >&2; exit 2

# What goes wrong in the reader's own microgpt is said in words; an error of make would only add noise.
MINE_SH := CXX='$(CXX)' lessons/mine/mine.sh
## A microgpt of your own
mine: ## write it stage by stage; again: test it, and see what comes next
	@$(MINE_SH) test $(STAGE) || :
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

## Checks (more of them: .github/CONTRIBUTING.md)
check-lessons: $(MAINS:main=printed.txt) ## run every lesson and compare with its expected.txt
	@tests/lessons.sh $(BUILD) $(LESSONS)
check-readmes: $(MAINS:main=printed.txt) $(if $(QUICK),,$(BREAKS:main=printed.txt)) ## check everything the READMEs quote: code, commands, output
	@printf '%s\n' $(or $(README),README.md src/program/README.md src/debug/README.md lessons/claims.md lessons/mine/README.md \
	  $(LESSONS:%=lessons/%/README.md)) | env -u MAKELEVEL KEPT=1 CXX='$(CXX)' \
	  MAKEFLAGS='MODE=$(MODE) NATIVE=$(NATIVE) OPENMP=$(OPENMP) DEV=$(DEV)' QUICK='$(QUICK)' xargs -n 15 -P 2 \
	  python3 -B tests/check_readme.py
check-gdb: $(MAINS:main=stepped) $(BUILD)/tests/gdb/stepped $(HEART) ## type the debugger walks of the READMEs and compare with what they show
	@diff -u tests/gdb/expected.txt $(BUILD)/tests/gdb/session.txt
	@tests/gdb/stock.sh gdb $(HEART)

# --- What else there is -----------------------------------------------------------------------------------------------
mpi: $(MPI_PROGRAM)
ladder forms: $(BUILD)/lessons/$$@
	@$< $(NAMED)
reproduce: $(MAINS)
	@tests/reproduce.sh $(BUILD)/lessons $(MAKEMORE)
oracle: $(TESTS) check-torch
	@$$(tests/python_with_torch.sh) -B tests/golden/attention/make.py
	@$(TESTS) -tc="attention has PyTorch's *"
check-torch: $(PROGRAM)
	@tests/check_torch.sh $(PROGRAM) $(BUILD)/check_torch
check-mine: $(PROGRAM)
	@CXX='$(CXX)' PROGRAM='$(PROGRAM)' QUICK='$(QUICK)' tests/mine/check.sh
check-exercises: $(filter %/$(if $(QUICK),solution,%),$(EXERCISES))
	@QUICK='$(QUICK)' COMPILE='$(if $(QUICK)$(filter 0,$(OPENMP)),,$(CXX) $(CPPFLAGS) $(CXXFLAGS) -w -O0)' \
	  LINK='$(LIBRARY) $(SCALAR) $(LDFLAGS) $(LDLIBS)' tests/exercises.sh $(BUILD) $(LESSONS)
museum: $(BREAKS:main=printed.txt)
	@python3 -B tests/museum.py $(BUILD) | diff $(wildcard lessons/*/seen.tsv) - && echo "museum: every bug does what it did"
check-inspector: $(PROGRAM) $(BUILD)/tests/inspector/figures
	@python3 -B tests/inspector/check.py $^ $(BUILD)/inspector
check-races: $(addprefix $(BUILD)/$(wildcard lessons/*_openmp)/,main break/race/main) $(TESTS) $(PROGRAM)
	@tests/races.sh $^
fuzz: $(FUZZERS)
	@tests/fuzz.sh $(BUILD) $(or $(SECONDS),60) $^

# What programs print and draw is kept for all checks.
$(BUILD)/%/printed.txt: $(BUILD)/%/main data/names.txt
	@echo "run     $<"
	@PICTURES=$(if $(findstring /break/,$@),build/pictures/broken,$(@D)) $< >$@ 2>$(@D)/errors.txt; echo $$? >$(@D)/code.txt

# The gdb blocks of a README are a session that a learner types. In lldb the commands of src/debug print the same.
STEPPED := $(or $(call broken,$(L)),$(call lesson,$(L),main))
session-%: $$(call lesson,$$*,stepped) FORCE ;
check-lldb: $(BUILD)/tests/gdb/main $(HEART)
	@PYTHONPATH=tests/gdb src/debug/start.sh lldb -x -b -o 'script import lldb_session; lldb_session.check("$<")' | grep ': runs as shown$$'
	@tests/gdb/stock.sh lldb $(HEART)
$(BUILD)/%/stepped: $(BUILD)/%/main FORCE
	@PYTHONPATH=tests/gdb src/debug/start.sh gdb -nx -batch -ex 'python import session; session.check("$*", "$(@D)")' $< > $(@D)/session.raw
	@echo "session $*: runs as shown"

# --- The book ---------------------------------------------------------------------------------------------------------
# Its programs are compiled to WebAssembly. A page has no processes, which the lesson on many machines starts. A cache
# before the compiler does not change objects, so its name does not count among the flags.
IN_PAGE := $(filter-out %_many_machines,$(LESSONS))
$(INSPECTED): $(BUILD)/inspected/%.html: src/book/inspect.sh $(PROGRAM)
	@$^ $* $(@D)
book-programs:
	@+if command -v $(lastword $(EMXX)) >/dev/null; then NODE_PATH="$${NODE_PATH:-/usr/share/nodejs}" \
	  $(MAKE) --no-print-directory MODE=wasm CXX='$(lastword $(EMXX))' CACHE='$(filter-out %em++,$(EMXX))' AR=emar LDLIBS= \
	  OPENMP=0 NATIVE=0 packed; else \
	  echo "the book is written without programs that run in the page; for them: apt-get install emscripten"; fi
packed: $(HEART) $(IN_PAGE:%=$(BUILD)/lessons/%/main)
	@node src/book/pack.mjs $(BUILD) build/book $(IN_PAGE)
check-book: book
	@python3 -B tests/book/pages.py build/book
	@python3 -B tests/book/reader.py build/book
check-book-programs: book $(IN_PAGE:%=$(BUILD)/lessons/%/main) $(HEART)
	@python3 -B tests/book/run.py $(BUILD) build/book $(IN_PAGE) heart
dist: book
	@rm -rf build/microgpt && cp -R build/book build/microgpt && git archive --prefix=build/microgpt/project/ -o build/git.tar HEAD
	@tar -xf build/git.tar && python3 -m zipfile -c build/microgpt.zip build/microgpt && echo "wrote build/microgpt.zip"

# --- Compiling --------------------------------------------------------------------------------------------------------
# A folder is compiled as one unit, as its files include the same headers, which take most of the time. On their own are
# the kernels, which are slower in one unit, and what something replaces. Tests make five units, by their names. LIGHT is
# for code that runs for a moment.
LIGHT.release := -Og
LIGHT.asan := -O0
UNITS := base scalar train heads program cli a-f g-l m-r s-z
UNIT.base := $(wildcard src/base/*.cpp)
UNIT.scalar := $(wildcard src/draw/*.cpp) src/lesson/lesson.cpp src/train/scalar_trainer.cpp
UNIT.train := $(filter-out $(UNIT.scalar) %/safetensors.cpp %/processes.cpp,$(wildcard src/train/*.cpp))
UNIT.heads := $(filter-out $(UNIT.scalar),$(wildcard $(addprefix src/,heads/*.cpp page/*.cpp lesson/*.cpp train/safetensors.cpp)))
UNIT.program := $(filter-out %/main.cpp,$(wildcard src/program/*.cpp))
UNIT.cli := $(wildcard tests/cli_*.cpp)
$(foreach letters,a-f g-l m-r s-z,$(eval UNIT.$(letters) := $(filter-out $(UNIT.cli),$(wildcard tests/[$(letters)]*_test.cpp))))
objects = $(patsubst %.cpp,$(BUILD)/%.o,$(wildcard $(1)))
unit = $(BUILD)/src/$(1).o
TESTED := $(call objects,tests/main.cpp) $(foreach name,cli a-f g-l m-r s-z,$(call unit,$(name)))
$(TESTED) $(EXERCISES:=.o): LIGHT := $(LIGHT.$(MODE))
$(foreach name,base heads program program/main,$(call unit,$(name))): LIGHT := $(if $(filter release,$(MODE)),-O1)

# The lessons before 10_tensors need libscalar.a only.
SCALAR := $(BUILD)/libscalar.a
LIBRARY := $(BUILD)/libmicrogpt.a
$(SCALAR): $(call unit,base) $(call unit,scalar) $(if $(filter wasm,$(MODE)),$(BUILD)/src/book/fmt.o)
$(LIBRARY): $(call objects,src/tensor/*.cpp src/train/processes.cpp) $(call unit,train) $(call unit,heads)
$(SCALAR) $(LIBRARY):
	@rm -f $@
	@$(AR) rcs $@ $^

# The whole of a GPT in one file, without threads.
$(HEART): src/microgpt.cpp $(wildcard src/base/*.h) $(BUILD)/flags
	$(CXX) -Isrc $(filter-out $(OPENMP_FLAGS),$(CXXFLAGS)) $(LDFLAGS) $< -o $@
$(PROGRAM): $(call unit,program) $(call objects,src/program/main.cpp)

# The same program but for one object, which the linker takes instead of the library's. mpicxx knows where MPI is.
MPI_OBJECT := $(BUILD)/src/train/processes_mpi.o
COMPILER = $(if $(filter $(MPI_PROGRAM) $(MPI_OBJECT),$@),OMPI_CXX='$(CXX)' MPICH_CXX='$(CXX)' mpicxx,$(CACHE) $(CXX))
$(MPI_PROGRAM): $(MPI_OBJECT) $(call unit,program) $(call objects,src/program/main.cpp)
$(MPI_OBJECT): src/train/processes.cpp $(BUILD)/openmp
	@command -v mpicxx >/dev/null || \
	  { echo "no mpicxx; try: apt-get install openmpi-bin libopenmpi-dev (on macOS: brew install open-mpi)" >&2; exit 1; }
	@$(call compile,$< with MPI,-DMICROGPT_MPI $<)

$(TESTS): $(TESTED)
$(FUZZERS): $$@.o $(call objects,tests/fuzz/seeds.cpp) $(call unit,program)
$(MAINS) $(STRAIGHT) $(BREAKS) $(EXERCISES) $(OTHERS): $$@.o
LINKED := $(PROGRAM) $(MPI_PROGRAM) $(TESTS) $(MAINS) $(STRAIGHT) $(BREAKS) $(EXERCISES) $(FUZZERS) $(OTHERS)
WITHOUT_TENSORS := $(shell ls lessons | sed '/_tensors$$/,$$d')
$(filter-out $(WITHOUT_TENSORS:%=$(BUILD)/lessons/%/%),$(LINKED)): $(LIBRARY)
$(LINKED): $(SCALAR)
	@echo "link    $@"
	@$(COMPILER) $(CXXFLAGS) $(LDFLAGS) $(filter %.o,$^) $(filter $(LIBRARY),$^) $(SCALAR) $(LDLIBS) -o $@

# -MMD -MP: records which headers an object includes, so that changing one of them recompiles it.
compile = mkdir -p $(@D); echo "compile $(1)"; $(COMPILER) $(CPPFLAGS) -MMD -MP $(CXXFLAGS) $(LIGHT) -o $@ -c $(2)
$(BUILD)/%.o: %.cpp $(BUILD)/openmp
	@$(call compile,$<,$<)
$(UNITS:%=$(BUILD)/src/%.o): $(BUILD)/src/%.o: $$(UNIT.$$*) Makefile $(BUILD)/openmp
	@mkdir -p $(@D) && printf '#include "%s"\n' $(UNIT.$*:src/%=%) >$(@:.o=.cpp)
	@$(call compile,unit $*,-I. $(@:.o=.cpp))

# With SOLUTION, exercise.cpp includes the answers of solution.cpp.
$(BUILD)/%/solution.o: %/exercise.cpp %/solution.cpp $(BUILD)/openmp
	@$(call compile,$< with its solution,-DSOLUTION $<)
# A lesson to step through from end to end: every function is called, and the library is fast.
$(BUILD)/%/straight.o: %/main.cpp $(BUILD)/openmp
	@$(call compile,$< to step through,-Og -g -fno-inline $<)
$(BREAKS:%=%.cpp): $(BUILD)/%/main.cpp: %.patch $$(wildcard lessons/$$(word 2,$$(subst /, ,$$*))/*.h) \
  lessons/$$(word 2,$$(subst /, ,$$*))/main.cpp
	@command -v patch >/dev/null || { echo "a break needs the program patch; try: make setup" >&2; exit 1; }
	@mkdir -p $(@D) && cp $(filter-out $<,$^) $(@D)
	@(cd $(@D) && patch -N -p1) <$< >$(@D)/patch.txt || \
	  { echo "you changed a line that $< changes, too; see: git diff lessons/$(word 2,$(subst /, ,$*))" >&2; exit 1; }
$(BREAKS:%=%.o): %.o: %.cpp $(BUILD)/openmp
	@$(call compile,$(*:$(BUILD)/%/main=%),-Wno-unused-parameter $<)

# The inspector's page and the glossary become text in the program. Comments in scripts, a tenth of the page, stay here.
PAGE := $(addprefix $(BUILD)/page/,inspector.html.inc style.css.inc script.js.inc words.md.inc)
$(BUILD)/page/script.js.inc: $(wildcard src/page/*.js)
$(BUILD)/page/words.md.inc: lessons/words.md
$(filter %.html.inc %.css.inc,$(PAGE)): $(BUILD)/%.inc: src/%
$(PAGE):
	@mkdir -p $(@D) && { printf 'R"page('; sed -e '/^ *\/\/ /d' -e 's/-----*//' $^; printf ')page"\n'; } > $@
$(BUILD)/src/heads.o: $(PAGE)

# flags changes only when the compiler or its flags do; then everything is recompiled. All objects, but not the heart,
# wait for openmp, a program which shows that the compiler has that.
FLAGS = $(CXX) $(CPPFLAGS) $(CXXFLAGS) $(LDFLAGS)
$(BUILD)/flags: FORCE | $(filter setup,$(MAKECMDGOALS))
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' > $@
$(BUILD)/openmp: $(BUILD)/flags
	@test '$(OPENMP)' = 0 && touch $@ || echo 'int main() {}' | \
	  $(CXX) $(CPPFLAGS) $(CXXFLAGS) -include omp.h -x c++ - $(LDFLAGS) -o $@ 2>$@.txt || \
	  { sed 3q $@.txt; echo "$(CXX) does not compile with OpenMP: $(OPENMP_HELP), or use OPENMP=0"; exit 1; } >&2

# A file that was removed is no reason to stop: what was compiled from it is compiled again.
src/%.cpp %.d: ;
-include $(wildcard $(BUILD)/*/*.d $(BUILD)/*/*/*.d $(BUILD)/lessons/*/break/*/*.d)
