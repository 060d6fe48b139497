/*
 * A program that uses AMD's driver through its device files alone: /dev/kfd, a render node, the
 * topology under /sys. It runs a kernel, shares memory as DMA buffers, which libdrm_amdgpu maps,
 * and debugs itself: by wave control and address watch of linux 4.20, and by the debug-trap
 * operations of linux 6.5. Prints a line for each thing that is as it should be, and stops at the
 * first that is not.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <linux/kfd_ioctl.h>
#include <xf86drm.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s (%s)\n", __LINE__, #condition, strerror(errno));                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Comes true within two minutes. */
#define UNTIL(condition)                                                                           \
    do {                                                                                           \
        const time_t end = time(NULL) + 120;                                                       \
        while (!(condition)) {                                                                     \
            CHECK(time(NULL) < end);                                                               \
            sched_yield();                                                                         \
        }                                                                                          \
    } while (0)

enum {
    BASE = 0x10000,
    SIZE = 0x20000,
    RING = 0x1000,
    QUEUE = 0x2000,
    CODE = 0x3000,
    SIGNAL = 0x4000,
    WORD = 0x5000,
    TOLD = 0x6000
};
enum { DISPATCH = 2, INVALID = 1, IN_ORDER = 1 << 8 };

static int kfd, render;
static uint32_t gpu;
static uint8_t *memory;                 /* the program's pages */
static const uint64_t VA = 0x200000000; /* where the GPU has them: elsewhere */
static uint64_t seen = VA;              /* where the next kernel has its argument */
static uint64_t handle;                 /* of the memory */
static uint32_t queue;

static void put(unsigned at, uint64_t value, unsigned size)
{
    memcpy(memory + at, &value, size);
}

static volatile uint32_t *word(unsigned i)
{
    return (volatile uint32_t *)(memory + WORD) + i;
}

static volatile int64_t *signal_value(void)
{
    return (volatile int64_t *)(memory + SIGNAL + 8);
}

static int call(unsigned long request, void *arguments)
{
    return ioctl(kfd, request, arguments);
}

/* ---- the driver ---- */

static void find_gpu(void)
{
    struct kfd_ioctl_get_version_args version = {0};
    struct kfd_process_device_apertures a[4];
    struct kfd_ioctl_get_process_apertures_new_args apertures = {.kfd_process_device_apertures_ptr =
                                                                     (uintptr_t)a};
    unsigned from_topology = 0, nodes = 0;
    CHECK(!call(AMDKFD_IOC_GET_VERSION, &version) && version.major_version == 1);
    CHECK(!call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &apertures) && apertures.num_of_nodes == 1);
    CHECK(!call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &apertures));
    gpu = a[0].gpu_id;
    CHECK(gpu && a[0].lds_base == (uint64_t)1 << 48 && a[0].scratch_base == (uint64_t)2 << 48);
    apertures.num_of_nodes = 1;
    apertures.kfd_process_device_apertures_ptr = 1;
    CHECK(call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &apertures) == -1 && errno == EFAULT);
    DIR *folder = opendir("/sys/class/kfd/kfd/topology/nodes");
    CHECK(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        nodes += entry->d_name[0] != '.';
    closedir(folder);
    CHECK(nodes == 2);
    FILE *file = fopen("/sys/devices/virtual/kfd/kfd/topology/nodes/1/gpu_id", "r");
    CHECK(file && fscanf(file, "%u", &from_topology) == 1);
    fclose(file);
    CHECK(from_topology == gpu);
    CHECK(call(_IOWR('K', 0x7f, int), &nodes) == -1 && errno == EINVAL);
    puts("found");
}

