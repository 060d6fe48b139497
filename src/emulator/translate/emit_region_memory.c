/*
 * Loads and stores of a shape with regions: one to four dwords for each of 8 or 16 lanes: single
 * ones in a row in one page; scattered in one page or in the group's memory; of several pages lane
 * by lane. The handler is called for all else. See emit.h.
 */
#include "emulator/machine/memory.h"
#include "emulator/translate/emit.h"

/* Places of lanes behind where their page, or the group's memory, begins; ones for lanes that do
 * not execute. Two registers each. */
enum { PLACES = T4, IDLES = SOURCE + 1 };
/* Lane r10. */
enum { ANY = UINT8_MAX };

static const struct wt_rows_insn *insn_of(const struct emitter *e)
{
    return &e->insn[e->at];
}

static unsigned parts_of(const struct emitter *e)
{
    return insn_of(e)->lanes / 8;
}

static bool is_in_group(const struct emitter *e)
{
    return insn_of(e)->access.space == WT_ROWS_GROUP;
}

static struct x86_place window(const struct emitter *e, size_t member)
{
    const struct wt_rows_state *s = NULL;
    return emit_field(member + sizeof s->window[0] * insn_of(e)->access.window);
}
#define WINDOW(member) window(e, offsetof(struct wt_rows_state, window[0].member))

/* Bytes from a lane's address to behind its last dword. */
static uint32_t extent(const struct emitter *e)
{
    const struct wt_rows_insn *n = insn_of(e);
    return n->access.place[n->access.words - 1] + 4;
}

/* Bits that are 0 in addresses whose dwords are all in one page. */
static uint32_t odd_bits(const struct emitter *e)
{
    const uint32_t bytes = extent(e);
    return bytes > 8 ? 15 : bytes > 4 ? 7 : 3;
}

/* 32 bytes of a row that begins at a slot. */
static struct x86_place part_at(struct emitter *e, uint32_t slot, unsigned strip)
{
    const struct wt_rows_source part = {.slot = slot + 32 * strip};
    return emit_part(e, &part, false, 0);
}

/* ax: the address of the first lane, or of lane r10. */
static void load_address(struct emitter *e, bool first)
{
    const struct wt_rows_insn *n = insn_of(e);
    const uint32_t slot = n->s[0].slot;
    x86_integer(&e->code, X86_LOAD, !n->access.short_address, X86_AX,
                first ? x86_mem(FRAME, slot)
                      : x86_scaled(FRAME, slot, X86_R10, n->access.short_address ? 2 : 3));
    if (is_in_group(e))
        x86_integer_number(&e->code, X86_AND, false, X86_AX, (int32_t)n->access.offset);
}

/* For the address in ax: dx becomes its page of the host, and ax is what is behind. */
static void find_page(struct emitter *e)
{
    struct x86_code *code = &e->code;
    const bool store = insn_of(e)->op == WT_ROWS_STORE;
    emit_find_page(e, store);
    for (unsigned i = 0; store && i < WT_ROWS_GUARDED; i++) {
        x86_integer(code, X86_CMP, true, X86_DX,
                    emit_field(offsetof(struct wt_rows_state, guarded) + 8 * (size_t)i));
        emit_call(e, X86_ZERO);
    }
    x86_integer_number(code, X86_AND, false, X86_AX, WT_PAGE_MASK);
}

/* ---- lanes side by side ---- */

/* Jumps where the lanes do not access one place behind the other. */
static size_t leave_row(struct emitter *e)
{
    const struct wt_rows_insn *n = insn_of(e);
    const bool wide = !n->access.short_address;
    const unsigned part_lanes = wide ? 4 : 8;
    const struct x86_place first = part_at(e, n->s[0].slot, 0);
    emit_vector(e, wide ? VPBROADCASTQ : VPBROADCASTD, T0, 0, first);
    for (unsigned i = 0; i < n->lanes / part_lanes; i++) {
        uint64_t far[4];
        uint32_t near[8];
        for (unsigned k = 0; k < 8; k++) {
            far[k / 2] = 4 * (part_lanes * i + k / 2);
            near[k] = 4 * (part_lanes * i + k);
        }
        const unsigned to = i ? T2 : T1;
        const unsigned from = emit_loaded(e, part_at(e, n->s[0].slot, i), T2);
        emit_vector(e, wide ? VPSUBQ : VPSUBD, to, from, x86_reg(T0));
        emit_vector(e, VPXOR, to, to,
                    wide ? x86_literal(&e->code, far, sizeof far)
                         : x86_literal(&e->code, near, sizeof near));
        if (i)
            emit_vector(e, VPOR, T1, T1, x86_reg(T2));
    }
    emit_vector(e, VPTEST, T1, 0, x86_reg(T1));
    return x86_jump(&e->code, X86_NOT_ZERO);
}

