"""Dialects whose kernel a host program launches, as users have it: HIP by hipcc, CUDA C++ by clang, OpenCL C by Intel's runtime, and files
of device code that a program loads (OpenCL C for gfx900 by HIP, PTX by CUDA's driver). The debugger starts the program.
"""
import dataclasses
import functools
import pathlib
import subprocess

import dialects
from dialects import BLOCK, CXX_TYPES, ITEMS
from truth import BUILD, FOLDER, HERE, ROOT, WAVETRAP, amd, compiled
from releases import HIPCC_CLANG

DRIVER = BUILD / "src" / "runtime" / "cuda" / "libcuda.so.1"
BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
PRELUDE = CXX_TYPES + """#define DEVICE __device__
#define ITEM (i32)(blockIdx.x * blockDim.x + threadIdx.x)
#define LOCAL_ARRAY(T, name, n) __shared__ T name[n]
#define CONSTANT_TABLE __constant__
#define KERNEL extern "C" __global__ void k(i32 *in, i32 *out, i32 n)
"""
MAIN = f"""int main(void)
{{
    i32 from[{ITEMS}], zeros[{ITEMS}] = {{}}, *in, *out;
    for (int i = 0; i < {ITEMS}; i++)
        from[i] = i;
    if (cudaMalloc(&in, sizeof from) || cudaMalloc(&out, sizeof zeros) || cudaMemcpy(in, from, sizeof from, cudaMemcpyHostToDevice) ||
        cudaMemcpy(out, zeros, sizeof zeros, cudaMemcpyHostToDevice))
        return 1;
    k<<<{ITEMS // BLOCK}, {BLOCK}>>>(in, out, 5);
    return cudaDeviceSynchronize();
}}
"""


def code_object(program):
    """The code of AMD's GPU in a program by hipcc, which has it in a bundle of objects: offset, size and name of each."""
    data = program.read_bytes()
    data = data[data.index(BUNDLE):]
    number = functools.partial(lambda at: int.from_bytes(data[at:at + 8], "little"))
    at = len(BUNDLE) + 8
    for _ in range(number(len(BUNDLE))):
        offset, size, length = number(at), number(at + 8), number(at + 16)
        if amd.MODEL.encode() in data[at + 24:at + 24 + length]:
            return data[offset:offset + size]
        at += 24 + length
    raise RuntimeError(f"{program}: no code for {amd.MODEL}")


def hip():
    def build(source, out, level):
        program = out.with_suffix(".program")
        dialects.run(["hipcc", "-x", "hip", f"--offload-arch={amd.MODEL}", "-w", "-g", *level.split(), "-ffp-contract=off", source, "-o", program])
        out.write_bytes(code_object(program))
        return [program]
    plain = dialects.gcn_hip(HIPCC_CLANG)
    return dataclasses.replace(plain, name="gcn-hip-program", prelude="#include <hip/hip_runtime.h>\n" + PRELUDE, rest=MAIN.replace("cuda", "hip"), build=build,
                               options=["-g", amd.MODEL], loads=True)


def cuda(compiler):
    def build(source, out, level):
        program, path = out.with_suffix(".program"), subprocess.run([WAVETRAP, "cuda-path"], capture_output=True, text=True, check=True).stdout.strip()
        words = [compiler, "-x", "cuda", f"--cuda-path={path}", "--cuda-gpu-arch=sm_60", "-w", "-g", *level.split(), "-ffp-contract=off", source]
        dialects.run([*words, "-o", program, f"-L{path}/lib64", "-lcudart", "-lstdc++", "-lm"])
        dialects.run([*words, "--cuda-device-only", "-S", "-o", out])    # what the program has, for the other reader
        return [program]
    plain = dialects.sm_cuda(compiler)
    return dataclasses.replace(plain, name="sm-cuda-program" + dialects.version(compiler), prelude=PRELUDE, rest=MAIN, build=build, options=["-g", "sm"], loads=True)


def launcher(name, source, *words):
    """A program of the folder `programs` that launches k."""
    return compiled(FOLDER / name, HERE / "programs" / source, ["gcc", "-w", HERE / "programs" / source, *words])


def loaded(plain, gpu, name, *words):
    """The same dialect's file, which a host program loads."""
    def build(source, out, level):
        plain.build(source, out, level)
        return [launcher(name, "launch.c", *words), out]
    return dataclasses.replace(plain, name=f"{plain.name}-program", build=build, options=["-g", gpu], loads=True)


def opencl():
    plain = dialects.gen9()

    def build(source, out, level):
        plain.build(source, out, level)     # what the runtime compiles, for the other reader
        options = {"-O0": "-cl-opt-disable", "-O2": "", "lines": "-gline-tables-only"}[level]
        return [launcher("launch.gen9", "launch_opencl.c", "-lOpenCL"), source, f"-cl-std=CL2.0 -g {options}"]
    return dataclasses.replace(plain, name="gen9-program", build=build, options=["-g", "gen9"], loads=True, shown="program-1.cl")


def all_dialects():
    made = [hip(), cuda("clang-19"), cuda("clang-22"), opencl(), loaded(dialects.gcn_opencl(HIPCC_CLANG), amd.MODEL, "launch.hip", "-DHIP", "-lamdhip64"),  # HIP 5.2 crashes over clang-19's
            loaded(dialects.sm_opencl("clang-19"), "sm", "launch.cuda", f"-I{ROOT}/include/wavetrap", DRIVER)]
    return {d.name: d for d in made}
