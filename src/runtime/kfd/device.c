/* The driver's device files (/dev/kfd, render nodes) and its files under /sys, for devfs. */
#include "runtime/kfd/kfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/private_dir.h"
#include "runtime/devfs/devfs.h"

/* A file of the driver's: /dev/kfd or a render node. */
struct device_node {
    bool render;
    unsigned minor; /* minor of a render node */
    struct host_render *opened;
};

/* ---- /dev/kfd ---- */

/* Doorbells of a GPU (bits 63:62 are 3), or the page of events (2). */
static int map_kfd(struct host *host, size_t length, const uint64_t *offset, void **at)
{
    if (*offset >> 62 == 3) {
        const struct host_gpu *gpu = kfd_gpu(host, *offset >> 46 & 0xffff);
        *at = gpu ? (void *)gpu->doorbells : NULL;
        return gpu && length <= HOST_DOORBELLS ? 0 : -EINVAL;
    }
    *at = host->event_page;
    return *offset >> 62 == 2 && length <= HOST_EVENTS * sizeof *host->event_page ? 0 : -EINVAL;
}

/* ---- both ---- */

/* Which file a path is; false: none. */
static bool node_of(const char *path, struct device_node *node)
{
    static const char nodes[] = "/dev/dri/renderD";
    char *end = NULL;
    node->render = strncmp(path, nodes, sizeof nodes - 1) == 0;
    if (!node->render)
        return strcmp(path, "/dev/kfd") == 0;
    const unsigned long minor = strtoul(path + sizeof nodes - 1, &end, 10);
    node->minor = (unsigned)minor;
    return !*end && minor >= HOST_FIRST_RENDER_NODE &&
           minor < HOST_FIRST_RENDER_NODE + host_gpu_count();
}

static bool is_device(const char *path)
{
    struct device_node node;
    return node_of(path, &node);
}

/* DRM's major number; that of /dev/kfd is the kernel's choice. */
static uint64_t number(void *file, const char *path)
{
    struct device_node node;
    if (file)
        node = *(const struct device_node *)file;
    else if (!node_of(path, &node))
        return 0;
    return node.render ? makedev(226, node.minor) : 0;
}

/* The descriptor is one of /dev/null, which takes a number and does no harm. */
static int open_node(const char *path, int flags, void **file)
{
    struct device_node found = {.opened = NULL};
    if (!node_of(path, &found))
        return -ENOENT;
    struct device_node *node = malloc(sizeof *node);
    if (!node)
        return -ENOMEM;
    const int fd = open("/dev/null", O_RDWR | (flags & O_CLOEXEC));
    int wrong = fd < 0 ? errno : 0;
    if (!wrong && !found.render)
        wrong = hsaKmtOpenKFD() ? ENODEV : 0;
    if (!wrong && found.render &&
        !(found.opened = host_render_open(found.minor - HOST_FIRST_RENDER_NODE)))
        wrong = ENOMEM;
    if (wrong) {
        if (fd >= 0)
            close(fd);
        free(node);
        return -wrong;
    }
    *node = found;
    *file = node;
    return fd;
}

/* A child process inherits its parent's descriptor, but not the GPU. */
static struct host_render *opened(const struct device_node *node)
{
    return host_render_is_own(node->opened) ? node->opened : NULL;
}

static void close_node(void *file)
{
    struct host *host = host_get();
    const struct device_node *node = file;
    if (!node->render) {
        if (host)
            host_debug_close(host);
        hsaKmtCloseKFD();
    } else if (opened(node)) {
        host_render_close(node->opened);
    }
    free(file);
}

static int ioctl_node(void *file, unsigned long request, void *argument)
{
    const struct device_node *node = file;
    return !node->render  ? kfd_ioctl(request, argument)
           : opened(node) ? host_render_ioctl(node->opened, request, argument)
                          : -ENODEV;
}

static int map_node(void *file, size_t length, uint64_t *offset, void **at, int *fd)
{
    struct host *host = host_get();
    const struct device_node *node = file;
    *fd = -1;
    if (node->render)
        return opened(node) ? host_render_file(node->opened, offset, length, fd) : -ENODEV;
    if (!host)
        return -ENODEV;
    /* Bits 63:62 of an offset in /dev/kfd are 0: memory, the page of registers that flush. */
    return *offset >> 62 == 0 ? kfd_memory_file(host, offset, length, fd)
                              : map_kfd(host, length, offset, at);
}

/* ---- /sys ---- */

/* Writes "TEXT" to FOLDER/NAME; folders on the way are made. */
static bool put(const char *folder, const char *name, const char *text)
{
    char path[512];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0755) && errno != EEXIST)
            return false;
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    const bool written = fputs(text, file) >= 0;
    return !fclose(file) && written;
}

