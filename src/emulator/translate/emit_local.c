/*
 * Loads and stores of local memory, of which each lane has its own, one behind the other: lanes
 * that access one address, in one page, are done without a look at each one; else those of eight
 * lanes in one page are accessed at once. See emit.h.
 */
#include "emulator/machine/memory.h"
#include "emulator/translate/emit.h"

enum { GROUP = 8 }; /* lanes, of dwords a part */

static struct x86_place place_of(unsigned group)
{
    return emit_field(offsetof(struct wt_rows_state, place) + 32 * (size_t)group);
}

static struct x86_place host_of(unsigned group)
{
    return emit_field(offsetof(struct wt_rows_state, host) + 8 * (size_t)group);
}

/* The addresses of a group without `window` in T0, and in T1 bits that none of them may have. */
static void read_addresses(struct emitter *e, unsigned group, uint64_t window)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    if (n->access
            .short_address) { /* neither a base nor an address is so great: no sum has wrapped */
        const struct x86_place base = emit_part(e, &n->s[0], false, group);
        emit_vector(e, VMOVDQU, T1, 0, base);
        emit_vector(e, VPADDD, T0, T1, emit_literal(e, n->access.offset, false));
        x86_vector_number(code, VPSHIFTD, 2, T1, x86_reg(T1), 31);
        return;
    }
    const struct x86_place offset = emit_literal(e, n->access.offset - window, true);
    for (unsigned i = 0; i < 2; i++) {
        const unsigned to = i ? T1 : T0;
        const struct x86_place part = emit_part(e, &n->s[0], true, 2 * group + i);
        emit_vector(e, VPADDQ, to, emit_loaded(e, part, to), offset);
    }
    x86_vector_number(code, VSHUFPS, T2, T0, x86_reg(T1), 0x88);
    x86_vector_number(code, VSHUFPS, T1, T0, x86_reg(T1), 0xdd);
    x86_vector_number(code, VPERMQ, T0, 0, x86_reg(T2), 0xd8);
    x86_vector_number(code, VPERMQ, T1, 0, x86_reg(T1), 0xd8);
}

/* Where a group's lanes access memory, behind the host's place of the first one's. */
static void find_group(struct emitter *e, unsigned group, uint64_t window)
{
    static const uint32_t number[GROUP] = {0, 1, 2, 3, 4, 5, 6, 7};
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    read_addresses(e, group, window);
    /* less than a lane has, and aligned */
    emit_vector(e, VPBROADCASTD, T2, 0, FIELD(local_bytes));
    emit_vector(e, VPMINUD, T3, T0, x86_reg(T2));
    emit_vector(e, VPCMPEQD, T3, T3, x86_reg(T2));
    emit_vector(e, VPOR, T1, T1, x86_reg(T3));
    emit_vector(e, VMOVDQU, T3, 0, emit_literal(e, n->access.bytes - 1u, false));
    emit_vector(e, VPAND, T3, T3, x86_reg(T0));
    emit_vector(e, VPOR, T1, T1, x86_reg(T3));
    if (e->some)
        emit_vector(e, VPANDN, T1, emit_idle(e, false, group, T3), x86_reg(T1));
    emit_vector(e, VPTEST, T1, 0, x86_reg(T1));
    emit_detour(e, X86_NOT_ZERO);
    emit_vector(e, VPMULLD, T2, T2, x86_literal(code, number, sizeof number));
    emit_vector(e, VPADDD, T0, T0, x86_reg(T2));
    emit_vector(e, VMOVDQU_TO, T0, 0, place_of(group));
    /* the page that has the memory of all eight */
    x86_integer(code, X86_LOAD, true, X86_R10, FIELD(local_bytes));
    x86_integer_number(code, X86_CMP, true, X86_R10, WT_PAGE_SIZE / GROUP);
    emit_detour(e, X86_ABOVE);
    x86_shift(code, true, X86_R10, 3);
    x86_set(code, X86_AX, group);
    x86_multiply(code, X86_AX, x86_reg(X86_R10));
    x86_integer(code, X86_ADD, true, X86_AX, FIELD(local));
    emit_find_page(e, n->op == WT_ROWS_STORE);
    x86_integer_number(code, X86_AND, false, X86_AX, WT_PAGE_MASK);
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_AX));
    x86_integer(code, X86_ADD, true, X86_AX, x86_reg(X86_R10));
    x86_integer_number(code, X86_CMP, false, X86_AX, WT_PAGE_SIZE);
    emit_detour(e, X86_ABOVE);
    x86_integer(code, X86_STORE, true, X86_DX, host_of(group));
}

