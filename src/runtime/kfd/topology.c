/* The topology: node 0 with the processor and its memory, then a node for each GPU. */
#include "runtime/kfd/host.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    VENDOR_AMD = 0x1002,
    CPU_CACHES = 2,
    GPU_BANKS = 3,
};

uint32_t host_gpu_id(const struct host_gpu *gpu)
{
    return 0x9000 + gpu->node; /* the driver's is a hash: any number but 0 */
}

HSAKMT_STATUS hsaKmtAcquireSystemProperties(HsaSystemProperties *properties)
{
    const struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    *properties = (HsaSystemProperties){.NumNodes = host->gpus + 1};
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtReleaseSystemProperties(void)
{
    return HSAKMT_STATUS_SUCCESS;
}

static void name(HSAuint16 *wide, const char *text)
{
    for (unsigned i = 0; text[i] && i < HSA_PUBLIC_NAME_SIZE - 1; i++)
        wide[i] = (unsigned char)text[i];
}

static uint32_t processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (uint32_t)count : 1;
}

static void cpu_properties(const struct host *host, HsaNodeProperties *p)
{
    p->NumCPUCores = processors();
    p->NumMemoryBanks = 1;
    p->NumCaches = CPU_CACHES;
    p->NumIOLinks = host->gpus;
    p->MaxEngineClockMhzCCompute = 3000;
    name(p->MarketingName, "CPU");
    snprintf((char *)p->AMDName, sizeof p->AMDName, "cpu");
}

/* Members that ROCm 6 has where ROCm 5's structure ends with reserved bytes. */
struct later_properties {
    uint32_t xccs, gpu_id, family;
};

static void put_later(const struct host_gpu *gpu, HsaNodeProperties *p)
{
    enum { FAMILY_AI = 141, FAMILY_NV = 143 }; /* amdgpu_drm.h */
    const struct later_properties later = {.xccs = gpu->config.xcc,
                                           .gpu_id = host_gpu_id(gpu),
                                           .family = gcn_is_gfx10(gpu->config.model) ? FAMILY_NV
                                                                                     : FAMILY_AI};
    uint8_t *at = (uint8_t *)&p->SGPRSizePerCU + sizeof p->SGPRSizePerCU;
    _Static_assert(sizeof *p >= offsetof(HsaNodeProperties, SGPRSizePerCU) +
                                    sizeof p->SGPRSizePerCU + sizeof later,
                   "they lie in the structure");
    memcpy(at, &later, sizeof later);
}

static void gpu_properties(const struct host *host, const struct host_gpu *gpu,
                           HsaNodeProperties *p)
{
    const struct gcn_model *model = gpu->config.model;
    const uint32_t cu = gpu->config.cu, array = model->cu_per_array, xcc = gpu->config.xcc,
                   of_die = cu / xcc;
    p->NumFComputeCores = cu * model->simds;
    p->NumMemoryBanks = GPU_BANKS;
    p->NumCaches = cu + 1;
    p->NumIOLinks = host->gpus; /* to the processor, and to each other GPU */
    p->FComputeIdLo = 0x80000000u | gpu->index << 16;
    p->Capability.ui32.QueueSizePowerOfTwo = 1;
    p->Capability.ui32.WatchPointsSupported = 1;
    p->Capability.ui32.WatchPointsTotalBits = 2;
    p->Capability.ui32.DoorbellType = 2; /* 64 bits, packet numbers */
    p->Capability.ui32.CoherentHostAccess = 1;
    p->Capability.ui32.SVMAPISupported = 1;
    p->Capability.ui32.SRAM_EDCSupport = model->target.sramecc;
    p->Capability.ui32.Mem_EDCSupport = model->target.sramecc;
    p->Capability.ui32.DebugTrapSupported = 1; /* kfd_debug.c */
    p->Capability.ui32.WaveLaunchTrapOverrideSupported = 1;
    p->Capability.ui32.WaveLaunchModeSupported = 1;
    p->Capability.ui32.PreciseMemoryOperationsSupported = model->precise_memory;
    p->Capability.ui32.DebugSupportedFirmware = 1;
    p->MaxWavesPerSIMD = model->waves_per_simd;
    p->LDSSizeInKB = model->lds_bytes / 1024;
    p->GDSSizeInKB = model->gds_bytes / 1024;
    p->WaveFrontSize = model->target.lanes;
    p->NumShaderBanks = (of_die + array - 1) / array * xcc;
    p->NumArrays = gpu->config.sh;
    p->NumCUPerArray = of_die < array ? of_die : array;
    p->NumSIMDPerCU = model->simds;
    p->MaxSlotsScratchCU = gcn_model_cu_waves(model);
    p->EngineId.ui32.Major = gpu->version / 10000;
    p->EngineId.ui32.Minor = gpu->version / 100 % 100;
    p->EngineId.ui32.Stepping = gpu->version % 100;
    p->EngineId.ui32.uCode = model->firmware;
    p->VendorId = VENDOR_AMD;
    p->DeviceId = model->device_id;
    p->LocationId = (gpu->index + 1) << 8;
    p->LocalMemSize = gpu->memory;
    p->MaxEngineClockMhzFCompute = model->engine_mhz;
    p->MaxEngineClockMhzCCompute = 3000;
    p->DrmRenderMinor = HOST_FIRST_RENDER_NODE + (HSAint32)gpu->index;
    p->NumCpQueues = model->compute_queues;
    p->NumGws = HOST_GWS;
    p->NumSdmaEngines = model->sdma_engines;
    p->NumSdmaQueuesPerEngine = model->sdma_queues;
    p->UniqueID = 0x77617665u + gpu->index;
    p->VGPRSizePerCU = 4u * gcn_model_simd_rows(model) * model->simds * model->target.lanes;
    p->SGPRSizePerCU = 4u * model->simds * model->sgprs;
    put_later(gpu, p);
    name(p->MarketingName, model->marketing);
    snprintf((char *)p->AMDName, sizeof p->AMDName, "%s", model->chip);
}

