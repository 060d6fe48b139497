/* The effect of RISC-V code on addresses (machine/origin.h). Registers keep their values over calls
 * as the calling convention says; gp is the same in all functions (RISC-V ABIs, "Integer Calling
 * Convention", "Named ABIs"). */
#include "emulator/machine/origin.h"

#include "base/bits.h"
#include "emulator/machine/meaning.h"
#include "emulator/vortex/internal.h"
#include "emulator/vortex/operands.h"
#include "emulator/vortex/trace.h"

enum { RA = 1, SP = 2, GP = 3, TP = 4, T0 = 5, T6 = 31, REGISTERS = 32 };

/* Integer registers that a call may change: ra, t0 to t6, a0 to a7. */
static const uint32_t changed_by_calls = UINT32_C(0xf003fce2);

struct vx_flow_code {
    struct vx_device *device;
    int64_t gp;
};

static void begin(void *context, struct wt_flow *f, wt_origin_value *reg)
{
    const struct vx_flow_code *c = context;
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
static wt_origin_value csr(const struct vx_flow_code *c, struct wt_flow *f, unsigned number)
{
    const struct vx_csr_row *row = vx_profile_csr(c->device->profile, number);
    if (!row || number < 0xc00)
        return wt_flow_number(f);
    if (row->csr == VX_CSR_LOCAL_MEM_BASE)
        return wt_flow_constant(
            f, (int64_t)c->device->profile->local_mem_base[c->device->config.xlen == 64]);
    return wt_flow_index(f);
}

/* A value that an instruction reads; of floats, and of other lanes, nothing is known. */
static wt_origin_value value_of(const struct vx_flow_code *c, struct wt_flow *f,
                                const wt_origin_value *reg, const struct wt_insn_operand *o)
{
    if (o->kind == WT_OPERAND_CONSTANT)
        return wt_flow_constant(f, o->value);
    if (o->kind == WT_OPERAND_MEMORY && o->bits == 8) /* perhaps a _Bool */
        return wt_flow_sum(f, wt_flow_number(f), wt_flow_bit(f));
    if (o->kind == WT_OPERAND_SCALAR && o->file == VX_FILE_CSR)
        return csr(c, f, o->number);
    return o->kind == WT_OPERAND_ROW && o->file == VX_FILE_X && !o->crosses ? reg[o->number]
                                                                            : wt_flow_number(f);
}

/* Whether integers alone make the result. */
static bool is_of_integers(const struct wt_insn_operands *o)
{
    bool all = o->operation != WT_DOES_OTHER && o->operation != WT_DOES_BRANCH;
    for (unsigned i = 0; i < o->count; i++)
        all &= !o->list[i].reads || !o->list[i].leaf ||
               (o->list[i].file != VX_FILE_F && !o->list[i].crosses);
    return all;
}

/* The result of an instruction that computes or loads, as far as it says where addresses come from.
 */
static wt_origin_value result(const struct vx_flow_code *c, struct wt_flow *f, uint64_t pc,
                              const wt_origin_value *reg, const struct wt_insn_operands *o)
{
    wt_origin_value leaf[WT_M_LEAVES];
    const uint8_t *code = o->meaning;
    if (!is_of_integers(o) || *code == WT_M_ATOMIC || *code == WT_M_STORE)
        return wt_flow_number(f);
    for (unsigned i = 0; i < WT_M_LEAVES; i++)
        leaf[i] = wt_flow_number(f);
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].reads && o->list[i].leaf)
            leaf[o->list[i].leaf] = value_of(c, f, reg, &o->list[i]);
    if (*code == WT_M_LOAD) {
        code++;
        wt_meaning_skip(&code);
    }
    for (unsigned i = 0; i < o->count; i++)
        if (o->list[i].kind == WT_OPERAND_CONSTANT && code[2] == WT_M_TARGET)
            leaf[WT_M_TARGET] = wt_flow_constant(f, (int64_t)(pc + (uint64_t)o->list[i].value));
    code += 2;
    return wt_flow_meaning(f, &code, leaf);
}

/* The addresses of its accesses. */
static void note_accesses(struct wt_flow *f, struct wt_flow_step *s, const wt_origin_value *reg,
                          const struct wt_insn_operands *o)
{
    for (unsigned i = 0; i < o->count && *o->meaning >= WT_M_LOAD && *o->meaning <= WT_M_ATOMIC;
         i++)
        if (o->list[i].kind == WT_OPERAND_MEMORY)
            s->address[s->accesses++] =
                wt_flow_sum(f, reg[o->list[i].number], wt_flow_constant(f, o->list[i].value));
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
    const struct vx_flow_code *c = context;
    uint8_t low;
    int64_t target;
    wt_memory_read(c->device->machine.memory, pc, &low, 1);
    const uint32_t word = vx_fetch_word(c->device, pc);
    struct wt_insn_operands o;
    if (!vx_operands(word, c->device->config.xlen, &o))
        return false;
    const unsigned rd = (unsigned)wt_field(word, 11, 7), rs1 = (unsigned)wt_field(word, 19, 15);
    const uint8_t *way = wt_meaning_jump(o.meaning);
    s->bytes = (low & 3) == 3 ? 4 : 2;
    s->falls = *o.meaning != WT_M_UNSAID || o.meaning[1] != WT_UNSAID_TRAP || o.count;
    note_accesses(f, s, reg, &o);
    if (way) {
        const bool always = *way == WT_M_K;
        wt_meaning_skip(&way);
        s->falls = !always || rd;
        s->branches = *way == WT_M_TARGET && (!always || !rd);
        s->target = pc + (uint64_t)(int64_t)(always ? vx_imm_j(word) : vx_imm_b(word));
        s->loses = *way != WT_M_TARGET && !rd && rs1 != RA && !returns(f, reg, rs1) &&
                   !wt_flow_is_constant(f, reg[rs1], &target);
        if (always && rd)
            call(f, reg, rd);
        return true;
    }
    const struct wt_insn_operand *d = &o.list[0];
    if (o.count && d->file == VX_FILE_X && d->result == WT_RESULT_D) {
        const uint8_t *code = o.meaning + 2;
        reg[rd] = result(c, f, pc, reg, &o);
        if (c->device->config.xlen == 32)
            reg[rd] = wt_flow_word(f, reg[rd]);
        code += *o.meaning == WT_M_OUT && *code == WT_M_SEXT ? 2 : 0;
        if (rd == SP && *o.meaning == WT_M_OUT && *code == WT_M_SUB) {
            s->address[s->accesses++] = reg[SP];
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
    struct vx_flow_code c = {d, (int64_t)vx_get_x(w, GP, wt_lanes_lowest(w->mask))};
    if (d->config.xlen == 32)
        c.gp = (int32_t)c.gp;
    struct wt_origin *list = wt_origins_find(&family, &c, first, end, count);
    for (size_t i = 0; i < *count; i++)
        if (list[i].base == WT_ORIGIN_NO_BASE)
            list[i].constant = (int64_t)vx_truncate(d, (uint64_t)list[i].constant);
    return list;
}
