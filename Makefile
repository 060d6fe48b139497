# The commands that people type. The build itself is Meson's.
.PHONY: all demo test quick check full sanitized threads unit fuzz clean install format check-clang check-arm64 check-public check-nvidia

# The build folder. Another compiler wants another one: make quick CC=clang-19 BUILD=build-clang
BUILD ?= build

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet

$(BUILD)/build.ninja:
	@scripts/need.sh build
	@meson setup $(BUILD) $(SETUP) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

# A SIMT kernel, compiled here and now, runs on an emulated Vortex and is debugged by stock GDB.
demo:
	@scripts/need.sh build kernels demo
	@$(MAKE) --no-print-directory all examples
	@scripts/demo.sh

install: all
	@meson install -C $(BUILD) --no-rebuild

# One test or some: make test T=watch, T=cli/run, T=cli/run::NAME, T=NAME, T=gdb.
test: all
	@scripts/need.sh check-tools
	@scripts/test.py $(BUILD) $(T)

# Below a minute, for the inner loop: the unit tests, the command line, a session of GDB.
quick: all
	@scripts/need.sh kernels check-tools
	@scripts/test.py $(BUILD) --suite quick

# What must pass before anything lands: every test once; what finds memory errors again under
# AddressSanitizer and UBSan; the fuzz targets for some seconds each; the bounded part of GDB's own
# test suite; the layout of the source. docs/testing.md lists what runs where.
check:
	@scripts/need.sh build kernels gcn gen hip ptx offload driver check dap
	@scripts/format.sh --check
	@$(MAKE) --no-print-directory strict strict-clang
	@scripts/test.py $(BUILD) --suite check
	@$(MAKE) --no-print-directory -j3 --output-sync=target check-gdb-quick check-offload-quick sanitized # two wait, one compiles
	@scripts/test.py build-asan --suite sanitized
	@FUZZ_SEED=1 WAVETRAP_TEST_CACHE=off scripts/one_test.py scripts/fuzz.sh 1
	@echo "all tests passed"

# The build with warnings as errors, which people who only build are spared.
.PHONY: strict
strict: $(BUILD)/build.ninja
	@meson configure $(BUILD) -Dwerror=true
	@[ -e $(BUILD)/src/runtime/hsakmt/libhsakmt.so.1 ] && [ -e $(BUILD)/src/runtime/drm/libwavetrap-drm.so ] || \
		meson setup --reconfigure $(BUILD) >/dev/null
	@$(MAKE) --no-print-directory all

# What clang says of the product, not of the tests: compiled, not linked, in the fuzz targets' build, which needs most of it anyway.
.PHONY: strict-clang
strict-clang:
	@FUZZ_SEED=1 scripts/fuzz.sh product

# Everything against both builds, and with the other compiler and the other processor.
full: check
	@scripts/need.sh full
	@scripts/test.py build-asan
	@FUZZ_SEED=1 WAVETRAP_TEST_CACHE=off scripts/one_test.py scripts/fuzz.sh 5
	@scripts/one_test.py python3 tests/offload/run.py libgomp.c-c++-common/for-5.c
	@$(MAKE) --no-print-directory threads
	@tests/truth/defects.py
	@$(MAKE) --no-print-directory check-clang check-arm64

sanitized: build-asan/build.ninja
	@ninja -C build-asan --quiet

# Hardly optimised, with line numbers only: half the work for the compiler.
build-asan/build.ninja:
	@meson setup build-asan -Db_sanitize=address,undefined -Db_lundef=false \
		-Doptimization=1 -Dc_args=-g1 >build-asan.log 2>&1 || { cat build-asan.log; exit 1; }
	@rm -f build-asan.log

# Host programs with threads, and debuggers at them, with our libraries under ThreadSanitizer.
threads: build-tsan/build.ninja
	@ninja -C build-tsan --quiet
	@scripts/test.py build-tsan --suite threads

build-tsan/build.ninja:
	@meson setup build-tsan -Db_sanitize=thread -Db_lundef=false \
		-Doptimization=1 -Dc_args=-g1 >build-tsan.log 2>&1 || { cat build-tsan.log; exit 1; }
	@rm -f build-tsan.log

# Which lines of src the tests execute, a folder each, and which functions nothing calls: half an hour, or
# some minutes of SUITES=quick.
SUITES ?= check
.PHONY: coverage
coverage: build-coverage/build.ninja
	@scripts/need.sh kernels gcn gen hip ptx offload check
	@ninja -C build-coverage --quiet
	@find build-coverage -name '*.gcda' -delete
	@scripts/test.py build-coverage --suite $(SUITES) || true
	@scripts/coverage.py build-coverage

