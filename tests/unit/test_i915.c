/* The i915 driver of an emulated GPU, through its ioctls: what a program sees, and what reaches the
 * emulator. The emulator is a test double that notes each walk. */
#include <errno.h>
#include <i915_drm.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/called_place.h"
#include "emulator/gen/gen.h"
#include "emulator/gen/gtt/gtt.h"
#include "runtime/i915/i915.h"
#include "runtime/i915/kernels.h"

#define PAGE 4096

/* What the emulator was told, and what it answers. */
struct gpu {
    struct gen_walk walk[8];
    unsigned walk_count;
    size_t mapping_count;
    uint64_t root; /* of the page tables */
    bool fail;
    uint64_t now;
    char said[512];
    unsigned said_count;
    uint32_t written[2];              /* number and value of the bus's register */
    void (*meanwhile)(struct gpu *g); /* what happens while a walk runs, in the GPU's thread */
    pthread_mutex_t lock;             /* of the members below */
    pthread_cond_t changed;
    unsigned begun, let; /* walks that have begun, and that may end; see `stays` */
    bool stays;          /* a walk ends when it may */
    struct wt_i915 *device;
    struct wt_i915_file *file;
    uint8_t *memory; /* of the objects below */
};

static bool read_physical(void *context, uint64_t physical, void *bytes, size_t size)
{
    memcpy(bytes, (const void *)(uintptr_t)physical, size);
    return true;
}

/* The walk through the tables of a batch. */
static struct wt_gtt_walk walk_of(uint64_t root, uint64_t address)
{
    const struct wt_gtt table = {
        .gen = 9, .kind = WT_GTT_PROCESS48, .enabled = true, .root = {root}, .root_count = 1};
    struct wt_gtt_walk walk;
    wt_gtt_walk(&table, read_physical, NULL, address, &walk);
    return walk;
}

/* Walks begin, and stay until let_go(). A test that waits in vain ends by its alarm. */
static void stay(struct gpu *g)
{
    pthread_mutex_lock(&g->lock);
    g->begun++;
    pthread_cond_broadcast(&g->changed);
    while (g->let < g->begun)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

static void await_walks(struct gpu *g, unsigned count)
{
    pthread_mutex_lock(&g->lock);
    while (g->begun < count)
        pthread_cond_wait(&g->changed, &g->lock);
    assert_int_equal(g->begun, count);
    pthread_mutex_unlock(&g->lock);
}

static void let_go(struct gpu *g, unsigned count)
{
    pthread_mutex_lock(&g->lock);
    g->let += count;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

static enum wt_status run(void *context, const void *file, uint64_t root,
                          const struct wt_i915_mapping *mappings, size_t count,
                          const struct gen_walk *walk, struct wt_error *err)
{
    struct gpu *g = context;
    if (g->stays)
        stay(g);
    if (g->fail)
        return wt_fail(err, WT_INVALID, "lane 3 writes 0x10, where nothing is");
    for (size_t i = 1; i < count; i++)
        assert_true(mappings[i - 1].address + mappings[i - 1].size <= mappings[i].address);
    /* Physical addresses are those of this process. */
    for (size_t i = 0; i < count; i++) {
        const uint64_t end = mappings[i].address + mappings[i].size;
        for (uint64_t at = mappings[i].address; at < end; at += PAGE)
            assert_int_equal(walk_of(root, at + 5).physical,
                             (uintptr_t)mappings[i].host + (at - mappings[i].address) + 5);
        if (i + 1 == count || mappings[i + 1].address > end)
            assert_false(walk_of(root, end).mapped);
    }
    g->root = root;
    if (g->meanwhile)
        g->meanwhile(g);
    g->mapping_count = count;
    g->walk[g->walk_count++ % 8] = *walk;
    return WT_OK;
}

static uint64_t ticks(void *context)
{
    return ((struct gpu *)context)->now;
}

static void say(void *context, const char *text, bool failed)
{
    struct gpu *g = context;
    snprintf(g->said, sizeof g->said, "%s", text);
    g->said_count++;
}

/* The bus: a register reads as what was written last, plus its number. */
static uint32_t read_register(void *context, uint32_t number)
{
    struct gpu *g = context;
    return g->written[0] == number ? g->written[1] + number : 0;
}

static void write_register(void *context, uint32_t number, uint32_t value)
{
    struct gpu *g = context;
    g->written[0] = number;
    g->written[1] = value;
}

static void fill(void *context, uint64_t place, uint8_t *bytes, uint64_t size, bool is_zero)
{
    (void)context, (void)place, (void)is_zero;
    memset(bytes, 0xa5, size);
}

static const struct wt_i915_ops ops = {run, ticks, read_register, write_register, say, fill};

enum { PAGES = 64 };

static int setup(void **state)
{
    struct gpu *g = calloc(1, sizeof *g);
    struct wt_error err;
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->changed, NULL);
    assert_int_equal(wt_i915_new(&ops, g, 3, &g->device, &err), WT_OK);
    g->file = wt_i915_open(g->device);
    assert_non_null(g->file);
    g->memory =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(g->memory != MAP_FAILED);
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    struct gpu *g = *state;
    wt_i915_free(g->device);
    munmap(g->memory, PAGES * PAGE);
    pthread_cond_destroy(&g->changed);
    pthread_mutex_destroy(&g->lock);
    free(g);
    return 0;
}

static int call(struct gpu *g, unsigned long request, void *args)
{
    return wt_i915_ioctl(g->file, request, args);
}

static int parameter(struct gpu *g, int param)
{
    int value = -1;
    struct drm_i915_getparam args = {.param = param, .value = &value};
    assert_int_equal(call(g, DRM_IOCTL_I915_GETPARAM, &args), 0);
    return value;
}

static uint32_t userptr(struct gpu *g, unsigned page, unsigned pages)
{
    struct drm_i915_gem_userptr args = {.user_ptr = (uintptr_t)(g->memory + page * PAGE),
                                        .user_size = (uint64_t)pages * PAGE};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_USERPTR, &args), 0);
    return args.handle;
}

/* ---- discovery ---- */

static void test_it_is_a_skylake_with_i915(void **state)
{
    struct gpu *g = *state;
    char name[5] = "";
    struct drm_version version = {.name_len = sizeof name, .name = name};
    assert_int_equal(call(g, DRM_IOCTL_VERSION, &version), 0);
    assert_memory_equal(name, "i915", 4);
    assert_int_equal(version.name_len, 4);
    assert_int_equal(parameter(g, I915_PARAM_CHIPSET_ID), 0x1912);
    assert_int_equal(parameter(g, I915_PARAM_REVISION), 6);
    assert_int_equal(parameter(g, I915_PARAM_HAS_EXEC_SOFTPIN), 1);
    assert_int_equal(parameter(g, I915_PARAM_HAS_SCHEDULER), 0);
    assert_int_equal(parameter(g, I915_PARAM_EU_TOTAL), 24);
    assert_int_equal(parameter(g, I915_PARAM_CS_TIMESTAMP_FREQUENCY), 12000000);
    int value;
    struct drm_i915_getparam unknown = {.param = 9999, .value = &value};
    assert_int_equal(call(g, DRM_IOCTL_I915_GETPARAM, &unknown), -EINVAL);
    assert_int_equal(call(g, DRM_IO(0x60), &unknown), -ENOTTY);
}