/* Loads what a group's lanes have behind dx, at places that were noted of group `noted`. */
static void gather_group(struct emitter *e, unsigned group, unsigned noted)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (unsigned i = 0; i < (n->wide ? 2 : 1); i++) {
        const unsigned strip = n->wide ? 2 * group + i : group;
        struct x86_place places = place_of(noted);
        places.offset += 16 * (int32_t)i;
        e->code.narrow = n->wide; /* no more than was stored at once: the host waits else */
        emit_vector(e, VMOVDQU, T2, 0, places);
        e->code.narrow = false;
        if (e->some)
            emit_vector(e, VPXOR, T1, emit_idle(e, n->wide, strip, T1),
                        emit_literal(e, UINT32_MAX, false));
        else
            emit_vector(e, VPCMPEQD, T1, T1, x86_reg(T1));
        x86_gather(&e->code, n->wide ? VPGATHERDQ : VPGATHERDD, T0, T1, X86_DX, T2);
        emit_store(e, strip, T0);
    }
}

static void store_lane(struct emitter *e, struct x86_place place, struct x86_place part)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    x86_integer(&e->code, X86_LOAD, false, X86_AX, place);
    x86_integer(&e->code, X86_LOAD, n->wide, X86_R8, part);
    x86_store_part(&e->code, n->access.bytes, X86_R8, x86_sum(X86_DX, X86_AX));
}

static void store(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const unsigned bytes = n->wide ? 8 : 4;
    struct x86_code *code = &e->code;
    for (unsigned i = 0; !e->some && i < e->shape->lanes; i++) {
        struct x86_place place = place_of(i / GROUP);
        place.offset += 4 * (int32_t)(i % GROUP);
        if (i % GROUP == 0)
            x86_integer(code, X86_LOAD, true, X86_DX, host_of(i / GROUP));
        store_lane(e, place, x86_mem(FRAME, n->s[1].slot + bytes * i));
    }
    if (!e->some)
        return;
    const size_t loop = emit_begin_lanes(e);
    x86_integer(code, X86_LOAD, true, X86_AX, x86_reg(X86_R10));
    x86_shift(code, false, X86_AX, 3);
    x86_integer(code, X86_LOAD, true, X86_DX,
                x86_scaled(STATE, offsetof(struct wt_rows_state, host), X86_AX, 3));
    store_lane(e, x86_scaled(STATE, offsetof(struct wt_rows_state, place), X86_R10, 2),
               x86_scaled(FRAME, n->s[1].slot, X86_R10, n->wide ? 3 : 2));
    emit_end_lanes(e, loop);
}

/* ---- all lanes at one address ---- */

/* The address of the first lane without `window` in r10, which must be one that a lane has; r8: the
 * bytes of a lane. */
static void find_first(struct emitter *e, uint64_t window)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const bool wide = !n->access.short_address;
    x86_integer(code, X86_LOAD, wide, X86_R10, emit_first_base(e));
    x86_set(code, X86_AX, n->access.offset - (wide ? window : 0));
    x86_integer(code, X86_ADD, true, X86_R10, x86_reg(X86_AX));
    x86_integer_number(code, X86_TEST, false, X86_R10, n->access.bytes - 1);
    emit_detour(e, X86_NOT_ZERO);
    x86_integer(code, X86_LOAD, true, X86_R8, FIELD(local_bytes));
    x86_integer(code, X86_CMP, true, X86_R10, x86_reg(X86_R8));
    emit_detour(e, X86_NOT_BELOW);
}

