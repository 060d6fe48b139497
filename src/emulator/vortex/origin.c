/* What RISC-V code does with addresses (machine/origin.h). Registers keep their values over calls
 * as the calling convention says; gp is the same in all functions (RISC-V ABIs, "Integer Calling
 * Convention", "Named ABIs"). */
#include "emulator/machine/origin.h"

#include <string.h>

#include "emulator/vortex/internal.h"
#include "emulator/vortex/trace.h"

enum { RA = 1, SP = 2, GP = 3, TP = 4, T0 = 5, T6 = 31, REGISTERS = 32 };

/* Integer registers that a call may change: ra, t0 to t6, a0 to a7. */
static const uint32_t changed_by_calls = UINT32_C(0xf003fce2);

struct code {
    struct vx_device *device;
    int64_t gp;
};

static void begin(void *context, struct wt_flow *f, wt_origin_value *reg)
{
    const struct code *c = context;
    for (unsigned r = 0; r < REGISTERS; r++)
        reg[r] = wt_flow_number(f);
    reg[0] = wt_flow_constant(f, 0);
    reg[SP] = wt_flow_base(f, SP);
    reg[GP] = wt_flow_constant(f, c->gp);
    reg[T0] = wt_flow_base(f, T0); /* perhaps the address of return */
    reg[T6] = wt_flow_base(f, T6);
    reg[TP] = wt_flow_base(f, TP);
}

static void call(struct wt_flow *f, wt_origin_value *reg, unsigned link)
{
    for (unsigned r = 1; r < REGISTERS; r++)
        if (changed_by_calls >> r & 1)
            reg[r] = wt_flow_number(f);
    /* A routine that saves registers moves sp. */
    for (unsigned r = 1; r < REGISTERS && link != RA; r++)
        if (r != GP && r != TP)
            reg[r] = wt_flow_unknown(f);
}

/* A CSR that tells lanes apart, or how many there are, is no address. */
static wt_origin_value csr(const struct code *c, struct wt_flow *f, unsigned number)
{
    const struct vx_csr_row *row = vx_profile_csr(c->device->profile, number);
    if (!row || number < 0xc00)
        return wt_flow_number(f);
    if (row->csr == VX_CSR_LOCAL_MEM_BASE)
        return wt_flow_constant(
            f, (int64_t)c->device->profile->local_mem_base[c->device->config.xlen == 64]);
    return wt_flow_index(f);
}

/* The result of an instruction that computes, as far as it says where addresses come from. */
static wt_origin_value result(const struct code *c, struct wt_flow *f, enum vx_insn_id id,
                              uint32_t word, uint64_t pc, const wt_origin_value *reg)
{
    const wt_origin_value a = reg[wt_field(word, 19, 15)], b = reg[wt_field(word, 24, 20)],
                          i = wt_flow_constant(f, vx_imm_i(word)),
                          shift = wt_flow_constant(f, (int64_t)wt_field(word, 25, 20)),
                          shift_word = wt_flow_constant(f, (int64_t)wt_field(word, 24, 20));
    switch (id) {
    case VX_INSN_lui:
        return wt_flow_constant(f, vx_imm_u(word));
    case VX_INSN_auipc:
        return wt_flow_constant(f, (int64_t)(pc + (uint64_t)(int64_t)vx_imm_u(word)));
    case VX_INSN_addi:
    case VX_INSN_addiw:
        return wt_flow_sum(f, a, i);
    case VX_INSN_add:
    case VX_INSN_addw:
        return wt_flow_sum(f, a, b);
    case VX_INSN_sub:
    case VX_INSN_subw:
        return wt_flow_difference(f, a, b);
    case VX_INSN_slli:
        return wt_flow_shifted(f, a, shift);
    case VX_INSN_slli_32:
    case VX_INSN_slliw:
        return wt_flow_shifted(f, a, shift_word);
    case VX_INSN_sll:
        return wt_flow_shifted(f, a, b);
    case VX_INSN_mul:
    case VX_INSN_mulw:
        return wt_flow_product(f, a, b);
    case VX_INSN_andi:
        return wt_flow_and(f, a, i);
    case VX_INSN_and:
        return wt_flow_and(f, a, b);
    case VX_INSN_ori:
        return wt_flow_or(f, a, i);
    case VX_INSN_or:
        return wt_flow_or(f, a, b);
    case VX_INSN_xori:
        return wt_flow_xor(f, a, i);
    case VX_INSN_xor:
        return wt_flow_xor(f, a, b);
    case VX_INSN_slt:
    case VX_INSN_sltu:
    case VX_INSN_slti:
    case VX_INSN_sltiu:
        return wt_flow_bit(f);
    case VX_INSN_czero_eqz:
    case VX_INSN_czero_nez:
        return wt_flow_choice(f, wt_flow_constant(f, 0), a);
    case VX_INSN_csrrs:
        return csr(c, f, word >> 20);
    case VX_INSN_lb:
    case VX_INSN_lbu: /* perhaps a _Bool */
        return wt_flow_sum(f, wt_flow_number(f), wt_flow_bit(f));
    default:
        break;
    }
    /* Other computations of two registers, or of one and a constant. */
    if ((word & 0x77) == 0x33)
        return wt_flow_mixed(f, a, b);
    if ((word & 0x77) == 0x13)
        return wt_flow_mixed(f, a, i);
    return wt_flow_number(f);
}

