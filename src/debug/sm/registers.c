/* Registers of a warp: names and rows. */
#include "debug/sm/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { GENERAL = 255, PREDICATES = 7 };
enum { LOCAL_ROW = 1 }; /* of a frame of PTX: where its local memory begins, of each lane */

#define WAVE(name_, bits_, code_)                                                                  \
    {                                                                                              \
        .name = (name_), .set = "special", .type = WT_REG_UINT, .scope = WT_SCOPE_WAVE,            \
        .bits = (bits_), .number = (code_), .dwarf = -1, .code = (code_)                           \
    }

/* The pc and the mask are the program's, even while the warp is in the trap handler. */
static const struct wt_register special[] = {
    {.name = "pc",
     .set = "special",
     .type = WT_REG_CODE_PTR,
     .scope = WT_SCOPE_WAVE,
     .role = WT_ROLE_PC,
     .bits = 64,
     .number = WT_SM_USER_PC,
     .dwarf = -1,
     .code = WT_SM_USER_PC},
    {.name = "active",
     .alt_name = "exec",
     .set = "special",
     .type = WT_REG_UINT,
     .scope = WT_SCOPE_WAVE,
     .role = WT_ROLE_EXEC_MASK,
     .bits = 32,
     .number = WT_SM_USER_MASK,
     .dwarf = -1,
     .code = WT_SM_USER_MASK,
     .read_only = true},
    WAVE("cc_z", 32, WT_SM_CC_Z),
    WAVE("cc_s", 32, WT_SM_CC_S),
    WAVE("cc_c", 32, WT_SM_CC_C),
    WAVE("cc_o", 32, WT_SM_CC_O),
    WAVE("warpesr", 32, WT_SM_WARP_ESR),
    {.name = "esrpc",
     .set = "special",
     .type = WT_REG_CODE_PTR,
     .scope = WT_SCOPE_WAVE,
     .bits = 64,
     .number = WT_SM_ESR_PC,
     .dwarf = -1,
     .code = WT_SM_ESR_PC,
     .read_only = true},
    {.name = "trapped",
     .set = "special",
     .type = WT_REG_UINT,
     .scope = WT_SCOPE_WAVE,
     .bits = 32,
     .number = WT_SM_TRAPPED,
     .dwarf = -1,
     .code = WT_SM_TRAPPED,
     .read_only = true},
    {.name = "warppc",
     .set = "special",
     .type = WT_REG_CODE_PTR,
     .scope = WT_SCOPE_WAVE,
     .bits = 64,
     .number = WT_SM_PC,
     .dwarf = -1,
     .code = WT_SM_PC,
     .read_only = true},
    /* Frames of PTX, which find_caller() follows: lanes that wait may be in another one. */
    {.name = "frame",
     .set = "special",
     .type = WT_REG_UINT,
     .scope = WT_SCOPE_LANE,
     .bits = 32,
     .number = WT_SM_FRAME,
     .dwarf = -1,
     .code = WT_SM_FRAME,
     .read_only = true},
    {.name = "ra",
     .set = "special",
     .type = WT_REG_CODE_PTR,
     .scope = WT_SCOPE_LANE,
     .bits = 64,
     .number = WT_SM_RETURN,
     .dwarf = -1,
     .code = WT_SM_RETURN,
     .read_only = true},
    {.name = "caller",
     .set = "special",
     .type = WT_REG_UINT,
     .scope = WT_SCOPE_LANE,
     .bits = 32,
     .number = WT_SM_CALLER,
     .dwarf = -1,
     .code = WT_SM_CALLER,
     .read_only = true},
    {.name = "locals",
     .set = "special",
     .type = WT_REG_UINT,
     .scope = WT_SCOPE_LANE,
     .bits = 32,
     .number = WT_SM_LOCAL,
     .dwarf = WT_SM_DWARF_LOCAL,
     .code = WT_SM_LOCAL,
     .read_only = true},
};
#define SPECIAL (sizeof special / sizeof special[0])

unsigned smp_predicate_index(unsigned number)
{
    return SPECIAL + GENERAL + number;
}

bool smp_describe_registers(struct wt_probe *p)
{
    const size_t count = SPECIAL + GENERAL + PREDICATES;
    size_t n = SPECIAL;
    p->registers = calloc(count, sizeof *p->registers);
    p->names = calloc(count, sizeof *p->names);
    if (!p->registers || !p->names)
        return false;
    memcpy(p->registers, special, sizeof special);
    for (unsigned i = 0; i < GENERAL + PREDICATES; i++, n++) {
        const bool general = i < GENERAL;
        const unsigned number = general ? i : i - GENERAL;
        snprintf(p->names[n], sizeof *p->names, "%c%u", general ? 'R' : 'P', number);
        p->registers[n] =
            (struct wt_register){.name = p->names[n],
                                 .set = general ? "general" : "predicates",
                                 .type = WT_REG_UINT,
                                 .scope = general ? WT_SCOPE_LANE : WT_SCOPE_WAVE,
                                 .bits = 32,
                                 .number = general ? number : WT_SM_P0 + number,
                                 .dwarf = general ? (int)number : -1,
                                 .code = general ? WT_SM_R0 + number : WT_SM_P0 + number};
    }
    assert(n == count);
    p->common.topology.registers = p->registers;
    p->common.topology.register_count = count;
    p->common.topology.pc_index = 0;
    return true;
}