/* linux answers with 21 bytes for one slice of three subslices of eight EUs. */
static void test_topology(void **state)
{
    struct gpu *g = *state;
    uint8_t data[64];
    struct drm_i915_query_item item = {.query_id = DRM_I915_QUERY_TOPOLOGY_INFO};
    struct drm_i915_query query = {.num_items = 1, .items_ptr = (uintptr_t)&item};
    assert_int_equal(call(g, DRM_IOCTL_I915_QUERY, &query), 0);
    assert_int_equal(item.length, 21);
    item.data_ptr = (uintptr_t)data;
    memset(data, 0xaa, sizeof data);
    assert_int_equal(call(g, DRM_IOCTL_I915_QUERY, &query), 0);
    static const uint8_t wanted[21] = {0, 0, 1, 0, 3, 0, 8, 0,    1,    0,   1,
                                       0, 2, 0, 1, 0, 1, 7, 0xff, 0xff, 0xff};
    assert_memory_equal(data, wanted, sizeof wanted);
    assert_int_equal(data[21], 0xaa);
    item.length = 20; /* too short */
    assert_int_equal(call(g, DRM_IOCTL_I915_QUERY, &query), 0);
    assert_int_equal(item.length, -EINVAL);
    item = (struct drm_i915_query_item){.query_id = DRM_I915_QUERY_MEMORY_REGIONS};
    assert_int_equal(call(g, DRM_IOCTL_I915_QUERY, &query), 0);
    assert_int_equal(item.length, -EINVAL);
}

static void test_the_clock(void **state)
{
    struct gpu *g = *state;
    struct drm_i915_reg_read read = {.offset = 0x2358 | I915_REG_READ_8B_WA};
    g->now = UINT64_C(0x123456789abcd);
    assert_int_equal(call(g, DRM_IOCTL_I915_REG_READ, &read), 0);
    assert_int_equal(read.val, UINT64_C(0x6789abcd) | UINT64_C(5) << 32);
    read.offset = 0x2000;
    assert_int_equal(call(g, DRM_IOCTL_I915_REG_READ, &read), -EINVAL);
}

/* ---- objects ---- */

static void test_objects_are_memory(void **state)
{
    struct gpu *g = *state;
    struct drm_i915_gem_create create = {.size = 5000};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CREATE, &create), 0);
    assert_int_equal(create.size, 8192);
    static const char text[] = "written";
    struct drm_i915_gem_pwrite write = {
        .handle = create.handle, .offset = 4090, .size = sizeof text, .data_ptr = (uintptr_t)text};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_PWRITE, &write), 0);
    struct drm_i915_gem_mmap map = {.handle = create.handle, .size = 8192};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_MMAP, &map), 0);
    assert_string_equal((const char *)(uintptr_t)map.addr_ptr + 4090, text);
    munmap((void *)(uintptr_t)map.addr_ptr, 8192);
    /* The program maps it through the descriptor, too. */
    struct drm_i915_gem_mmap_offset offset = {.handle = create.handle,
                                              .flags = I915_MMAP_OFFSET_WB};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset), 0);
    char *at = mmap(NULL, 8192, PROT_READ, MAP_SHARED, wt_i915_descriptor(g->device),
                    (off_t)offset.offset);
    assert_true(at != MAP_FAILED);
    assert_string_equal(at + 4090, text);
    munmap(at, 8192);
    char back[sizeof text];
    struct drm_i915_gem_pread read = {
        .handle = create.handle, .offset = 4090, .size = sizeof back, .data_ptr = (uintptr_t)back};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_PREAD, &read), 0);
    assert_string_equal(back, text);
    read.offset = 8190;
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_PREAD, &read), -EINVAL);
    struct drm_gem_close close = {.handle = create.handle};
    assert_int_equal(call(g, DRM_IOCTL_GEM_CLOSE, &close), 0);
    assert_int_equal(call(g, DRM_IOCTL_GEM_CLOSE, &close), -EINVAL);
    read.offset = 0;
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_PREAD, &read), -ENOENT);
    /* A new object has nothing of the old one. */
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CREATE, &create), 0);
    read.handle = create.handle;
    read.offset = 4090;
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_PREAD, &read), 0);
    for (size_t i = 0; i < sizeof back; i++)
        assert_int_equal(back[i], 0);
}

static void test_new_memory_of_the_program_is_filled(void **state)
{
    struct gpu *g = *state;
    uint8_t back[101];
    struct drm_i915_gem_create create = {.size = sizeof back};
    wt_i915_ask(sizeof back - 1);
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CREATE, &create), 0);
    wt_i915_ask(0);
    struct drm_i915_gem_pread read = {
        .handle = create.handle, .size = sizeof back, .data_ptr = (uintptr_t)back};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_PREAD, &read), 0);
    for (size_t i = 0; i < sizeof back; i++)
        assert_int_equal(back[i], i < sizeof back - 1 ? 0xa5 : 0);
    /* The runtime's own memory is zero. */
    create = (struct drm_i915_gem_create){.size = sizeof back};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CREATE, &create), 0);
    read.handle = create.handle;
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_PREAD, &read), 0);
    for (size_t i = 0; i < sizeof back; i++)
        assert_int_equal(back[i], 0);
}

static void test_user_memory(void **state)
{
    struct gpu *g = *state;
    struct drm_i915_gem_userptr args = {.user_ptr = (uintptr_t)g->memory + 1, .user_size = PAGE};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_USERPTR, &args), -EINVAL);
    args.user_ptr -= 1;
    args.user_size = 100;
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_USERPTR, &args), -EINVAL);
    args.user_size = PAGE;
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_USERPTR, &args), 0);
    struct drm_i915_gem_set_tiling tiling = {
        .handle = args.handle, .tiling_mode = I915_TILING_Y, .stride = 512};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_SET_TILING, &tiling), 0);
    struct drm_i915_gem_get_tiling get = {.handle = args.handle};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_GET_TILING, &get), 0);
    assert_int_equal(get.tiling_mode, I915_TILING_Y);
    struct drm_i915_gem_wait wait = {.bo_handle = args.handle, .timeout_ns = -1};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_WAIT, &wait), 0);
    wait.bo_handle = 77;
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_WAIT, &wait), -ENOENT);
}

