#!/bin/sh
# Shows what wavetrap does: a kernel, compiled here and now, runs on an emulated Vortex and computes a wrong value; stock GDB goes
# backwards to the store that is to blame. `make demo` installs and builds what it needs first.
set -eu
cd "$(dirname "$0")/.."
wavetrap=${WAVETRAP:-build/wavetrap}
program=build/examples/broken/blur.rv32.elf
gpu=vortex:warps=4,threads=4

say() {
    printf '\033[1m%s\033[0m\n' "$*"
}

make -s -C examples/vortex OUT="$PWD/build/examples" "$PWD/$program"
say "1. examples/vortex/broken/blur.c, compiled by $(riscv64-unknown-elf-gcc --version | head -1), on an emulated GPU:"
echo "\$ wavetrap run -g $gpu $program"
"$wavetrap" run -g "$gpu" "$program" && echo "it is right" || echo "exit status: $?"

echo
say "2. Stock GDB ($(gdb-multiarch --version | head -1)) finds who stored the wrong value, and goes back to that time:"
echo "\$ wavetrap gdb -g $gpu $program"
# GDB shows the source by the name with which it was compiled, from where that was done. It echoes commands after a '+'. When the store
# happens depends on the compiler: a first session asks.
gdb() {
    "$wavetrap" gdb -g "$gpu" "$program" -- -nx -q -batch -ex "directory examples/vortex" "$@"
}
time=$(gdb -x scripts/demo.gdb | sed -n 's/^issue time \([0-9]*\):.*/\1/p')
[ -n "$time" ]
said=$(gdb -x scripts/demo.gdb -ex "goto-time $time" -ex "thread 16" -ex "print tile[t]" -ex stepi -ex "print tile[t]")
printf '%s\n' "$said" | sed -e '/^++/d' -e 's/^+/(gdb) /'

echo
say "3. Your programs run as they are, and are debugged like this. What each needs, and its page:"
while read -r steps what page; do
    # shellcheck disable=SC2086
    printf '  %-20s %-32s %s\n' "$(echo "$what" | tr _ ' ')" "scripts/need.sh $steps && make" "$page; installs $(scripts/need.sh --cost $steps 2>&1)"
done <<END
hip HIP docs/hip.md
ptx CUDA docs/cuda-cpp.md
gen OpenCL,_Level_Zero docs/opencl.md
kernels Vortex docs/tutorial.md
END
