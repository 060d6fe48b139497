/*
 * The VGPRs that a function writes, and the functions that it calls: by their instructions.
 * Compilers allocate registers across calls of functions of one file, so that a caller may keep a
 * value in a register that the calling convention lets a function change, if the function does not.
 *
 * Formats: AMD, "Vega" and "RDNA 2" Instruction Set Architecture, chapter 12.
 */
#include "debug/gcn/internal.h"

#include <string.h>

#include "base/bits.h"

#define MOST_FUNCTIONS 32
#define MOST_CODE (256 * 1024u) /* bytes of a function */
#define BLOCK 512u              /* bytes of code that are read at a time */

struct gcn_scan {
    struct wt_probe *p;
    const struct wt_callee *callee;
    uint64_t *written;
    uint64_t start[MOST_FUNCTIONS]; /* those that are scanned or will be */
    unsigned count;
    uint8_t code[BLOCK];
    uint64_t code_at;
    size_t code_size;
};

/* s_getpc_b64, s_add_u32 and s_addc_u32 with constants, s_swappc_b64: a call. */
struct target {
    unsigned sgpr; /* sgpr of the pair */
    uint64_t addr;
    bool known;
};

static bool fetch(struct gcn_scan *s, uint64_t addr, uint32_t word[2], struct wt_instruction *in)
{
    if (addr < s->code_at || addr + 8 > s->code_at + s->code_size) {
        s->code_at = addr;
        for (s->code_size = BLOCK; s->code_size >= 4; s->code_size /= 2)
            if (s->callee->read_code(s->callee->context, addr, s->code, s->code_size))
                break;
        if (s->code_size < 4)
            return false;
    }
    struct wt_window window = {.addr = addr, .size = 8, .least = 4};
    const size_t left = s->code_at + s->code_size - addr;
    memcpy(window.bytes, s->code + (addr - s->code_at), left < 8 ? left : 8);
    gcnp_decode_instruction(s->p, addr, &window, in);
    word[0] = (uint32_t)wt_load_le(window.bytes, 4);
    word[1] = (uint32_t)wt_load_le(window.bytes + 4, 4);
    return true;
}

static bool is_among(const uint16_t *list, size_t count, unsigned op)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == op)
            return true;
    return false;
}

/* How many VGPRs an instruction of VOP1 writes. */
static unsigned width_of_vop1(const struct gcnp_codes *c, unsigned op)
{
    if (op == 2) /* v_readfirstlane_b32 writes an SGPR */
        return 0;
    return memchr(c->vop1_wide, (int)op, sizeof c->vop1_wide) ? 2 : 1;
}

static unsigned width_of_vop3(const struct gcnp_codes *c, unsigned op)
{
    if (op < 0x100 || op == c->v_readlane) /* VOPC; it writes an SGPR */
        return 0;
    if (op >= c->vop3_vop1 && op < c->vop3_vop1 + 0x80u)
        return width_of_vop1(c, op - c->vop3_vop1);
    if (is_among(c->vop3_quad, sizeof c->vop3_quad / sizeof *c->vop3_quad, op))
        return 4;
    return is_among(c->vop3_wide, sizeof c->vop3_wide / sizeof *c->vop3_wide, op) ? 2 : 1;
}

/* The VGPRs from *first on that an instruction may write: how many. */
static unsigned written_by(const struct gcnp_codes *c, const uint32_t word[2], unsigned *first)
{
    enum { VOP1 = 0x3f, VOPC = 0x3e };
    const unsigned format = word[0] >> 26, op1 = word[0] >> 9 & 0xff;
    if (!(word[0] >> 31)) {
        *first = word[0] >> 17 & 0xff;
        if (word[0] >> 25 != VOP1)
            return word[0] >> 25 == VOPC ? 0 : 1;
        if (!memchr(c->vop1_any, (int)op1, sizeof c->vop1_any) || !op1)
            return width_of_vop1(c, op1);
        *first = 0;
        return 256;
    }
    const unsigned memory = word[0] >> 18 & 0x7f;
    const bool store = memory >= 24 && memory <= 31;
    if (format == c->vop3) {
        *first = word[0] & 0xff;
        return width_of_vop3(c, word[0] >> 16 & 0x3ff);
    }
    if (format == c->vintrp) {
        *first = word[0] >> 18 & 0xff;
        return 1;
    }
    switch (format) {
    case 0x33: /* VOP3P */
        *first = word[0] & 0xff;
        return 1;
    case 0x36: /* DS */
    case 0x37: /* FLAT */
        *first = word[1] >> 24;
        return format == 0x37 && store ? 0 : format == 0x37 && memory <= c->load_dword ? 1 : 4;
    case 0x38: /* MUBUF */
    case 0x3a: /* MTBUF */
    case 0x3c: /* MIMG */
        *first = word[1] >> 8 & 0xff;
        return format == 0x38 && store                                                ? 0
               : format == 0x38 && memory >= c->load_first && memory <= c->load_dword ? 1
                                                                                      : 5;
    default: /* scalar; exports */
        return 0;
    }
}

