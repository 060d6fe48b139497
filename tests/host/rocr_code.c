/*
 * What AMD's runtime hands to the GPU: its trap handler, and the code of its kernels that copy and
 * fill memory. Writes them to the folder named: "trap-handler", and "kernel-N" for each.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsakmt.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;

static void keep(const char *name, unsigned number, const void *bytes, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, number ? "%s/%s-%u" : "%s/%s", folder, name, number);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
        exit(2);
}

/* In place of the library's own functions, which they call. */

HSAKMT_STATUS hsaKmtSetTrapHandler(HSAuint32 node, void *handler, HSAuint64 size, void *buffer,
                                   HSAuint64 buffer_size)
{
    /* Version 14 alternates between two layouts of this. */
    /* clang-format off */
    HSAKMT_STATUS (*real)
    (HSAuint32, void *, HSAuint64, void *, HSAuint64) = dlsym(RTLD_NEXT, "hsaKmtSetTrapHandler");
    /* clang-format on */
    keep("trap-handler", 0, handler, size);
    return real(node, handler, size, buffer, buffer_size);
}

enum { MOST = 64 };
static struct {
    void *at;
    size_t size;
} code[MOST];
static unsigned codes;

HSAKMT_STATUS hsaKmtAllocMemory(HSAuint32 node, HSAuint64 size, HsaMemFlags flags, void **address)
{
    /* Version 14 alternates between two layouts of this. */
    /* clang-format off */
    HSAKMT_STATUS (*real)
    (HSAuint32, HSAuint64, HsaMemFlags, void **) = dlsym(RTLD_NEXT, "hsaKmtAllocMemory");
    /* clang-format on */
    const HSAKMT_STATUS status = real(node, size, flags, address);
    if (status == HSAKMT_STATUS_SUCCESS && flags.ui32.ExecuteAccess && codes < MOST) {
        code[codes].at = *address;
        code[codes++].size = size;
    }
    return status;
}

static hsa_status_t find_gpu(hsa_agent_t agent, void *gpu)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type == HSA_DEVICE_TYPE_GPU)
        *(hsa_agent_t *)gpu = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_pool(hsa_amd_memory_pool_t pool, void *found)
{
    hsa_amd_segment_t segment;
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    if (segment == HSA_AMD_SEGMENT_GLOBAL)
        *(hsa_amd_memory_pool_t *)found = pool;
    return HSA_STATUS_SUCCESS;
}

int main(int argc, char **argv)
{
    hsa_agent_t gpu = {0};
    hsa_amd_memory_pool_t pool = {0};
    uint32_t *a, *b, *host = calloc(1, 1 << 16);
    folder = argv[argc - 1];
    setenv("HSA_ENABLE_SDMA", "0", 1); /* kernels do all copies */
    if (hsa_init() || hsa_iterate_agents(find_gpu, &gpu) ||
        hsa_amd_agent_iterate_memory_pools(gpu, find_pool, &pool) ||
        hsa_amd_memory_pool_allocate(pool, 1 << 16, 0, (void **)&a) ||
        hsa_amd_memory_pool_allocate(pool, 1 << 16, 0, (void **)&b))
        return 1;
    /* Aligned and not, so that each of them runs. */
    if (hsa_amd_memory_fill(a, 0x12345678, 1 << 14) || hsa_memory_copy(b, a, 1 << 16) ||
        hsa_memory_copy((char *)b + 1, (char *)a + 2, 1 << 12) || hsa_memory_copy(host, b, 1 << 16))
        return 1;
    for (unsigned i = 0; i < codes; i++)
        keep("kernel", i + 1, code[i].at, code[i].size);
    return host[5000] != 0x12345678;
}