/* A program may copy within memory that is an object itself: as memmove does. */
static void test_copies_within_user_memory(void **state)
{
    struct gpu *g = *state;
    const uint32_t handle = userptr(g, 0, 1);
    for (unsigned i = 0; i < 64; i++)
        g->memory[i] = (uint8_t)i;
    struct drm_i915_gem_pwrite write = {
        .handle = handle, .offset = 8, .size = 48, .data_ptr = (uintptr_t)g->memory};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_PWRITE, &write), 0);
    for (unsigned i = 0; i < 48; i++)
        assert_int_equal(g->memory[8 + i], i);
    struct drm_i915_gem_pread read = {
        .handle = handle, .offset = 8, .size = 48, .data_ptr = (uintptr_t)g->memory};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_PREAD, &read), 0);
    for (unsigned i = 0; i < 48; i++)
        assert_int_equal(g->memory[i], i);
}

/* ---- batches ---- */

/* The pages of the test's memory, each an object. */
enum { BATCH, STATE, SURFACES, INDIRECT, KERNEL, TAG, SECOND, OBJECTS };

struct batch {
    struct gpu *g;
    struct drm_i915_gem_exec_object2 object[OBJECTS];
    uint32_t *next;
    struct drm_i915_gem_execbuffer2 args;
};

#define HEAP UINT64_C(0x800100000000)

static uint8_t *page(struct batch *b, unsigned which)
{
    return b->g->memory + which * PAGE;
}

/* The kernel's heap is not where the program has it, as with Intel's runtime. */
static uint64_t gpu_address(struct batch *b, unsigned which)
{
    return which == KERNEL || which == INDIRECT ? HEAP + which * PAGE : (uintptr_t)page(b, which);
}

static void begin(struct batch *b, struct gpu *g)
{
    *b = (struct batch){.g = g};
    for (unsigned i = 0; i < OBJECTS; i++)
        b->object[i] = (struct drm_i915_gem_exec_object2){
            .handle = userptr(g, i, 1),
            .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_SUPPORTS_48B_ADDRESS,
        };
    for (unsigned i = 0; i < OBJECTS; i++) {
        const uint64_t address = gpu_address(b, i);
        b->object[i].offset = address >> 47 & 1 ? address | UINT64_C(0xffff) << 48 : address;
    }
    /* The batch is the last object. */
    const struct drm_i915_gem_exec_object2 first = b->object[0];
    b->object[0] = b->object[OBJECTS - 1];
    b->object[OBJECTS - 1] = first;
    b->next = (uint32_t *)page(b, BATCH);
    b->args = (struct drm_i915_gem_execbuffer2){
        .buffers_ptr = (uintptr_t)b->object, .buffer_count = OBJECTS, .flags = I915_EXEC_NO_RELOC};
}

static void put(struct batch *b, unsigned count, ...)
{
    va_list args;
    va_start(args, count);
    for (unsigned i = 0; i < count; i++)
        *b->next++ = va_arg(args, uint32_t);
    va_end(args);
}

/* Submits the batch, and does not wait for it. */
static int submit_only(struct batch *b)
{
    put(b, 1, 0x05000000u); /* MI_BATCH_BUFFER_END */
    b->next = (uint32_t *)page(b, BATCH);
    return call(b->g, DRM_IOCTL_I915_GEM_EXECBUFFER2, &b->args);
}

/* Waits up to @p ns for the batch, which is the last object; negative: without a limit. */
static int wait_for(struct batch *b, int64_t ns)
{
    struct drm_i915_gem_wait wait = {.bo_handle = b->object[OBJECTS - 1].handle, .timeout_ns = ns};
    return call(b->g, DRM_IOCTL_I915_GEM_WAIT, &wait);
}

static int submit(struct batch *b)
{
    const int error = submit_only(b);
    if (!error)
        assert_int_equal(wait_for(b, -1), 0);
    return error;
}

static uint32_t low(uint64_t address)
{
    return (uint32_t)address;
}

static uint32_t high(uint64_t address)
{
    return (uint32_t)(address >> 32);
}

/* STATE_BASE_ADDRESS with each base modified. */
static void put_bases(struct batch *b)
{
    const uint64_t surface = gpu_address(b, SURFACES), dynamic = gpu_address(b, STATE);
    put(b, 19, 0x61010011u, 0x7000u | 1, 0u, 0u, low(surface) | 1, high(surface), low(dynamic) | 1,
        high(dynamic), low(HEAP) | 1, high(HEAP), low(HEAP) | 1, high(HEAP), 0u, 0u, 0u, 0u, 0u, 0u,
        0u);
}

/* An interface descriptor at the start of dynamic state, and its load. */
static void put_descriptor(struct batch *b, unsigned threads)
{
    uint32_t *d = (uint32_t *)page(b, STATE);
    d[0] = KERNEL * PAGE + 0x140;
    d[1] = 0;
    d[2] = 0x80000;
    d[3] = 0x60 | 1 << 2;
    d[4] = 0x80 | 2;
    d[5] = 6u << 16;
    d[6] = threads | 4u << 16 | 1u << 21;
    d[7] = 3;
    put(b, 4, 0x70020002u, 0u, 32u, 0u);
}

static void put_walker(struct batch *b, unsigned threads)
{
    put(b, 15, 0x7105000du, 0u, (3u + 6 * threads) * 32, (uint32_t)INDIRECT * PAGE,
        2u << 30 | (threads - 1), 1u, 0u, 5u, 0u, 0u, 2u, 0u, 1u, 0x00ffffffu, 0xffffffffu);
}

static void check_walk(struct batch *b, const struct gen_walk *w)
{
    assert_int_equal(w->instructions, HEAP);
    assert_int_equal(w->kernel, KERNEL * PAGE + 0x140);
    assert_int_equal(w->sip, 0);
    assert_int_equal(w->surfaces, gpu_address(b, SURFACES));
    assert_int_equal(w->binding_table, 0x80);
    assert_int_equal(w->dynamic, gpu_address(b, STATE));
    assert_int_equal(w->samplers, 0x60 | 1 << 2); /* four at most */
    assert_int_equal(w->general, 0x7000);
    assert_true(w->has_scratch);
    assert_int_equal(w->scratch, 0x1000);
    assert_int_equal(w->scratch_code, 7);
    assert_int_equal(w->payload, HEAP + INDIRECT * PAGE);
    assert_int_equal(w->cross_bytes, 96);
    assert_int_equal(w->thread_bytes, 192);
    assert_int_equal(w->simd, 32);
    assert_int_equal(w->threads, 2);
    assert_int_equal(w->last_mask, 0x00ffffff);
    static const uint32_t start[3] = {1, 0, 0}, end[3] = {5, 2, 1};
    assert_memory_equal(w->start, start, sizeof start);
    assert_memory_equal(w->end, end, sizeof end);
    assert_int_equal(w->slm_bytes, 8192);
    assert_true(w->barrier);
    assert_int_equal(w->enables, 0x80000);
}

