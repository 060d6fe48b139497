/*
 * The command streamer: reads the commands of a batch one after the other (Skylake PRM volume 2a,
 * command reference). A row of the table below is a command; a command without a function changes
 * nothing here: caches, pipeline selection, preemption.
 */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/array.h"
#include "emulator/gen/gen.h"
#include "runtime/i915/internal.h"

/* How long a command is, in dwords. */
enum length {
    ONE,    /* 1 */
    SHORT,  /* bits 7:0, plus 2 */
    MEDIUM, /* bits 15:0, plus 2 */
};

enum { LONGEST = 1 + 0x10000 };

struct streamer_command {
    const char *name;
    uint32_t mask, value; /* bits of the header */
    enum length length;
    unsigned least; /* dwords that its function needs */
    enum wt_status (*run)(struct drm_batch *batch, const uint32_t *dword, unsigned count,
                          struct wt_error *err);
    uint32_t refused; /* bits of the header that ask for what is not emulated */
};

/* The address at which a batch continues. */
enum { IN_PLACE, AT_END, ELSEWHERE };

/* ---- memory ---- */

/* The memory of this process for size bytes at a GPU address; NULL: no mapping has all of them. */
static uint8_t *batch_host(const struct drm_batch *batch, uint64_t address, uint64_t size)
{
    WT_BISECT(low, batch->mapping_count, batch->mappings[middle].address <= address);
    const struct wt_i915_mapping *m = low ? &batch->mappings[low - 1] : NULL;
    if (m && address - m->address < m->size && size <= m->size - (address - m->address))
        return m->host + (address - m->address);
    return NULL;
}

/* An address in two dwords; bits above 47 are its sign. */
static uint64_t address_of(const uint32_t *dword)
{
    return ((uint64_t)dword[1] << 32 | dword[0]) & (((uint64_t)1 << DRM_ADDRESS_BITS) - 1);
}

static enum wt_status store(struct drm_batch *batch, uint64_t address, const void *bytes,
                            size_t size, struct wt_error *err)
{
    uint8_t *host = batch_host(batch, address, size);
    if (!host)
        return wt_fail(err, WT_INVALID,
                       "it writes 0x%" PRIx64 ", which is in none of the batch's objects", address);
    memcpy(host, bytes, size);
    return WT_OK;
}

/* ---- commands ---- */

static uint32_t register_of(uint32_t dword)
{
    return dword & 0x7ffffc;
}

static enum wt_status load_register_imm(struct drm_batch *batch, const uint32_t *dword,
                                        unsigned count, struct wt_error *err)
{
    enum wt_status status;
    for (unsigned i = 1; i + 1 < count; i += 2)
        if ((status = drm_register_write(batch, register_of(dword[i]), dword[i + 1], err)) != WT_OK)
            return status;
    return WT_OK;
}

static enum wt_status load_register_reg(struct drm_batch *batch, const uint32_t *dword,
                                        unsigned count, struct wt_error *err)
{
    uint32_t value;
    const enum wt_status status = drm_register_read(batch, register_of(dword[1]), &value, err);
    return status ? status : drm_register_write(batch, register_of(dword[2]), value, err);
}

static enum wt_status load_register_mem(struct drm_batch *batch, const uint32_t *dword,
                                        unsigned count, struct wt_error *err)
{
    const uint64_t address = address_of(&dword[2]) & ~UINT64_C(3);
    uint32_t value;
    const uint8_t *host = batch_host(batch, address, sizeof value);
    if (!host)
        return wt_fail(err, WT_INVALID,
                       "it reads 0x%" PRIx64 ", which is in none of the batch's objects", address);
    memcpy(&value, host, sizeof value);
    return drm_register_write(batch, register_of(dword[1]), value, err);
}

static enum wt_status store_register_mem(struct drm_batch *batch, const uint32_t *dword,
                                         unsigned count, struct wt_error *err)
{
    uint32_t value;
    const enum wt_status status = drm_register_read(batch, register_of(dword[1]), &value, err);
    return status ? status
                  : store(batch, address_of(&dword[2]) & ~UINT64_C(3), &value, sizeof value, err);
}

static enum wt_status math(struct drm_batch *batch, const uint32_t *dword, unsigned count,
                           struct wt_error *err)
{
    return drm_math(batch->gpu, &dword[1], count - 1, err);
}

static enum wt_status store_data_imm(struct drm_batch *batch, const uint32_t *dword, unsigned count,
                                     struct wt_error *err)
{
    return store(batch, address_of(&dword[1]) & ~UINT64_C(3), &dword[3], count > 4 ? 8 : 4, err);
}

