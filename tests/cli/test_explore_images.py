"""`wavetrap explore`: what images of OpenCL and Level Zero, arrays of HIP, and memory of GPUs that are opened again hold is a part of a host program's outcome."""
import os
import re
import subprocess

import pytest

WAVETRAP = os.environ["WAVETRAP"]

# A sum of three work-items of which some may be lost, which an image alone has in the end, in its last row or layer.
OPENCL = r"""
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    const char *text = "kernel void bump(global volatile int *p) { int v = p[20]; p[20] = v + 1; }";
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc size = {.image_type = argv[1][0] == '1' ? CL_MEM_OBJECT_IMAGE1D : argv[1][0] == 'a' ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D,
                                .image_width = argv[1][0] == '1' ? 21 : 7, .image_height = argv[1][0] == '1' ? 1 : 3, .image_array_size = 2};
    const size_t origin[3] = {0, 0, argv[1][0] == 'a'}, region[3] = {size.image_width, size.image_height, 1};
    cl_platform_id platform; cl_device_id device; cl_int bad;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue q = clCreateCommandQueue(c, device, 0, NULL);
    cl_program m = clCreateProgramWithSource(c, 1, &text, NULL, NULL);
    if (clBuildProgram(m, 0, NULL, "", NULL, NULL)) return 1;
    cl_kernel k = clCreateKernel(m, "bump", NULL);
    int zero = 0;
    cl_mem p = clCreateBuffer(c, CL_MEM_READ_WRITE, 84, NULL, NULL), image = clCreateImage(c, CL_MEM_READ_WRITE, &format, &size, NULL, &bad);
    if (bad) return 2;
    clEnqueueFillBuffer(q, p, &zero, 4, 0, 84, 0, NULL, NULL);
    clSetKernelArg(k, 0, sizeof p, &p);
    size_t n = 3, one = 1;
    clEnqueueNDRangeKernel(q, k, 1, NULL, &n, &one, 0, NULL, NULL);
    if (clEnqueueCopyBufferToImage(q, p, image, 0, origin, region, 0, NULL, NULL)) return 3;
    clEnqueueFillBuffer(q, p, &zero, 4, 0, 84, 0, NULL, NULL);
    clFinish(q);
    clReleaseMemObject(p);
    if (argv[2][0] == 'f') clReleaseMemObject(image);
    if (argv[2][0] == 'e') _exit(0);
    return 0;
}
"""

HIP = r"""
#include <hip/hip_runtime.h>
#include <unistd.h>
__global__ void bump(volatile int *p) { int v = p[20]; p[20] = v + 1; }
int main(int argc, char **argv)
{
    const hipChannelFormatDesc one = hipCreateChannelDesc<int>();
    int *p;
    hipArray *array;
    if (hipMalloc((void **)&p, 84) || hipMemset(p, 0, 84)) return 1;
    if (argv[1][0] == '3' ? hipMalloc3DArray(&array, &one, make_hipExtent(7, 3, 2), 0) : hipMallocArray(&array, &one, 7, 3, 0)) return 2;
    bump<<<3, 1>>>(p);
    if (argv[1][0] == '3') {
        hipMemcpy3DParms copy = {};
        copy.srcPtr = make_hipPitchedPtr(p, 28, 7, 3);
        copy.dstArray = array;
        copy.dstPos = make_hipPos(0, 0, 1);
        copy.extent = make_hipExtent(7, 3, 1);
        copy.kind = hipMemcpyDeviceToDevice;
        if (hipMemcpy3D(&copy)) return 3;
    } else if (hipMemcpy2DToArray(array, 0, 0, p, 28, 28, 3, hipMemcpyDeviceToDevice)) {
        return 4;
    }
    if (hipMemset(p, 0, 84) || hipFree(p)) return 5;
    if (argv[2][0] == 'f' && hipFreeArray(array)) return 6;
    if (argv[2][0] == 'e') _exit(0);
    return 0;
}
"""

# An image whose last texel is the number of runs so far, modulo 3.
LEVEL_ZERO = r"""
#include <level_zero/ze_api.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    const ze_context_desc_t cd = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_queue_desc_t qd = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    const ze_image_desc_t id = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
                                .type = argv[3][0] == '1' ? ZE_IMAGE_TYPE_1D : argv[3][0] == '2' ? ZE_IMAGE_TYPE_2D : argv[3][0] == '3' ? ZE_IMAGE_TYPE_3D : ZE_IMAGE_TYPE_2DARRAY,
                                .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_32, .type = ZE_IMAGE_FORMAT_TYPE_UINT}, .width = argv[3][0] == '1' ? 21 : 7,
                                .height = argv[3][0] == '2' ? 3 : 1, .depth = argv[3][0] == '3' ? 3 : 1, .arraylevels = argv[3][0] == 'a' ? 3 : 0};
    const ze_image_region_t last = {0, 0, 2, 7, 1, 1};
    ze_driver_handle_t driver; ze_device_handle_t device; ze_context_handle_t c; ze_command_list_handle_t l; ze_image_handle_t image;
    unsigned one = 1, runs = 0, words[21] = {0};
    FILE *file = fopen(argv[1], "r+");
    fscanf(file, "%u", &runs); rewind(file); fprintf(file, "%u", runs + 1); fclose(file);
    words[20] = runs % 3;
    if (zeInit(0) || zeDriverGet(&one, &driver) || zeDeviceGet(driver, &one, &device) || zeContextCreate(driver, &cd, &c)) return 1;
    if (zeImageCreate(c, device, &id, &image) || zeCommandListCreateImmediate(c, device, &qd, &l)) return 2;
    if (zeCommandListAppendImageCopyFromMemory(l, image, argv[3][0] == 'a' ? words + 14 : words, argv[3][0] == 'a' ? &last : NULL, NULL, 0, NULL)) return 3;
    if (argv[2][0] == 'f' && zeImageDestroy(image)) return 4;
    return 0;
}
"""

