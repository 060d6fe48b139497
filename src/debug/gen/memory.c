/* Memory as a thread sees it: A64 addresses, the shared local memory of its group, its registers.
 */
#include "debug/gen/internal.h"

#include <assert.h>

void genp_describe_spaces(struct wt_probe *p)
{
    p->space[GENP_GLOBAL] = (struct wt_space){
        .name = "global", .dwarf = 0, .scope = WT_SCOPE_DEVICE, .address_bits = 64};
    p->space[GENP_LOCAL] = (struct wt_space){.name = "local",
                                             .dwarf = -1,
                                             .scope = WT_SCOPE_GROUP,
                                             .address_bits = 16,
                                             .aperture = p->common.link->place[GEN_WIRE_SLM]};
    p->space[GENP_FILE] = (struct wt_space){.name = "grf",
                                            .dwarf = -1,
                                            .scope = WT_SCOPE_WAVE,
                                            .address_bits = 12,
                                            .aperture = p->common.link->place[GEN_WIRE_FILE]};
    p->common.topology.file_space = p->common.topology.registers_space = GENP_FILE;
    p->common.topology.file_dwarf = GENP_DWARF_GRF;
    p->common.topology.file_bytes = sizeof((struct gen_saved *)0)->r[0];
    p->common.topology.spaces = p->space;
    p->common.topology.space_count = GENP_SPACES;
    p->common.topology.address_bits = 64;
}

/* To the program, a pointer to shared local memory is an offset; the debug information of Intel's
 * compiler marks it by its highest byte (measured on Debian's compiler). A pointer of the generic
 * address space has its memory in bits 63:61 (Intel Graphics Compiler,
 * GenericAddressDynamicResolution). */
enum {
    SCRATCH_MARK = 0x09,
    LOCAL_MARK = 0x0a,
    LOCAL_BYTES = 65536,
    GENERIC_PRIVATE = 1,
    GENERIC_LOCAL = 2
};

uint64_t genp_linear(const struct wt_probe *p, struct wt_address addr)
{
    assert(addr.space < GENP_SPACES);
    if (addr.space == GENP_GLOBAL && addr.offset >> 61 == GENERIC_PRIVATE)
        return addr.offset & (UINT64_MAX >> 3);
    if (addr.space == GENP_GLOBAL &&
        (addr.offset >> 56 == LOCAL_MARK || addr.offset >> 61 == GENERIC_LOCAL))
        return p->common.link->place[GEN_WIRE_SLM] + addr.offset % LOCAL_BYTES;
    return addr.offset + p->space[addr.space].aperture;
}

/* Likewise; what the compiler has spilled is marked, too: it lies in the thread's scratch memory.
 */
static uint64_t linear_of(const struct wt_probe *p, uint32_t wave, struct wt_address addr)
{
    if (addr.space == GENP_GLOBAL && addr.offset >> 56 == SCRATCH_MARK)
        return genp_row(p, wave)->saved.scratch + (addr.offset & (UINT64_MAX >> 8));
    return genp_linear(p, addr);
}

enum wt_status genp_read_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                struct wt_address addr, void *out, size_t size,
                                struct wt_error *err)
{
    return genp_read_link(p, wave, linear_of(p, wave, addr), out, size, err);
}

enum wt_status genp_write_memory(struct wt_probe *p, uint32_t wave, unsigned lane,
                                 struct wt_address addr, const void *bytes, size_t size,
                                 struct wt_error *err)
{
    uint64_t at = linear_of(p, wave, addr);
    genp_unmark(p, &wave, &at);
    return wt_link_write(p->common.link, wave, 0, at, bytes, size, err);
}

enum wt_status genp_find_home(struct wt_probe *p, uint32_t wave, unsigned lane,
                              struct wt_address addr, uint64_t size, struct wt_address *home,
                              uint64_t *part, struct wt_error *err)
{
    *home = wt_address_of(linear_of(p, wave, addr));
    *part = size;
    return WT_OK;
}