/* Notes that all lanes have one address. dx: where the host has its memory. */
static void know(struct emitter *e)
{
    if (!e->alone.number)
        return;
    x86_integer(&e->code, X86_STORE, true, X86_DX, FIELD(base));
    x86_set(&e->code, KNOWN, e->alone.number);
}

/* Jumps to `other` where the lanes' addresses differ, or their memory is in several pages; else dx
 * becomes the host's place of lane 0. */
static void find_one(struct emitter *e, uint64_t window, size_t other[2])
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const bool wide = !n->access.short_address;
    const unsigned parts = emit_parts(e, wide);
    emit_vector(e, wide ? VPBROADCASTQ : VPBROADCASTD, T0, 0, emit_first_base(e));
    emit_vector(e, VPXOR, T1, T1, x86_reg(T1));
    for (unsigned i = 0; i < parts; i++) {
        emit_vector(e, VPXOR, T2, T0, emit_part(e, &n->s[0], wide, i));
        if (e->some)
            emit_vector(e, VPANDN, T2, emit_idle(e, wide, i, T3), x86_reg(T2));
        emit_vector(e, VPOR, T1, T1, x86_reg(T2));
    }
    emit_vector(e, VPTEST, T1, 0, x86_reg(T1));
    other[0] = x86_jump(code, X86_NOT_ZERO);
    find_first(e, window);
    x86_integer(code, X86_LOAD, true, X86_AX, FIELD(local));
    x86_shift(code, true, X86_R8, 5);
    x86_integer(code, X86_LOAD, true, X86_R9, x86_reg(X86_AX));
    x86_integer_number(code, X86_AND, false, X86_R9, WT_PAGE_MASK);
    x86_integer(code, X86_ADD, true, X86_R8, x86_reg(X86_R9));
    x86_integer_number(code, X86_CMP, true, X86_R8, WT_PAGE_SIZE);
    other[1] = x86_jump(code, X86_ABOVE);
    emit_find_page(e, n->op == WT_ROWS_STORE);
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_R9));
    know(e);
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_R10));
}

/* ---- dwords one behind the other, which several instructions load ---- */

static bool is_dword_load(const struct emitter *e, const struct wt_rows_insn *n)
{
    return n->op == WT_ROWS_LOAD && n->access.bytes == 4 && !n->wide && !n->conditional &&
           !n->access.words && n->access.short_address == e->insn[e->at].access.short_address &&
           n->access.space == e->insn[e->at].access.space &&
           n->s[0].slot == e->insn[e->at].s[0].slot;
}

/* How many dwords, from that of the instruction on, are worth to be loaded at once, since
 * instructions before the next store, and before anybody comes from elsewhere, load them: 2 or 4;
 * 1: no others. */
static unsigned find_ahead(const struct emitter *e)
{
    const struct wt_rows_insn *first = &e->insn[e->at];
    unsigned found = 0;
    if (!e->alone.number || !is_dword_load(e, first) || first->d == first->s[0].slot)
        return 1;
    for (uint32_t i = e->at + 1; i < e->count && !e->met[i]; i++) {
        const struct wt_rows_insn *n = &e->insn[i];
        if (n->op == WT_ROWS_STORE || n->op == WT_ROWS_CALL || n->op == WT_ROWS_HANDLER ||
            n->op == WT_ROWS_BRANCH)
            break;
        const uint64_t behind = n->access.offset - first->access.offset;
        if (is_dword_load(e, n) && behind % 4 == 0 && behind && behind <= 12)
            found |= 1u << behind / 4;
    }
    return found == 2 ? 2 : found & (found - 1) ? 4 : 1;
}

/* Where part `strip` of dword number `k` goes until its instruction comes. */
static struct x86_place ahead_of(unsigned k, unsigned strip)
{
    return emit_field(offsetof(struct wt_rows_state, ahead) + 128 * (size_t)(k - 1) +
                      32 * (size_t)strip);
}