/* dx: where the row is in memory of the host. */
static void find_row(struct emitter *e)
{
    const struct wt_rows_insn *n = insn_of(e);
    struct x86_code *code = &e->code;
    const int32_t bytes = 4 * n->lanes;
    load_address(e, true);
    if (n->access.space != WT_ROWS_GLOBAL) {
        x86_integer(code, X86_LOAD, true, X86_DX, x86_reg(X86_AX));
        x86_integer_number(code, X86_ADD, true, X86_DX, bytes);
    }
    if (is_in_group(e)) {
        x86_integer(code, X86_LOAD, false, X86_R8, FIELD(group_bytes));
        x86_integer(code, X86_CMP, true, X86_DX, x86_reg(X86_R8));
        emit_call(e, X86_ABOVE);
        x86_integer(code, X86_LOAD, true, X86_DX, FIELD(group));
    } else {
        if (n->access.space == WT_ROWS_WINDOW) {
            x86_integer(code, X86_CMP, true, X86_DX, WINDOW(bytes));
            emit_call(e, X86_ABOVE);
            x86_integer(code, X86_ADD, true, X86_AX, WINDOW(base));
        }
        find_page(e);
        x86_integer_number(code, X86_CMP, false, X86_AX, (int32_t)WT_PAGE_SIZE - bytes);
        emit_call(e, X86_ABOVE);
    }
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_AX));
}

static void access_row(struct emitter *e, const unsigned d[2])
{
    const struct wt_rows_insn *n = insn_of(e);
    find_row(e);
    emit_note_access(e);
    for (unsigned i = 0; i < parts_of(e); i++)
        if (n->op == WT_ROWS_LOAD)
            emit_vector(e, VMOVDQU, d[i], 0, x86_mem(X86_DX, 32 * i));
        else
            emit_vector(e, VMOVDQU_TO, emit_loaded(e, part_at(e, n->s[1].slot, i), T0), 0,
                        x86_mem(X86_DX, 32 * i));
    /* all lanes execute, whatever the mask says in general */
    for (unsigned i = 0; n->op == WT_ROWS_LOAD && i < parts_of(e); i++)
        emit_vector(e, VMOVDQU_TO, d[i], 0, x86_mem(FRAME, n->d + 32 * i));
}

/* ---- scattered lanes ---- */

/* A dword of ax in all lanes of a register. */
static void broadcast(struct emitter *e, unsigned to, unsigned from)
{
    e->code.narrow = true;
    emit_vector(e, VMOVD, to, 0, x86_reg(from));
    e->code.narrow = false;
    emit_vector(e, VPBROADCASTD, to, 0, x86_reg(to));
}

/* T1 gets the bits of a register in which lanes that execute have them. */
static void collect(struct emitter *e, unsigned strip, unsigned from)
{
    if (emit_is_partial_region(e)) {
        emit_vector(e, VPANDN, T3, IDLES + strip, x86_reg(from));
        from = T3;
    }
    emit_vector(e, VPOR, T1, T1, x86_reg(from));
}

/* The lower dwords of a part's addresses; T1 gets all bits where an upper one is not T0's. */
static void read_wide(struct emitter *e, unsigned strip)
{
    const uint32_t slot = insn_of(e)->s[0].slot;
    const unsigned to = PLACES + strip, low = emit_loaded(e, part_at(e, slot, 2 * strip), to);
    const struct x86_place high = part_at(e, slot, 2 * strip + 1);
    x86_vector_number(&e->code, VSHUFPS, T3, low, high, 0xdd);
    x86_vector_number(&e->code, VPERMQ, T3, 0, x86_reg(T3), 0xd8);
    x86_vector_number(&e->code, VSHUFPS, to, low, high, 0x88);
    x86_vector_number(&e->code, VPERMQ, to, 0, x86_reg(to), 0xd8);
    emit_vector(e, VPCMPEQD, T3, T3, x86_reg(T0));
    emit_vector(e, VPXOR, T3, T3, emit_literal(e, UINT32_MAX, false));
    collect(e, strip, T3);
}

