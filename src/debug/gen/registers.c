/*
 * Registers of a thread, as the system routine has saved them. Names and numbers are those of
 * Intel's GDB (target descriptions intelgt-grf and intelgt-arf9): r0 = 0 to r127, cr0 = 144,
 * ip = 145. DWARF's numbers: intel/gdb, gdb/intelgt-tdep.c.
 */
#include "debug/gen/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

enum { GRFS = 128, PC_NUMBER = 0x1000 };
#define AT(member) offsetof(struct gen_saved, member)
#define ACC(n) (AT(acc) + 32u * (n))

/* Registers that the save area does not hold as they are. */
enum { CODE_PC = GEN_SAVED_STRIDE, CODE_IP };

#define SHORT(name, bits, number, dwarf_, code, read_only_)                                        \
    WT_REGISTER(name, "arf", WAVE, UINT, bits, number, code, .dwarf = (dwarf_),                    \
                .read_only = (read_only_))
#define VECTOR(name, number, dwarf, code) SHORT(name, 256, number, dwarf, code, false)

/* acc2 to acc9 are mme0 to mme7, which DWARF numbers apart. emask, iemask: channels that execute,
 * and those that the thread was started with. */
static const struct wt_register architecture[] = {
    WT_REGISTER("pc", "arf", WAVE, CODE_PTR, 64, PC_NUMBER, CODE_PC, .dwarf = -1,
                .role = WT_ROLE_PC),
    VECTOR("a0", 128, 272, AT(a0)),
    VECTOR("acc0", 129, 304, ACC(0)),
    VECTOR("acc1", 130, 305, ACC(1)),
    VECTOR("acc2", 131, 320, ACC(2)),
    VECTOR("acc3", 132, 321, ACC(3)),
    VECTOR("acc4", 133, 322, ACC(4)),
    VECTOR("acc5", 134, 323, ACC(5)),
    VECTOR("acc6", 135, 324, ACC(6)),
    VECTOR("acc7", 136, 325, ACC(7)),
    VECTOR("acc8", 137, 326, ACC(8)),
    VECTOR("acc9", 138, 327, ACC(9)),
    SHORT("f0", 32, 139, 288, AT(f), false),
    SHORT("f1", 32, 140, 289, AT(f) + 4, false),
    WT_REGISTER("ce", "arf", WAVE, UINT, 32, 141, AT(ce), .dwarf = -1, .read_only = true,
                .role = WT_ROLE_EXEC_MASK),
    SHORT("sp", 128, 142, -1, AT(sp), false),
    SHORT("sr0", 128, 143, -1, AT(sr), true),
    SHORT("cr0", 128, 144, -1, AT(cr), false),
    SHORT("ip", 32, 145, 0, CODE_IP, false),
    SHORT("tdr", 128, 146, -1, AT(tdr), false),
    SHORT("tm0", 128, 147, -1, AT(tm), true),
    SHORT("emask", 32, 148, 1, AT(ce), true),
    SHORT("iemask", 32, 149, -1, AT(dispatch), true),
    /* Not among Intel's. */
    SHORT("n0", 128, 150, -1, AT(n), false),
    SHORT("dbg0", 128, 151, -1, AT(dbg), false),
    SHORT("msg0", 256, 152, -1, AT(msg), false),
    SHORT("fc0", 1024, 153, -1, AT(fc), false),
    SHORT("fc1", 32, 154, -1, AT(fc) + 128, false),
    SHORT("fc2", 32, 155, -1, AT(fc) + 132, false),
    SHORT("fc3", 128, 156, -1, AT(fc) + 136, false),
    SHORT("fc4", 32, 157, -1, AT(fc) + 152, false),
};
enum { ARCHITECTURE = sizeof architecture / sizeof *architecture };

enum wt_status genp_describe_registers(struct wt_probe *p, struct wt_error *err)
{
    static const struct wt_register_range ranges[] = {
        {"r", 0, GRFS, 32,
         WT_REGISTER(NULL, "grf", WAVE, UINT, 256, 0, AT(r), .dwarf = GENP_DWARF_GRF)},
        {0}};
    return wt_standstill_describe_registers(p, architecture, ARCHITECTURE, ranges, err);
}

static enum wt_status read_one(struct wt_probe *p, uint32_t wave, const struct genp_row *row,
                               const struct wt_register *r, uint8_t *out, struct wt_error *err)
{
    const size_t size = wt_register_size(r);
    if (r->code == CODE_PC || r->code == CODE_IP) {
        wt_store_le(out, r->code == CODE_PC ? genp_row_pc(row) : row->saved.cr[2], (unsigned)size);
        return WT_OK;
    }
    if (r->code >= GENP_RECORD) {
        memcpy(out, (const uint8_t *)&row->saved + r->code, size);
        return WT_OK;
    }
    return wt_link_read(p->common.link, wave, 0, genp_area(p, wave) + r->code, out, size, err);
}

/* Registers that are consecutive in the save area are read at once: clients mostly ask for all. */
enum wt_status genp_read_rows(struct wt_probe *p, uint32_t wave, wt_lanes lanes,
                              const unsigned *index, size_t count, uint8_t *out,
                              struct wt_error *err)
{
    const struct genp_row *row = genp_row(p, wave);
    enum wt_status status = WT_OK;
    /* No register is a lane's. */
    for (size_t i = 0, run; i < count && !status; i += run) {
        const struct wt_register *r = &p->common.registers[index[i]];
        run = 1;
        if (r->code >= GENP_RECORD || r->bits != 256) {
            status = read_one(p, wave, row, r, out, err);
            out += wt_register_size(r);
            continue;
        }
        while (i + run < count && p->common.registers[index[i + run]].code == r->code + 32 * run)
            run++;
        status =
            wt_link_read(p->common.link, wave, 0, genp_area(p, wave) + r->code, out, 32 * run, err);
        out += 32 * run;
    }
    return status;
}

enum wt_status genp_write_row(struct wt_probe *p, uint32_t wave, wt_lanes lanes, unsigned index,
                              const uint8_t *bytes, struct wt_error *err)
{
    const struct wt_register *r = &p->common.registers[index];
    struct genp_row *row = genp_row(p, wave);
    size_t size = wt_register_size(r);
    uint64_t at = r->code;
    uint8_t ip[4];
    enum wt_status status;
    if (r->code == CODE_PC) {
        const uint64_t relative = wt_load_le(bytes, 8) - row->saved.instructions;
        if (relative > UINT32_MAX)
            return wt_fail(err, WT_INVALID,
                           "0x%llx is not an address of an instruction: they lie within 4 GiB from "
                           "0x%llx on",
                           (unsigned long long)wt_load_le(bytes, 8),
                           (unsigned long long)row->saved.instructions);
        wt_store_le(ip, relative, sizeof ip);
        bytes = ip;
        size = sizeof ip;
    }
    if (r->code == CODE_PC || r->code == CODE_IP)
        at = AT(cr) + 8;
    if ((status = wt_link_write(p->common.link, wave, 0, genp_area(p, wave) + at, bytes, size,
                                err)) == WT_OK &&
        at >= GENP_RECORD)
        memcpy((uint8_t *)&row->saved + at, bytes, size);
    return status;
}