static bool add_function(struct gcn_scan *s, uint64_t addr)
{
    for (unsigned i = 0; i < s->count; i++)
        if (s->start[i] == addr)
            return true;
    if (s->count == MOST_FUNCTIONS)
        return false;
    s->start[s->count++] = addr;
    return true;
}

/* Follows the address of a call. False: a call of something that is not known. */
static bool follow_call(struct gcn_scan *s, struct target *t, uint64_t next, const uint32_t word[2])
{
    enum { S_ADD_U32 = 0, S_ADDC_U32 = 4, LITERAL = 255 };
    const struct gcnp_codes *c = s->p->codes;
    if (word[0] >> 23 == 0x17d) {
        const unsigned op = word[0] >> 8 & 0xff, to = word[0] >> 16 & 0x7f, from = word[0] & 0xff;
        if (op == c->s_getpc)
            *t = (struct target){to, next, true};
        else if (op == c->s_swappc)
            return t->known && t->sgpr == from && add_function(s, t->addr);
        else if (op == c->s_setpc)
            return from == 30;
        else if (to == t->sgpr || to == t->sgpr + 1)
            t->known = false;
        return true;
    }
    const unsigned op = word[0] >> 23 & 0x7f, to = word[0] >> 16 & 0x7f, by = word[0] >> 8 & 0xff;
    const bool same = (word[0] & 0xff) == to;
    if (word[0] >> 30 != 2 || word[0] >> 28 == 0xb || (to != t->sgpr && to != t->sgpr + 1))
        return word[0] >> 28 != 0xb || (word[0] >> 23 & 0x1f) != c->s_call;
    const uint32_t value = by == LITERAL ? word[1] : by >= 128 && by <= 192 ? by - 128 : 0;
    if (same && op == S_ADD_U32 && to == t->sgpr && by >= 128) {
        const uint64_t low = (t->addr & 0xffffffff) + value;
        /* The carry belongs to the s_addc_u32 that follows; a constant's sign is in its own. */
        t->addr = (t->addr & ~(uint64_t)0xffffffff) + low;
    } else if (same && op == S_ADDC_U32 && to == t->sgpr + 1 && by >= 128) {
        t->addr += (uint64_t)value << 32;
    } else {
        t->known = false;
    }
    return true;
}

static bool scan_function(struct gcn_scan *s, uint64_t start)
{
    uint32_t word[2];
    struct wt_instruction in;
    struct target target = {0};
    uint64_t furthest = start;
    for (uint64_t at = start; at - start < MOST_CODE; at += in.length) {
        unsigned first = 0;
        if (!fetch(s, at, word, &in) || !in.length)
            return false;
        const unsigned count = written_by(s->p->codes, word, &first);
        for (unsigned i = first; i < first + count && i < MOST_VGPRS; i++)
            s->written[i / 64] |= (uint64_t)1 << i % 64;
        if (!follow_call(s, &target, at + in.length, word))
            return false;
        if (word[0] >> 23 == 0x17f && in.kind == WT_INSTRUCTION_BRANCH) {
            const uint64_t to = at + 4 + (uint64_t)((int64_t)(int16_t)word[0] * 4);
            if (to > furthest)
                furthest = to;
            target.known = false;
        }
        if ((in.kind == WT_INSTRUCTION_RETURN || in.kind == WT_INSTRUCTION_END) && at >= furthest)
            return true;
    }
    return false;
}

bool gcnp_written_vgprs(struct wt_probe *p, const struct wt_callee *callee, uint64_t written[4])
{
    struct gcn_scan s = {
        .p = p, .callee = callee, .written = written, .start = {callee->start}, .count = 1};
    memset(written, 0, 4 * sizeof *written);
    for (unsigned i = 0; i < s.count; i++)
        if (!scan_function(&s, s.start[i]))
            return false;
    return true;
}