static void make_memory(void)
{
    render = open("/dev/dri/renderD176", O_RDWR | O_CLOEXEC);
    CHECK(render >= 0 && access("/dev/dri/renderD177", F_OK) == -1);
    struct kfd_ioctl_acquire_vm_args vm = {.drm_fd = (uint32_t)render, .gpu_id = gpu};
    CHECK(!call(AMDKFD_IOC_ACQUIRE_VM, &vm));
    struct kfd_ioctl_alloc_memory_of_gpu_args alloc = {
        .va_addr = VA, .size = SIZE, .gpu_id = gpu, .flags = KFD_IOC_ALLOC_MEM_FLAGS_GTT};
    CHECK(!call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &alloc));
    memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, render, (off_t)alloc.mmap_offset);
    CHECK(memory != MAP_FAILED && (uintptr_t)memory != VA);
    struct kfd_ioctl_map_memory_to_gpu_args map = {
        .handle = alloc.handle, .device_ids_array_ptr = (uintptr_t)&gpu, .n_devices = 1};
    CHECK(!call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map) && map.n_success == 1);
    struct kfd_ioctl_free_memory_of_gpu_args give_back = {.handle = alloc.handle};
    CHECK(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &give_back) == -1 && errno == EBUSY);
    struct kfd_ioctl_alloc_memory_of_gpu_args wrong = alloc;
    wrong.gpu_id = 77;
    CHECK(call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &wrong) == -1 && errno == EINVAL);
    handle = alloc.handle;
    puts("memory");
}

static void make_queue(void)
{
    for (unsigned i = 0; i < RING / 64; i++)
        memory[i * 64] = INVALID;
    struct kfd_ioctl_create_queue_args create = {.ring_base_address = VA,
                                                 .write_pointer_address = VA + QUEUE + 56,
                                                 .read_pointer_address = VA + QUEUE + 128,
                                                 .ring_size = RING,
                                                 .gpu_id = gpu,
                                                 .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
                                                 .queue_percentage = 100,
                                                 .queue_priority = 7};
    CHECK(!call(AMDKFD_IOC_CREATE_QUEUE, &create));
    queue = create.queue_id;
    uint8_t *doorbells = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, kfd,
                              (off_t)(create.doorbell_offset & ~(uint64_t)8191));
    CHECK(doorbells != MAP_FAILED);
    *(volatile uint64_t *)(doorbells + create.doorbell_offset % 8192) = 0;
    CHECK(!munmap(doorbells, 8192));
    create.ring_base_address = 0x1000;
    CHECK(call(AMDKFD_IOC_CREATE_QUEUE, &create) == -1 && errno == EFAULT);
    puts("queue");
}

/* word(0) counts up until word(1) is set: s_mov_b32 s4, 0; v_mov_b32 v0, 0; loop: s_add_u32 s4, s4,
 * 1; v_mov_b32 v1, s4; global_store_dword v0, v1, s[0:1]; s_load_dword s5, s[0:1], 4; s_waitcnt
 * lgkmcnt(0); s_cmp_eq_u32 s5, 0; s_cbranch_scc1 loop; s_endpgm */
static const uint32_t count_up[] = {0xbe840080, 0x7e000280, 0x80048104, 0x7e020204,
                                    0xdc708000, 0x00000100, 0xc0020140, 0x00000004,
                                    0xbf8cc07f, 0xbf068005, 0xbf85fff7, 0xbf810000};

static void start(void)
{
    volatile uint64_t *write = (volatile uint64_t *)(memory + QUEUE + 56);
    const unsigned packet = (unsigned)(*write % (RING / 64)) * 64;
    memset(memory + CODE, 0, 0x400);
    put(CODE + 16, 256, 8);
    put(CODE + 52, 2 << 1 | 1 << 13, 4); /* two user SGPRs, the kernel's arguments; ADDRESS_WATCH */
    put(CODE + 56, 1 << 3, 2);
    memcpy(memory + CODE + 256, count_up, sizeof count_up);
    *word(0) = *word(1) = 0;
    *signal_value() = 1;
    memset(memory + packet + 2, 0, 62);
    for (unsigned i = 0; i < 3; i++) {
        put(packet + 4 + 2 * i, i ? 1 : 64, 2);
        put(packet + 12 + 4 * i, i ? 1 : 64, 4);
    }
    put(packet + 32, VA + CODE, 8);
    put(packet + 40, seen + WORD, 8);
    put(packet + 56, VA + SIGNAL, 8);
    __atomic_store_n((uint16_t *)(memory + packet), DISPATCH | IN_ORDER, __ATOMIC_RELEASE);
    __atomic_store_n((uint64_t *)write, *write + 1, __ATOMIC_RELEASE);
    UNTIL(*word(0) > 10);
}

static void finish(void)
{
    *word(1) = 1;
    UNTIL(*signal_value() == 0);
}

static int stands(void)
{
    const uint32_t at = *word(0);
    for (unsigned i = 0; i < 1000; i++)
        sched_yield();
    return *word(0) == at;
}

/* ---- DMA buffers ---- */