static void test_a_walker_as_intels_runtime_sends_it(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    begin(&b, g);
    const uint64_t tag = gpu_address(&b, TAG);
    put(&b, 6, 0x7a000004u, 0x00100000u, 0u, 0u, 0u, 0u); /* PIPE_CONTROL, CS stall */
    put(&b, 3, 0x11000001u, 0xe404u, 0x100u);             /* MI_LOAD_REGISTER_IMM */
    put(&b, 1, 0x69041312u);                              /* PIPELINE_SELECT */
    put(&b, 9, 0x70000007u, 0x1000u | 7, 0u, 167u << 16, 0u, 0u, 0u, 0u, 0u); /* MEDIA_VFE_STATE */
    put_bases(&b);
    put(&b, 2, 0x70040000u, 0u); /* MEDIA_STATE_FLUSH */
    put_descriptor(&b, 2);
    g->now = 1000;
    put(&b, 6, 0x7a000004u, 3u << 14, low(tag + 16), high(tag), 0u, 0u); /* timestamp */
    put(&b, 4, 0x12000002u, 0x23a8u, low(tag + 24), high(tag));          /* MI_STORE_REGISTER_MEM */
    put_walker(&b, 2);
    put(&b, 6, 0x7a000004u, 0x00104120u, low(tag), high(tag), 17u, 0u); /* the tag */
    memset(page(&b, TAG), 0xff, 64);
    assert_int_equal(submit(&b), 0);
    assert_string_equal(g->said, "");

    assert_int_equal(g->walk_count, 1);
    assert_int_equal(g->mapping_count, OBJECTS);
    check_walk(&b, &g->walk[0]);

    uint64_t written[4];
    memcpy(written, page(&b, TAG), sizeof written);
    assert_int_equal(written[0], 17);
    assert_int_equal(written[1], UINT64_MAX);
    assert_int_equal(written[2], 1000);
    assert_int_equal(written[3], UINT64_C(0xffffffff000003e8));

    /* The context keeps its state: the next batch has only descriptors and walker. */
    put(&b, 4, 0x70020002u, 0u, 32u, 0u);
    put_walker(&b, 2);
    assert_int_equal(submit(&b), 0);
    assert_int_equal(g->walk_count, 2);
    check_walk(&b, &g->walk[1]);
}

static void test_batches_are_chained(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    begin(&b, g);
    const uint64_t second = gpu_address(&b, SECOND), tag = gpu_address(&b, TAG);
    const uint32_t rest[] = {0x10000002u, low(tag), high(tag), 99u,
                             0x05000000u}; /* MI_STORE_DATA_IMM */
    memcpy(page(&b, SECOND) + 64, rest, sizeof rest);
    put(&b, 3, 0x18800101u, low(second + 64), high(second));
    assert_int_equal(submit(&b), 0);
    assert_int_equal(*(uint32_t *)page(&b, TAG), 99);
    /* A batch may begin anywhere in its object. */
    memset(page(&b, TAG), 0, 4);
    b.next += 16;
    put(&b, 4, rest[0], rest[1], rest[2], 7u);
    b.args.batch_start_offset = 64;
    b.args.batch_len = 20;
    put(&b, 1, 0x05000000u);
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_EXECBUFFER2, &b.args), 0);
    assert_int_equal(wait_for(&b, -1), 0);
    assert_int_equal(*(uint32_t *)page(&b, TAG), 7);
}

/* One mistake each: the batch is taken, the message says what is wrong. */
static void expect(struct gpu *g, const char *message, unsigned count, ...)
{
    struct batch b;
    va_list args;
    struct drm_i915_gem_context_create_ext create = {0};
    begin(&b, g);
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create), 0);
    b.args.rsvd1 = create.ctx_id;
    va_start(args, count);
    for (unsigned i = 0; i < count; i++)
        *b.next++ = va_arg(args, uint32_t);
    va_end(args);
    g->said[0] = 0;
    assert_int_equal(submit(&b), 0);
    if (!strstr(g->said, message))
        fail_msg("'%s' is not in '%s'", message, g->said);
}

static void test_a_batch_of_the_second_level_returns(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    begin(&b, g);
    const uint64_t second = gpu_address(&b, SECOND), tag = gpu_address(&b, TAG);
    const uint32_t chained[] = {0x10000002u, low(tag + 4), high(tag + 4), 98u, 0x05000000u};
    const uint32_t called[] = {0x10000002u, low(tag),           high(tag),   99u,
                               0x18c00101u, low(second + 0x80), high(second)};
    memcpy(page(&b, SECOND), called, sizeof called);
    memcpy(page(&b, SECOND) + 0x80, chained, sizeof chained);
    put(&b, 3, 0x18c00101u, low(second), high(second));
    put(&b, 4, 0x10000002u, low(tag + 8), high(tag + 8), 97u);
    assert_int_equal(submit(&b), 0);
    const uint32_t *stored = (uint32_t *)page(&b, TAG);
    assert_int_equal(stored[0], 99);
    assert_int_equal(stored[1], 98);
    assert_int_equal(stored[2], 97);
}

/* The program stores what it waits for; batches of another context run meanwhile. */
static void test_a_batch_waits_for_a_semaphore(void **state)
{
    struct gpu *g = *state;
    struct batch b, other;
    uint8_t *const own = g->memory;
    struct drm_i915_gem_context_create_ext create = {0};
    begin(&b, g);
    const uint64_t tag = gpu_address(&b, TAG);
    volatile uint32_t *stored = (uint32_t *)page(&b, TAG);
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create), 0);
    g->memory = own + OBJECTS * PAGE;
    begin(&other, g);
    other.args.rsvd1 = create.ctx_id;
    g->memory = own;
    const struct {
        uint32_t how, value;
    } waits[] = {{0, 4}, {1, 5}, {2, 6}, {3, 5}, {4, 5}, {5, 0}};
    for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
        stored[0] = waits[i].how == 2 || waits[i].how == 3 ? 9 : 0;
        stored[1] = 0;
        put(&b, 4, 0x0e008002u | waits[i].how << 12, waits[i].value, low(tag), high(tag));
        put(&b, 4, 0x10000002u, low(tag + 4), high(tag + 4), 1u);
        assert_int_equal(submit_only(&b), 0);
        assert_int_equal(wait_for(&b, 1000000), -ETIME);
        g->memory = own + OBJECTS * PAGE;
        put(&other, 1, 0u);
        assert_int_equal(submit(&other), 0);
        g->memory = own;
        assert_int_equal(wait_for(&b, 0), -ETIME);
        assert_int_equal(stored[1], 0);
        stored[0] = 5;
        assert_int_equal(wait_for(&b, -1), 0);
        assert_int_equal(stored[1], 1);
    }
    /* It may be dropped, too. */
    struct wt_i915_file *const file = g->file;
    g->file = wt_i915_open(g->device);
    alarm(60);
    begin(&b, g);
    put(&b, 4, 0x0e00c002u, 6u, low(tag), high(tag));
    assert_int_equal(submit_only(&b), 0);
    assert_int_equal(wait_for(&b, 1000000), -ETIME);
    wt_i915_close(g->file);
    alarm(0);
    g->file = file;
    expect(g, "no comparison 7", 4, 0x0e00f002u, 0u, low(tag), high(tag));
    expect(g, "in none of the batch's objects", 4, 0x0e00c002u, 0u, 0x1000u, 0u);
}

