#!/bin/sh
# Installs the packages that a step needs, if they are not there:
#   need.sh STEP...          build, demo, kernels, hip, gen, ptx, offload, check-tools, check, full …
#   need.sh --cost STEP...   only says how many packages they are, and how large
#   need.sh --list STEP...   only their names
# As root with apt-get; elsewhere it says what is missing and stops. The lists are Debian 12's; how those of Debian 13 and Ubuntu 24.04
# differ stands below. (Nothing has been tried on Ubuntu.)
set -eu
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
build="gcc make meson ninja-build pkg-config libelf-dev libdw-dev libedit-dev libxxhash-dev libmsgpack-dev libjson-c-dev zlib1g-dev"
# The kernel that `make demo` compiles needs no C library.
demo="gcc-riscv64-unknown-elf gdb-multiarch"
kernels="gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf binutils-riscv64-unknown-elf"
hip="libhsakmt-dev libdrm-dev hipcc libamdhip64-dev rocm-device-libs"
ptx="clang-19 clang-tools-19 libclc-19"
gen="libdrm-dev intel-opencl-icd ocl-icd-opencl-dev clinfo"
offload="libhsakmt-dev libdrm-dev libhsa-runtime64-1 gcc-12 g++-12 gfortran-12 gcc-12-offload-amdgcn libgomp-plugin-amdgcn1"
# What `make quick` runs.
check_tools="libcmocka-dev python3 python3-pytest python3-pexpect gdb-multiarch"
# What the other tests run: debuggers and pages; programs and oracles for each family, besides what its users need.
check="ccache chromium mandoc zsh fish python3-jsonschema python3-yaml python3-sarif-python-om qemu-user lldb-19 python3-lldb-19 \
llvm-19 clang-19 lld-19 libclang-rt-19-dev clang-22 clang-tools-22 lld-22 llvm-22 dejagnu gdb-source openocd oclgrind libopenmpi-dev openmpi-bin mmdebstrap"
check_hip="libamdhip64-5 libhsa-runtime-dev libhsakmt1 rocminfo librocprim-dev libhiprand-dev librocrand-dev clang-tools-15"
check_ptx="ffmpeg libomp-19-dev libomp5-19 libcub-dev libthrust-dev gcc-12-offload-nvptx libgomp-plugin-nvptx1 llvm-14"
check_gen="libigc-tools intel-gpu-tools python3-pyopencl libze-dev g++ libboost-dev libviennacl-dev libclfft-dev clblast-tests clpeak hashcat"
gcn="csmith libcsmith-dev clang-15 lld-15 pocl-opencl-icd"
check_offload="gcc-12-source clang-tools-19 libomp-19-dev"
driver="linux-source-6.1"
full="abigail-tools buildah debhelper lintian autopkgtest piglit python3-silx python3-simtk libopenmm-plugins python3-numba libhipsparse-dev linux-source-6.12"
bench="qemu-user qemu-system-misc gdbserver oclgrind time libopenmpi-dev openmpi-bin"
site="mkdocs mkdocs-material"
format="clang-format"
arm64="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user libelf-dev:arm64 libdw-dev:arm64 libxxhash-dev:arm64 \
libmsgpack-dev:arm64 libjson-c-dev:arm64 zlib1g-dev:arm64 libcmocka-dev:arm64"

release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
absent=
edit() {
    # shellcheck disable=SC2086
    eval "$1=\$(echo \$$1 | sed '$2')"
}
case $release in
noble)
    edit build s/libmsgpack-dev/libmsgpack-c-dev/
    absent="check gen hip offload full bench arm64"
    ;;