static bool put_number(const char *folder, const char *name, uint64_t number)
{
    char text[32];
    snprintf(text, sizeof text, "%llu\n", (unsigned long long)number);
    return put(folder, name, text);
}

enum { MOST_CACHES = GCN_MOST_CU + 1 };

static bool put_caches(const char *node_folder, uint32_t node, uint32_t count)
{
    HsaCacheProperties cache[MOST_CACHES];
    bool good = count <= MOST_CACHES && !hsaKmtGetNodeCacheProperties(node, 0, count, cache);
    for (uint32_t i = 0; i < count && good; i++) {
        char name[48], text[512];
        const HsaCacheProperties *c = &cache[i];
        snprintf(name, sizeof name, "caches/%u/properties", i);
        snprintf(text, sizeof text,
                 "processor_id_low %u\nlevel %u\nsize %u\ncache_line_size %u\n"
                 "cache_lines_per_tag 1\nassociation 1\nlatency 0\ntype %u\nsibling_map 1\n",
                 c->ProcessorIdLow, c->CacheLevel, c->CacheSize, c->CacheLineSize,
                 c->CacheType.Value);
        good = put(node_folder, name, text);
    }
    return good;
}

static bool put_links(const char *node_folder, uint32_t node, uint32_t count)
{
    HsaIoLinkProperties *link = calloc(count + 1, sizeof *link);
    bool good = link && !hsaKmtGetNodeIoLinkProperties(node, count, link);
    for (uint32_t i = 0; i < count && good; i++) {
        char name[48], text[512];
        snprintf(name, sizeof name, "io_links/%u/properties", i);
        snprintf(text, sizeof text,
                 "type %u\nversion_major %u\nversion_minor 0\nnode_from %u\nnode_to %u\n"
                 "weight %u\nmin_latency 0\nmax_latency 0\nmin_bandwidth 0\nmax_bandwidth 0\n"
                 "recommended_transfer_size 0\nflags 1\n",
                 link[i].IoLinkType, link[i].VersionMajor, link[i].NodeFrom, link[i].NodeTo,
                 link[i].Weight);
        good = put(node_folder, name, text);
    }
    free(link);
    return good;
}

/* Bits 3:0 and 9:4: the mask of an address watch; bit 10: TTMPs always tell of a wave's dispatch.
 */
static uint32_t debug_properties(const struct host_gpu *gpu)
{
    enum { LOWEST = 6, HIGHEST = 29 << 4, DISPATCH_KNOWN = 1 << 10 };
    return !gpu ? 0 : LOWEST | HIGHEST | (gpu->config.model->precise_memory ? 0 : DISPATCH_KNOWN);
}

/* The lines of a node's `properties` (linux, kfd_topology.c). */
static bool put_node(struct host *host, const char *topology, uint32_t node)
{
    char folder[300], text[2048], name[32];
    HsaNodeProperties p;
    const struct host_gpu *gpu = host_gpu_of(host, node);
    hsaKmtGetNodeProperties(node, &p);
    snprintf(folder, sizeof folder, "%s/nodes/%u", topology, node);
    snprintf(text, sizeof text,
             "cpu_cores_count %u\nsimd_count %u\nmem_banks_count %u\ncaches_count %u\n"
             "io_links_count %u\np2p_links_count 0\ncpu_core_id_base 0\nsimd_id_base %u\n"
             "max_waves_per_simd %u\nlds_size_in_kb %u\ngds_size_in_kb %u\nnum_gws %u\n"
             "wave_front_size %u\narray_count %u\nsimd_arrays_per_engine %u\n"
             "cu_per_simd_array %u\nsimd_per_cu %u\nmax_slots_scratch_cu %u\n"
             "gfx_target_version %u\nvendor_id %u\ndevice_id %u\nlocation_id %u\ndomain 0\n"
             "drm_render_minor %d\nhive_id 0\nnum_sdma_engines %u\nnum_sdma_xgmi_engines 0\n"
             "num_sdma_queues_per_engine %u\nnum_cp_queues %u\nmax_engine_clk_fcompute %u\n"
             "local_mem_size 0\nfw_version %u\ncapability %u\ndebug_prop %u\nsdma_fw_version 0\n"
             "unique_id %llu\nnum_xcc %u\n"
             "max_engine_clk_ccompute %u\n",
             p.NumCPUCores, p.NumFComputeCores, 1u, p.NumCaches, p.NumIOLinks, p.FComputeIdLo,
             p.MaxWavesPerSIMD, p.LDSSizeInKB, p.GDSSizeInKB, p.NumGws, p.WaveFrontSize,
             p.NumShaderBanks, p.NumArrays, p.NumCUPerArray, p.NumSIMDPerCU, p.MaxSlotsScratchCU,
             gpu ? gpu->config.model->version : 0u, p.VendorId, p.DeviceId, p.LocationId,
             gpu ? p.DrmRenderMinor : 0, p.NumSdmaEngines, p.NumSdmaQueuesPerEngine, p.NumCpQueues,
             p.MaxEngineClockMhzFCompute, p.EngineId.ui32.uCode, p.Capability.Value,
             debug_properties(gpu), (unsigned long long)p.UniqueID, gpu ? gpu->config.xcc : 1u,
             p.MaxEngineClockMhzCCompute);
    snprintf(name, sizeof name, "%s\n", gpu ? gpu->config.model->chip : "");
    bool good = put(folder, "properties", text) &&
                put_number(folder, "gpu_id", gpu ? host_gpu_id(gpu) : 0) &&
                put(folder, "name", name);
    snprintf(text, sizeof text,
             "heap_type %u\nsize_in_bytes %llu\nflags 0\nwidth %u\nmem_clk_max %u\n", gpu ? 1 : 0,
             (unsigned long long)(gpu ? gpu->memory : (uint64_t)1 << 34),
             gpu ? gpu->config.model->memory_bits : 64, gpu ? gpu->config.model->memory_mhz : 1600);
    return good && put(folder, "mem_banks/0/properties", text) &&
           put_caches(folder, node, p.NumCaches) && put_links(folder, node, p.NumIOLinks);
}