/* Four dwords of eight lanes become parts of four rows: T0 to T3 have those of lanes 0 and 4, 1 and
 * 5, …. */
static void turn_four(struct emitter *e, unsigned strip)
{
    const unsigned d = emit_result(e, strip);
    struct x86_code *code = &e->code;
    emit_vector(e, VPUNPCKLDQ, d, T0, x86_reg(T1));
    emit_vector(e, VPUNPCKHDQ, T0, T0, x86_reg(T1));
    emit_vector(e, VPUNPCKLDQ, T1, T2, x86_reg(T3));
    emit_vector(e, VPUNPCKHDQ, T2, T2, x86_reg(T3));
    x86_vector_number(code, VSHUFPS, T3, d, x86_reg(T1), 0xee);
    emit_vector(e, VMOVDQU_TO, T3, 0, ahead_of(1, strip));
    x86_vector_number(code, VSHUFPS, T3, T0, x86_reg(T2), 0x44);
    emit_vector(e, VMOVDQU_TO, T3, 0, ahead_of(2, strip));
    x86_vector_number(code, VSHUFPS, T3, T0, x86_reg(T2), 0xee);
    emit_vector(e, VMOVDQU_TO, T3, 0, ahead_of(3, strip));
    x86_vector_number(code, VSHUFPS, T0, d, x86_reg(T1), 0x44);
    emit_store(e, strip, T0);
}

/* r8, r10: the bytes of a lane, of three; dx: the host's place of lane 0; ax: that of lane 4. */
static void load_four(struct emitter *e)
{
    struct x86_code *code = &e->code;
    for (unsigned i = 0; i < emit_parts(e, false); i++) {
        const struct x86_place place[2][4] = {
            {x86_mem(X86_DX, 0), x86_scaled(X86_DX, 0, X86_R8, 0), x86_scaled(X86_DX, 0, X86_R8, 1),
             x86_scaled(X86_DX, 0, X86_R10, 0)},
            {x86_mem(X86_AX, 0), x86_scaled(X86_AX, 0, X86_R8, 0), x86_scaled(X86_AX, 0, X86_R8, 1),
             x86_scaled(X86_AX, 0, X86_R10, 0)}};
        for (unsigned k = 0; k < 4; k++) {
            code->narrow = true;
            emit_vector(e, VMOVDQU, T0 + k, 0, place[0][k]);
            code->narrow = false;
            x86_vector_number(code, VINSERTI128, T0 + k, T0 + k, place[1][k], 1);
        }
        for (unsigned k = 0; k < 2; k++) { /* eight lanes further */
            const unsigned to = k ? X86_AX : X86_DX;
            x86_integer(code, X86_ADD, true, to, x86_reg(X86_R8));
            x86_integer(code, X86_ADD, true, to, x86_reg(X86_R8));
            x86_integer(code, X86_ADD, true, to, x86_reg(X86_R10));
            x86_integer(code, X86_ADD, true, to, x86_reg(X86_R10));
        }
        turn_four(e, i);
    }
}

/* Likewise of two dwords. */
static void load_pairs(struct emitter *e)
{
    struct x86_code *code = &e->code;
    for (unsigned i = 0; i < emit_parts(e, false); i++) {
        code->narrow = true;
        for (unsigned k = 0; k < 4; k++) { /* lanes 0 and 1, 2 and 3, 4 and 5, 6 and 7 */
            emit_vector(e, VMOVQ, T0 + k, 0, x86_mem(X86_DX, 0));
            x86_vector_number(code, VPINSRQ, T0 + k, T0 + k, x86_scaled(X86_DX, 0, X86_R8, 0), 1);
            x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_R8));
            x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_R8));
        }
        code->narrow = false;
        x86_vector_number(code, VINSERTI128, T0, T0, x86_reg(T2), 1);
        x86_vector_number(code, VINSERTI128, T1, T1, x86_reg(T3), 1);
        x86_vector_number(code, VSHUFPS, T2, T0, x86_reg(T1), 0xdd);
        emit_vector(e, VMOVDQU_TO, T2, 0, ahead_of(1, i));
        x86_vector_number(code, VSHUFPS, T0, T0, x86_reg(T1), 0x88);
        emit_store(e, i, T0);
    }
}