HSAKMT_STATUS hsaKmtGetNodeProperties(HSAuint32 node, HsaNodeProperties *properties)
{
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    if (node > host->gpus)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    memset(properties, 0, sizeof *properties);
    if (node == 0)
        cpu_properties(host, properties);
    else
        gpu_properties(host, host_gpu_of(host, node), properties);
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeMemoryProperties(HSAuint32 node, HSAuint32 banks,
                                            HsaMemoryProperties *properties)
{
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    if (node > host->gpus)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    memset(properties, 0, banks * sizeof *properties);
    if (node == 0) {
        const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
        const HsaMemoryProperties bank = {.HeapType = HSA_HEAPTYPE_SYSTEM,
                                          .SizeInBytes = (uint64_t)pages * (uint64_t)page,
                                          .Width = 64,
                                          .MemoryClockMax = 1600};
        if (banks)
            properties[0] = bank;
        return HSAKMT_STATUS_SUCCESS;
    }
    const struct gcn_model *model = host_gpu_of(host, node)->config.model;
    const HsaMemoryProperties bank[GPU_BANKS] = {
        {.HeapType = HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC,
         .SizeInBytes = host_gpu_of(host, node)->memory,
         .Width = model->memory_bits,
         .MemoryClockMax = model->memory_mhz},
        {.HeapType = HSA_HEAPTYPE_GPU_LDS,
         .SizeInBytes = model->lds_bytes,
         .VirtualBaseAddress = GCN_SHARED_APERTURE},
        {.HeapType = HSA_HEAPTYPE_GPU_SCRATCH,
         .SizeInBytes = GCN_APERTURE_SIZE,
         .VirtualBaseAddress = GCN_PRIVATE_APERTURE},
    };
    for (uint32_t i = 0; i < banks && i < GPU_BANKS; i++)
        properties[i] = bank[i];
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeCacheProperties(HSAuint32 node, HSAuint32 processor, HSAuint32 caches,
                                           HsaCacheProperties *properties)
{
    struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    if (node > host->gpus)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    const struct gcn_model *model = node ? host_gpu_of(host, node)->config.model : NULL;
    memset(properties, 0, caches * sizeof *properties);
    for (uint32_t i = 0; i < caches; i++) {
        HsaCacheProperties *c = &properties[i];
        const bool last = i + 1 == (node ? host_gpu_of(host, node)->config.cu + 1 : CPU_CACHES);
        c->ProcessorIdLow = last ? 0 : i;
        c->CacheLevel = last ? 2 : 1;
        c->CacheLineSize = model && last ? model->l2_line : 64;
        c->CacheSize = model ? (last ? model->l2_kbytes : model->l1_kbytes) : (last ? 1024 : 32);
        c->CacheType.ui32.Data = 1;
        c->CacheType.ui32.CPU = node == 0;
        c->CacheType.ui32.HSACU = node != 0;
    }
    return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeIoLinkProperties(HSAuint32 node, HSAuint32 links,
                                            HsaIoLinkProperties *properties)
{
    const struct host *host = host_get();
    if (!host)
        return HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    if (node > host->gpus)
        return HSAKMT_STATUS_INVALID_NODE_UNIT;
    memset(properties, 0, links * sizeof *properties);
    for (uint32_t i = 0; i < links; i++) {
        const uint32_t to = i < node ? i : i + 1; /* every node but itself */
        properties[i] = (HsaIoLinkProperties){
            .IoLinkType = HSA_IOLINKTYPE_PCIEXPRESS,
            .VersionMajor = 3,
            .NodeFrom = node,
            .NodeTo = to,
            .Weight = to && node ? 40 : 20,
        };
    }
    return HSAKMT_STATUS_SUCCESS;
}