build-coverage/build.ninja:
	@scripts/need.sh build
	@meson setup build-coverage -Db_coverage=true -Db_lto=false -Doptimization=1 >build-coverage.log 2>&1 || \
		{ cat build-coverage.log; exit 1; }
	@rm -f build-coverage.log

check-clang:
	@scripts/need.sh build kernels check
	@$(MAKE) --no-print-directory quick CC=clang-19 BUILD=build-clang SETUP=-Dwerror=true

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
soak: all
	@build/tests/soak/soak 600

# The debugger's answers against oracles, with random programs and sessions: as many as the harness says
# for each family, which takes a day; with SECONDS=N so long for each harness and family.
# TRUTH="--harness=values --family=rv32" for some of them, TRUTH="... --seed=N" for one session again.
.PHONY: truth
truth: all
	@scripts/need.sh kernels gcn gen hip ptx check
	@WAVETRAP_BUILD=$(CURDIR)/$(BUILD) /usr/bin/python3 tests/truth/truth.py \
		$(if $(filter command environment,$(firstword $(origin SECONDS))),--seconds=$(SECONDS)) $(TRUTH)

# The states that another build of wavetrap computes are those of this build: hashes, core files.
.PHONY: same-states
same-states: all
	@scripts/need.sh kernels gcn gen ptx check
	@WAVETRAP_BUILD=$(CURDIR)/$(BUILD) /usr/bin/python3 tests/truth/same_states.py $(BEFORE) $(STATES)

# Functions of f32 on all their inputs: translated code, handlers, and another build if BEFORE names one. Hours; FLOATS="--one-in=1001" takes a sample.
.PHONY: same-floats
same-floats: all
	@scripts/need.sh kernels gcn gen ptx check
	@WAVETRAP_BUILD=$(CURDIR)/$(BUILD) /usr/bin/python3 tests/truth/same_floats.py $(BEFORE) $(FLOATS)

# The page of what works is that of the command.
.PHONY: support
support: all
	@$(BUILD)/wavetrap info --support=json | scripts/support.py >docs/support.md.new && mv docs/support.md.new docs/support.md

# The documents as a web site, in $(BUILD)/site.
.PHONY: site
site:
	@scripts/need.sh site
	@mkdir -p $(BUILD) && scripts/site.py $(BUILD)/site && echo "$(BUILD)/site/index.html"

# The changes of changes/*.md go into CHANGELOG.md: before a release.
.PHONY: changelog
changelog:
	@scripts/changelog.py

# Our figures and a peer's on the same work, as ratios: some minutes. docs/benchmarks.md explains them.
.PHONY: bench
bench: all
	@scripts/need.sh kernels demo gcn gen hip ptx bench
	@python3 bench/bench.py $(BENCH)

# Which test checks the result of each row of gfx900's instruction table: some minutes. Each row is made
# to go wrong, and a test must notice. ROWS="v_add_f32 ds_read_b32" for some of them.
.PHONY: gcn-coverage
gcn-coverage: all
	@scripts/need.sh check gcn
	@WAVETRAP_BUILD=$(CURDIR)/build WAVETRAP=$(CURDIR)/build/wavetrap /usr/bin/python3 tests/isa/gcn/checked.py $(ROWS)

# The findings of checks in each program of a folder, of others' suites for instance: SUITES=FOLDER GPU=gen9.
.PHONY: check-suites
check-suites: all
	@tests/checks/suite.py "$(SUITES)" "$(or $(GPU),gfx900)"

# GCC's own tests of OpenMP and OpenACC offloading on the emulated gfx900 and the emulated SM: all of
# them (an hour for each), or a bounded part. tests/offload/excluded*.txt say what is left out, and why.
.PHONY: check-offload check-offload-quick
check-offload: all
	@scripts/need.sh hip offload ptx check-tools
	@python3 tests/offload/run.py
	@python3 tests/offload/run.py --gpu=sm

check-offload-quick: all
	@scripts/need.sh hip offload ptx check-tools
	@scripts/one_test.py python3 tests/offload/run.py --quick
	@WAVETRAP_PTX_CACHE=off scripts/one_test.py python3 tests/offload/run.py --gpu=sm --quick

unit: all
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
	@scripts/need.sh kernels check
	@python3 tests/gdb-suite/run.py
	@python3 tests/gdb-suite/run.py --xlen 64
	@python3 tests/gdb-suite/run.py --extended

check-gdb-quick: all
	@scripts/need.sh kernels check
	@scripts/one_test.py python3 tests/gdb-suite/run.py --quick
	@scripts/one_test.py python3 tests/gdb-suite/run.py --quick --xlen 64 --serve-options=--dm-only