/* Loads what others will, too, if all of it is a lane's own; jumps on else. Returns the jump behind
 * it. r10: the address without the window; dx: as it will be for load_one(). */
static size_t load_ahead(struct emitter *e, unsigned count)
{
    struct x86_code *code = &e->code;
    const uint32_t known = e->alone.number | (e->at + 1) << 16;
    x86_integer(code, X86_LOAD, true, X86_R8, FIELD(local_bytes));
    x86_integer_number(code, X86_ADD, true, X86_R10, (int32_t)(4 * count));
    x86_integer(code, X86_CMP, true, X86_R10, x86_reg(X86_R8));
    const size_t past = x86_jump(code, X86_ABOVE);
    x86_integer(code, X86_LOAD, true, X86_R10, x86_reg(X86_R8));
    x86_integer(code, X86_ADD, true, X86_R10, x86_reg(X86_R8));
    x86_integer(code, X86_ADD, true, X86_R10, x86_reg(X86_R8));
    if (count == 4) {
        x86_integer(code, X86_LOAD, true, X86_AX, x86_reg(X86_DX));
        x86_integer(code, X86_ADD, true, X86_AX, x86_reg(X86_R8));
        x86_integer(code, X86_ADD, true, X86_AX, x86_reg(X86_R10));
        load_four(e);
    } else {
        load_pairs(e);
    }
    x86_set(code, KNOWN, known);
    const size_t done = x86_jump(code, X86_ALWAYS);
    x86_land(code, past, code->size);
    return done;
}

/* Half a part of a register comes from lanes' memory: that of the first one is at ax or dx; r8: the
 * bytes of a lane; r10: three times as many. */
static void load_half(struct emitter *e, unsigned to, unsigned from)
{
    const bool wide = e->insn[e->at].wide;
    emit_vector(e, wide ? VMOVQ : VMOVD, to, 0, x86_mem(from, 0));
    for (unsigned i = 1; i < (wide ? 2 : 4); i++)
        x86_vector_number(
            &e->code, wide ? VPINSRQ : VPINSRD, to, to,
            i < 3 ? x86_scaled(from, 0, X86_R8, i - 1) : x86_scaled(from, 0, X86_R10, 0), i);
}

/* Gathers of the host are slower. Memory of lanes that do not execute is there, too. */
static void load_one(struct emitter *e)
{
    struct x86_code *code = &e->code;
    const bool wide = e->insn[e->at].wide;
    x86_integer(code, X86_LOAD, true, X86_R8, FIELD(local_bytes));
    x86_integer(code, X86_LOAD, true, X86_R10, x86_reg(X86_R8));
    x86_integer(code, X86_ADD, true, X86_R10, x86_reg(X86_R8));
    x86_integer(code, X86_LOAD, true, X86_R9, x86_reg(X86_R10)); /* of half a part */
    if (!wide)
        x86_integer(code, X86_ADD, true, X86_R9, x86_reg(X86_R10));
    x86_integer(code, X86_ADD, true, X86_R10, x86_reg(X86_R8));
    for (unsigned i = 0; i < emit_parts(e, wide); i++) {
        code->narrow = true;
        load_half(e, T0, X86_DX);
        x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_R9));
        load_half(e, T1, X86_DX);
        x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_R9));
        code->narrow = false;
        x86_vector_number(code, VINSERTI128, T0, T0, x86_reg(T1), 1);
        emit_store(e, i, T0);
    }
}

