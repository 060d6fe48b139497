/* Memory as a lane sees it: the window of a generic address selects shared memory of the block,
 * local memory of the thread, or global memory. */
#include "debug/sm/internal.h"

#include <assert.h>

#define FILE_WINDOW WT_SM_FILE_WINDOW
#define ROWS_WINDOW (UINT64_C(3) << 62)
#define BANK_SHIFT 16 /* an offset of constant memory: bank << 16 | byte */

enum { WINDOW_BITS = 24 };
static_assert(SMP_WINDOW_BYTES == UINT64_C(1) << WINDOW_BITS, "the windows are as large");

void smp_describe_spaces(struct wt_probe *p)
{
    /* DWARF's numbers: NVIDIA, "PTX ISA" and "Debugger API" (ptxStorageKind), as LLVM writes them
     * (DW_AT_address_class). */
    p->space[SPACE_GENERIC] = (struct wt_space){
        .name = "generic", .dwarf = 12, .scope = WT_SCOPE_LANE, .address_bits = 64};
    p->space[SPACE_GLOBAL] = (struct wt_space){
        .name = "global", .dwarf = 5, .scope = WT_SCOPE_DEVICE, .address_bits = 64};
    p->space[SPACE_SHARED] = (struct wt_space){.name = "shared",
                                               .dwarf = 8,
                                               .clang = 8, /* OpenCL's pointers to local memory */
                                               .scope = WT_SCOPE_GROUP,
                                               .address_bits = WINDOW_BITS,
                                               .aperture = WT_SM_SHARED_WINDOW};
    p->space[SPACE_LOCAL] = (struct wt_space){.name = "local",
                                              .dwarf = 6,
                                              .scope = WT_SCOPE_LANE,
                                              .address_bits = WINDOW_BITS,
                                              .aperture = WT_SM_LOCAL_WINDOW};
    p->space[SPACE_CONSTANT] = (struct wt_space){
        .name = "constant", .dwarf = 4, .scope = WT_SCOPE_DEVICE, .address_bits = 32};
    p->space[SPACE_FILE] = (struct wt_space){.name = "registers",
                                             .dwarf = -1,
                                             .scope = WT_SCOPE_WAVE,
                                             .address_bits = 32,
                                             .aperture = FILE_WINDOW};
    p->space[SPACE_ROWS] = (struct wt_space){.name = "rows",
                                             .dwarf = -1,
                                             .scope = WT_SCOPE_LANE,
                                             .address_bits = 32,
                                             .aperture = ROWS_WINDOW};
    p->common.topology.spaces = p->space;
    p->common.topology.space_count = SPACES;
    p->common.topology.code_spaces = 1u << SPACE_GLOBAL;
    p->common.topology.address_bits = 64;
    p->common.topology.frame_space = SPACE_LOCAL;
    p->common.topology.registers_space = SPACE_FILE;
}

/* c[bank][byte] in memory. */
static enum wt_status find_constant(struct wt_probe *p, uint64_t offset, size_t size, uint64_t *at,
                                    struct wt_error *err)
{
    const unsigned bank = (unsigned)(offset >> BANK_SHIFT);
    const uint64_t byte = offset & ((1u << BANK_SHIFT) - 1);
    uint32_t bytes = 0;
    enum wt_status status;
    if (bank < SMP_BANKS && (status = smp_find_bank(p, bank, at, &bytes, err)) != WT_OK)
        return status;
    *at += byte;
    if (byte < bytes && size <= bytes - byte)
        return WT_OK;
    return wt_fail(err, WT_INVALID, "constant bank %u has %u bytes", bank, bytes);
}

/* Translates an address of any space to a generic one, which the link can access. */
static enum wt_status generic(struct wt_probe *p, struct wt_address addr, size_t size, uint64_t *at,
                              struct wt_error *err)
{
    assert(addr.space < SPACES);
    *at = addr.offset + p->space[addr.space].aperture;
    if (*at >= FILE_WINDOW)
        return wt_fail(err, WT_UNSUPPORTED, "the register file is written by its registers");
    if (addr.space == SPACE_CONSTANT)
        return find_constant(p, addr.offset, size, at, err);
    if ((addr.space == SPACE_SHARED || addr.space == SPACE_LOCAL) &&
        addr.offset >= SMP_WINDOW_BYTES)
        return wt_fail(err, WT_INVALID, "%s memory has no 0x%llx", p->space[addr.space].name,
                       (unsigned long long)addr.offset);
    return WT_OK;
}

enum wt_status smp_read_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                               struct wt_address addr, void *out, size_t size, struct wt_error *err)
{
    uint64_t at = wt_address_generic(&p->common.topology, addr).offset;
    if (at >= ROWS_WINDOW) /* a dword each */
        at = FILE_WINDOW + (at - ROWS_WINDOW) + 4 * (uint64_t)lane;
    if (at >= FILE_WINDOW)
        return smp_get_file(p, wave, at - FILE_WINDOW, out, size, err);
    enum wt_status status = generic(p, addr, size, &at, err);
    return status ? status : wt_link_read(p->common.link, wave, lane, at, out, size, err);
}

enum wt_status smp_write_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                struct wt_address addr, const void *bytes, size_t size,
                                struct wt_error *err)
{
    uint64_t at = 0;
    enum wt_status status = generic(p, addr, size, &at, err);
    return status ? status : wt_link_write(p->common.link, wave, lane, at, bytes, size, err);
}

enum wt_status smp_find_home(struct wt_probe *p, uint32_t wave, unsigned lane,
                             struct wt_address addr, uint64_t size, struct wt_address *home,
                             uint64_t *part, struct wt_error *err)
{
    uint64_t at = 0, base;
    uint32_t bytes;
    if (wt_address_generic(&p->common.topology, addr).offset >= FILE_WINDOW)
        return wt_fail(err, WT_UNSUPPORTED, "registers cannot be watched");
    enum wt_status status = generic(p, addr, size, &at, err);
    *part = size;
    *home = wt_address_of(at);
    if (status || at - WT_SM_LOCAL_WINDOW >= SMP_WINDOW_BYTES)
        return status;
    const uint64_t offset = at - WT_SM_LOCAL_WINDOW;
    status = smp_find_local(p, wave, lane, &base, &bytes, err);
    if (status)
        return status;
    if (offset >= bytes || size > bytes - offset)
        return wt_fail(err, WT_INVALID, "a thread has %u bytes of local memory", bytes);
    *home = wt_address_of(base + offset);
    return WT_OK;
}
