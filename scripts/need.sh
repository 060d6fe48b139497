#!/bin/sh
# Installs the Debian packages that a step needs, if they are not there: need.sh build|test|fuzz…
# As root with apt-get; elsewhere it says what is missing and stops.
set -eu
build="gcc make meson ninja-build pkg-config libelf-dev libdw-dev libedit-dev libxxhash-dev libmsgpack-dev libjson-c-dev libcmocka-dev"
kernels="gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf binutils-riscv64-unknown-elf"
demo="gdb-multiarch"
check="chromium mandoc zsh fish python3-pexpect python3-jsonschema python3-yaml python3-sarif-python-om qemu-user lldb-19 python3-lldb-19 \
llvm-19 clang-19 lld-19 libclang-rt-19-dev gdb-multiarch dejagnu gdb-source openocd oclgrind libopenmpi-dev openmpi-bin"
gcn="csmith libcsmith-dev rocm-device-libs clang-15 lld-15 clang-19 lld-19 llvm-19 pocl-opencl-icd python3-pyopencl"
gen="intel-opencl-icd libigc-tools intel-gpu-tools pocl-opencl-icd python3-pyopencl libdrm-dev ocl-icd-opencl-dev libze-dev clinfo \
g++ libboost-dev libviennacl-dev libclfft-dev clblast-tests clpeak ffmpeg hashcat"
hip="libhsakmt-dev hipcc libamdhip64-5 libamdhip64-dev libhsa-runtime64-1 libhsa-runtime-dev libhsakmt1 rocminfo \
librocprim-dev libhiprand-dev librocrand-dev libdrm-dev rocm-device-libs clang-tools-15 clang-19"
offload="gcc-12-offload-amdgcn libgomp-plugin-amdgcn1 gcc-12 g++-12 gfortran-12 gcc-12-source clang-19 clang-tools-19 \
libomp-19-dev rocm-device-libs"
ptx="ffmpeg clang-19 clang-tools-19 libomp-19-dev libomp5-19 libclc-19 libcub-dev libthrust-dev gcc-12 g++-12 gfortran-12 gcc-12-offload-nvptx libgomp-plugin-nvptx1 llvm-19 llvm-14"
driver="linux-source-6.1"
full="buildah mmdebstrap debhelper lintian autopkgtest piglit python3-silx python3-simtk libopenmm-plugins python3-numba libhipsparse-dev"
bench="qemu-user qemu-system-misc gdbserver oclgrind time libopenmpi-dev openmpi-bin"
site="mkdocs mkdocs-material"
check_tools="python3 python3-pytest"
format="clang-format"
arm64="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user libelf-dev:arm64 libdw-dev:arm64 libxxhash-dev:arm64 \
libmsgpack-dev:arm64 libjson-c-dev:arm64 libcmocka-dev:arm64"
want=
dap=
for step in "$@"; do
    case $step in
    build) want="$want $build" ;;
    kernels) want="$want $kernels" ;;
    demo) want="$want $demo" ;;
    check) want="$want $check $check_tools $format" ;;
    check-tools) want="$want $check_tools" ;;
    arm64) want="$want $arm64 $check_tools" ;;
    format) want="$want $format" ;;
    gcn) want="$want $gcn" ;;
    gen) want="$want $gen" ;;
    hip) want="$want $hip" ;;
    bench) want="$want $bench" ;;
    offload) want="$want $offload" ;;
    ptx) want="$want $ptx" ;;
    full) want="$want $full $site" ;;
    site) want="$want $site" ;;
    driver) want="$want $driver" ;;
    dap) command -v npm >/dev/null || want="$want nodejs npm"; dap=yes ;;
    *) echo "need.sh: unknown step '$step'" >&2; exit 2 ;;
    esac
done
missing=
for package in $want; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
        missing="$missing $package"
done
# The schema of the Debug Adapter Protocol and the extension for VS Code are made with the registry's packages.
finish() {
    [ -z "$dap" ] || "$(dirname "$0")/../tests/dap/schema.sh"
    [ -z "$dap" ] || "$(dirname "$0")/../tests/view/extension.sh"
    exit 0
}
[ -z "$missing" ] && finish
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing:$missing"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    apt-get install -y -q --no-install-recommends $missing >/dev/null 2>&1 ||
        { apt-get update -q && apt-get install -y -q --no-install-recommends $missing; }
else
    echo "please install:$missing" >&2
    exit 1
fi
finish
