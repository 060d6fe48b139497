/* Shifts, bit fields, logic, bytes, moves, predicates. */
#include "emulator/sm/lane_bits.h"
#include "emulator/sm/sass/alu.h"

/* A shift count: modulo 32 (.W), else everything from 32 on shifts all out. */
static unsigned count_of(uint32_t value, bool wraps, unsigned most)
{
    return wraps ? value % most : value < most ? value : most;
}

unsigned sm_alu_shl(struct sm_exec *x)
{
    const bool wraps = x->u->mods & SM_WRAPS;
    FOR_LANES (i)
        x->d[0][i] = (uint32_t)((uint64_t)x->a[i] << count_of(x->b[i], wraps, 32));
    sm_set_logic_cc(x);
    return 1;
}

unsigned sm_alu_shr(struct sm_exec *x)
{
    const bool wraps = x->u->mods & SM_WRAPS, is_signed = x->u->mods & SM_SIGNED;
    const bool reversed = x->u->mods & SM_REVERSED;
    FOR_LANES (i) {
        const unsigned n = count_of(x->b[i], wraps, 32);
        const uint32_t a = reversed ? (uint32_t)sm_reverse_bits(x->a[i], 32) : x->a[i];
        x->d[0][i] =
            is_signed ? (uint32_t)((int64_t)(int32_t)a >> n) : (uint32_t)((uint64_t)a >> n);
    }
    sm_set_logic_cc(x);
    return 1;
}

/* SHF: a funnel of c:a. .L gives the upper half of the shifted pair, .R the lower one; .HI the
 * other. .U64 and .S64 shift a pair by up to 63. */
static unsigned funnel(struct sm_exec *x, bool left)
{
    const bool wraps = x->u->mods & SM_WRAPS, high = x->u->how >> 2 & 1;
    const unsigned type = x->u->how & 3, most = type ? 64 : 32;
    FOR_LANES (i) {
        const unsigned n = count_of(x->b[i], wraps, most);
        const uint64_t pair = x->a[i] | (uint64_t)x->c[i] << 32;
        uint64_t shifted;
        if (left)
            shifted = n >= 64 ? 0 : pair << n;
        else if (type == 3)
            shifted = (uint64_t)((int64_t)pair >> (n >= 64 ? 63 : n));
        else
            shifted = n >= 64 ? 0 : pair >> n;
        x->d[0][i] = (uint32_t)(left != high ? shifted >> 32 : shifted);
    }
    sm_set_logic_cc(x);
    return 1;
}

unsigned sm_alu_shf_l(struct sm_exec *x)
{
    return funnel(x, true);
}

unsigned sm_alu_shf_r(struct sm_exec *x)
{
    return funnel(x, false);
}

/* BFE: so many bits (B[15:8]) from a position (B[7:0]) on. */
unsigned sm_alu_bfe(struct sm_exec *x)
{
    const bool is_signed = x->u->mods & SM_SIGNED, reversed = x->u->mods & SM_REVERSED;
    FOR_LANES (i) {
        const uint32_t a = reversed ? (uint32_t)sm_reverse_bits(x->a[i], 32) : x->a[i];
        x->d[0][i] = (uint32_t)sm_extract(a, x->b[i], x->b[i] >> 8, is_signed, 32);
    }
    sm_set_logic_cc(x);
    return 1;
}

/* BFI: A's low bits into C, so many (B[15:8]) from a position (B[7:0]) on. */
unsigned sm_alu_bfi(struct sm_exec *x)
{
    FOR_LANES (i)
        x->d[0][i] = (uint32_t)sm_insert(x->a[i], x->c[i], x->b[i], x->b[i] >> 8, 32);
    sm_set_logic_cc(x);
    return 1;
}

/* FLO: the highest one bit (for signed numbers, the highest that is not the sign); all ones where
 * there is none. .SH: as a shift count. */
unsigned sm_alu_flo(struct sm_exec *x)
{
    const bool is_signed = x->u->mods & SM_SIGNED, shift = x->u->mods & SM_SHIFT;
    const uint32_t flip = sm_all_if(x, SM_NOT_B);
    FOR_LANES (i)
        x->d[0][i] = sm_find_bit(x->b[i] ^ flip, is_signed, 32, shift);
    sm_set_logic_cc(x);
    return 1;
}

