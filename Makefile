# The commands that people type. The build itself is Meson's.
.PHONY: all demo check sanitized unit fuzz clean

all: build/build.ninja
	@ninja -C build --quiet

build/build.ninja:
	@scripts/need.sh build
	@meson setup build >/dev/null || { cat build/meson-logs/meson-log.txt; exit 1; }

# A SIMT kernel, compiled here and now, runs on an emulated Vortex and is debugged by stock GDB.
demo:
	@scripts/need.sh build kernels demo
	@$(MAKE) --no-print-directory all examples
	@scripts/demo.sh

# Every test: the suites of tests/ against the build and again under AddressSanitizer and UBSan, the
# fuzz targets for some seconds each, and the bounded part of GDB's own test suite.
check:
	@scripts/need.sh build kernels gcn hip driver check
	@[ ! -e build/build.ninja ] || [ -e build/src/runtime/hsakmt/libhsakmt.so.1 ] || meson setup --reconfigure build >/dev/null
	@$(MAKE) --no-print-directory all
	@scripts/check.sh build
	@$(MAKE) --no-print-directory check-gdb-quick
	@$(MAKE) --no-print-directory sanitized
	@scripts/check.sh build-asan
	@scripts/fuzz.sh 10
	@echo "all tests passed"

# -Dwerror=false: a sanitizer's own code makes GCC warn of what cannot be.
sanitized: build-asan/build.ninja
	@ninja -C build-asan --quiet

build-asan/build.ninja:
	@meson setup build-asan -Db_sanitize=address,undefined -Db_lundef=false -Dwerror=false \
		-Dbuildtype=debugoptimized >build-asan.log 2>&1 || { cat build-asan.log; exit 1; }
	@rm -f build-asan.log

# Each fuzz target for ten minutes (make fuzz SECONDS=60 for less). FUZZ=exec runs only that one.
SECONDS ?= 600
fuzz:
	@scripts/need.sh build check
	@scripts/fuzz.sh $(SECONDS) $(FUZZ)

# Random debugger operations on three devices at once, over every transport, for ten minutes.
.PHONY: soak
soak: all
	@build/tests/soak/soak 600

# Our figures and a peer's on the same work, as ratios: some minutes. docs/benchmarks.md explains them.
.PHONY: bench
bench: all
	@scripts/need.sh kernels demo gcn hip bench
	@python3 bench/bench.py $(BENCH)

# Which test checks the result of each row of gfx900's instruction table: some minutes. Each row is made
# to go wrong, and a test must notice. ROWS="v_add_f32 ds_read_b32" for some of them.
.PHONY: gcn-coverage
gcn-coverage: all
	@scripts/need.sh check gcn
	@WAVETRAP_BUILD=$(CURDIR)/build WAVETRAP=$(CURDIR)/build/wavetrap /usr/bin/python3 tests/isa/gcn/checked.py $(ROWS)

unit: all
	@meson test -C build --no-rebuild --print-errorlogs --suite unit

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
	@python3 tests/gdb-suite/run.py --quick
	@python3 tests/gdb-suite/run.py --quick --xlen 64 --serve-options=--dm-only
