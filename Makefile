# The commands that people type. The build itself is Meson's.
.PHONY: all check unit clean

all: build/build.ninja
	@ninja -C build --quiet

build/build.ninja:
	@scripts/need.sh build check
	@meson setup build >/dev/null || { cat build/meson-logs/meson-log.txt; exit 1; }

unit: all
	@meson test -C build --no-rebuild --print-errorlogs --suite unit

clean:
	rm -rf build build-*

# The example kernels, built by Debian's RISC-V compiler into build/examples.
.PHONY: examples
examples:
	@scripts/need.sh kernels
	@$(MAKE) -s -C examples/vortex OUT=$(CURDIR)/build/examples

# GDB's own test suite against `wavetrap serve`: all of gdb.base that fits a bare-metal target (some
# minutes), or a bounded subset of it for RV32 and RV64. tests/gdb-suite/ says what is left out, and why.
.PHONY: check-gdb check-gdb-quick
check-gdb: all
	@scripts/need.sh kernels check
	@python3 tests/gdb-suite/run.py

check-gdb-quick: all
	@scripts/need.sh kernels check
	@python3 tests/gdb-suite/run.py --quick
	@python3 tests/gdb-suite/run.py --quick --xlen 64
