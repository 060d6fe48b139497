/* Translated code (emulator/translate/blocks.h). All records up to the end of the page or a jump
 * are a block. */
#include <string.h>

#include "emulator/machine/meaning.h"
#include "emulator/machine/softfloat.h"
#include "emulator/translate/blocks.h"
#include "emulator/translate/match.h"
#include "emulator/vortex/block.h"
#include "emulator/vortex/host_fp.h"
#include "emulator/vortex/watch.h"

struct vx_block {
    struct wt_paged_block is;
    bool floats;    /* its code raises exceptions of the host */
    bool needs_all; /* much of it is code for warps with all lanes on alone; handlers do the rest */
    uint32_t entered, declined; /* how often its code was, and was not, since lanes were off */
};

struct vx_blocks {
    struct wt_paged all;
    struct wt_rows_shape shape;
    uint64_t lanes;       /* all of them */
    struct vx_warp *warp; /* that executes code */
    bool floats; /* it raises exceptions now: with lanes off, handlers do all floating point */
};

/* ---- records as rows ---- */

/* The instruction of a decoded record, by its handler. */
static enum vx_insn_id insn_of(const struct vx_device *d, vx_handler run)
{
    unsigned id = 0;
    while (id < VX_INSN_COUNT && d->handlers->full[id] != run &&
           (d->handlers->compressed[id] != run || !run) &&
           (!d->machine.judge || !run || vx_judged_handler((enum vx_insn_id)id) != run))
        id++;
    return (enum vx_insn_id)id;
}

static struct wt_rows_source x_row(const struct vx_device *d, unsigned number, bool accesses)
{
    return (struct wt_rows_source){.constant = !number && !accesses,
                                   .slot = number * d->config.threads * d->config.xlen / 8};
}

static struct wt_rows_source f_row(const struct vx_warp *w, unsigned number)
{
    const size_t first = (size_t)((const uint8_t *)w->f - w->x);
    return (struct wt_rows_source){.slot =
                                       (uint32_t)first + number * 8 * w->device->config.threads};
}

static struct wt_rows_source constant(int64_t value)
{
    return (struct wt_rows_source){.constant = true, .value = (uint64_t)value};
}

/* The sources that the leaves A, B and C are, by the letters of isa.def; addresses. */
static void take_operands(const struct vx_warp *w, const struct vx_uop *u, const char *letters,
                          struct wt_rows_source leaf[3], struct wt_rows_insn *to)
{
    const struct vx_device *d = w->device;
    const bool accesses = strpbrk(letters, "lq");
    unsigned n = 0;
    for (const char *l = letters; *l; l++)
        switch (*l) {
        case 'd':
            to->d = x_row(d, u->rd, true).slot;
            break;
        case 's':
            leaf[n++] = x_row(d, u->rs1, false);
            break;
        case 't':
            leaf[n++] = x_row(d, u->rs2, accesses);
            break;
        case 'D':
            to->wide = true;
            to->d = f_row(w, u->rd).slot;
            break;
        case 'S':
            to->wide = true;
            leaf[n++] = f_row(w, u->rs1);
            break;
        case 'T':
            to->wide = true;
            leaf[n++] = f_row(w, u->rs2);
            break;
        case 'R':
            leaf[n++] = f_row(w, (unsigned)u->imm >> 8);
            break;
        case 'l':
        case 'q':
            to->s[1] = leaf[0];
            to->s[0] = x_row(d, u->rs1, true);
            to->access.offset = (uint64_t)(int64_t)u->imm;
            break;
        case 'u':
        case 'j':
        case '5':
        case '6':
            leaf[n++] = constant(u->imm);
            break;
        default:
            break;
        }
}

/* Loads and stores; atomic ones have no offset. */
static bool as_access(const uint8_t *code, unsigned bytes, bool narrow, struct wt_rows_insn *to)
{
    static const uint8_t place[] = {WT_M_ADD, WT_M_BASE, WT_M_OFFSET};
    const bool loads = *code++ == WT_M_LOAD;
    if (!wt_meaning_begins(code, place, sizeof place))
        return false;
    code += sizeof place;
    to->op = loads ? WT_ROWS_LOAD : WT_ROWS_STORE;
    to->access.bytes = (uint8_t)bytes;
    to->access.short_address = to->access.wraps = narrow;
    to->access.extend = loads && code[2] == WT_M_SEXT                               ? WT_ROWS_SIGN
                        : loads && to->wide && bytes == 4 && code[2] == WT_M_MEMORY ? WT_ROWS_ONES
                                                                                    : WT_ROWS_ZEROS;
    return true;
}