static void store_one(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    if (!e->some)
        x86_integer(code, X86_LOAD, true, X86_R8, FIELD(local_bytes));
    for (unsigned i = 0; !e->some && i < e->shape->lanes; i++) {
        x86_integer(code, X86_LOAD, n->wide, X86_AX,
                    x86_mem(FRAME, n->s[1].slot + (n->wide ? 8 : 4) * i));
        x86_store_part(code, n->access.bytes, X86_AX, x86_mem(X86_DX, 0));
        x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_R8));
    }
    if (!e->some)
        return;
    const size_t loop = emit_begin_lanes(e);
    x86_integer(code, X86_LOAD, true, X86_AX, x86_reg(X86_R10));
    x86_multiply(code, X86_AX, FIELD(local_bytes));
    x86_integer(code, X86_LOAD, n->wide, X86_R8,
                x86_scaled(FRAME, n->s[1].slot, X86_R10, n->wide ? 3 : 2));
    x86_store_part(code, n->access.bytes, X86_R8, x86_sum(X86_DX, X86_AX));
    emit_end_lanes(e, loop);
}

/* ---- all lanes at one address, whose memory is in two pages ---- */

/* Jumps to `other` where it is in more; else r10 becomes what is behind the first page's beginning
 * for lane 0, and the state's `host` has where that page is, and where the second one is, less the
 * bytes of one. r8, r9, r10, ax: as find_one() leaves them. */
static size_t find_two(struct emitter *e)
{
    struct x86_code *code = &e->code;
    const bool store_it = e->insn[e->at].op == WT_ROWS_STORE;
    x86_integer_number(code, X86_CMP, true, X86_R8, 2 * WT_PAGE_SIZE);
    const size_t other = x86_jump(code, X86_ABOVE);
    x86_integer(code, X86_ADD, true, X86_R10, x86_reg(X86_R9));
    emit_find_page(e, store_it);
    x86_integer(code, X86_STORE, true, X86_DX, host_of(0));
    x86_integer_number(code, X86_ADD, true, X86_AX, WT_PAGE_SIZE);
    emit_find_page(e, store_it);
    x86_integer_number(code, X86_SUB, true, X86_DX, WT_PAGE_SIZE);
    x86_integer(code, X86_STORE, true, X86_DX, host_of(1));
    return other;
}

/* The host has both pages side by side, so they are as good as one: jumps to where the code for
 * lanes in one page begins, as find_one() comes there. Else the code goes on. */
static void join_two(struct emitter *e, size_t one)
{
    struct x86_code *code = &e->code;
    x86_integer(code, X86_CMP, true, X86_DX, host_of(0));
    const size_t apart = x86_jump(code, X86_NOT_ZERO);
    x86_integer(code, X86_SUB, true, X86_R10, x86_reg(X86_R9));
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_R9));
    know(e);
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_R10));
    x86_land(code, x86_jump(code, X86_ALWAYS), one);
    x86_land(code, apart, code->size);
}

/* The memory of the next lane at dx + r10, which were those of the lane before; r8: the bytes of a
 * lane. */
static void next_of_two(struct emitter *e, bool first)
{
    struct x86_code *code = &e->code;
    if (!first)
        x86_integer(code, X86_ADD, true, X86_R10, x86_reg(X86_R8));
    x86_integer_number(code, X86_CMP, false, X86_R10, WT_PAGE_SIZE);
    x86_move_if(code, X86_NOT_BELOW, X86_DX, host_of(1));
}

static void begin_two(struct emitter *e)
{
    x86_integer(&e->code, X86_LOAD, true, X86_R8, FIELD(local_bytes));
    x86_integer(&e->code, X86_LOAD, true, X86_DX, host_of(0));
}