/* linux 6.4: of memory, a descriptor. */
static int export_memory(uint64_t of)
{
    struct {
        uint64_t handle;
        uint32_t flags, fd;
    } args = {of, O_CLOEXEC, 0};
    return call(_IOWR('K', 0x24, args), &args) ? -1 : (int)args.fd;
}

static int info_of(int fd, uint64_t *size)
{
    struct kfd_ioctl_get_dmabuf_info_args info = {.dmabuf_fd = (uint32_t)fd};
    const int result = call(AMDKFD_IOC_GET_DMABUF_INFO, &info);
    *size = info.gpu_id == gpu ? info.size : 0;
    return result;
}

/* libdrm knows the device, and has the GPU see the memory at one more address. */
static void map_by_libdrm(int fd)
{
    const uint64_t there = VA + 0x100000;
    uint32_t major, minor;
    amdgpu_device_handle device;
    struct amdgpu_gpu_info is;
    struct amdgpu_bo_import_result got, again;
    void *pages;
    CHECK(drmGetNodeTypeFromFd(render) == DRM_NODE_RENDER);
    CHECK(!amdgpu_device_initialize(render, &major, &minor, &device) && major == 3);
    CHECK(!amdgpu_query_gpu_info(device, &is) && is.family_id == AMDGPU_FAMILY_AI &&
          is.asic_id == 0x687f && is.cu_active_number == 4);
    CHECK(!amdgpu_bo_import(device, amdgpu_bo_handle_type_dma_buf_fd, (uint32_t)fd, &got) &&
          got.alloc_size == SIZE);
    CHECK(!amdgpu_bo_import(device, amdgpu_bo_handle_type_dma_buf_fd, (uint32_t)fd, &again) &&
          again.buf_handle == got.buf_handle && !amdgpu_bo_free(again.buf_handle));
    CHECK(!amdgpu_bo_cpu_map(got.buf_handle, &pages) && pages != memory);
    CHECK(!amdgpu_bo_va_op(got.buf_handle, 0, SIZE, there, 0, AMDGPU_VA_OP_MAP));
    CHECK(amdgpu_bo_va_op(got.buf_handle, 0, SIZE, there, 0, AMDGPU_VA_OP_MAP) == -EINVAL);
    CHECK(amdgpu_bo_va_op(got.buf_handle, 4096, SIZE, there * 2, 0, AMDGPU_VA_OP_MAP) == -EINVAL);
    seen = there;
    start();
    CHECK(((uint32_t *)((uint8_t *)pages + WORD))[0] > 10);
    finish();
    CHECK(!amdgpu_bo_va_op(got.buf_handle, 0, SIZE, there, 0, AMDGPU_VA_OP_UNMAP));
    CHECK(amdgpu_bo_va_op(got.buf_handle, 0, SIZE, there, 0, AMDGPU_VA_OP_UNMAP) == -EINVAL);
    CHECK(!amdgpu_bo_cpu_unmap(got.buf_handle) && !amdgpu_bo_free(got.buf_handle));
    CHECK(!amdgpu_device_deinitialize(device));
}

/* Another process has the same bytes. */
static void import_elsewhere(int fd)
{
    uint64_t size = 0;
    *word(2) = 7;
    const pid_t child = fork();
    if (!child) {
        kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
        const uint8_t *same = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
        struct kfd_ioctl_import_dmabuf_args import = {
            .va_addr = VA, .gpu_id = gpu, .dmabuf_fd = (uint32_t)fd};
        CHECK(kfd >= 0 && !info_of(fd, &size) && size == SIZE);
        CHECK(!call(AMDKFD_IOC_IMPORT_DMABUF, &import) && import.handle);
        CHECK(same != MAP_FAILED && ((const uint32_t *)(same + WORD))[2] == 7);
        _exit(0);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void share_memory(void)
{
    uint64_t size = 0;
    const int fd = export_memory(handle), file = open("/proc/self/exe", O_RDONLY);
    CHECK(fd >= 0 && export_memory(handle + 1) == -1 && errno == EINVAL);
    CHECK(!info_of(fd, &size) && size == SIZE);
    CHECK(info_of(file, &size) == -1 && errno == EINVAL);
    map_by_libdrm(fd);
    struct kfd_ioctl_import_dmabuf_args import = {
        .va_addr = VA + 0x200000, .gpu_id = gpu, .dmabuf_fd = (uint32_t)fd};
    struct kfd_ioctl_map_memory_to_gpu_args map = {.device_ids_array_ptr = (uintptr_t)&gpu,
                                                   .n_devices = 1};
    CHECK(!call(AMDKFD_IOC_IMPORT_DMABUF, &import));
    map.handle = import.handle;
    CHECK(!call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map));
    seen = import.va_addr;
    start();
    finish();
    map.n_success = 0;
    CHECK(!call(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &map));
    struct kfd_ioctl_free_memory_of_gpu_args give_back = {.handle = import.handle};
    CHECK(!call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &give_back));
    import.dmabuf_fd = (uint32_t)file;
    CHECK(call(AMDKFD_IOC_IMPORT_DMABUF, &import) == -1 && errno == EINVAL);
    import_elsewhere(fd);
    close(file);
    close(fd);
    seen = VA;
    puts("shared");
}