trixie)
    # ROCm is that of LLVM 17, GCC 14 offloads. There are no OpenCL for Gen9, no Oclgrind, no LLVM before 17, no simtk. `make check` is a part (docs/testing.md).
    edit build s/libmsgpack-dev/libmsgpack-c-dev/
    edit arm64 s/libmsgpack-dev/libmsgpack-c-dev/
    edit hip s/device-libs/device-libs-17/
    edit offload s/-12/-14/g
    edit bench s/oclgrind//
    edit full s/python3-simtk//
    check="ccache llvm-19 clang-19 lld-19 libclang-rt-19-dev clang-22 clang-tools-22 lld-22 llvm-22 qemu-user lldb-19 python3-lldb-19 python3-jsonschema file procps"
    edit check_hip s/clang-tools-15/clang-tools-17/
    check_ptx="gcc-14-offload-nvptx libgomp-plugin-nvptx1 libomp-19-dev libomp5-19"
    gcn="clang-17 lld-17"
    check_offload="clang-tools-19 libomp-19-dev"
    check_gen="ocl-icd-opencl-dev"
    gen=
    driver=
    format=
    absent="gen"
    ;;
esac

do=install
case ${1:-} in --cost | --list) do=${1#--} && shift ;; esac
want=
dap=
for step in "$@"; do
    case " $absent " in *" $step "*)
        reason="nothing: packages of '$step' are Debian 12's, and this is $(. /etc/os-release && echo "$PRETTY_NAME")"
        [ $do != cost ] || { echo "$reason"; exit 0; }
        echo "need.sh installs $reason" >&2
        exit 1
        ;;
    esac
    case $step in
    build) want="$want $build" ;;
    kernels) want="$want $kernels" ;;
    demo) want="$want $demo" ;;
    check) want="$want $kernels $hip $ptx $gen $offload $check $check_tools $check_hip $check_ptx $check_gen $gcn $check_offload $driver $format" ;;
    check-tools) want="$want $check_tools" ;;
    arm64) want="$want $arm64 $check_tools" ;;
    format) want="$want $format" ;;
    gen) want="$want $gen" ;;
    hip) want="$want $hip" ;;
    bench) want="$want $bench" ;;
    offload) want="$want $offload" ;;
    ptx) want="$want $ptx" ;;
    full) want="$want $full $site" ;;
    site) want="$want $site" ;;
    dap) command -v npm >/dev/null || want="$want nodejs npm"; dap=yes ;;
    *) echo "need.sh: unknown step '$step'" >&2; exit 2 ;;
    esac
done
if [ $do = list ]; then
    echo "$want" | tr -s ' ' '\n' | sed '/^$/d' | sort -u
    exit
fi
missing=
for package in $(echo "$want" | tr -s ' ' '\n' | sort -u); do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
        missing="$missing $package"
done

# "95 packages: 136 MB to fetch, 681 MB on the disk"; nothing where apt-get does not know them all.
cost() {
    # shellcheck disable=SC2086
    apt-get install --assume-no --no-install-recommends $missing 2>/dev/null | sed -n -e \
        's/^[0-9]* upgraded, \([0-9]*\) newly installed.*/\1 packages/;t keep' -e 's/^Need to get \([0-9.,]* .B\).*/: \1 to fetch/;t keep' \
        -e 's/^After this operation, \([0-9.,]* .B\) of additional.*/, \1 on the disk/;t keep' -e 'd;: keep' -e p | tr -d '\n' | sed 's/^1 packages/1 package/'
}
if [ $do = cost ]; then
    known=$([ -z "$missing" ] || cost)
    if [ -z "$missing" ]; then
        echo "nothing more"
    else
        echo "${known:-the packages$missing}"
    fi
    exit
fi

# The schemas of the Debug Adapter Protocol and the Model Context Protocol and the extension for VS Code are made with the registry's packages.
finish() {
    [ -z "$dap" ] || "$(dirname "$0")/../tests/dap/schema.sh"
    [ -z "$dap" ] || "$(dirname "$0")/../tests/mcp/schema.sh"
    [ -z "$dap" ] || "$(dirname "$0")/../tests/view/extension.sh"
    exit 0
}
[ -z "$missing" ] && finish
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "please install:$missing" >&2
    exit 1
fi
echo "installing$missing"
# A new machine has no lists of packages, and old lists name packages that are gone.
fetch() {
    # shellcheck disable=SC2086
    apt-get install -y -q --no-install-recommends -o Dpkg::Progress-Fancy=1 "$@" $missing
}
known=$(cost)
[ -n "$known" ] || { apt-get update -q && known=$(cost); }
echo "$known"
fetch || { apt-get update -q && fetch; }
finish
