"""Which versions of clang compile the tests' kernels for a family and a language, and by which words. scripts/need.sh installs all three for
`make check`: 15 is that of hipcc, 19 that which it installs for users, 22 the newest of Debian 12."""
from amd import MODEL, TARGET, bitcode, version
from releases import HIPCC_CLANG

BITCODE = bitcode()

LIBCLC = "/usr/lib/clc/nvptx64--nvidiacl.bc"

CLANGS = {
    ("gfx900", "HIP"): (HIPCC_CLANG, "clang-19", "clang-22"),
    ("gfx900", "OpenCL C"): (HIPCC_CLANG, "clang-19", "clang-22"),
    ("sm", "CUDA C++"): (HIPCC_CLANG, "clang-19", "clang-22"),
    ("sm", "OpenCL C"): ("clang-19", "clang-22"),   # version 15 does not read libclc-19
    # Debian 12 has a library of OpenMP for GPUs of version 19 alone: none is in libomp-22-dev and liboffload-22-dev (22.1.8), nor in version 15's packages. Code of
    # version 22 does not link with it: it calls __kmpc_parallel_60(), where 19 has __kmpc_parallel_51().
    ("gfx900", "OpenMP"): ("clang-19",),
    ("sm", "OpenMP"): ("clang-19",),
}
# Where no CUDA is installed clang writes a version of PTX that knows no sm_60, which version 22 refuses.
PTX = ["-Xclang", "-target-feature", "-Xclang", "+ptx60"]
ENDINGS = {"HIP": ".hip", "OpenCL C": ".cl", "CUDA C++": ".cu"}


def words(family, language, clang):
    """The command that compiles a file of kernels alone to a code object or PTX, without source and output."""
    assert clang in CLANGS[family, language], (family, language, clang)
    if language == "HIP":
        return [clang, "-x", "hip", "--cuda-device-only", f"--offload-arch={MODEL}", *TARGET[1:], "-nogpuinc", "-nogpulib", "--no-gpu-bundle-output", "-w"]
    if language == "CUDA C++":
        return [clang, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_60", "-nocudainc", "-nocudalib", *PTX, "-w", "-S"]
    if family == "gfx900":
        return [clang, *version(clang), "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", *TARGET, f"--rocm-device-lib-path={BITCODE}", "-w"]
    return [clang, "-x", "cl", "-cl-std=CL2.0", "-target", "nvptx64--nvidiacl", "-S", "-march=sm_60", *PTX, "-w", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC]