/* ---- events ---- */

static void wait_for_event(void)
{
    struct kfd_ioctl_create_event_args create = {.event_type = KFD_IOC_EVENT_SIGNAL,
                                                 .auto_reset = 1};
    CHECK(!call(AMDKFD_IOC_CREATE_EVENT, &create));
    struct kfd_event_data data = {.event_id = create.event_id};
    struct kfd_ioctl_wait_events_args wait = {
        .events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = 1};
    CHECK(!call(AMDKFD_IOC_WAIT_EVENTS, &wait) && wait.wait_result == KFD_IOC_WAIT_RESULT_TIMEOUT);
    uint64_t *page = mmap(NULL, 4096 * 8, PROT_READ | PROT_WRITE, MAP_SHARED, kfd,
                          (off_t)create.event_page_offset);
    CHECK(page != MAP_FAILED && page[create.event_slot_index] == UINT64_MAX);
    /* The kernel's completion signal: mailbox and event. */
    put(SIGNAL + 16, (uintptr_t)&page[create.event_slot_index], 8);
    put(SIGNAL + 24, create.event_id, 4);
    start();
    *word(1) = 1;
    wait.timeout = 60000;
    CHECK(!call(AMDKFD_IOC_WAIT_EVENTS, &wait) && wait.wait_result == KFD_IOC_WAIT_RESULT_COMPLETE);
    CHECK(*signal_value() == 0);
    put(SIGNAL + 16, 0, 8);
    data.event_id = 4000;
    CHECK(call(AMDKFD_IOC_WAIT_EVENTS, &wait) == -1 && errno == EINVAL);
    struct kfd_ioctl_destroy_event_args destroy = {.event_id = create.event_id};
    CHECK(!call(AMDKFD_IOC_DESTROY_EVENT, &destroy) &&
          call(AMDKFD_IOC_DESTROY_EVENT, &destroy) == -1);
    puts("event");
}

/* A queue that cannot take a packet says so where the header of its save area has it. */
static void learn_of_errors(void)
{
    enum { RING_2 = 0x18000, QUEUE_2 = 0x19000, UNSUPPORTED = 1 << (20 - 1), UNKNOWN_TYPE = 9 };
    static volatile int64_t error;
    static struct {
        uint32_t wave_state[4], debug[2];
        uint64_t payload;
        uint32_t event, reserved;
    } area __attribute__((aligned(4096)));
    struct kfd_ioctl_create_event_args event = {.event_type = KFD_IOC_EVENT_SIGNAL,
                                                .auto_reset = 1};
    CHECK(!call(AMDKFD_IOC_CREATE_EVENT, &event));
    area.payload = (uintptr_t)&error;
    area.event = event.event_id;
    for (unsigned i = 0; i < RING / 64; i++)
        memory[RING_2 + i * 64] = INVALID;
    struct kfd_ioctl_create_queue_args create = {.ring_base_address = VA + RING_2,
                                                 .write_pointer_address = VA + QUEUE_2 + 56,
                                                 .read_pointer_address = VA + QUEUE_2 + 128,
                                                 .ring_size = RING,
                                                 .gpu_id = gpu,
                                                 .queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
                                                 .queue_percentage = 100,
                                                 .queue_priority = 7,
                                                 .ctx_save_restore_address = (uintptr_t)&area,
                                                 .ctx_save_restore_size = sizeof area};
    CHECK(!call(AMDKFD_IOC_CREATE_QUEUE, &create));
    put(RING_2, UNKNOWN_TYPE, 2);
    __atomic_store_n((uint64_t *)(memory + QUEUE_2 + 56), 1, __ATOMIC_RELEASE);
    UNTIL(error == UNSUPPORTED);
    struct kfd_event_data data = {.event_id = event.event_id};
    struct kfd_ioctl_wait_events_args wait = {
        .events_ptr = (uintptr_t)&data, .num_events = 1, .timeout = 60000};
    CHECK(!call(AMDKFD_IOC_WAIT_EVENTS, &wait) && wait.wait_result == KFD_IOC_WAIT_RESULT_COMPLETE);
    struct kfd_ioctl_destroy_queue_args destroy = {.queue_id = create.queue_id};
    CHECK(!call(AMDKFD_IOC_DESTROY_QUEUE, &destroy));
    puts("error");
}

