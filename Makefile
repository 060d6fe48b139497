# The commands that people type. The build itself is Meson's.
.PHONY: all demo test quick check full sanitized threads unit fuzz clean install format check-clang check-arm64 check-public check-nvidia

# The build folder. Another compiler wants another one: make quick CC=clang-19 BUILD=build-clang
BUILD ?= build

# ccache, where it is installed, finds again what a clone in another folder has compiled.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1
export CCACHE_COMPILERCHECK ?= content

# The product: the command and its libraries.
all:
	@[ -f $(BUILD)/build.ninja ] || scripts/need.sh build
	@scripts/build.sh $(BUILD) product

# The tests and the benchmarks, too, in the same folder with the same flags.
.PHONY: tests
tests:
	@scripts/need.sh build check-tools
	@scripts/build.sh $(BUILD)

# A kernel, compiled here and now, computes a wrong value on an emulated GPU; stock GDB finds out backwards who stored it.
demo:
	@scripts/need.sh build demo
	@scripts/build.sh $(BUILD) product
	@scripts/demo.sh

install: all
	@meson install -C $(BUILD) --no-rebuild

# The extension for VS Code, by the packages of its lock file; `make install` installs it, too, then.
.PHONY: vsix
vsix:
	@scripts/need.sh dap
	@tests/view/extension.sh "$(CURDIR)/build-vscode"
	@mkdir -p $(BUILD)/extension
	@node build-vscode/editors/vscode/package.js $(BUILD)/extension/wavetrap.vsix

# Takes away what `make install` put there.
.PHONY: uninstall
uninstall:
	@ninja -C $(BUILD) uninstall

# One test or some: make test T=watch, T=cli/run, T=cli/run::NAME, T=NAME, T=gdb.
test: tests
	@scripts/test.py $(BUILD) $(T)

# Below a minute, for the inner loop: the unit tests, the command line, a session of GDB.
quick: tests
	@scripts/need.sh kernels
	@scripts/test.py $(BUILD) --suite quick

# What must pass before anything lands: every test once; what finds memory errors again under
# AddressSanitizer and UBSan; the fuzz targets for some seconds each; the bounded part of GDB's own
# test suite; the layout of the source. docs/testing.md lists what runs where.
ifeq ($(shell . /etc/os-release && echo $$VERSION_CODENAME),trixie)
# On Debian 13 a part: the unit tests, and those of HIP, OpenMP and the command that tests/meson.build names.
check:
	@scripts/need.sh build check
	@scripts/build.sh $(BUILD)
	@scripts/test.py $(BUILD) --suite unit --suite trixie
	@echo "the part of the tests that is for Debian 13 passed"
else
check:
	@scripts/need.sh build check dap
	@scripts/format.sh --check
	@scripts/build.sh $(BUILD)
	@FUZZ_SEED=1 scripts/fuzz.sh product
	@scripts/test.py $(BUILD) --suite check
	@$(MAKE) --no-print-directory -j3 --output-sync=target check-gdb-quick check-offload-quick sanitized # two wait, one compiles
	@scripts/test.py build-asan --suite sanitized
	@FUZZ_SEED=1 WAVETRAP_TEST_CACHE=off scripts/one_test.py scripts/fuzz.sh 1
	@echo "all tests passed$$(cat $(BUILD)/left-out)"
endif

# Everything against both builds, and with the other compiler and the other processor.
full: check
	@scripts/need.sh full
	@scripts/test.py build-asan
	@FUZZ_SEED=1 WAVETRAP_TEST_CACHE=off scripts/one_test.py scripts/fuzz.sh 5
	@scripts/one_test.py python3 tests/offload/run.py libgomp.c-c++-common/for-5.c
	@$(MAKE) --no-print-directory threads
	@tests/truth/defects.py
	@$(BUILD)/tests/unit/test_gcn_meaning 4000 # words of each row: 10^6 operands
	@$(MAKE) --no-print-directory check-clang check-arm64

# Hardly optimised, with line numbers only: half the work for the compiler.
SANITIZED = -Db_lundef=false -Doptimization=1 -Dc_args=-g1
sanitized:
	@SETUP="-Db_sanitize=address,undefined $(SANITIZED)" scripts/build.sh build-asan

# Host programs with threads, and debuggers at them, with our libraries under ThreadSanitizer.
threads:
	@SETUP="-Db_sanitize=thread $(SANITIZED)" scripts/build.sh build-tsan
	@scripts/test.py build-tsan --suite threads

# Which lines of src the tests execute, a folder each, and which functions nothing calls: half an hour, or
# some minutes of SUITES=quick.
SUITES ?= check
.PHONY: coverage
coverage:
	@scripts/need.sh build check
	@SETUP="-Db_coverage=true -Db_lto=false -Doptimization=1" scripts/build.sh build-coverage
	@find build-coverage -name '*.gcda' -delete
	@scripts/test.py build-coverage --suite $(SUITES) || true
	@scripts/coverage.py build-coverage

check-clang:
	@scripts/need.sh build check
	@$(MAKE) --no-print-directory quick CC=clang-19 BUILD=build-clang

# Labelled words of NVIDIA's disassembler in public repositories against ours and the assembler. It
# fetches them; nothing of them is kept.
check-public: all
	@python3 tests/isa/sm/public_words.py $(BUILD)/wavetrap

# Kernels on an NVIDIA GPU, where one is at hand, beside the emulated SM.
check-nvidia: all
	@scripts/need.sh ptx
	@python3 tests/kernels/nvidia.py

# The portable paths: a cross build for arm64, whose unit tests and a kernel run under QEMU.
check-arm64:
	@scripts/check-arm64.sh