static void test_an_indirect_walker_takes_its_dimensions_from_registers(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    begin(&b, g);
    const uint64_t tag = gpu_address(&b, TAG);
    *(uint32_t *)page(&b, TAG) = 9;
    put_bases(&b);
    put_descriptor(&b, 1);
    put(&b, 4, 0x14800002u, 0x2500u, low(tag), high(tag)); /* MI_LOAD_REGISTER_MEM */
    put(&b, 5, 0x11000003u, 0x2504u, 4u, 0x2508u, 3u);     /* MI_LOAD_REGISTER_IMM, two */
    put_walker(&b, 1);
    b.next[-15] |= 1 << 10;
    assert_int_equal(submit(&b), 0);
    static const uint32_t end[3] = {9, 4, 3};
    assert_memory_equal(g->walk[0].end, end, sizeof end);
    /* No group at all is not an error, and nothing runs. */
    *(uint32_t *)page(&b, TAG) = 0;
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_EXECBUFFER2, &b.args), 0);
    assert_int_equal(g->walk_count, 1);
}

/* MI_MATH (Skylake PRM volume 2a): R2 = R0 + R1 with its carry in R3; R4 = ~(R0 & R1). */
static void test_arithmetic_of_the_command_streamer(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    begin(&b, g);
    const uint64_t tag = gpu_address(&b, TAG);
    put(&b, 9, 0x11000007u, 0x2600u, 0xffffffffu, 0x2604u, 0xffffffffu, 0x2608u, 3u, 0x260cu, 0u);
    put(&b, 5, 0x0d000007u, 0x08008000u, 0x08008401u, 0x10000000u, 0x18000831u);
    put(&b, 4, 0x18000c33u, 0x10200000u, 0x58001031u, 0u);
    for (unsigned i = 0; i < 6; i++) /* MI_STORE_REGISTER_MEM of R2 to R4 */
        put(&b, 4, 0x12000002u, 0x2610u + 4 * i, low(tag + 4 * i), high(tag + 4 * i));
    assert_int_equal(submit(&b), 0);
    const uint64_t *const seen = (const uint64_t *)page(&b, TAG);
    assert_int_equal(seen[0], 2);
    assert_int_equal(seen[1], UINT64_MAX);
    assert_int_equal(seen[2], ~UINT64_C(3));
    /* An operand that there is not is told, and the context is lost. */
    begin(&b, g);
    put(&b, 2, 0x0d000000u, 0x08004000u);
    assert_int_equal(submit(&b), 0);
    assert_non_null(strstr(g->said, "MI_MATH: 0x08004000 loads 0x10 from 0x0"));
}

/* MI_STORE_REGISTER_MEM to dword `to` of the page of the tag. */
static void put_store(struct batch *b, uint32_t at, unsigned to)
{
    const uint64_t address = gpu_address(b, TAG) + 4 * to;
    put(b, 4, 0x12000002u, at, low(address), high(address));
}

/* TD_CTL and its neighbours are on the bus of the debug hardware; registers that choose a way of
 * working keep their values, of which some are masked. None of them is told. */
static void test_registers_that_commands_write(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    begin(&b, g);
    const uint32_t *const seen = (const uint32_t *)page(&b, TAG);
    put(&b, 9, 0x11000007u, 0xe404u, 0x100u, 0x7034u, 0x60000321u, 0x20ecu, 0x00ff0041u, 0x2580u,
        0x60004u);
    put(&b, 3, 0x11000001u, 0x20ecu, 0x00400000u);
    put(&b, 3, 0x11000001u, 0xe400u, 0x90u);
    put(&b, 3, 0x15000001u, 0xe400u, 0x2600u); /* MI_LOAD_REGISTER_REG */
    /* PIPE_CONTROL: its immediate goes to a register */
    put(&b, 6, 0x7a000004u, 1u << 23 | 1u << 14, 0x2604u, 0u, 0x1234u, 0u);
    put_store(&b, 0xe404, 0);
    put_store(&b, 0x7034, 1);
    put_store(&b, 0x20ec, 2);
    put_store(&b, 0x2580, 3);
    put_store(&b, 0xe400, 4);
    put_store(&b, 0x2600, 5);
    put_store(&b, 0xe470, 6);
    put_store(&b, 0x2604, 7);
    assert_int_equal(submit(&b), 0);
    assert_string_equal(g->said, "");
    static const uint32_t wanted[] = {0x100, 0x60000321, 1, 4, 0x3990, 0x3990, 0, 0x1234};
    assert_memory_equal(seen, wanted, sizeof wanted);
    assert_int_equal(g->written[0], 0xe400 / 4);
    assert_int_equal(g->written[1], 0x90);
}

/* A register that there is not is told once for a context, and the batch goes on. */
static void test_registers_that_there_are_not(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    begin(&b, g);
    const uint32_t *const seen = (const uint32_t *)page(&b, TAG);
    put(&b, 5, 0x11000003u, 0x1234u, 7u, 0x1234u, 8u);
    put_store(&b, 0x1234, 0);
    assert_int_equal(submit(&b), 0);
    assert_non_null(
        strstr(g->said, ": register 0x1234 is written; the emulated GPU does not have it"));
    assert_non_null(strstr(g->said, "batch, command at 0x"));
    assert_int_equal(g->said_count, 1);
    assert_int_equal(seen[0], 8);
    begin(&b, g);
    put_store(&b, 0x1234, 0);
    put_store(&b, 0x1238, 1);
    put_store(&b, 0x1238, 2);
    assert_int_equal(submit(&b), 0);
    assert_non_null(
        strstr(g->said, ": register 0x1238 is read; the emulated GPU does not have it"));
    assert_int_equal(g->said_count, 2);
    assert_int_equal(seen[0], 8);
    begin(&b, g);
    put(&b, 3, 0x11000001u, 0x2358u, 7u);
    assert_int_equal(submit(&b), 0);
    assert_non_null(strstr(g->said, ": register 0x2358 is written; it is a clock"));
    /* What the header asks for, and is not emulated, is a failure. */
    begin(&b, g);
    put(&b, 3, 0x11000101u, 0xe404u, 7u);
    assert_int_equal(submit(&b), 0);
    assert_non_null(
        strstr(g->said, "MI_LOAD_REGISTER_IMM: bits 0x100 of its header are not executed"));
}

static int resets(struct gpu *g, uint32_t context)
{
    struct drm_i915_reset_stats stats = {.ctx_id = context};
    assert_int_equal(call(g, DRM_IOCTL_I915_GET_RESET_STATS, &stats), 0);
    return (int)stats.batch_active;
}