static void load_two(struct emitter *e)
{
    struct x86_code *code = &e->code;
    const bool wide = e->insn[e->at].wide;
    const unsigned lanes = wide ? 2 : 4; /* of half a part */
    const struct x86_place memory = x86_sum(X86_DX, X86_R10);
    begin_two(e);
    for (unsigned i = 0; i < emit_parts(e, wide); i++) {
        code->narrow = true;
        for (unsigned k = 0; k < 2 * lanes; k++) {
            const unsigned to = k < lanes ? T0 : T1;
            next_of_two(e, i == 0 && k == 0);
            if (k % lanes == 0)
                emit_vector(e, wide ? VMOVQ : VMOVD, to, 0, memory);
            else
                x86_vector_number(code, wide ? VPINSRQ : VPINSRD, to, to, memory, k % lanes);
        }
        code->narrow = false;
        x86_vector_number(code, VINSERTI128, T0, T0, x86_reg(T1), 1);
        emit_store(e, i, T0);
    }
}

static void store_two(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    if (!e->some) {
        begin_two(e);
        for (unsigned i = 0; i < e->shape->lanes; i++) {
            next_of_two(e, i == 0);
            x86_integer(code, X86_LOAD, n->wide, X86_AX,
                        x86_mem(FRAME, n->s[1].slot + (n->wide ? 8 : 4) * i));
            x86_store_part(code, n->access.bytes, X86_AX, x86_sum(X86_DX, X86_R10));
        }
        return;
    }
    x86_integer(code, X86_STORE, true, X86_R10, host_of(2));
    const size_t loop = emit_begin_lanes(e);
    x86_integer(code, X86_LOAD, true, X86_AX, x86_reg(X86_R10));
    x86_multiply(code, X86_AX, FIELD(local_bytes));
    x86_integer(code, X86_ADD, true, X86_AX, host_of(2));
    x86_integer(code, X86_LOAD, true, X86_DX, host_of(0));
    x86_integer_number(code, X86_CMP, false, X86_AX, WT_PAGE_SIZE);
    x86_move_if(code, X86_NOT_BELOW, X86_DX, host_of(1));
    x86_integer(code, X86_LOAD, n->wide, X86_R8,
                x86_scaled(FRAME, n->s[1].slot, X86_R10, n->wide ? 3 : 2));
    x86_store_part(code, n->access.bytes, X86_R8, x86_sum(X86_DX, X86_AX));
    emit_end_lanes(e, loop);
}

/* ---- an access ---- */

bool emit_has_local(const struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    return e->shape->lanes >= GROUP && e->shape->lanes <= 32 &&
           n->access.bytes == (n->wide ? 8 : 4) && !n->access.wraps;
}

/* Whether another access of the same kind has the addresses of the instruction's row behind it,
 * before anybody comes from elsewhere. Whether the row changes meanwhile does not matter here. */
static bool is_used_again(const struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    for (uint32_t i = e->at + 1; i < e->count && !e->met[i]; i++) {
        const struct wt_rows_insn *other = &e->insn[i];
        if (other->op == WT_ROWS_CALL || other->op == WT_ROWS_HANDLER)
            return false;
        if (other->op == n->op && other->access.space == n->access.space && !other->conditional &&
            !other->access.words && other->s[0].slot == n->s[0].slot)
            return true;
    }
    return false;
}

/* A dword that was loaded with another one; jumps on where it was not. Returns the jump behind it.
 */
static size_t take_ahead(struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const unsigned k = (unsigned)(n->access.offset - e->alone.first) / 4;
    x86_integer_number(code, X86_CMP, false, KNOWN,
                       (int32_t)(e->alone.number | e->alone.lead << 16));
    const size_t past = x86_jump(code, X86_NOT_ZERO);
    for (unsigned i = 0; i < emit_parts(e, false); i++) {
        emit_vector(e, VMOVDQU, T0, 0, ahead_of(k, i));
        emit_store(e, i, T0);
    }
    const size_t done = x86_jump(code, X86_ALWAYS);
    x86_land(code, past, code->size);
    return done;
}

/* The code for lanes at one address loads or stores; jumps, of which there may be none, are to
 * behind it. */
static void access_one(struct emitter *e, size_t done[2])
{
    const unsigned count = find_ahead(e);
    done[0] = done[1] = 0;
    emit_note_access(e);
    if (e->insn[e->at].op == WT_ROWS_STORE) {
        store_one(e);
    } else {
        if (count > 1)
            done[0] = load_ahead(e, count);
        load_one(e);
    }
    done[1] = x86_jump(&e->code, X86_ALWAYS);
}

