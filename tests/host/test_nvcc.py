"""Programs as nvcc makes them (-cudart shared): our own objects call what its stubs call, by the names, parameters and layouts of versions
11, 12 and 13 of the runtime. Layouts: NVIDIA's public headers (driver_types.h), as public bindings of other languages have them."""
import pathlib
import re
import subprocess

import pytest

from conftest import wavetrap
from releases import CC
from test_cuda_images import compressed, compressed_by_zstandard, entry, fat

HERE = pathlib.Path(__file__).parent
KERNEL = """
__constant__ int scale;
extern __device__ int plus(int n);
__device__ __attribute__((used)) int counter = 5;
extern "C" __global__ void work(int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = plus(i * scale);
    if (i == 0) counter += 100;
}
"""
PLUS = "__device__ int plus(int n) { return n + 1; }\n"
SONAME = {11: "libcudart.so.11.0", 12: "libcudart.so.12", 13: "libcudart.so.13"}
# {version: {structure: (bytes, {member: offset})}}
LAYOUTS = {
    11: {"struct cudaDeviceProp": (728, {"totalGlobalMem": 288, "warpSize": 308, "maxGridSize": 336, "clockRate": 348, "major": 360, "multiProcessorCount": 388,
                                         "surfaceAlignment": 568, "unifiedAddressing": 604, "l2CacheSize": 616, "maxThreadsPerMultiProcessor": 624,
                                         "managedMemory": 652, "cooperativeLaunch": 688, "sharedMemPerBlockOptin": 696, "maxBlocksPerMultiProcessor": 712,
                                         "reservedSharedMemPerBlock": 720}),
         "struct cudaPointerAttributes": (24, {"device": 4, "hostPointer": 16}),
         "struct cudaFuncAttributes": (56, {"numRegs": 28, "preferredShmemCarveout": 48}),
         "struct cudaTextureDesc": (68, {"sRGB": 20, "borderColor": 24, "normalizedCoords": 40}),
         "struct cudaResourceDesc": (64, {"res": 8}),
         "struct cudaMemPoolProps": (88, {"location": 8}),
         "cudaLaunchAttribute": (72, {"val": 8})},
    12: {"struct cudaDeviceProp": (1032, {"totalGlobalMem": 288, "warpSize": 308, "maxGridSize": 336, "clockRate": 348, "major": 360, "multiProcessorCount": 388,
                                          "surfaceAlignment": 568, "unifiedAddressing": 604, "l2CacheSize": 616, "maxThreadsPerMultiProcessor": 624,
                                          "managedMemory": 652, "cooperativeLaunch": 688, "sharedMemPerBlockOptin": 696, "maxBlocksPerMultiProcessor": 712,
                                          "reservedSharedMemPerBlock": 720, "memoryPoolsSupported": 744}),
         "struct cudaPointerAttributes": (24, {"device": 4, "hostPointer": 16}),
         "struct cudaFuncAttributes": (144, {"numRegs": 28, "preferredShmemCarveout": 48}),
         "struct cudaTextureDesc": (72, {"sRGB": 20, "borderColor": 24, "normalizedCoords": 40}),
         "struct cudaResourceDesc": (64, {"res": 8}),
         "struct cudaMemPoolProps": (88, {"location": 8}),
         "cudaLaunchAttribute": (72, {"val": 8})},
    13: {"struct cudaDeviceProp": (1008, {"totalGlobalMem": 288, "warpSize": 308, "maxGridSize": 336, "major": 360, "multiProcessorCount": 384,
                                          "surfaceAlignment": 552, "unifiedAddressing": 588, "l2CacheSize": 596, "maxThreadsPerMultiProcessor": 604,
                                          "managedMemory": 636, "cooperativeLaunch": 668, "sharedMemPerBlockOptin": 672, "maxBlocksPerMultiProcessor": 688,
                                          "reservedSharedMemPerBlock": 696, "memoryPoolsSupported": 720}),
         "struct cudaPointerAttributes": (88, {"device": 4, "hostPointer": 16}),
         "struct cudaFuncAttributes": (144, {"numRegs": 28, "preferredShmemCarveout": 48}),
         "struct cudaTextureDesc": (72, {"sRGB": 20, "borderColor": 24, "normalizedCoords": 40}),
         "struct cudaResourceDesc": (144, {"res": 8, "flags": 136}),
         "struct cudaMemPoolProps": (88, {"location": 8}),
         "cudaLaunchAttribute": (72, {"val": 8})}}