static void test_a_stray_access_is_told_and_loses_the_context(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    begin(&b, g);
    struct drm_i915_gem_context_create_ext create = {0};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create), 0);
    assert_int_not_equal(create.ctx_id, 0);
    b.args.rsvd1 = create.ctx_id;
    put_bases(&b);
    put_descriptor(&b, 1);
    put_walker(&b, 1);
    g->fail = true;
    assert_int_equal(resets(g, create.ctx_id), 0);
    assert_int_equal(submit(&b), 0);
    assert_non_null(strstr(g->said, "GPGPU_WALKER: lane 3 writes 0x10, where nothing is"));
    assert_int_equal(resets(g, create.ctx_id), 1);
    assert_int_equal(submit(&b), -EIO);
    /* Another context goes on. */
    g->fail = false;
    assert_int_equal(resets(g, 0), 0);
    b.args.rsvd1 = 0;
    assert_int_equal(submit(&b), 0);
    struct drm_i915_gem_context_destroy destroy = {.ctx_id = create.ctx_id};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy), 0);
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy), -ENOENT);
    b.args.rsvd1 = create.ctx_id;
    assert_int_equal(submit(&b), -ENOENT);
}

static void test_mistakes_in_a_batch(void **state)
{
    struct gpu *g = *state;
    expect(g, "command 0x7b000005 is not executed", 1, 0x7b000005u);
    expect(g, "STATE_SIP has 2 dwords instead of 3", 2, 0x61020000u, 0u);
    expect(g, "in none of the batch's objects", 4, 0x10000002u, 0x1000u, 0u, 1u);
    expect(g, "the batch continues outside its objects", 3, 0x18800101u, 0x1000u, 0u);
    expect(g, "the batch continues outside its objects", 3, 0x18c00101u, 0x1000u, 0u);
    expect(g, "depth count", 6, 0x7a000004u, 2u << 14, 0u, 0u, 0u, 0u);
    expect(g, "descriptor 0 is not among the 0 loaded ones", 15, 0x7105000du, 0u, 0u, 0u, 0u, 0u,
           0u, 1u, 0u, 0u, 1u, 0u, 1u, 0u, 0u);
    expect(g, "SIMD size 3", 15, 0x7105000du, 0u, 0u, 0u, 3u << 30, 0u, 0u, 1u, 0u, 0u, 1u, 0u, 1u,
           0u, 0u);
}

/* A batch that jumps to itself ends with a message instead of hanging the program. */
static void test_a_batch_without_an_end(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    begin(&b, g);
    const uint64_t self = gpu_address(&b, BATCH);
    put(&b, 3, 0x18800101u, low(self), high(self));
    assert_int_equal(submit(&b), 0);
    assert_non_null(strstr(g->said, "has no end"));
}

static void test_lists_that_are_refused(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    begin(&b, g);
    b.object[2].handle = 1000;
    assert_int_equal(submit(&b), -ENOENT);
    begin(&b, g);
    b.object[2].offset = b.object[3].offset;
    assert_int_equal(submit(&b), -EINVAL);
    begin(&b, g);
    b.object[2].flags = 0;
    assert_int_equal(submit(&b), -EINVAL);
    assert_non_null(strstr(g->said, "EXEC_OBJECT_PINNED"));
    begin(&b, g);
    b.object[2].relocation_count = 1;
    assert_int_equal(submit(&b), -EINVAL);
    begin(&b, g);
    b.args.batch_start_offset = PAGE;
    assert_int_equal(submit(&b), -EINVAL);
    begin(&b, g);
    b.args.buffer_count = 0;
    assert_int_equal(submit(&b), -EINVAL);
    /* Memory that the program has unmapped. */
    begin(&b, g);
    munmap(page(&b, SURFACES), PAGE);
    assert_int_equal(submit(&b), -EFAULT);
    assert_int_equal(g->walk_count, 0);
}

/* Addresses that programs give the driver are checked where they are used. */
static void test_addresses_that_are_no_memory(void **state)
{
    enum { NOWHERE = 8 };
    struct gpu *g = *state;
    struct batch b;
    struct drm_i915_gem_create made = {.size = PAGE};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CREATE, &made), 0);
    begin(&b, g);
    b.args.buffers_ptr = NOWHERE;
    struct drm_i915_query_item item = {
        .query_id = DRM_I915_QUERY_TOPOLOGY_INFO, .length = 4096, .data_ptr = NOWHERE};
    struct drm_i915_query of_item = {.num_items = 1, .items_ptr = (uintptr_t)&item},
                          nowhere = {.num_items = 1, .items_ptr = NOWHERE};
    struct drm_i915_getparam value = {.param = I915_PARAM_CHIPSET_ID, .value = (int *)NOWHERE};
    struct drm_i915_gem_pread out = {.handle = made.handle, .size = 8, .data_ptr = NOWHERE};
    struct drm_i915_gem_pwrite in = {.handle = made.handle, .size = 8, .data_ptr = NOWHERE};
    struct drm_i915_gem_context_param sseu = {
        .param = I915_CONTEXT_PARAM_SSEU, .size = 64, .value = NOWHERE};
    struct drm_version version = {.name = (char *)NOWHERE, .name_len = 4};
    const struct {
        unsigned long request;
        void *args;
    } calls[] = {{DRM_IOCTL_I915_GEM_EXECBUFFER2, &b.args},
                 {DRM_IOCTL_I915_QUERY, &of_item},
                 {DRM_IOCTL_I915_QUERY, &nowhere},
                 {DRM_IOCTL_I915_GETPARAM, &value},
                 {DRM_IOCTL_I915_GEM_PREAD, &out},
                 {DRM_IOCTL_I915_GEM_PWRITE, &in},
                 {DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &sseu},
                 {DRM_IOCTL_VERSION, &version},
                 {DRM_IOCTL_I915_GETPARAM, (void *)NOWHERE}};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        assert_int_equal(call(g, calls[i].request, calls[i].args), -EFAULT);
}

static void test_the_report_on_objects(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    struct wt_gem_state report;
    struct wt_error err;
    begin(&b, g);
    b.object[1].flags |= EXEC_OBJECT_WRITE;
    struct drm_i915_gem_create create = {.size = 3 * PAGE};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CREATE, &create), 0);
    struct drm_i915_gem_madvise advice = {.handle = create.handle, .madv = I915_MADV_DONTNEED};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_MADVISE, &advice), 0);
    struct drm_i915_gem_caching caching = {.handle = create.handle};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_GET_CACHING, &caching), 0);
    assert_int_equal(caching.caching, I915_CACHING_CACHED);
    caching.caching = I915_CACHING_DISPLAY;
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_SET_CACHING, &caching), 0);
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_GET_CACHING, &caching), 0);
    assert_int_equal(caching.caching, I915_CACHING_NONE); /* there is no eLLC */
    caching.caching = 3;
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_SET_CACHING, &caching), -EINVAL);
    caching.handle = OBJECTS + 7;
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_SET_CACHING, &caching), -ENOENT);
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_GET_CACHING, &caching), -ENOENT);
    assert_int_equal(submit(&b), 0);
    assert_int_equal(wt_i915_gem_state(g->device, &report, &err), WT_OK);
    assert_int_equal(report.object_count, OBJECTS + 1);
    unsigned bound = 0, written = 0, purgeable = 0, uncached = 0, cached = 0;
    for (size_t i = 0; i < report.object_count; i++) {
        bound += report.objects[i].vma_count == 1;
        written += report.objects[i].write_domain == I915_GEM_DOMAIN_RENDER;
        purgeable += report.objects[i].purgeable && report.objects[i].size == 3 * PAGE;
        uncached += report.objects[i].cache == WT_GEM_CACHE_NONE && report.objects[i].purgeable;
        cached += report.objects[i].cache == WT_GEM_CACHE_LLC;
    }
    assert_int_equal(uncached, 1);
    assert_int_equal(cached, OBJECTS);
    assert_int_equal(bound, OBJECTS);
    assert_int_equal(written, 1);
    assert_int_equal(purgeable, 1);
    wt_gem_state_free(&report);
}