/* T0 becomes the greatest of its dwords and those of a part whose lanes execute. */
static void read_short(struct emitter *e, unsigned strip)
{
    const struct wt_rows_insn *n = insn_of(e);
    const struct x86_place part = part_at(e, n->s[0].slot, strip);
    const unsigned to = PLACES + strip;
    unsigned from = to;
    if (is_in_group(e))
        emit_vector(e, VPAND, to, emit_loaded(e, part, to),
                    emit_literal(e, n->access.offset, false));
    else
        emit_vector(e, VMOVDQU, to, 0, part);
    if (emit_is_partial_region(e)) {
        emit_vector(e, VPANDN, T3, IDLES + strip, x86_reg(to));
        from = T3;
    }
    emit_vector(e, strip ? VPMAXUD : VMOVDQU, T0, strip ? T0 : 0, x86_reg(from));
}

/* The handler is called where T0 has more than the bytes of the window, or of the group, allow. */
static void check_bounds(struct emitter *e)
{
    const struct x86_place bytes = is_in_group(e) ? FIELD(group_bytes) : WINDOW(bytes);
    x86_integer(&e->code, X86_LOAD, false, X86_R8, bytes);
    x86_integer_number(&e->code, X86_SUB, false, X86_R8, (int32_t)extent(e));
    emit_call(e, X86_BELOW);
    broadcast(e, T3, X86_R8);
    emit_vector(e, VPMAXUD, T0, T0, x86_reg(T3));
    emit_vector(e, VPXOR, T0, T0, x86_reg(T3));
    emit_vector(e, VPTEST, T0, 0, x86_reg(T0));
    emit_call(e, X86_NOT_ZERO);
}

/* The places of lanes in a page, which dx becomes, by the address of one of them in ax. Returns a
 * jump where there are several. */
static size_t find_places(struct emitter *e)
{
    const struct wt_rows_insn *n = insn_of(e);
    struct x86_code *code = &e->code;
    if (n->access.space == WT_ROWS_WINDOW)
        x86_integer(code, X86_ADD, true, X86_AX, WINDOW(base));
    broadcast(e, T2, X86_AX);
    if (n->access.space == WT_ROWS_GLOBAL) {
        x86_integer(code, X86_LOAD, true, X86_R8, x86_reg(X86_AX));
        x86_shift(code, false, X86_R8, 32);
        broadcast(e, T0, X86_R8);
    }
    emit_vector(e, VPXOR, T1, T1, x86_reg(T1));
    for (unsigned i = 0; i < parts_of(e); i++) {
        if (n->access.space == WT_ROWS_GLOBAL) {
            read_wide(e, i);
        } else {
            read_short(e, i);
            emit_vector(e, VPBROADCASTD, T3, 0, WINDOW(base));
            emit_vector(e, VPADDD, PLACES + i, PLACES + i, x86_reg(T3));
        }
        emit_vector(e, VPXOR, T3, PLACES + i, x86_reg(T2));
        collect(e, i, T3);
        if (!i) { /* those of one lane, and where others differ from them */
            emit_vector(e, VPAND, T3, T2, emit_literal(e, odd_bits(e), false));
            emit_vector(e, VPOR, T1, T1, x86_reg(T3));
        }
        emit_vector(e, VPAND, PLACES + i, PLACES + i, emit_literal(e, WT_PAGE_MASK, false));
    }
    if (n->access.space == WT_ROWS_WINDOW)
        check_bounds(e);
    emit_vector(e, VPTEST, T1, 0, emit_literal(e, (uint32_t)~WT_PAGE_MASK | odd_bits(e), false));
    const size_t several = x86_jump(code, X86_NOT_ZERO);
    find_page(e);
    return several;
}

static void find_places_in_group(struct emitter *e)
{
    for (unsigned i = 0; i < parts_of(e); i++)
        read_short(e, i);
    check_bounds(e);
    x86_integer(&e->code, X86_LOAD, true, X86_DX, FIELD(group));
}

/* dx becomes where dword k of an address is. */
static void go_to_word(struct emitter *e, unsigned k)
{
    const uint32_t *place = insn_of(e)->access.place, by = place[k] - (k ? place[k - 1] : 0);
    if (by)
        x86_integer_number(&e->code, X86_ADD, true, X86_DX, (int32_t)by);
}

