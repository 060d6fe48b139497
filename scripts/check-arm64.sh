#!/bin/sh
# Cross-builds for arm64 and runs the unit tests and an example kernel under QEMU's user mode, so that
# the paths without x86-64's vectors stay alive. Big-endian hosts are not supported.
set -eu
cd "$(dirname "$0")/.."
[ "$(dpkg --print-architecture)" != arm64 ] || { echo "this is arm64: make quick"; exit 0; }
dpkg --print-foreign-architectures | grep -qx arm64 || { dpkg --add-architecture arm64; apt-get update -q >/dev/null; }
scripts/need.sh build kernels arm64
if [ ! -e build-arm64/build.ninja ]; then
    meson setup build-arm64 --cross-file scripts/arm64.ini -Dhip=disabled >build-arm64.log 2>&1 ||
        { cat build-arm64.log; exit 1; }
    rm -f build-arm64.log
fi
ninja -C build-arm64 --quiet
scripts/test.py build-arm64 --suite unit
make -s -C examples/vortex OUT="$PWD/build-arm64/examples"
for kernel in mandelbrot.rv32 sgemm.rv64; do
    qemu-aarch64 build-arm64/wavetrap run "build-arm64/examples/$kernel.elf" >build-arm64/here
    build/wavetrap run "build-arm64/examples/$kernel.elf" >build-arm64/there
    cmp build-arm64/here build-arm64/there
    echo "arm64: $kernel prints what it prints on this host"
done