/* Another thread's ioctls go on while a batch runs; what it uses is busy, and outlives its handle.
 */
static void while_it_runs(struct gpu *g)
{
    struct drm_i915_gem_create create = {.size = PAGE};
    struct wt_gem_state report;
    struct wt_error err;
    unsigned active = 0;
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CREATE, &create), 0);
    assert_int_equal(wt_i915_gem_state(g->device, &report, &err), WT_OK);
    for (size_t i = 0; i < report.object_count; i++)
        active += report.objects[i].active && report.objects[i].vmas[0].active;
    wt_gem_state_free(&report);
    assert_int_equal(active, OBJECTS);
    for (uint32_t handle = 1; handle <= OBJECTS; handle++) {
        struct drm_i915_gem_busy busy = {.handle = handle};
        assert_int_equal(call(g, DRM_IOCTL_I915_GEM_BUSY, &busy), 0);
        assert_int_equal(busy.busy, 1 << 16);
        struct drm_i915_gem_wait wait = {.bo_handle = handle, .timeout_ns = 1000};
        assert_int_equal(call(g, DRM_IOCTL_I915_GEM_WAIT, &wait), -ETIME);
    }
    struct drm_gem_close close = {.handle = 2};
    assert_int_equal(call(g, DRM_IOCTL_GEM_CLOSE, &close), 0);
    assert_int_equal(call(g, DRM_IOCTL_GEM_CLOSE, &close), -EINVAL);
    /* A new object does not take its place. */
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CREATE, &create), 0);
    assert_int_equal(create.handle, OBJECTS + 2);
}

static void test_ioctls_while_a_batch_runs(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    alarm(60); /* a driver that keeps its lock would hang */
    begin(&b, g);
    put_bases(&b);
    put_descriptor(&b, 1);
    put_walker(&b, 1);
    g->meanwhile = while_it_runs;
    assert_int_equal(submit(&b), 0);
    alarm(0);
    assert_string_equal(g->said, "");
    assert_int_equal(g->walk_count, 1);
    struct drm_i915_gem_busy busy = {.handle = 1};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_BUSY, &busy), 0);
    assert_int_equal(busy.busy, 0);
    /* The place of the one that was closed is free now. */
    struct drm_i915_gem_create create = {.size = PAGE};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CREATE, &create), 0);
    assert_int_equal(create.handle, 2);
}

static void look_at_rights(struct gpu *g)
{
    const struct wt_gtt_walk first = walk_of(g->root, (uintptr_t)g->memory + TAG * PAGE),
                             second = walk_of(g->root, (uintptr_t)g->memory + STATE * PAGE);
    assert_non_null(strstr(first.attributes, "read-only"));
    assert_non_null(strstr(second.attributes, "writable"));
}

static void test_a_userptr_may_be_read_only(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    begin(&b, g);
    struct drm_i915_gem_userptr args = {
        .user_ptr = (uintptr_t)page(&b, TAG), .user_size = PAGE, .flags = I915_USERPTR_READ_ONLY};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_USERPTR, &args), 0);
    for (unsigned i = 0; i < OBJECTS; i++)
        if (b.object[i].offset == gpu_address(&b, TAG))
            b.object[i].handle = args.handle;
    put_bases(&b);
    put_descriptor(&b, 1);
    put_walker(&b, 1);
    g->meanwhile = look_at_rights;
    assert_int_equal(submit(&b), 0);
    assert_int_equal(g->walk_count, 1);
}