static void gather(struct emitter *e, const unsigned d[2])
{
    const struct wt_rows_insn *n = insn_of(e);
    for (unsigned k = 0; k < n->access.words; k++) {
        go_to_word(e, k);
        for (unsigned i = 0; i < parts_of(e); i++) {
            if (emit_is_partial_region(e))
                emit_vector(e, VPXOR, T1, IDLES + i, emit_literal(e, UINT32_MAX, false));
            else
                emit_vector(e, VPCMPEQD, T1, T1, x86_reg(T1));
            x86_gather(&e->code, VPGATHERDD, d[i], T1, X86_DX, PLACES + i);
        }
        for (unsigned i = 0; i < parts_of(e); i++)
            emit_store_region(e, n->access.row[k], i, d[i]);
    }
}

/* A lane's dwords, where dx and `place` lead to. */
static void scatter_lane(struct emitter *e, struct x86_place place, unsigned lane)
{
    const struct wt_rows_insn *n = insn_of(e);
    x86_integer(&e->code, X86_LOAD, false, X86_AX, place);
    for (unsigned k = 0; k < n->access.words; k++) {
        x86_integer(&e->code, X86_LOAD, false, X86_R8,
                    lane == ANY ? x86_scaled(FRAME, n->access.row[k], X86_R10, 2)
                                : x86_mem(FRAME, n->access.row[k] + 4 * lane));
        x86_store_part(&e->code, 4, X86_R8, x86_scaled(X86_DX, n->access.place[k], X86_AX, 0));
    }
}

/* The lanes of r9, or all, in their order. */
static void scatter(struct emitter *e)
{
    const struct wt_rows_insn *n = insn_of(e);
    const size_t places = offsetof(struct wt_rows_state, place);
    for (unsigned i = 0; i < parts_of(e); i++)
        emit_vector(e, VMOVDQU_TO, PLACES + i, 0, emit_field(places + 32 * i));
    for (unsigned i = 0; i < n->lanes && !emit_is_partial_region(e); i++)
        scatter_lane(e, emit_field(places + 4 * i), i);
    if (!emit_is_partial_region(e))
        return;
    const size_t loop = e->code.size;
    x86_find_one(&e->code, X86_R10, X86_R9);
    scatter_lane(e, x86_scaled(STATE, places, X86_R10, 2), ANY);
    emit_end_lanes(e, loop);
}

/* ---- lanes one by one ---- */

/* The state's `host` becomes where the lanes of r9 access memory, which are within bounds. */
static void find_lanes(struct emitter *e)
{
    struct x86_code *code = &e->code;
    const size_t loop = code->size;
    x86_find_one(code, X86_R10, X86_R9);
    load_address(e, false);
    if (insn_of(e)->access.space == WT_ROWS_WINDOW)
        x86_integer(code, X86_ADD, true, X86_AX, WINDOW(base));
    find_page(e);
    x86_integer_number(code, X86_CMP, false, X86_AX, (int32_t)(WT_PAGE_SIZE - extent(e)));
    emit_call(e, X86_ABOVE);
    x86_integer(code, X86_ADD, true, X86_DX, x86_reg(X86_AX));
    x86_integer(code, X86_STORE, true, X86_DX,
                x86_scaled(STATE, offsetof(struct wt_rows_state, host), X86_R10, 3));
    emit_end_lanes(e, loop);
}

/* Nothing is accessed before all places have been found. */
static void access_lanes(struct emitter *e, const unsigned d[2])
{
    const struct wt_rows_insn *n = insn_of(e);
    struct x86_code *code = &e->code;
    const bool load = n->op == WT_ROWS_LOAD;
    if (!emit_is_partial_region(e))
        emit_enabled_region(e, X86_R9);
    x86_integer(code, X86_LOAD, false, X86_R11, x86_reg(X86_R9));
    find_lanes(e);
    emit_note_access(e);
    x86_integer(code, X86_LOAD, false, X86_R9, x86_reg(X86_R11));
    const size_t loop = code->size;
    x86_find_one(code, X86_R10, X86_R9);
    x86_integer(code, X86_LOAD, true, X86_AX,
                x86_scaled(STATE, offsetof(struct wt_rows_state, host), X86_R10, 3));
    for (unsigned k = 0; k < n->access.words; k++) {
        const struct x86_place memory = x86_mem(X86_AX, n->access.place[k]),
                               value = x86_scaled(FRAME, n->access.row[k], X86_R10, 2);
        x86_integer(code, X86_LOAD, false, X86_R8, load ? memory : value);
        x86_store_part(code, 4, X86_R8, load ? value : memory);
    }
    emit_end_lanes(e, loop);
    for (unsigned i = 0; load && n->access.words == 1 && i < parts_of(e); i++)
        emit_vector(e, VMOVDQU, d[i], 0, x86_mem(FRAME, n->d + 32 * i));
}