unsigned sm_alu_popc(struct sm_exec *x)
{
    const uint32_t flip = sm_all_if(x, SM_NOT_B);
    FOR_LANES (i)
        x->d[0][i] = (uint32_t)__builtin_popcount(x->b[i] ^ flip);
    return 1;
}

/* ---- logic ---- */

/* The predicate of the first row: .T, .Z, .NZ. */
static void set_test(struct sm_exec *x, unsigned how)
{
    uint32_t zero = 0;
    FOR_LANES (i)
        zero |= (uint32_t)!x->d[0][i] << i;
    if (how)
        sm_set_predicate(x, 48, how == 1 ? 0xffffffffu : how == 2 ? zero : ~zero);
}

unsigned sm_alu_lop(struct sm_exec *x)
{
    const unsigned how = x->u->how;
    const uint32_t flip_a = sm_all_if(x, SM_NOT_A), flip_b = sm_all_if(x, SM_NOT_B);
    const uint32_t before = x->w->z;
    FOR_LANES (i) {
        const uint32_t a = x->a[i] ^ flip_a, b = x->b[i] ^ flip_b;
        x->d[0][i] = how == 3 ? b : sm_combine(how, a, b);
    }
    sm_set_logic_cc(x);
    if (x->u->mods & SM_EXTENDED && x->u->mods & SM_CC)
        sm_merge(x, &x->w->z, x->w->z & before);
    if (x->u->insn == SM_LOP)
        set_test(x, SM_FIELD(x->u->word, lopz44));
    return 1;
}

unsigned sm_alu_lop3(struct sm_exec *x)
{
    const unsigned table = x->u->how;
    FOR_LANES (i)
        x->d[0][i] = sm_logic3(x->a[i], x->b[i], x->c[i], table);
    sm_set_logic_cc(x);
    if (x->u->insn == SM_LOP3)
        set_test(x, SM_FIELD(x->u->word, lopz36));
    return 1;
}

/* PRMT: bytes of c:a, chosen by nibbles of B or by its mode. */
unsigned sm_alu_prmt(struct sm_exec *x)
{
    FOR_LANES (i)
        x->d[0][i] = sm_permute(x->a[i], x->c[i], x->b[i], x->u->how);
    return 1;
}

/* ---- moves ---- */

/* MOV takes over bytes of which its mask has the bit. */
unsigned sm_alu_mov(struct sm_exec *x)
{
    const unsigned bytes = x->u->how;
    const uint32_t mask = (bytes & 1 ? 0xffu : 0) | (bytes & 2 ? 0xff00u : 0) |
                          (bytes & 4 ? 0xff0000u : 0) | (bytes & 8 ? 0xff000000u : 0);
    const uint32_t *old = x->w->r[x->u->d];
    FOR_LANES (i)
        x->d[0][i] = (x->b[i] & mask) | (old[i] & ~mask);
    return 1;
}

/* ---- predicates and the condition code ---- */

static uint32_t two_predicates(const struct sm_exec *x)
{
    return sm_combine(SM_FIELD(x->u->word, bool24), sm_source_predicate(x, 12, 15),
                      sm_source_predicate(x, 29, 32));
}

unsigned sm_alu_psetp(struct sm_exec *x)
{
    return sm_set_predicates(x, two_predicates(x));
}

unsigned sm_alu_pset(struct sm_exec *x)
{
    return sm_set_row(x, two_predicates(x));
}

unsigned sm_alu_csetp(struct sm_exec *x)
{
    return sm_set_predicates(x, sm_condition(x->w, x->u->how));
}

unsigned sm_alu_cset(struct sm_exec *x)
{
    return sm_set_row(x, sm_condition(x->w, x->u->how));
}