/* The folder by which libdrm knows that a device file's number is one of DRM's. */
static bool put_number_of(const char *folder, uint32_t minor)
{
    char drm[256], name[32], text[32];
    snprintf(drm, sizeof drm, "%s/sys/dev/char/226:%u/device/drm", folder, minor);
    snprintf(name, sizeof name, "renderD%u/dev", minor);
    snprintf(text, sizeof text, "226:%u\n", minor);
    return put(drm, name, text);
}

static int make_files(const char *folder)
{
    static const char *const places[] = {"sys/class/kfd/kfd/topology",
                                         "sys/devices/virtual/kfd/kfd/topology"};
    if (hsaKmtOpenKFD())
        return -ENODEV;
    struct host *host = host_get();
    bool good = true;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char topology[256];
        snprintf(topology, sizeof topology, "%s/%s", folder, places[i]);
        good =
            good &&
            put(topology, "system_properties", "platform_oem 0\nplatform_id 0\nplatform_rev 0\n") &&
            put_number(topology, "generation_id", host->gpus + 1);
        for (uint32_t node = 0; node <= host->gpus; node++)
            good = good && put_node(host, topology, node);
    }
    for (uint32_t i = 0; i < host->gpus; i++)
        good = good && put_number_of(folder, HOST_FIRST_RENDER_NODE + i);
    hsaKmtCloseKFD();
    good = good && put(folder, "sys/module/amdgpu/initstate", "live\n");
    return good ? 0 : -ENOSPC;
}

/* The files are made when the first one is wanted, and removed when the process that has made them
 * ends, or is about to; who wants one then gets them again, in the same folder. */
static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;
static char files[200];
static bool files_removed;
static pid_t files_owner;

__attribute__((destructor)) void host_files_remove(void)
{
    if (pthread_mutex_trylock(&files_lock))
        return;
    if (*files && files_owner == getpid() && !files_removed) {
        wt_private_remove(files);
        files_removed = true;
    }
    pthread_mutex_unlock(&files_lock);
}

void host_files_before_fork(void)
{
    pthread_mutex_lock(&files_lock);
}

void host_files_after_fork(void)
{
    pthread_mutex_unlock(&files_lock);
}

static bool have_files(void)
{
    char made[sizeof files];
    pthread_mutex_lock(&files_lock);
    if (!*files && wt_private_temporary(made, sizeof made) && mkdtemp(made)) {
        if (make_files(made)) {
            wt_private_remove(made);
        } else {
            memcpy(files, made, sizeof files);
            files_owner = getpid();
        }
    } else if (files_removed && files_owner == getpid()) {
        files_removed = mkdir(files, 0700) || make_files(files);
    }
    const bool there = *files && !files_removed;
    pthread_mutex_unlock(&files_lock);
    return there;
}

static bool redirect(const char *path, char *real, size_t size)
{
    return strncmp(path, "/sys/", 5) == 0 && have_files() &&
           snprintf(real, size, "%s%s", files, path) < (int)size;
}

/** The driver; preload.c finds it in this library. */
extern const struct wt_devfs_driver wavetrap_kfd;
const struct wt_devfs_driver wavetrap_kfd = {
    .open = open_node,
    .ioctl = ioctl_node,
    .close = close_node,
    .redirect = redirect,
    .is_device = is_device,
    .number = number,
    .map = map_node,
};