/* Where each lane's function returns to: the frames' first 8 bytes. */
static enum wt_status read_returns(struct wt_probe *p, uint32_t wave, uint8_t *bytes,
                                   struct wt_error *err)
{
    uint8_t frame[4 * SMP_LANES];
    enum wt_status status =
        p->link->ops->read_row(p->link->common.context, wave, WT_SM_FRAME, frame, err);
    for (unsigned lane = 0; lane < SMP_LANES && !status; lane++) {
        const uint64_t row = wt_load_le(frame + 4 * lane, 4);
        if (lane && row == wt_load_le(frame + 4 * (lane - 1), 4))
            memcpy(bytes + 8 * lane, bytes + 8 * (lane - 1), 8);
        else
            status = p->link->ops->read_file(p->link->common.context, wave, row * SMP_ROW_BYTES,
                                             bytes + 8 * lane, 8, err);
    }
    return status;
}

enum wt_status smp_read_rows(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                             const unsigned *index, size_t count, uint8_t *out,
                             struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const struct wt_register *r = &p->registers[index[i]];
        uint8_t bytes[8 * SMP_LANES];
        status = r->code == WT_SM_RETURN
                     ? read_returns(p, wave, bytes, err)
                     : p->link->ops->read_row(p->link->common.context, wave, r->code, bytes, err);
        if (status == WT_INVALID)
            return wt_fail(err, WT_UNSUPPORTED, "the kernel has no register %s", r->name);
        if (status)
            return status;
        const size_t size = wt_register_size(r);
        if (r->scope != WT_SCOPE_LANE) {
            memcpy(out, bytes, size);
            out += size;
            continue;
        }
        out = wt_lanes_gather(lanes & wt_lanes_first(SMP_LANES), bytes, size, out);
    }
    return status;
}

enum wt_status smp_write_row(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned index,
                             const uint8_t *bytes, struct wt_error *err)
{
    const struct wt_register *r = &p->registers[index];
    uint8_t values[4 * SMP_LANES] = {0};
    uint32_t set = 0;
    if (r->scope != WT_SCOPE_LANE)
        memcpy(values, bytes, wt_register_size(r));
    for (unsigned lane = 0; r->scope == WT_SCOPE_LANE && lane < SMP_LANES; lane++) {
        if (!wt_has_lane(lanes, lane))
            continue;
        set |= 1u << lane;
        memcpy(values + 4 * lane, bytes, 4);
        bytes += 4;
    }
    const enum wt_status status =
        p->link->ops->write_row(p->link->common.context, wave, r->code, set, values, err);
    if (!status && r->code == WT_SM_USER_PC)
        smp_row(p, wave)->pc = wt_load_le(values, 8);
    return status;
}

static unsigned index_of(const struct wt_probe *p, uint32_t code)
{
    unsigned i = 0;
    while (p->registers[i].code != code)
        i++;
    assert(i < SPECIAL);
    return i;
}

enum wt_status smp_find_caller(struct wt_probe *p, const struct wt_callee *callee,
                               struct wt_caller *caller, struct wt_error *err)
{
    const unsigned frame = index_of(p, WT_SM_FRAME), ra = index_of(p, WT_SM_RETURN);
    const unsigned before = index_of(p, WT_SM_CALLER);
    uint64_t own, pc, row;
    if (!callee->read_register(callee->context, frame, callee->lane, &own) ||
        !callee->read_register(callee->context, ra, callee->lane, &pc) ||
        !callee->read_register(callee->context, before, callee->lane, &row) || !pc)
        return wt_fail(err, WT_INVALID, "nothing tells where this function returns to");
    const uint64_t header = row * SMP_ROW_BYTES;
    *caller = (struct wt_caller){
        .cfa = own * SMP_ROW_BYTES,
        .pc = pc,
        .register_count = 4,
        .reg = {{.index = frame, .value = row},
                {.index = ra, .in_memory = true, .addr = {SPACE_FILE, header}},
                {.index = before, .in_memory = true, .addr = {SPACE_FILE, header + 8}},
                {.index = index_of(p, WT_SM_LOCAL),
                 .in_memory = true,
                 .addr = {SPACE_ROWS, header + LOCAL_ROW * SMP_ROW_BYTES}}}};
    return WT_OK;
}