/* The instruction may have loaded others' dwords from now on. */
static void lead(struct emitter *e)
{
    const unsigned count = find_ahead(e);
    if (count == 1)
        return;
    e->alone.lead = e->at + 1;
    e->alone.count = count;
    e->alone.first = e->insn[e->at].access.offset;
}

/* Whether an instruction before it may have loaded its dword. */
static bool is_led(const struct emitter *e)
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    const uint64_t behind = n->access.offset - e->alone.first;
    return e->alone.lead && is_dword_load(e, n) && behind % 4 == 0 && behind &&
           behind / 4 < e->alone.count;
}

void emit_access_alone(struct emitter *e, uint64_t window, size_t done[3])
{
    const struct wt_rows_insn *n = &e->insn[e->at];
    struct x86_code *code = &e->code;
    const bool store_it = n->op == WT_ROWS_STORE, wide = !n->access.short_address;
    done[0] = done[1] = done[2] = 0;
    if (e->conditional || !e->shape->few || !emit_has_local(e)) {
        e->alone.number = 0;
        return;
    }
    if (!e->alone.number || e->alone.slot != n->s[0].slot || e->alone.wide != wide ||
        e->alone.store != store_it || e->alone.window != window) {
        e->alone.number = is_used_again(e) ? e->at + 1 : 0;
        e->alone.slot = n->s[0].slot;
        e->alone.wide = wide;
        e->alone.store = store_it;
        e->alone.window = window;
        e->alone.lead = e->alone.count = 0;
        if (e->alone.number)
            x86_integer(code, X86_XOR, false, KNOWN, x86_reg(KNOWN));
        return;
    }
    if (is_led(e))
        done[2] = take_ahead(e);
    x86_integer(code, X86_LOAD, false, X86_AX, x86_reg(KNOWN));
    if (e->alone.lead)
        x86_integer_number(code, X86_AND, false, X86_AX, 0xffff);
    x86_integer_number(code, X86_CMP, false, X86_AX, (int32_t)e->alone.number);
    const size_t past = x86_jump(code, X86_NOT_ZERO);
    find_first(e, window);
    x86_integer(code, X86_LOAD, true, X86_DX, FIELD(base));
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_R10));
    access_one(e, done);
    x86_land(code, past, code->size);
}

void emit_access_local(struct emitter *e, uint64_t window)
{
    const unsigned groups = e->shape->lanes / GROUP;
    const bool store_it = e->insn[e->at].op == WT_ROWS_STORE;
    size_t other[2], done[3] = {0, 0, 0};
    if (e->shape->lanes == 32) {
        find_one(e, window, other);
        const size_t one = e->code.size;
        access_one(e, done);
        x86_land(&e->code, other[1], e->code.size);
        other[1] = find_two(e);
        join_two(e, one);
        emit_note_access(e);
        if (store_it)
            store_two(e);
        else
            load_two(e);
        done[2] = x86_jump(&e->code, X86_ALWAYS);
        for (unsigned i = 0; i < 2; i++)
            x86_land(&e->code, other[i], e->code.size);
    }
    emit_parts(e, false);
    for (unsigned i = 0; i < groups; i++) {
        const size_t past = emit_skip_idle(e, false, i);
        find_group(e, i, window);
        emit_skipped(e, past);
    }
    emit_note_access(e);
    if (store_it)
        store(e);
    for (unsigned i = 0; i < groups && !store_it; i++) {
        const size_t past = emit_skip_idle(e, false, i);
        x86_integer(&e->code, X86_LOAD, true, X86_DX, host_of(i));
        gather_group(e, i, i);
        emit_skipped(e, past);
    }
    for (unsigned i = 0; i < 3; i++)
        if (done[i])
            x86_land(&e->code, done[i], e->code.size);
    lead(e);
}