# GPUs are opened three times. Memory of each time but one has always the same; that one has the number of runs so far, modulo 3.
AGAIN = r"""
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static hsa_status_t find_agent(hsa_agent_t agent, void *found)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_CPU) *(hsa_agent_t *)found = agent;
    return HSA_STATUS_SUCCESS;
}
static hsa_status_t find_pool(hsa_amd_memory_pool_t pool, void *found)
{
    *(hsa_amd_memory_pool_t *)found = pool;
    return HSA_STATUS_SUCCESS;
}
int main(int argc, char **argv)
{
    unsigned runs = 0;
    FILE *file = fopen(argv[1], "r+");
    fscanf(file, "%u", &runs); rewind(file); fprintf(file, "%u", runs + 1); fclose(file);
    for (int i = 0; i < 3; i++) {
        hsa_agent_t agent; hsa_amd_memory_pool_t pool; unsigned *p;
        if (hsa_init() || hsa_iterate_agents(find_agent, &agent) || hsa_amd_agent_iterate_memory_pools(agent, find_pool, &pool) ||
            hsa_amd_memory_pool_allocate(pool, 4096, 0, (void **)&p)) return 1;
        for (int k = 0; k < 1024; k++) p[k] = k;
        p[1023] = i == atoi(argv[2]) ? runs % 3 : 7;
        if (argv[3][0] == 'f' && hsa_amd_memory_pool_free(p)) return 2;
        if (argv[3][0] == 'e' && i == 2) _exit(0);
        if (hsa_shut_down()) return 3;
    }
    return 0;
}
"""


def built(folder, name, text, *words):
    (folder / name).write_text(text)
    subprocess.run([*words, folder / name, "-o", folder / "program", *(["-lOpenCL", "-lze_loader", "-lhsa-runtime64"] if words[0] == "gcc" else [])], check=True)
    return folder / "program"


def sums(gpu, program, *words):
    """The memory of each outcome."""
    done = subprocess.run([WAVETRAP, "explore", "--runs=4", "--jobs=1", "-g", gpu, program, *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
    return set(re.findall(r"status 0, memory (\w+):", done.stdout))


@pytest.mark.parametrize("what", ["2d", pytest.param("1d", marks=pytest.mark.full), pytest.param("array", marks=pytest.mark.full)])
def test_images_of_opencl(tmp_path, what):
    """An outcome for each value of a sum, when the image goes, or the program ends."""
    program = built(tmp_path, "lost.c", OPENCL, "gcc", "-w")
    found = [sums("gen9", program, what, how) for how in ("n", "f", "e")]
    assert found[0] == found[1] == found[2] and len(found[0]) >= 2, found


@pytest.mark.parametrize("what", ["2d", pytest.param("3d", marks=pytest.mark.full)])
def test_arrays_of_hip(tmp_path, what):
    program = built(tmp_path, "lost.hip", HIP, "hipcc", "--offload-arch=gfx900", "-w")
    found = [sums("gfx900", program, what, how) for how in ("n", "f", "e")]
    assert found[0] == found[1] == found[2] and len(found[0]) >= 2, found


@pytest.mark.parametrize("what, how", [("2d", "n"), pytest.param("2d", "f", marks=pytest.mark.full), ("1d", "n"), pytest.param("3d", "n", marks=pytest.mark.full),
                                       pytest.param("array", "f", marks=pytest.mark.full)])
def test_images_of_level_zero(tmp_path, what, how):
    program = built(tmp_path, "count.c", LEVEL_ZERO, "gcc", "-w")
    (tmp_path / "runs").write_text("0")
    assert len(sums("gen9", program, tmp_path / "runs", how, what)) == 3


@pytest.mark.parametrize("time, how", [(0, "n"), (1, "n"), (2, "e"), pytest.param(1, "f", marks=pytest.mark.full), pytest.param(2, "n", marks=pytest.mark.full)])
def test_gpus_that_are_opened_again(tmp_path, time, how):
    """What the runtime frees as the program closes its GPUs counts each time, and once: as many outcomes as there are values, and one where all runs have the same."""
    program = built(tmp_path, "again.c", AGAIN, "gcc", "-w")
    for at, outcomes in ((time, 3), (9, 1)):
        (tmp_path / "runs").write_text("0")
        assert len(sums("gfx900", program, tmp_path / "runs", at, how)) == outcomes