static void access(struct wt_flow *f, struct wt_flow_step *s, wt_origin_value base, int64_t offset)
{
    s->address[s->accesses++] = wt_flow_sum(f, base, wt_flow_constant(f, offset));
}

/* Whether a register that routines of start-up and of compilers return by has the value that it had
 * at the function's begin. */
static bool returns(struct wt_flow *f, const wt_origin_value *reg, unsigned rs1)
{
    return (rs1 == T0 || rs1 == T6) && reg[rs1] == wt_flow_base(f, (uint16_t)rs1);
}

static bool step(void *context, struct wt_flow *f, uint64_t pc, wt_origin_value *reg,
                 struct wt_flow_step *s)
{
    const struct code *c = context;
    uint8_t low;
    int64_t target;
    wt_memory_read(c->device->machine.memory, pc, &low, 1);
    const uint32_t word = vx_fetch_word(c->device, pc);
    const enum vx_insn_id id = vx_insn_find(word, c->device->config.xlen);
    if (id == VX_INSN_COUNT)
        return false;
    const unsigned rd = (unsigned)wt_field(word, 11, 7), rs1 = (unsigned)wt_field(word, 19, 15);
    s->bytes = (low & 3) == 3 ? 4 : 2;
    s->falls = id != VX_INSN_mret && id != VX_INSN_sret && id != VX_INSN_uret;
    bool writes = false;
    for (const char *l = vx_insns[id].operands; *l; l++) {
        writes |= *l == 'd';
        if (*l == 'p') {
            s->branches = true;
            s->target = pc + (uint64_t)(int64_t)vx_imm_b(word);
        }
    }
    if ((word & 0x7f) == 0x2f)
        access(f, s, reg[rs1], 0);
    else if (id == VX_INSN_jal || id == VX_INSN_jalr) {
        s->falls = rd;
        s->branches = id == VX_INSN_jal && !rd;
        s->target = pc + (uint64_t)(int64_t)vx_imm_j(word);
        s->loses = id == VX_INSN_jalr && !rd && rs1 != RA && !returns(f, reg, rs1) &&
                   !wt_flow_is_constant(f, reg[rs1], &target);
        if (rd)
            call(f, reg, rd);
        return true;
    } else if (strchr(vx_insns[id].operands, 'l'))
        access(f, s, reg[rs1], vx_imm_i(word));
    else if (strchr(vx_insns[id].operands, 'q'))
        access(f, s, reg[rs1], vx_imm_s(word));
    if (writes && rd) {
        reg[rd] = result(c, f, id, word, pc, reg);
        if (c->device->config.xlen == 32)
            reg[rd] = wt_flow_word(f, reg[rd]);
        if (rd == SP && (id == VX_INSN_sub || id == VX_INSN_subw)) {
            access(f, s, reg[SP], 0);
            s->makes_stack = true;
        }
    }
    return true;
}

struct wt_origin *vx_origins(struct wt_machine *m, uint32_t wave, uint64_t first, uint64_t end,
                             size_t *count)
{
    static const struct wt_flow_family family = {
        .registers = REGISTERS, .stack = SP, .begin = begin, .step = step};
    struct vx_device *d = (struct vx_device *)m;
    const struct vx_warp *w = (struct vx_warp *)wt_machine_wave(m, wave);
    struct code c = {d, (int64_t)vx_get_x(w, GP, wt_lanes_lowest(w->mask))};
    if (d->config.xlen == 32)
        c.gp = (int32_t)c.gp;
    struct wt_origin *list = wt_origins_find(&family, &c, first, end, count);
    for (size_t i = 0; i < *count; i++)
        if (list[i].base == WT_ORIGIN_NO_BASE)
            list[i].constant = (int64_t)vx_truncate(d, (uint64_t)list[i].constant);
    return list;
}