/* ---- wave control and address watch ---- */

static int control_waves(uint32_t op, uint32_t mode, uint32_t trap, uint32_t size)
{
    const struct __attribute__((packed)) {
        uint32_t op, mode, trap, message, reserved;
        uint64_t va;
    } content = {.op = op, .mode = mode, .trap = trap};
    struct kfd_ioctl_dbg_wave_control_args args = {
        .content_ptr = (uintptr_t)&content, .gpu_id = gpu, .buf_size_in_bytes = size};
    return call(AMDKFD_IOC_DBG_WAVE_CONTROL_DEPRECATED, &args) ? errno : 0;
}

/* s_getreg_b32 ttmp4, hwreg(HW_REG_TRAPSTS); s_store_dword ttmp4, ttmp[14:15], 8; s_store_dword
 * ttmp1, ttmp[14:15], 0; s_waitcnt lgkmcnt(0); s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 9), 0;
 * s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 12, 3), 0; s_and_b32 ttmp1, ttmp1, 0xffff; s_rfe_b64
 * ttmp[0:1] */
static const uint32_t handler[] = {0xb8f0f803, 0xc0421c3d, 0x00000008, 0xc0421b7d, 0x00000000,
                                   0xbf8cc07f, 0xba004003, 0x00000000, 0xba001303, 0x00000000,
                                   0x866dff6d, 0x0000ffff, 0xbe801f6c};

static void debug_as_4_20(void)
{
    struct kfd_ioctl_dbg_register_args here = {.gpu_id = gpu}, elsewhere = {.gpu_id = 3};
    volatile uint32_t *told = (volatile uint32_t *)(memory + TOLD);
    memcpy(memory + CODE + 0x800, handler, sizeof handler);
    struct kfd_ioctl_set_trap_handler_args trap = {
        .tba_addr = VA + CODE + 0x800, .tma_addr = VA + TOLD, .gpu_id = gpu};
    CHECK(!call(AMDKFD_IOC_SET_TRAP_HANDLER, &trap));
    start();
    CHECK(control_waves(1, 2, 0, 44) == EINVAL); /* nobody is registered */
    CHECK(call(AMDKFD_IOC_DBG_REGISTER_DEPRECATED, &elsewhere) == -1 && errno == EINVAL);
    CHECK(!call(AMDKFD_IOC_DBG_REGISTER_DEPRECATED, &here));
    CHECK(call(AMDKFD_IOC_DBG_REGISTER_DEPRECATED, &here) == -1 && errno == EINVAL);
    CHECK(control_waves(1, 2, 0, 43) == EINVAL && control_waves(1, 2, 0, 45) == EINVAL);
    CHECK(control_waves(1, 1, 0, 44) == EINVAL); /* all processes: hidden */
    CHECK(control_waves(1, 2, 0, 44) == 0 && stands());
    const uint32_t at = *word(0);
    CHECK(control_waves(2, 2, 0, 44) == 0);
    UNTIL(*word(0) > at);
    CHECK(control_waves(5, 0, 3, 44) == 0); /* a trap for one wave: number 3, HT */
    UNTIL(told[0]);
    CHECK(told[0] >> 16 == (1 << 8 | 3));
    struct __attribute__((packed)) {
        uint32_t count, mode[2];
        uint64_t addr[2], mask[2];
    } watch = {2, {0, 1}, {VA + WORD + 4096, VA + WORD}, {0xffffff, 0xffffff}};
    struct kfd_ioctl_dbg_address_watch_args args = {.content_ptr = (uintptr_t)&watch,
                                                    .gpu_id = gpu,
                                                    .buf_size_in_bytes = 16 + sizeof watch + 16};
    told[0] = told[2] = 0;
    args.buf_size_in_bytes = 24;
    CHECK(call(AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED, &args) == -1 && errno == EINVAL);
    args.buf_size_in_bytes = 16 + sizeof watch + 16;
    args.content_ptr = 8;
    CHECK(call(AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED, &args) == -1 && errno == EFAULT);
    uint8_t buffer[16 + sizeof watch + 16] = {0};
    memcpy(buffer, &watch, sizeof watch);
    args.content_ptr = (uintptr_t)buffer;
    CHECK(!call(AMDKFD_IOC_DBG_ADDRESS_WATCH_DEPRECATED, &args));
    UNTIL(told[0]);
    CHECK((told[2] & 0x7180) == 1 << 12); /* watch 1 */
    CHECK(!call(AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED, &here));
    CHECK(call(AMDKFD_IOC_DBG_UNREGISTER_DEPRECATED, &here) == -1 && errno == EINVAL);
    finish();
    puts("wave control and address watch");
}