/* A float with the sign of another one, which is the same register. */
static bool copies(const uint8_t *code, const struct vx_uop *u)
{
    static const uint8_t single[] = {WT_M_OUT, WT_RESULT_D, WT_M_JOIN, WT_M_PART, 0,     31,
                                     WT_M_A,   WT_M_PART,   31,        1,         WT_M_B},
                         pair[] = {WT_M_OUT, WT_RESULT_D, WT_M_JOIN, WT_M_PART, 0,     63,
                                   WT_M_A,   WT_M_PART,   63,        1,         WT_M_B};
    return u->rs1 == u->rs2 && (wt_meaning_begins(code, single, sizeof single) ||
                                wt_meaning_begins(code, pair, sizeof pair));
}

/* Jumps within the code. */
static bool as_jump(const struct vx_uop *u, const uint8_t *way, const uint8_t bits[3], bool wide,
                    struct wt_rows_match *m)
{
    const uint8_t *target = way;
    wt_meaning_skip(&target);
    if (*target != WT_M_TARGET)
        return false;
    if (*way != WT_M_K) {
        const bool compares = wt_rows_match_condition(way, bits, wide, m);
        m->op = WT_ROWS_BRANCH_IF;
        return compares;
    }
    m->op = WT_ROWS_BRANCH;
    return u->rd == VX_SINK;
}

/* Operations on floats that are those of the instructions, exceptions and NaNs, too. */
static bool is_of_floats(unsigned op)
{
    return op >= WT_ROWS_FLOAT_ADD && op <= WT_ROWS_FLOAT_ROOT;
}

bool vx_as_rows(const struct vx_warp *w, const struct vx_uop *u, enum vx_insn_id id,
                struct wt_rows_insn *to)
{
    const struct vx_device *d = w->device;
    const bool wide = d->config.xlen == 64;
    if (id == VX_INSN_COUNT)
        return false;
    const char *letters = vx_insns[id].operands;
    const uint8_t *code = vx_meaning(id, d->config.xlen), *way = wt_meaning_jump(code);
    if (*code == WT_M_END) /* of a fence observers are told */
        return false;
    const bool single = strstr(vx_insns[id].name, ".s") != NULL, floats = strpbrk(letters, "DS");
    const uint8_t own = floats ? single ? 32 : 64 : (uint8_t)d->config.xlen,
                  bits[3] = {own, own, own};
    struct wt_rows_source leaf[3] = {{.constant = false}};
    struct wt_rows_match m = {0};
    *to = (struct wt_rows_insn){.wide = wide};
    take_operands(w, u, letters, leaf, to);
    if (*code == WT_M_LOAD || *code == WT_M_STORE)
        return as_access(code, 1u << (vx_insns[id].match >> 12 & 3), !wide, to);
    to->raises = floats;
    if (code[0] == WT_M_OUT && code[2] == WT_M_TARGET) {
        m.op = WT_ROWS_MOVE;
        leaf[0].value += vx_pc_of(w, u);
    } else if (floats && copies(code, u)) {
        m.op = WT_ROWS_MOVE;
    } else if (way ? !as_jump(u, way, bits, wide, &m)
                   : !wt_rows_match(code, bits, own == 64, &m) || is_of_floats(m.op) != floats) {
        return false;
    }
    to->op = m.op;
    to->how = m.how;
    to->is_signed = m.is_signed;
    if (!way) {
        to->alu.modulo = true;
        to->alu.lower = m.lower;
        to->alu.boxed = floats && single;
    }
    for (unsigned i = 0; i < 3; i++)
        to->s[i] = leaf[m.source[i]];
    const unsigned rm = (unsigned)u->imm & 7;
    to->guarded = floats && rm == 7; /* frm */
    if (to->op == WT_ROWS_MOVE || way)
        return true;
    if ((to->op == WT_ROWS_MULTIPLY_HIGH && wide) || to->op == WT_ROWS_DIVIDE)
        return false;
    if (floats)
        return rm == WT_RNE || rm == 7;
    const bool sums = to->op == WT_ROWS_ADD || to->op == WT_ROWS_OR || to->op == WT_ROWS_XOR;
    if (sums && to->s[0].constant && to->s[1].constant && !to->alu.lower) {
        to->op = WT_ROWS_MOVE;
        to->s[0] = to->s[1];
    } else if (sums && to->s[1].constant && !to->s[1].value && !to->alu.lower) {
        to->op = WT_ROWS_MOVE;
    }
    return true;
}

/* Whether a handler may be called by code: it goes on behind the instruction, with the same mask.
 */
