"""Versions of compilers, and folders, that differ between Debian 12 and Debian 13."""
import pathlib
import re

RELEASE = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.M).group(1)
GCC, ROCM_CLANG = ("14", "17") if RELEASE == "trixie" else ("12", "15")
BITCODE = f"/usr/lib/llvm-{ROCM_CLANG}/lib/clang/{ROCM_CLANG}/amdgcn/bitcode" if RELEASE == "trixie" else "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
# Compilers of host programs that offload; hipcc's clang.
CC, CXX, FC = (f"{name}-{GCC}" for name in ("gcc", "g++", "gfortran"))
HIPCC_CLANG = f"clang-{ROCM_CLANG}"