/* ---- debug-trap operations (linux 6.5; Debian 12's header lacks them) ---- */

struct trap_args {
    uint32_t pid, op;
    union {
        struct {
            uint64_t exceptions, pointer;
            uint32_t count, size;
        };
        struct {
            uint32_t value, pad;
        };
        uint32_t words[6];
    };
};
#define DBG_TRAP _IOWR('K', 0x26, struct trap_args)
#define RUNTIME_ENABLE _IOWR('K', 0x25, uint64_t[2])

static int trap(struct trap_args *args)
{
    args->pid = (uint32_t)getpid();
    const int result = call(DBG_TRAP, args);
    return result < 0 ? -errno : result;
}

static void debug_as_6_5(const char *other)
{
    int ends[2];
    uint64_t runtime[2] = {0x1234, 1};
    struct {
        uint64_t debug;
        uint32_t state, ttmp;
    } info = {0};
    CHECK(!pipe(ends));
    start();
    struct trap_args enable = {
        .op = 0, .exceptions = ~(uint64_t)0, .pointer = (uintptr_t)&info, .count = sizeof info};
    enable.size = 999; /* dbg_fd */
    CHECK(trap(&enable) == -EBADF);
    enable.size = (uint32_t)ends[1];
    CHECK(trap(&(struct trap_args){.op = 14}) == -EINVAL); /* not enabled */
    CHECK(trap(&enable) == 0 && info.state == 0);
    CHECK(trap(&enable) == -EALREADY);
    CHECK(!other || !system(other)); /* connects, is not a debugger, and goes */
    CHECK(trap(&(struct trap_args){.op = 10}) == -EPERM); /* flags, without a runtime */
    CHECK(!call(RUNTIME_ENABLE, runtime) && call(RUNTIME_ENABLE, runtime) == -1 && errno == EBUSY);
    /* The queue was new, which the descriptor tells. */
    char byte;
    CHECK(read(ends[0], &byte, 1) == 1);
    struct trap_args about = {.op =
                                  12}; /* information on an exception: the queue's, which is new */
    about.words[3] = queue;
    about.words[4] = 31;
    CHECK(trap(&about) == 0 && about.words[2] == 0);
    /* Exceptions that are not enabled are not told. */
    CHECK(trap(&(struct trap_args){.op = 3}) == 0);
    CHECK(trap(&(struct trap_args){.op = 11}) == -EAGAIN);
    CHECK(trap(&(struct trap_args){.op = 3, .exceptions = ~(uint64_t)0}) == 0);
    struct trap_args query = {.op = 11, .exceptions = (uint64_t)1 << 30};
    CHECK(trap(&query) == 0 && query.exceptions & (uint64_t)1 << 30 && query.words[2] == gpu &&
          query.words[3] == queue);
    CHECK(trap(&(struct trap_args){.op = 11}) == -EAGAIN); /* it was cleared */
    about.words[3] = queue;
    CHECK(trap(&about) == -ENODATA);
    about = (struct trap_args){.op = 12, .exceptions = (uintptr_t)&info}; /* info_ptr */
    about.words[2] = sizeof info;
    about.words[4] = 48; /* the runtime's */
    CHECK(trap(&about) == 0 && info.debug == 0x1234 && info.state == 1);
    /* Flags, and exceptions for waves that begin. */
    struct trap_args flags = {.op = 10, .value = 1};
    CHECK(trap(&flags) == 0 && flags.value == 0);
    CHECK(trap(&(struct trap_args){.op = 10, .value = 2}) == -EINVAL);
    flags.value = 0;
    CHECK(trap(&flags) == 0 && flags.value == 1);
    struct trap_args launch = {.op = 4};
    launch.words[1] = launch.words[2] = 0x80; /* address watch */
    CHECK(trap(&launch) == 0 && launch.words[1] == 0 && launch.words[2] & 0x80);
    launch.words[1] = 0;
    launch.words[2] = 0x80;
    CHECK(trap(&launch) == 0 && launch.words[1] == 0x80);
    launch.words[0] = 2;
    CHECK(trap(&launch) == -EINVAL);
    uint8_t devices[128] = {0}, queues[2][64] = {{0}};
    struct trap_args snapshot = {
        .op = 14, .pointer = (uintptr_t)devices, .count = 1, .size = sizeof devices};
    uint32_t id;
    CHECK(trap(&snapshot) == 0 && snapshot.count == 1 && snapshot.size == 120);
    memcpy(&id, devices + 56, 4);
    CHECK(id == gpu);
    struct trap_args list = {.op = 13, .pointer = (uintptr_t)queues, .count = 2, .size = 64};
    CHECK(trap(&list) == 0 && list.count == 1 && list.size == 64);
    memcpy(&id, queues[0] + 40, 4);
    CHECK(id == queue);
    uint32_t ids[2] = {queue, 12345};
    struct trap_args suspend = {.op = 6, .exceptions = 0, .pointer = (uintptr_t)ids, .count = 2};
    CHECK(trap(&suspend) == 1 && ids[0] == queue && ids[1] == (12345 | 1u << 31) && stands());
    uint64_t area;
    memcpy(&area, queues[0] + 32, 8);
    const uint32_t *header = (const uint32_t *)(uintptr_t)area;
    CHECK(header[3] > 64 * 4); /* a wave is saved there */
    struct trap_args resume = {.op = 7};
    resume.words[0] = (uint32_t)(uintptr_t)ids;
    resume.words[1] = (uint32_t)((uintptr_t)ids >> 32);
    resume.words[2] = 1;
    const uint32_t at = *word(0);
    CHECK(trap(&resume) == 1);
    UNTIL(*word(0) > at);
    struct trap_args mode = {.op = 5, .value = 2};
    CHECK(trap(&mode) == -EINVAL); /* linux takes 0, 1 and 3 */
    struct trap_args watch = {.op = 8};
    const uint64_t addr = VA + WORD;
    memcpy(watch.words, &addr, 8);
    watch.words[2] = 1;
    watch.words[3] = 0xffffffc0;
    watch.words[4] = gpu;
    CHECK(trap(&watch) == 0);
    struct trap_args clear = {.op = 9};
    clear.words[0] = gpu;
    clear.words[1] = watch.words[5];
    CHECK(trap(&clear) == 0 && trap(&clear) == -EINVAL);
    clear.words[0] = 99;
    CHECK(trap(&clear) == -ENODEV);
    CHECK(trap(&(struct trap_args){.op = 15}) == -EINVAL);
    CHECK(trap(&(struct trap_args){.op = 1}) == 0); /* disable: waves go on */
    finish();
    puts("debug trap");
}

int main(int count, char **arguments)
{
    kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
    CHECK(kfd >= 0);
    find_gpu();
    make_memory();
    make_queue();
    start();
    finish();
    puts("a kernel has run");
    share_memory();
    wait_for_event();
    debug_as_4_20();
    debug_as_6_5(count > 1 ? arguments[1] : NULL);
    learn_of_errors();
    struct kfd_ioctl_destroy_queue_args destroy = {.queue_id = queue};
    CHECK(!call(AMDKFD_IOC_DESTROY_QUEUE, &destroy) &&
          call(AMDKFD_IOC_DESTROY_QUEUE, &destroy) == -1);
    CHECK(!close(kfd) && call(AMDKFD_IOC_DESTROY_QUEUE, &destroy) == -1 && errno == EBADF);
    puts("closed");
    return 0;
}