static bool is_plain(enum vx_insn_id id)
{
    switch (id) {
    case VX_INSN_jal:
    case VX_INSN_jalr:
    case VX_INSN_ecall:
    case VX_INSN_ebreak:
    case VX_INSN_uret:
    case VX_INSN_sret:
    case VX_INSN_mret:
    case VX_INSN_tmc:
    case VX_INSN_wspawn:
    case VX_INSN_split:
    case VX_INSN_split_n:
    case VX_INSN_join:
    case VX_INSN_bar:
    case VX_INSN_pred:
    case VX_INSN_pred_n:
    case VX_INSN_bar_arrive:
    case VX_INSN_COUNT:
        return false;
    default:
        return id < VX_INSN_tcu;
    }
}

static bool ends_block(enum vx_insn_id id)
{
    return id == VX_INSN_jal || id == VX_INSN_jalr || (id >= VX_INSN_ecall && id <= VX_INSN_mret) ||
           id >= VX_INSN_tcu;
}

/* ---- blocks ---- */

/* Lists the instructions from a record on. */
static size_t list(void *warp, uint16_t first, struct wt_rows_insn *insn, int32_t *target,
                   struct wt_paged_block *is)
{
    struct vx_warp *w = warp;
    struct vx_block *block = (struct vx_block *)is;
    size_t slot = first, count = 0, for_all = 0;
    enum vx_insn_id id = VX_INSN_lui;
    for (; slot < VX_SLOTS && count < WT_ROWS_MOST && !(count && ends_block(id)); count++) {
        struct vx_uop *u = &w->code->uop[slot];
        if (u->run == vx_run_block ||
            (u->run == (vx_handler)vx_code_format.undecoded && !vx_decode_record(w, u)))
            break;
        id = insn_of(w->device, u->run);
        if (!vx_as_rows(w, u, id, &insn[count]))
            insn[count] =
                (struct wt_rows_insn){.op = is_plain(id) ? WT_ROWS_CALL : WT_ROWS_HANDLER};
        block->floats |= insn[count].raises;
        for_all += insn[count].raises;
        is->slot[count] = (uint16_t)slot;
        target[count] = (int32_t)slot + u->imm / 2;
        slot += u->halves;
    }
    is->slot[count] = (uint16_t)slot;
    block->needs_all = for_all * 8 > count;
    return count;
}

static bool call_handler(struct wt_rows_state *s);

static const struct wt_paged_kind kind = {
    .format = &vx_code_format,
    .first = offsetof(struct vx_code, uop),
    .record = sizeof(struct vx_uop),
    .witness = VX_SLOTS + VX_TAIL - 1,
    .run = (wt_code_handler)vx_run_block,
    .code_bytes = 4 << 20,
    .block_bytes = sizeof(struct vx_block),
    .bytes = sizeof(struct vx_blocks),
    .page = offsetof(struct vx_code, blocks),
    .list = list,
    .call = call_handler,
};

static inline struct vx_block *block_of(const struct vx_code *code, const struct vx_uop *u)
{
    return (struct vx_block *)code->blocks->entry[u - code->uop].block;
}

/* The handler of a record that has code. */
static inline vx_handler handler_of(const struct vx_code *code, const struct vx_uop *u)
{
    return (vx_handler)code->blocks->entry[u - code->uop].run;
}

/* The host's exception flags belong to the warp from here on. */
static void settle(struct vx_blocks *b, struct vx_warp *w)
{
    b->all.state.guard = w->frm != WT_RNE;
    if (b->floats)
        host_fp_begin(w);
}

/* Calls the handler of a record of the block that is executed: for that one instruction. */
static bool call_handler(struct wt_rows_state *s)
{
    struct vx_blocks *b = (struct vx_blocks *)((char *)s - offsetof(struct vx_blocks, all.state));
    struct vx_warp *w = b->warp;
    struct vx_code *code = w->code;
    const struct vx_uop *u = &code->uop[b->all.executed->slot[s->at]], *next;
    struct wt_machine *m = &w->device->machine;
    if (wt_paged_halts(&b->all, m, u, 0, &w->left))
        return false;
    if (b->floats)
        host_fp_end(w);
    const size_t hits = m->hits;
    w->left = 0; /* handlers go on as long as there is some */
    m->slice -= s->left;
    const vx_handler run = handler_of(code, u);
    b->all.next = next = vx_access_words(w, u, run) ? u + u->halves : run(w, u);
    if (m->hits == hits)
        m->slice += s->left;
    else
        s->left = 0; /* an access to watched memory has ended the turn */
    w->left = s->left;
    wt_paged_called(m, &w->left);
    s->left = w->left;
    settle(b, w);
    b->all.totals.issues--; /* it is the handler's */
    return next == u + u->halves && w->left &&
           wt_paged_goes_on(&b->all, &kind, &code->page, (size_t)(next - code->uop));
}