/* A comparison of the value in memory with the one in the command. */
static bool compare(unsigned how, uint32_t memory, uint32_t command)
{
    switch (how) {
    case 0:
        return memory > command;
    case 1:
        return memory >= command;
    case 2:
        return memory < command;
    case 3:
        return memory <= command;
    case 4:
        return memory == command;
    default:
        return memory != command;
    }
}

/* Whether it waits by polling or for a signal makes no difference here. */
static enum wt_status semaphore_wait(struct drm_batch *batch, const uint32_t *dword, unsigned count,
                                     struct wt_error *err)
{
    const uint64_t address = address_of(dword + 2);
    const unsigned how = dword[0] >> 12 & 7;
    if (how > 5)
        return wt_fail(err, WT_INVALID, "there is no comparison %u", how);
    const uint8_t *host = batch_host(batch, address, sizeof(uint32_t));
    if (!host)
        return wt_fail(err, WT_INVALID, "0x%" PRIx64 " is in none of the batch's objects", address);
    batch->semaphore = (struct drm_semaphore){
        .address = address, .how = how, .value = dword[1], .now = (uint32_t)wt_load_le(host, 4)};
    batch->waits = !compare(how, batch->semaphore.now, dword[1]);
    return WT_OK;
}

/* Synchronises, which needs nothing here, and may write an immediate, to memory or to a register,
 * or the time. */
static enum wt_status pipe_control(struct drm_batch *batch, const uint32_t *dword, unsigned count,
                                   struct wt_error *err)
{
    enum { TO_REGISTER = 1 << 23, TO_GLOBAL_TABLE = 1 << 24, POST_SYNC = 3 << 14 };
    const uint64_t address = address_of(&dword[2]) & ~UINT64_C(7);
    const uint64_t now = batch->device->ops->ticks(batch->device->context) & UINT64_C(0xfffffffff);
    if (dword[1] & POST_SYNC && dword[1] & TO_GLOBAL_TABLE)
        return wt_fail(err, WT_INVALID,
                       "a post-sync operation on the global table is not executed");
    switch (dword[1] >> 14 & 3) { /* post-sync operation */
    case 1:
        return dword[1] & TO_REGISTER
                   ? drm_register_write(batch, register_of(dword[2]), dword[4], err)
                   : store(batch, address, &dword[4], 8, err);
    case 3:
        return store(batch, address, &now, 8, err);
    case 2:
        return wt_fail(err, WT_INVALID, "post-sync operation 2 (depth count) is not executed");
    default:
        return WT_OK;
    }
}

static enum wt_status flush_dw(struct drm_batch *batch, const uint32_t *dword, unsigned count,
                               struct wt_error *err)
{
    const uint64_t address = address_of(&dword[1]) & ~UINT64_C(7);
    const uint64_t now = batch->device->ops->ticks(batch->device->context) & UINT64_C(0xfffffffff);
    switch (dword[0] >> 14 & 3) {
    case 1:
        return store(batch, address, &dword[3], count > 4 ? 8 : 4, err);
    case 3:
        return store(batch, address, &now, 8, err);
    default:
        return WT_OK;
    }
}

/* A base address, where its modify bit is set. */
static void take_base(uint64_t *base, const uint32_t *dword)
{
    if (dword[0] & 1)
        *base = address_of(dword) & ~(DRM_PAGE - 1);
}

static enum wt_status state_base_address(struct drm_batch *batch, const uint32_t *dword,
                                         unsigned count, struct wt_error *err)
{
    struct drm_gpu_state *gpu = batch->gpu;
    take_base(&gpu->general, &dword[1]);
    take_base(&gpu->surface, &dword[4]);
    take_base(&gpu->dynamic, &dword[6]);
    take_base(&gpu->indirect, &dword[8]);
    take_base(&gpu->instruction, &dword[10]);
    take_base(&gpu->bindless, &dword[16]);
    return WT_OK;
}

static enum wt_status state_sip(struct drm_batch *batch, const uint32_t *dword, unsigned count,
                                struct wt_error *err)
{
    batch->gpu->sip = address_of(&dword[1]) & ~UINT64_C(15);
    batch->gpu->has_sip = true;
    return WT_OK;
}

static enum wt_status media_vfe_state(struct drm_batch *batch, const uint32_t *dword,
                                      unsigned count, struct wt_error *err)
{
    struct drm_gpu_state *gpu = batch->gpu;
    gpu->scratch = (uint64_t)(dword[2] & 0xffff) << 32 | (dword[1] & ~UINT32_C(0x3ff));
    gpu->scratch_code = dword[1] & 0xf;
    gpu->has_scratch = gpu->scratch != 0;
    return WT_OK;
}

