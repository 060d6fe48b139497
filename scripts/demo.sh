#!/bin/sh
# Shows what wavetrap does: a SIMT kernel, compiled here and now, runs on an emulated multi-core
# Vortex, and stock GDB debugs it. `make demo` installs and builds what it needs first.
set -eu
cd "$(dirname "$0")/.."
wavetrap=${WAVETRAP:-build/wavetrap}
program=build/examples/mandelbrot.rv32.elf
source=examples/vortex/mandelbrot.c
gpu=vortex:cores=2,warps=2,threads=4

say() {
    printf '\n\033[1m%s\033[0m\n' "$*"
}

say "1. $source, compiled by $(riscv64-unknown-elf-gcc --version | head -1):"
sed -n '/^static void draw(void/,/^}/p' "$source"
"$wavetrap" info "$program"

say "2. It runs on an emulated Vortex of 2 cores with 2 warps of 4 threads each:"
echo "\$ wavetrap run --stats --gpu $gpu $program"
"$wavetrap" run --stats --gpu "$gpu" "$program"
echo "exit status: $?"

say "3. Stock GDB debugs it ($(gdb-multiarch --version | head -1)):"
echo "\$ wavetrap gdb --gpu $gpu $program"
branch=$(grep -n 'VX_IF (point.count' "$source" | cut -d: -f1)
# GDB shows the source by the name with which it was compiled, from where that was done.
"$wavetrap" gdb --gpu "$gpu" "$program" -- -nx -q -batch -ex "directory examples/vortex" \
    -ex "set \$branch = $branch" -x scripts/demo.gdb

say "That was all: '$wavetrap gdb $program' is yours now."