# Lays out the C files as .clang-format says.
format:
	@scripts/need.sh format
	@scripts/format.sh

# Each fuzz target for ten minutes (make fuzz SECONDS=60 for less). FUZZ=exec runs only that one.
SECONDS ?= 600
fuzz:
	@scripts/need.sh build check
	@scripts/fuzz.sh $(SECONDS) $(FUZZ)

# Random debugger operations on three devices at once, over every transport, for ten minutes.
.PHONY: soak
soak: tests
	@build/tests/soak/soak 600

# The debugger's answers against oracles, with random programs and sessions: as many as the harness says
# for each family, which takes a day; with SECONDS=N so long for each harness and family.
# TRUTH="--harness=values --family=rv32" for some of them, TRUTH="... --seed=N" for one session again.
.PHONY: truth
truth: tests
	@scripts/need.sh check
	@WAVETRAP_BUILD=$(CURDIR)/$(BUILD) /usr/bin/python3 tests/truth/truth.py \
		$(if $(filter command environment,$(firstword $(origin SECONDS))),--seconds=$(SECONDS)) $(TRUTH)

# The states that another build of wavetrap computes are those of this build: hashes, core files.
.PHONY: same-states
same-states: tests
	@scripts/need.sh check
	@WAVETRAP_BUILD=$(CURDIR)/$(BUILD) /usr/bin/python3 tests/truth/same_states.py $(BEFORE) $(STATES)

# Functions of f32 on all their inputs: translated code, handlers, and another build if BEFORE names one. Hours; FLOATS="--one-in=1001" takes a sample.
.PHONY: same-floats
same-floats: tests
	@scripts/need.sh check
	@WAVETRAP_BUILD=$(CURDIR)/$(BUILD) /usr/bin/python3 tests/truth/same_floats.py $(BEFORE) $(FLOATS)

# The page of what works is that of the command.
.PHONY: support
support: all
	@$(BUILD)/wavetrap info --support=json | scripts/support.py >docs/support.md.new && mv docs/support.md.new docs/support.md

# Pages say which checks, kinds of findings and options --check there are: those of the tables.
.PHONY: check-pages
check-pages:
	@scripts/check_pages.py

# The documents as a web site, in $(BUILD)/site.
.PHONY: site
site:
	@scripts/need.sh site
	@mkdir -p $(BUILD) && scripts/site.py $(BUILD)/site && echo "$(BUILD)/site/index.html; its search wants a server: python3 -m http.server -d $(BUILD)/site"

# The changes of changes/*.md go into CHANGELOG.md: before a release.
.PHONY: changelog
changelog:
	@scripts/changelog.py

# All that a release is made of, made and tried in a scratch clone; with RELEASE=--tag the commit is tagged then. docs/release.md.
.PHONY: release
VERSION ?= $(shell sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
release:
	@scripts/need.sh build
	@scripts/release.sh $(VERSION) $(RELEASE)

# Our figures and a peer's on the same work, as ratios: some minutes. docs/benchmarks.md explains them.
.PHONY: bench
bench: tests
	@scripts/need.sh check bench
	@python3 bench/bench.py $(BENCH)

# Which test checks the result of each row of gfx900's instruction table: some minutes. Each row is made
# to go wrong, and a test must notice. ROWS="v_add_f32 ds_read_b32" for some of them.
.PHONY: gcn-coverage
gcn-coverage: tests
	@scripts/need.sh check
	@WAVETRAP_BUILD=$(CURDIR)/build WAVETRAP=$(CURDIR)/build/wavetrap /usr/bin/python3 tests/isa/gcn/checked.py $(ROWS)

# The findings of checks in each program of a folder, of others' suites for instance: SUITES=FOLDER GPU=gen9.
.PHONY: check-suites
check-suites: tests
	@tests/checks/suite.py "$(SUITES)" "$(or $(GPU),gfx900)"

# GCC's own tests of OpenMP and OpenACC offloading on the emulated gfx900 and the emulated SM: all of
# them (an hour for each), or a bounded part. tests/offload/excluded*.txt say what is left out, and why.
.PHONY: check-offload check-offload-quick
check-offload: all
	@scripts/need.sh check
	@python3 tests/offload/run.py
	@python3 tests/offload/run.py --gpu=sm

check-offload-quick: all
	@scripts/need.sh check
	@scripts/one_test.py python3 tests/offload/run.py --quick
	@WAVETRAP_PTX_CACHE=off scripts/one_test.py python3 tests/offload/run.py --gpu=sm --quick

unit: tests
	@scripts/test.py $(BUILD) --suite unit

clean:
	rm -rf build build-*

# The example kernels, built by Debian's RISC-V compiler into build/examples.
.PHONY: examples
examples:
	@scripts/need.sh kernels
	@$(MAKE) -s -C examples/vortex OUT=$(CURDIR)/build/examples

# GDB's own test suite against `wavetrap serve`: all of gdb.base and gdb.reverse that fits a bare-metal
# target (some minutes), or a bounded subset of it. tests/gdb-suite/ says what is left out, and why.
.PHONY: check-gdb check-gdb-quick
check-gdb: all
	@scripts/need.sh check
	@python3 tests/gdb-suite/run.py
	@python3 tests/gdb-suite/run.py --xlen 64
	@python3 tests/gdb-suite/run.py --extended

check-gdb-quick: all
	@scripts/need.sh check
	@scripts/one_test.py python3 tests/gdb-suite/run.py --quick
	@scripts/one_test.py python3 tests/gdb-suite/run.py --quick --xlen 64 --serve-options=--dm-only