static struct wt_paged *blocks_of(struct vx_device *d)
{
    const unsigned threads = d->config.threads;
    if (d->blocks)
        return d->blocks;
    d->blocks =
        wt_paged_new(&kind, &d->machine, d->config.host_level == 3 && threads <= WT_ROWS_LANES);
    struct vx_blocks *b = (struct vx_blocks *)d->blocks;
    if (b) {
        b->shape.lanes = threads;
        b->shape.vectors_512 =
            !d->config.vectors_256 && wt_rows_has_512() && threads >= 16 && threads <= 32;
        b->lanes = (uint64_t)wt_lanes_first(threads);
    }
    return d->blocks;
}

void vx_blocks_free(struct vx_device *d)
{
    wt_paged_free(&d->blocks);
}

void vx_translate(struct vx_warp *w, const struct vx_uop *u)
{
    struct vx_device *d = w->device;
    struct vx_blocks *b = d->injecting ? NULL : (struct vx_blocks *)blocks_of(d);
    if (b)
        wt_paged_translate(&b->all, &kind, &d->machine, w, &w->code->page,
                           (uint16_t)(u - w->code->uop), &b->shape);
}

/* Runs code; the record that is next, or NULL. Then *stays says whether the code was left before
 * that, which its handler must execute. */
static const struct vx_uop *execute(struct vx_blocks *b, struct vx_warp *w, const struct vx_uop *u,
                                    bool *stays)
{
    struct vx_code *code = w->code;
    struct wt_rows_state *s = &b->all.state;
    struct vx_block *block = block_of(code, u);
    block->entered++;
    const struct wt_paged_run run =
        wt_paged_begin(&b->all, &kind, &code->page, &block->is, w->left);
    s->frame = w->x;
    s->mask = (uint64_t)w->mask;
    b->warp = w;
    b->floats = block->floats && s->mask == b->lanes;
    settle(b, w);
    const uint32_t next = wt_rows_run(block->is.rows, code->blocks->entry[u - code->uop].number, s);
    if (b->floats)
        host_fp_end(w);
    const enum wt_paged_end end =
        wt_paged_ended(&b->all, run, &w->device->machine, next, s->left == run.entered, &w->left);
    *stays = end == WT_PAGED_NOWHERE || end == WT_PAGED_STAYS;
    return end == WT_PAGED_NOWHERE ? u
           : end == WT_PAGED_GONE  ? b->all.next
                                   : &code->uop[block->is.slot[next]];
}

/* Whether lanes are off, and the handlers are quicker then. Code that is hardly ever entered for
 * that is given up: its records get their handlers back. */
static bool declines(struct vx_warp *w, const struct vx_uop *u)
{
    enum { OFTEN = 256 };
    struct vx_code *code = w->code;
    struct vx_block *block = block_of(code, u);
    if (!block->needs_all || (uint64_t)w->mask == ((struct vx_blocks *)w->device->blocks)->lanes)
        return false;
    if (++block->declined % OFTEN || block->declined < block->entered)
        return true;
    for (size_t i = 0; i < block->is.rows->count; i++) {
        const size_t at = block->is.slot[i];
        code->blocks->entry[at].given_up = true;
        if (code->blocks->entry[at].block == &block->is && code->uop[at].run == vx_run_block)
            code->uop[at].run = (vx_handler)code->blocks->entry[at].run;
    }
    return true;
}

const struct vx_uop *vx_run_block(struct vx_warp *w, const struct vx_uop *u)
{
    struct vx_code *code = w->code;
    w->device->handlers->leave(); /* a handler may have gone on here */
    if (!wt_paged_enters(w->device->blocks, &kind, &w->device->machine, &code->page))
        return u->run(w, u);
    if (!w->left || !w->mask || wt_observes_issue(&w->device->machine) || declines(w, u)) {
        wt_paged_leaves(&w->device->machine, &w->left);
        return handler_of(code, u)(w, u);
    }
    bool stays;
    const struct vx_uop *next = execute((struct vx_blocks *)w->device->blocks, w, u, &stays);
    return stays ? handler_of(code, next)(w, next) : next;
}

uint64_t vx_piece(struct wt_machine *m, uint32_t wave, uint64_t pc, struct wt_observed_piece *piece)
{
    return wt_paged_piece(((const struct vx_device *)m)->blocks, &kind, &m->code, pc, piece);
}

struct wt_rows_totals vx_device_translated(const struct vx_device *d)
{
    return wt_paged_totals(d->blocks);
}