/* The descriptors are fetched now: later changes that the program makes to its copy
 * have no effect. */
static enum wt_status load_descriptors(struct drm_batch *batch, const uint32_t *dword,
                                       unsigned count, struct wt_error *err)
{
    struct drm_gpu_state *gpu = batch->gpu;
    const uint32_t bytes = dword[2] & 0x1ffff;
    const uint64_t address = gpu->dynamic + dword[3];
    if (bytes > sizeof gpu->descriptors || bytes % DESCRIPTOR_BYTES)
        return wt_fail(err, WT_INVALID,
                       "it loads %" PRIu32
                       " bytes of descriptors; a descriptor has %d, and %d are the most",
                       bytes, DESCRIPTOR_BYTES, MOST_DESCRIPTORS);
    const uint8_t *host = batch_host(batch, address, bytes);
    if (!host && bytes)
        return wt_fail(err, WT_INVALID,
                       "descriptors at 0x%" PRIx64 " are in none of the batch's objects", address);
    if (bytes)
        memcpy(gpu->descriptors, host, bytes);
    gpu->descriptor_bytes = bytes;
    return WT_OK;
}

static enum wt_status gpgpu_walker(struct drm_batch *batch, const uint32_t *dword, unsigned count,
                                   struct wt_error *err)
{
    enum wt_status status;
    struct gen_walk walk;
    uint32_t direct[15];
    memcpy(direct, dword, sizeof direct);
    if (dword[0] >> 10 & 1) { /* indirect: the dimensions are in registers */
        direct[7] = drm_register_get(batch->gpu, DRM_DISPATCH_DIMENSIONS);
        direct[10] = drm_register_get(batch->gpu, DRM_DISPATCH_DIMENSIONS + 4);
        direct[12] = drm_register_get(batch->gpu, DRM_DISPATCH_DIMENSIONS + 8);
    }
    if ((status = drm_walk(batch, direct, &walk, err)) != WT_OK)
        return status;
    for (unsigned i = 0; i < 3; i++)
        if (walk.start[i] >= walk.end[i])
            return WT_OK; /* no group */
    return batch->device->ops->run(batch->device->context, batch->file, batch->root,
                                   batch->mappings, batch->mapping_count, &walk, err);
}

/* Bits of headers. */
enum { BYTE_WRITE_DISABLES = 0xf << 8, PREDICATE = 1 << 21, GLOBAL_TABLE = 1 << 22 };

#define MI(opcode) 0xff800000, (uint32_t)(opcode) << 23
#define RENDER(pipeline, opcode, sub)                                                              \
    0xffff0000, 3u << 29 | (uint32_t)(pipeline) << 27 | (opcode) << 24 | (sub) << 16

static const struct streamer_command commands[] = {
    {"MI_NOOP", MI(0x00), ONE, 1, NULL, 0},
    {"MI_USER_INTERRUPT", MI(0x02), ONE, 1, NULL, 0},
    {"MI_ARB_CHECK", MI(0x05), ONE, 1, NULL, 0},
    {"MI_ARB_ON_OFF", MI(0x08), ONE, 1, NULL, 0},
    {"MI_MATH", MI(0x1a), SHORT, 2, math, 0},
    {"MI_SEMAPHORE_WAIT", MI(0x1c), SHORT, 4, semaphore_wait, 0},
    {"MI_STORE_DATA_IMM", MI(0x20), SHORT, 4, store_data_imm, GLOBAL_TABLE},
    {"MI_LOAD_REGISTER_IMM", MI(0x22), SHORT, 3, load_register_imm, BYTE_WRITE_DISABLES},
    {"MI_STORE_REGISTER_MEM", MI(0x24), SHORT, 4, store_register_mem, GLOBAL_TABLE | PREDICATE},
    {"MI_FLUSH_DW", MI(0x26), SHORT, 4, flush_dw, 0},
    {"MI_LOAD_REGISTER_MEM", MI(0x29), SHORT, 4, load_register_mem, GLOBAL_TABLE},
    {"MI_LOAD_REGISTER_REG", MI(0x2a), SHORT, 3, load_register_reg, 0},
    {"PIPELINE_SELECT", RENDER(1, 1, 0x04), ONE, 1, NULL, 0},
    {"STATE_BASE_ADDRESS", RENDER(0, 1, 0x01), SHORT, 18, state_base_address, 0},
    {"STATE_SIP", RENDER(0, 1, 0x02), SHORT, 3, state_sip, 0},
    {"GPGPU_CSR_BASE_ADDRESS", RENDER(0, 1, 0x04), SHORT, 3, NULL, 0},
    {"PIPE_CONTROL", RENDER(3, 2, 0x00), SHORT, 6, pipe_control, 0},
    {"MEDIA_VFE_STATE", RENDER(2, 0, 0x00), MEDIUM, 9, media_vfe_state, 0},
    {"MEDIA_INTERFACE_DESCRIPTOR_LOAD", RENDER(2, 0, 0x02), MEDIUM, 4, load_descriptors, 0},
    {"MEDIA_STATE_FLUSH", RENDER(2, 0, 0x04), MEDIUM, 2, NULL, 0},
    {"GPGPU_WALKER", RENDER(2, 1, 0x05), SHORT, 15, gpgpu_walker, 0},
};