def cuda_path():
    return pathlib.Path(wavetrap("cuda-path").stdout.strip())


def ptx(folder, name, source):
    """The PTX of a source, as nvcc -rdc=true writes it."""
    (folder / f"{name}.cu").write_text(source)
    return subprocess.run(["clang-19", "-x", "cuda", "--cuda-device-only", "-S", "-O1", "-fgpu-rdc", f"--cuda-path={cuda_path()}", "--cuda-gpu-arch=sm_50",
                           folder / f"{name}.cu", "-o", "-"], check=True, capture_output=True, text=True).stdout


def stored(text):
    return entry(1, 50, text.encode() + b"\0")


def built(folder, version, parts, *flags):
    """The program of nvcc_stubs.c with these containers. More than one: nvlink's, whose own container holds machine code of another GPU."""
    linked = len(parts) > 1
    arrays = [fat(entry(2, 90, b"\x7fELF machine code"))] + parts if linked else parts
    with open(folder / "containers.h", "w", encoding="ascii") as to:
        for i, data in enumerate(arrays):
            to.write(f"static const _Alignas(8) unsigned char part_{i}[] = {{{','.join(map(str, data))}}};\n")
        to.write(f"static const void *const parts[] = {{{', '.join(f'part_{i + 1}' for i in range(len(parts) if linked else 0))}{', ' if linked else ''}0}};\n")
    properties = LAYOUTS[version]["struct cudaDeviceProp"]
    sizes = {"VERSION": version, "LINKED": int(linked), "CONTAINERS": '"containers.h"', "PROPERTIES": properties[0],
             "MOST_THREADS": properties[1]["maxThreadsPerMultiProcessor"], "SMS": properties[1]["multiProcessorCount"],
             "POINTER": LAYOUTS[version]["struct cudaPointerAttributes"][0], "FUNCTION": LAYOUTS[version]["struct cudaFuncAttributes"][0]}
    subprocess.run([CC, "-w", f"-I{folder}", *[f"-D{name}={value}" for name, value in sizes.items()], *flags, HERE / "nvcc_stubs.c", "-o", folder / "program",
                    cuda_path() / "lib64" / SONAME[version]], check=True)
    return folder / "program"


def expected(version):
    return f"""counter 5
launch 0
0 wrong, counter 110, runtime {version}, driver fits
properties 0 wavetrap, warps 32, 5.0, threads 2048, SMs 2, in use 1 0
pointer 0 type 2, in use 1 0
function 0 threads 1024, in use 1 0
prefetch 0
{"plain 1 0 0, " if version == 13 else ""}captured 1, last 1 1, edges 2 1, none ran 1, update 0, counter +300
"""


@pytest.mark.parametrize("version", [11, 12, 13])
@pytest.mark.parametrize("how, flags", [("stored", []), ("LZ4", ["-DPER_THREAD"]), ("Zstandard", []), ("linked", ["-DPER_THREAD"])])
def test_a_program(tmp_path, version, how, flags):
    """Fat binaries of both versions, not compressed and compressed in both ways; the default stream of the process and of each thread."""
    if how == "linked":
        parts = [fat(compressed_by_zstandard(ptx(tmp_path, "work", KERNEL))), fat(stored(ptx(tmp_path, "plus", PLUS)))]
    else:
        text = ptx(tmp_path, "whole", PLUS + KERNEL.replace("extern __device__ int plus(int n);", ""))
        parts = [fat({"stored": stored, "LZ4": compressed, "Zstandard": compressed_by_zstandard}[how](text))]
    done = wavetrap("exec", "-g", "sm:sms=2", built(tmp_path, version, parts, *flags))
    assert done.stdout == expected(version), done.stdout + done.stderr
    assert done.returncode == 0 and done.stderr == ""


@pytest.mark.parametrize("parts", [1, 2])
def test_machine_code_alone(tmp_path, parts):
    """The error says what to do."""
    done = wavetrap("exec", "-g", "sm", built(tmp_path, 12, [fat(entry(2, 90, b"\x7fELF machine code"))] * parts))
    assert "it has sm_90; nvcc -arch=compute_50, or another number, adds PTX" in done.stderr and "launch 209" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("version", LAYOUTS)
