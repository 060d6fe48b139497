/* Registers of a warp: names and rows. */
#include "debug/sm/internal.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "object/ptx_section.h"

enum { GENERAL = 255, PREDICATES = 7 };
enum { LOCAL_ROW = 1 }; /* of a frame of PTX: where its local memory begins, of each lane */

#define SPECIAL_ROW(name, scope, type, bits, code, ...)                                            \
    WT_REGISTER(name, "special", scope, type, bits, code, code, __VA_ARGS__)

/* The pc and the mask are the program's, even while the warp is in the trap handler. Frames of PTX
 * (frame, ra, caller, locals) are those that find_caller() follows: lanes that wait may be in
 * another one. */
static const struct wt_register special[] = {
    SPECIAL_ROW("pc", WAVE, CODE_PTR, 64, WT_SM_USER_PC, .dwarf = -1, .role = WT_ROLE_PC),
    SPECIAL_ROW("active", WAVE, UINT, 32, WT_SM_USER_MASK, .dwarf = -1, .read_only = true,
                .alt_name = "exec", .role = WT_ROLE_EXEC_MASK),
    SPECIAL_ROW("cc_z", WAVE, UINT, 32, WT_SM_CC_Z, .dwarf = -1),
    SPECIAL_ROW("cc_s", WAVE, UINT, 32, WT_SM_CC_S, .dwarf = -1),
    SPECIAL_ROW("cc_c", WAVE, UINT, 32, WT_SM_CC_C, .dwarf = -1),
    SPECIAL_ROW("cc_o", WAVE, UINT, 32, WT_SM_CC_O, .dwarf = -1),
    SPECIAL_ROW("warpesr", WAVE, UINT, 32, WT_SM_WARP_ESR, .dwarf = -1),
    SPECIAL_ROW("esrpc", WAVE, CODE_PTR, 64, WT_SM_ESR_PC, .dwarf = -1, .read_only = true),
    SPECIAL_ROW("trapped", WAVE, UINT, 32, WT_SM_TRAPPED, .dwarf = -1, .read_only = true),
    SPECIAL_ROW("warppc", WAVE, CODE_PTR, 64, WT_SM_PC, .dwarf = -1, .read_only = true),
    SPECIAL_ROW("frame", LANE, UINT, 32, WT_SM_FRAME, .dwarf = -1, .read_only = true),
    SPECIAL_ROW("ra", LANE, CODE_PTR, 64, WT_SM_RETURN, .dwarf = -1, .read_only = true),
    SPECIAL_ROW("caller", LANE, UINT, 32, WT_SM_CALLER, .dwarf = -1, .read_only = true),
    SPECIAL_ROW("locals", LANE, UINT, 32, WT_SM_LOCAL, .dwarf = PTX_DWARF_LOCAL, .read_only = true),
};
#define SPECIAL (sizeof special / sizeof special[0])

unsigned smp_predicate_index(unsigned number)
{
    return SPECIAL + GENERAL + number;
}

enum wt_status smp_describe_registers(struct wt_probe *p, struct wt_error *err)
{
    static const struct wt_register_range ranges[] = {
        {"R", 0, GENERAL, 1, WT_REGISTER(NULL, "general", LANE, UINT, 32, 0, 0, .dwarf = 0)},
        {"P", 0, PREDICATES, 1,
         WT_REGISTER(NULL, "predicates", WAVE, UINT, 32, WT_SM_P0, WT_SM_P0, .dwarf = -1)},
        {0}};
    static_assert(WT_SM_R0 == 0, "numbers of R0 to R254 are their own");
    return wt_standstill_describe_registers(p, special, SPECIAL, ranges, err);
}

/* Where each lane's function returns to: the frames' first 8 bytes. */
static enum wt_status read_returns(struct wt_probe *p, uint32_t wave, uint8_t *bytes,
                                   struct wt_error *err)
{
    uint8_t frame[4 * SMP_LANES];
    enum wt_status status = smp_get_row(p, wave, WT_SM_FRAME, frame, err);
    for (unsigned lane = 0; lane < SMP_LANES && !status; lane++) {
        const uint64_t row = wt_load_le(frame + 4 * lane, 4);
        if (lane && row == wt_load_le(frame + 4 * (lane - 1), 4))
            memcpy(bytes + 8 * lane, bytes + 8 * (lane - 1), 8);
        else
            status = smp_get_file(p, wave, row * SMP_ROW_BYTES, bytes + 8 * lane, 8, err);
    }
    return status;
}

enum wt_status smp_read_rows(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                             const unsigned *index, size_t count, uint8_t *out,
                             struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (size_t i = 0; i < count && !status; i++) {
        const struct wt_register *r = &p->common.registers[index[i]];
        uint8_t bytes[8 * SMP_LANES];
        status = r->code == WT_SM_RETURN ? read_returns(p, wave, bytes, err)
                                         : smp_get_row(p, wave, r->code, bytes, err);
        if (status == WT_INVALID || status == WT_UNSUPPORTED)
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
    const struct wt_register *r = &p->common.registers[index];
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
    const enum wt_status status = smp_set_row(p, wave, r->code, set, values, err);
    if (!status && r->code == WT_SM_USER_PC)
        smp_row(p, wave)->pc = wt_load_le(values, 8);
    return status;
}

static unsigned index_of(const struct wt_probe *p, uint32_t code)
{
    unsigned i = 0;
    while (p->common.registers[i].code != code)
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
    if (callee->start == WT_NO_START)
        return wt_fail(err, WT_UNSUPPORTED, "nothing says where this code begins");
    if (!callee->read_register(callee->context, frame, callee->lane, &own) ||
        !callee->read_register(callee->context, ra, callee->lane, &pc) ||
        !callee->read_register(callee->context, before, callee->lane, &row) || !pc)
        return wt_fail(err, WT_INVALID, "nothing says where this function returns to");
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