/* P2R: predicates, or the condition code, as bits of a byte of a copy of A; B is their mask. */
unsigned sm_alu_p2r(struct sm_exec *x)
{
    const struct sm_warp *w = x->w;
    const unsigned shift = 8 * x->u->how;
    const bool cc = SM_FIELD(x->u->word, pr40);
    FOR_LANES (i) {
        uint32_t bits = 0;
        if (cc)
            bits = (w->z >> i & 1) | (w->s >> i & 1) << 1 | (w->carry >> i & 1) << 2 |
                   (w->o >> i & 1) << 3;
        else
            for (unsigned p = 0; p < 7; p++)
                bits |= (w->p[p] >> i & 1) << p;
        const uint32_t mask = (x->b[i] & 0xff) << shift;
        x->d[0][i] = (x->a[i] & ~mask) | (bits << shift & mask);
    }
    return 1;
}

unsigned sm_alu_r2p(struct sm_exec *x)
{
    struct sm_warp *w = x->w;
    const unsigned shift = 8 * x->u->how;
    const bool cc = SM_FIELD(x->u->word, pr40);
    uint32_t *const flags[4] = {&w->z, &w->s, &w->carry, &w->o};
    for (unsigned p = 0; p < (cc ? 4u : 7u); p++) {
        uint32_t value = 0, mask = 0;
        FOR_LANES (i) {
            value |= (x->a[i] >> shift >> p & 1) << i;
            mask |= (x->b[i] >> p & 1) << i;
        }
        uint32_t *to = cc ? flags[p] : &w->p[p];
        mask &= x->exec;
        *to = (*to & ~mask) | (value & mask);
    }
    return 0;
}

/* ---- between lanes ---- */

unsigned sm_alu_vote(struct sm_exec *x)
{
    const uint32_t p = sm_source_predicate(x, 39, 42) & x->exec;
    const unsigned how = x->u->how;
    const bool all = p == x->exec, any = p != 0;
    const bool result = how == 0 ? all : how == 1 ? any : all || !any;
    sm_set_predicate(x, 45, result ? 0xffffffffu : 0);
    FOR_LANES (i)
        x->d[0][i] = p;
    return 1;
}

/* Tells who observes the machine of lanes @p readers that read @p sources, which do not execute. */
__attribute__((noinline)) static void tell_exchange(const struct sm_exec *x, uint32_t readers,
                                                    uint32_t sources, bool shifts)
{
    wt_wave_tell(&x->w->device->machine, &x->w->head,
                 &(struct wt_observed_event){.kind = WT_SEEN_EXCHANGE,
                                             .pc = sm_pc_of(x->w, x->u),
                                             .lanes = readers,
                                             .shifts = shifts,
                                             .named = sources});
}

/* SHFL (PTX ISA, "shfl"): lane and mask from registers or immediates. */
unsigned sm_alu_shfl(struct sm_exec *x)
{
    const uint64_t word = x->u->word;
    const unsigned how = x->u->how;
    const uint32_t *lanes = sm_bit(word, 28) ? NULL : x->b, lane = (uint32_t)sm_bits(word, 20, 5);
    const uint32_t *masks = sm_bit(word, 29) ? NULL : x->c, mask = (uint32_t)sm_bits(word, 34, 13);
    uint32_t inside = 0, readers = 0, sources = 0;
    FOR_LANES (i) {
        const uint32_t b = lanes ? lanes[i] & 31 : lane, c = masks ? masks[i] : mask;
        const unsigned clamp = c & 31, segment = c >> 8 & 31;
        const unsigned most = (i & segment) | (clamp & ~segment), least = i & segment;
        int from;
        bool in;
        switch (how) {
        case 0: /* IDX */
            from = (int)(least | (b & ~segment));
            in = from <= (int)most;
            break;
        case 1: /* UP */
            from = (int)i - (int)b;
            in = from >= (int)most;
            break;
        case 2: /* DOWN */
            from = (int)(i + b);
            in = from <= (int)most;
            break;
        default: /* BFLY */
            from = (int)(i ^ b);
            in = from <= (int)most;
            break;
        }
        if (!in)
            from = (int)i;
        inside |= (uint32_t)in << i;
        x->d[0][i] = x->a[from & 31];
        if (x->exec >> i & 1 && !(x->exec >> (from & 31) & 1)) {
            readers |= 1u << i;
            sources |= 1u << (from & 31);
        }
    }
    if (readers && wt_observes_events(&x->w->device->machine))
        tell_exchange(x, readers, sources, how == 1 || how == 2);
    sm_set_predicate(x, 48, inside);
    return 1;
}