def test_layouts(tmp_path, version):
    """Of the header that the library of this version is made with."""
    lines = []
    for name, (_, members) in LAYOUTS[version].items():
        lines.append(f'printf("{name} %zu", sizeof({name}));')
        lines += [f'printf(" {member} %zu", offsetof({name}, {member}));' for member in members]
        lines.append('puts("");')
    (tmp_path / "sizes.c").write_text("#include <cuda_runtime_api.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n" + "\n".join(lines) + "\n}\n")
    subprocess.run([CC, f"-DCUDART_VERSION={version * 1000}", f"-I{cuda_path()}/include", tmp_path / "sizes.c", "-o", tmp_path / "sizes"], check=True)
    got = subprocess.run([tmp_path / "sizes"], check=True, capture_output=True, text=True).stdout
    assert got.splitlines() == [f"{name} {size}" + "".join(f" {member} {offset}" for member, offset in members.items())
                                for name, (size, members) in LAYOUTS[version].items()]


def test_names(tmp_path):
    """Each name has the version that programs ask for; what is not there is refused by its name."""
    for version, soname in SONAME.items():
        symbols = subprocess.run(["readelf", "-W", "--dyn-syms", "-d", cuda_path() / "lib64" / soname], check=True, capture_output=True, text=True).stdout
        exported = set(re.findall(r" (_*cuda\w+)@@(\S+)", symbols))
        assert f"soname: [{soname}]" in symbols and {node for _, node in exported} == {soname}
        names = {name for name, _ in exported}
        assert {"cudaMemcpy", "cudaMemcpy_ptds", "__cudaLaunchKernel_ptsz", "cudaGraphLaunch", "cudaGetDeviceProperties"} <= names and len(names) > 380
        assert ("cudaGetDeviceProperties_v2" in names) == (version == 12) and ("__cudaRegisterTexture" in names) == (version == 11)
    (tmp_path / "refused.c").write_text("#include <stdio.h>\nint cudaIpcGetMemHandle(void *, void *), cudaGetLastError(void);\n"
                                        'int main(void) { printf("%d", cudaIpcGetMemHandle(0, 0)); printf(" %d\\n", cudaGetLastError()); }\n')
    subprocess.run([CC, tmp_path / "refused.c", "-o", tmp_path / "refused", cuda_path() / "lib64" / "libcudart.so.13"], check=True)
    done = wavetrap("exec", "-g", "sm", tmp_path / "refused")
    assert done.stdout == "801 801\n" and "wavetrap: libcudart: cudaIpcGetMemHandle is refused: an emulated GPU" in done.stderr, done.stderr


def test_graphs_by_the_driver_s_names(tmp_path):
    """Programs that ask for a function of a version get the form that it had then."""
    (tmp_path / "names.c").write_text("""
#include <stdio.h>
#include "wavetrap/cuda.h"
static void *of(const char *name, int version)
{
    void *f = NULL;
    cuGetProcAddress(name, &f, version, 0);
    return f;
}
int main(void)
{
    cuInit(0);
    printf("%d", of("cuGraphInstantiate", 12000) == (void *)cuGraphInstantiateWithFlags);
    printf(" %d", of("cuGraphInstantiate", 11040) == (void *)cuGraphInstantiate_v2);
    printf(" %d %d", of("cuGraphAddKernelNode", 12000) == (void *)cuGraphAddKernelNode_v2, of("cuGraphAddKernelNode", 11080) == (void *)cuGraphAddKernelNode);
    printf(" %d %d", of("cuStreamGetCaptureInfo", 11030) == (void *)cuStreamGetCaptureInfo_v2, of("cuStreamGetCaptureInfo", 11020) == (void *)cuStreamGetCaptureInfo);
    printf(" %d\\n", of("cuStreamBeginCapture", 11000) == (void *)cuStreamBeginCapture_v2);
}
""")
    subprocess.run([CC, f"-I{HERE.parents[1] / 'include'}", tmp_path / "names.c", "-o", tmp_path / "names", cuda_path() / "lib64" / "libcuda.so.1"], check=True)
    assert wavetrap("exec", "-g", "sm", tmp_path / "names").stdout == "1 1 1 1 1 1 1\n"