/* ---- an access ---- */

/* r9 has lanes that execute, if not all of them do. */
static void access_scattered(struct emitter *e, const unsigned d[2])
{
    const bool partial = emit_is_partial_region(e);
    size_t several = 0, done = 0;
    for (unsigned i = 0; i < parts_of(e) && partial; i++) {
        emit_idle_region(e, i);
        emit_vector(e, VMOVDQU, IDLES + i, 0, x86_reg(T3));
    }
    if (is_in_group(e)) {
        find_places_in_group(e);
    } else {
        if (partial)
            x86_find_one(&e->code, X86_R10, X86_R9);
        load_address(e, !partial);
        several = find_places(e);
    }
    emit_note_access(e);
    if (insn_of(e)->op == WT_ROWS_LOAD)
        gather(e, d);
    else
        scatter(e);
    if (!several)
        return;
    done = x86_jump(&e->code, X86_ALWAYS);
    x86_land(&e->code, several, e->code.size);
    access_lanes(e, d);
    x86_land(&e->code, done, e->code.size);
}

void emit_access_region(struct emitter *e)
{
    const struct wt_rows_insn *n = insn_of(e);
    const bool load = n->op == WT_ROWS_LOAD, partial = emit_is_partial_region(e),
               single = n->access.words == 1 && !n->access.place[0];
    struct x86_code *code = &e->code;
    unsigned d[2] = {0, 0};
    size_t none = 0, some = 0, scattered = 0, done = 0;
    code->narrow = false;
    if (load)
        emit_choose_region(e, d);
    if (partial) {
        emit_enabled_region(e, X86_R9);
        x86_integer(code, X86_TEST, false, X86_R9, x86_reg(X86_R9));
        none = x86_jump(code, X86_ZERO);
    }
    if (partial && single) {
        x86_integer_number(code, X86_CMP, false, X86_R9, (1 << n->lanes) - 1);
        some = x86_jump(code, X86_NOT_ZERO);
    }
    if (single) {
        scattered = leave_row(e);
        access_row(e, d);
        done = x86_jump(code, X86_ALWAYS);
    }
    emit_skipped(e, scattered);
    emit_skipped(e, some);
    access_scattered(e, d);
    if (partial && load && n->access.words == 1) {
        const size_t past = x86_jump(code, X86_ALWAYS);
        x86_land(code, none, code->size);
        for (unsigned i = 0; i < parts_of(e); i++)
            emit_vector(e, VMOVDQU, d[i], 0, x86_mem(FRAME, n->d + 32 * i));
        x86_land(code, past, code->size);
    } else {
        emit_skipped(e, none);
    }
    emit_skipped(e, done);
    if (load && n->access.words == 1)
        emit_keep_region(e, d);
    for (unsigned k = 0; k < n->access.words && load && n->access.words > 1; k++)
        emit_evict(e, n->access.row[k], 4u * n->lanes);
}

void emit_wait_region(struct emitter *e)
{
    const struct x86_place count = x86_mem(FRAME, insn_of(e)->s[0].slot);
    x86_integer(&e->code, X86_LOAD, false, X86_AX, count);
    x86_integer_number(&e->code, X86_SUB, false, X86_AX, 1);
    emit_leave(e, X86_BELOW);
    x86_integer(&e->code, X86_STORE, false, X86_AX, count);
}

void emit_arrive_region(struct emitter *e)
{
    struct x86_code *code = &e->code;
    x86_integer(code, X86_LOAD, true, X86_DX, FIELD(arrived));
    x86_load_part(code, 2, false, false, X86_AX, x86_mem(X86_DX, 0));
    x86_integer_number(code, X86_ADD, false, X86_AX, 1);
    x86_integer(code, X86_CMP, false, X86_AX, FIELD(last));
    emit_call(e, X86_NOT_BELOW);
    x86_store_part(code, 2, X86_AX, x86_mem(X86_DX, 0));
}