#define MI_BATCH_BUFFER_END 0x0a
#define MI_BATCH_BUFFER_START 0x31

static const struct streamer_command *find(uint32_t header)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if ((header & commands[i].mask) == commands[i].value)
            return &commands[i];
    return NULL;
}

static unsigned length_of(const struct streamer_command *command, uint32_t header)
{
    switch (command->length) {
    case ONE:
        return 1;
    case SHORT:
        return (header & 0xff) + 2;
    case MEDIUM:
        return (header & 0xffff) + 2;
    }
    assert(false);
    return 1;
}

static enum wt_status outside(struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "the batch continues outside its objects");
}

/* Executes the command at @p address; *next is the address of the next one, and *more false at the
 * end. */
static enum wt_status one(struct drm_batch *batch, uint64_t address, uint64_t *next, bool *more,
                          struct wt_error *err)
{
    static_assert(LONGEST * sizeof(uint32_t) < UINT32_MAX, "a command fits");
    uint32_t header;
    const uint8_t *host = batch_host(batch, address, sizeof header);
    if (!host)
        return outside(err);
    memcpy(&header, host, sizeof header);
    const uint32_t mi = header >> 29 ? UINT32_MAX : header >> 23;
    *more = mi != MI_BATCH_BUFFER_END || batch->second_level;
    if (mi == MI_BATCH_BUFFER_END) {
        *next = batch->first_level;
        batch->second_level = false;
        return WT_OK;
    }
    if (mi == MI_BATCH_BUFFER_START) {
        uint32_t target[2];
        const bool second = header >> 22 & 1;
        if (!(host = batch_host(batch, address + 4, sizeof target)))
            return outside(err);
        memcpy(target, host, sizeof target);
        if (second && !batch->second_level)
            batch->first_level = address + 4 + sizeof target;
        batch->second_level = second;
        *next = address_of(target) & ~UINT64_C(3);
        return WT_OK;
    }
    batch->at = address;
    const struct streamer_command *command = find(header);
    if (!command)
        return wt_fail(err, WT_INVALID, "command 0x%08" PRIx32 " is not executed", header);
    const unsigned count = length_of(command, header);
    if (count < command->least)
        return wt_fail(err, WT_INVALID, "%s has %u dwords instead of %u", command->name, count,
                       command->least);
    if (header & command->refused)
        return wt_fail(err, WT_INVALID, "%s: bits 0x%" PRIx32 " of its header are not executed",
                       command->name, header & command->refused);
    if (!(host = batch_host(batch, address, count * sizeof(uint32_t))))
        return outside(err);
    *next = address + count * sizeof(uint32_t);
    if (!command->run)
        return WT_OK;
    /* A copy of what the function looks at: kernels may write the batch while it runs. */
    uint32_t dwords[256 + 2];
    const unsigned used =
        count < sizeof dwords / sizeof dwords[0] ? count : sizeof dwords / sizeof dwords[0];
    memcpy(dwords, host, used * sizeof dwords[0]);
    return command->run(batch, dwords, used, err) == WT_OK ? WT_OK
                                                           : wt_fail_in(err, "%s", command->name);
}

enum wt_status drm_stream(struct drm_batch *batch, uint64_t *address, struct wt_error *err)
{
    enum { MOST_COMMANDS = 1 << 20 };
    bool more = true;
    batch->waits = false;
    for (unsigned n = 0; more && n < MOST_COMMANDS; n++) {
        const uint64_t at = *address;
        if (one(batch, at, address, &more, err) != WT_OK)
            return wt_fail_in(err, "batch, command at 0x%" PRIx64, at);
        if (batch->waits) {
            *address = at;
            return WT_OK;
        }
    }
    return more ? wt_fail(err, WT_INVALID, "a batch of more than %d commands has no end",
                          MOST_COMMANDS)
                : WT_OK;
}