/* In a child no batch is under way, and the ioctls work. */
static void fork_while_it_runs(struct gpu *g)
{
    int status;
    wt_i915_before_fork(g->device);
    const pid_t child = fork();
    if (!child) {
        struct drm_i915_gem_busy busy = {.handle = 1};
        _exit(wt_i915_after_fork(g->device, true) && call(g, DRM_IOCTL_I915_GEM_BUSY, &busy) == 0 &&
                      busy.busy == 0
                  ? 0
                  : 1);
    }
    assert_false(wt_i915_after_fork(g->device, false));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void test_a_child_of_a_program_whose_batch_runs(void **state)
{
    struct gpu *g = *state;
    struct batch b;
    begin(&b, g);
    put_bases(&b);
    put_descriptor(&b, 1);
    put_walker(&b, 1);
    g->meanwhile = fork_while_it_runs;
    assert_int_equal(submit(&b), 0);
    assert_int_equal(g->walk_count, 1);
}

/* A context of its own, and a batch with one walk, whose first coordinate is @p number. */
static void begin_walk(struct batch *b, struct gpu *g, uint32_t context, uint32_t number)
{
    begin(b, g);
    b->args.rsvd1 = context;
    put_bases(b);
    put_descriptor(b, 1);
    put_walker(b, 1);
    b->next[-10] = number; /* the walk's first group in x */
}

static uint32_t new_context(struct gpu *g)
{
    struct drm_i915_gem_context_create_ext create = {0};
    assert_int_equal(call(g, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &create), 0);
    return create.ctx_id;
}

/* The call that submits a batch returns while it runs. Batches of all contexts run in the order in
 * which they came, one at a time; an object is busy until the last batch that uses it has ended. */
static void test_batches_run_one_after_the_other(void **state)
{
    struct gpu *g = *state;
    struct batch first, second;
    uint8_t *const own = g->memory;
    alarm(60); /* a driver that runs them within the call would hang */
    g->stays = true;
    begin_walk(&first, g, 0, 1);
    assert_int_equal(submit_only(&first), 0);
    await_walks(g, 1);
    g->memory = own + OBJECTS * PAGE; /* another batch in other memory */
    begin_walk(&second, g, new_context(g), 2);
    assert_int_equal(submit_only(&second), 0);
    g->memory = own;
    assert_int_equal(wait_for(&first, 1000000), -ETIME);
    assert_int_equal(wait_for(&second, 0), -ETIME);
    await_walks(g, 1);
    let_go(g, 1);
    assert_int_equal(wait_for(&first, -1), 0);
    await_walks(g, 2);
    assert_int_equal(wait_for(&second, 0), -ETIME);
    let_go(g, 1);
    assert_int_equal(wait_for(&second, -1), 0);
    alarm(0);
    assert_int_equal(g->walk_count, 2);
    assert_int_equal(g->walk[0].start[0], 1);
    assert_int_equal(g->walk[1].start[0], 2);
    assert_string_equal(g->said, "");
}

/* A batch that waits for one that fails does not run, if it is of the same context. */
static void test_batches_behind_a_mistake(void **state)
{
    struct gpu *g = *state;
    struct batch first, behind, other;
    uint8_t *const own = g->memory;
    const uint32_t lost = new_context(g);
    alarm(60);
    g->stays = g->fail = true;
    begin_walk(&first, g, lost, 0);
    assert_int_equal(submit_only(&first), 0);
    await_walks(g, 1);
    g->memory = own + OBJECTS * PAGE;
    begin_walk(&behind, g, lost, 1);
    assert_int_equal(submit_only(&behind), 0);
    assert_int_equal(resets(g, lost), 0);
    let_go(g, 1);
    assert_int_equal(wait_for(&behind, -1), 0);
    assert_int_equal(resets(g, lost), 1);
    assert_int_equal(submit_only(&behind), -EIO);
    g->stays = g->fail = false;
    begin_walk(&other, g, 0, 2);
    assert_int_equal(submit(&other), 0);
    alarm(0);
    g->memory = own;
    assert_int_equal(g->walk_count, 1);
    assert_int_equal(g->walk[0].start[0], 2);
}

static void *close_file(void *file)
{
    wt_i915_close(file);
    return NULL;
}

/* What has not begun when the node is closed does not run; what has, ends. */
static void test_closing_the_node(void **state)
{
    struct gpu *g = *state;
    struct wt_i915_file *const file = g->file;
    struct batch first, behind;
    pthread_t thread;
    alarm(60);
    g->stays = true;
    begin_walk(&first, g, 0, 1);
    assert_int_equal(submit_only(&first), 0);
    await_walks(g, 1);
    g->file = wt_i915_open(g->device);
    assert_non_null(g->file);
    g->memory += OBJECTS * PAGE;
    begin_walk(&behind, g, 0, 2);
    assert_int_equal(submit_only(&behind), 0);
    wt_i915_close(g->file);
    g->memory -= OBJECTS * PAGE;
    assert_int_equal(pthread_create(&thread, NULL, close_file, file), 0);
    let_go(g, 1);
    pthread_join(thread, NULL);
    alarm(0);
    g->file = wt_i915_open(g->device);
    g->stays = false;
    begin_walk(&first, g, 0, 3);
    assert_int_equal(submit(&first), 0);
    assert_int_equal(g->walk_count, 2);
    assert_int_equal(g->walk[0].start[0], 1);
    assert_int_equal(g->walk[1].start[0], 3);
}

/* Batches that wait are the parent's; a child runs its own. */
static void test_a_child_of_a_program_with_batches_that_wait(void **state)
{
    struct gpu *g = *state;
    struct batch first, behind;
    int status;
    alarm(60);
    g->stays = true;
    begin_walk(&first, g, 0, 1);
    assert_int_equal(submit_only(&first), 0);
    await_walks(g, 1);
    g->memory += OBJECTS * PAGE;
    begin_walk(&behind, g, new_context(g), 2);
    assert_int_equal(submit_only(&behind), 0);
    wt_i915_before_fork(g->device);
    const pid_t child = fork();
    if (!child) {
        alarm(60);
        g->stays = false;
        const bool was_running = wt_i915_after_fork(g->device, true);
        const int waited = wait_for(&behind, 0);
        begin_walk(&behind, g, 0, 4);
        const int error = submit(&behind);
        _exit(was_running && !waited && !error && g->walk_count == 1 && g->walk[0].start[0] == 4
                  ? 0
                  : 1);
    }
    assert_false(wt_i915_after_fork(g->device, false));
    let_go(g, 2);
    assert_int_equal(wait_for(&behind, -1), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    alarm(0);
    g->memory -= OBJECTS * PAGE;
    assert_int_equal(g->walk_count, 2);
}

/* The names of a module's kernels go with it; those of others stay. */
static void test_names_of_kernels_go_with_their_module(void **state)
{
    static const char module[2];
    char text[100];
    wt_drm_kernel_is(0x1000, "first", &module[0]);
    wt_drm_kernel_is(0x2000, "second", &module[1]);
    wt_drm_kernel_is(0x3000, "third", NULL);
    wt_drm_kernel_describe(0x1000, &(struct wt_called_place){.pc = 0x1010}, text, sizeof text);
    assert_string_equal(text, "0x1010 <first+16>");
    wt_drm_kernels_forget(&module[0]);
    wt_drm_kernel_describe(0x1000, &(struct wt_called_place){.pc = 0x1010}, text, sizeof text);
    assert_string_equal(text, "0x1010");
    wt_drm_kernel_line(0x1000, 0x1010, text, sizeof text);
    assert_string_equal(text, "no source line is known: the runtime does not report this kernel");
    wt_drm_kernel_name(0x2000, text, sizeof text);
    assert_string_equal(text, "second");
    wt_drm_kernel_name(0x3000, text, sizeof text);
    assert_string_equal(text, "third");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_batches_run_one_after_the_other, setup, teardown),
        cmocka_unit_test_setup_teardown(test_batches_behind_a_mistake, setup, teardown),
        cmocka_unit_test_setup_teardown(test_closing_the_node, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_child_of_a_program_with_batches_that_wait, setup,
                                        teardown),
        cmocka_unit_test(test_names_of_kernels_go_with_their_module),
        cmocka_unit_test_setup_teardown(test_it_is_a_skylake_with_i915, setup, teardown),
        cmocka_unit_test_setup_teardown(test_topology, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_clock, setup, teardown),
        cmocka_unit_test_setup_teardown(test_objects_are_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_new_memory_of_the_program_is_filled, setup, teardown),
        cmocka_unit_test_setup_teardown(test_user_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_copies_within_user_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_walker_as_intels_runtime_sends_it, setup, teardown),
        cmocka_unit_test_setup_teardown(test_batches_are_chained, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_batch_of_the_second_level_returns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_batch_waits_for_a_semaphore, setup, teardown),
        cmocka_unit_test_setup_teardown(test_arithmetic_of_the_command_streamer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_registers_that_commands_write, setup, teardown),
        cmocka_unit_test_setup_teardown(test_registers_that_there_are_not, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_indirect_walker_takes_its_dimensions_from_registers,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_stray_access_is_told_and_loses_the_context, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_mistakes_in_a_batch, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_batch_without_an_end, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lists_that_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_addresses_that_are_no_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_report_on_objects, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ioctls_while_a_batch_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_userptr_may_be_read_only, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_child_of_a_program_whose_batch_runs, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
