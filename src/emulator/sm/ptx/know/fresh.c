/*
 * PTX: warps whose registers are not cleared when they begin. A kernel's code writes most of its
 * rows before it reads them, and a warp of a short kernel ends before anyone looks at them: so
 * these rows keep what an earlier warp has left there until the code writes them. A warp is `fresh`
 * as long as that may be so of a row; ptx_settle() clears the rows that have not been written.
 *
 * Only rows are left alone of which each write is one of all lanes, and no read comes before it.
 * Which of them have been written follows from where the warp stands and from the runs of records
 * (what stands between branches and labels) that it has come through, a bit each; rows that are
 * written in loops are not among them. Where its lanes part it has ways, one for all lanes that
 * have come through the same runs; if they are too many, or it has loops, it is settled. Nobody
 * outside of the run of the machine sees a fresh warp, and there is none while anyone watches.
 *
 * Of a function that all lanes call, rows are left alone that its opening writes, the records
 * before its first branch, label or call, which are executed once: behind them nothing is left to
 * clear. A warp `opens` if its newest frame may be one in its opening.
 */
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/operands.h"
#include "emulator/sm/operands.h"
#include "emulator/sm/ptx/exec/rows.h"
#include "emulator/translate/rows.h"

enum { RUNS = 64, ROWS = 256, WORDS = ROWS / 64, FEWEST = 8, GAP = 4, RECORDS = 1024, SETTLED = 8 };
enum { WARPS = 64, LAUNCHES = 4 };  /* a kernel's, before it is looked at: one of them */
enum { CALLS = 256 };               /* likewise, calls of a function */
enum { DWORDS, LOW, HIGH, SHAPES }; /* dwords of all lanes, qwords of lanes 0 to 15, of 16 to 31 */

struct rows {
    uint64_t bits[WORDS];
};

struct fresh_record {
    struct rows written; /* as a whole */
    uint8_t run;         /* that it is in; a branch or a label ends one */
};

/* Knowledge of a kernel, or of a function that is called. */
struct ptx_fresh {
    struct ptx_fresh *next;
    const struct sm_ptx *image;
    const struct ptx_function_info *info;
    uint32_t launches; /* or calls */
    uint32_t opening;  /* records of a function before the first branch, label, call or return */
    bool looked, helps;
    /* Warps whose lanes part have ways: not in kernels with loops, where they would go on long, and
     * with instructions that read registers of lanes that do not execute them. */
    bool parts;
    struct rows late;       /* the rows that are not cleared at first */
    struct rows of[SHAPES]; /* what is written to them as a whole */
    struct rows written[RUNS];
    uint64_t tells; /* a bit for each run that writes any of these */
    struct {
        uint32_t first, count; /* rows that are, in ranges */
    } range[ROWS];
    uint32_t ranges;
    struct fresh_record *record;
    /* Rows left to clear of warps that were settled: by their records, and the runs before. */
    struct {
        const struct fresh_record *record;
        uint64_t runs;
        struct rows left;
    } settled[SETTLED];
};

/* While a kernel is looked at. */
struct look {
    struct ptx_fresh *f;
    const struct sm_warp *w; /* a warp of it, in the kernel's own frame */
    uint32_t begins[RUNS + 1], runs;
    uint64_t next[RUNS]; /* the runs that may follow each */
    uint64_t loops;      /* the runs that may follow themselves */
};

static bool has(const struct rows *r, uint32_t row)
{
    return r->bits[row / 64] >> row % 64 & 1;
}

static void put(struct rows *r, uint32_t row)
{
    r->bits[row / 64] |= (uint64_t)1 << row % 64;
}

static void add(struct rows *to, const struct rows *from)
{
    for (unsigned i = 0; i < WORDS; i++)
        to->bits[i] |= from->bits[i];
}

static void keep(struct rows *to, const struct rows *from)
{
    for (unsigned i = 0; i < WORDS; i++)
        to->bits[i] &= from->bits[i];
}

/* Takes away the rows of one that are not in another one. */
static void drop(struct rows *to, const struct rows *from, const struct rows *but)
{
    for (unsigned i = 0; i < WORDS; i++)
        to->bits[i] &= ~(from->bits[i] & ~(but ? but->bits[i] : 0));
}

static bool divides(const struct ptx_op *o)
{
    return o->run == ptx_op_bra || o->run == ptx_op_join;
}

/* Whether its operands say all that it does to rows, and it leaves the lanes together. */
static bool is_known(const struct ptx_op *o)
{
    static const sm_op others[] = {
        ptx_op_brx,          ptx_op_call,          ptx_op_call_register,  ptx_op_trap,
        ptx_op_builtin,      ptx_op_alloca,        ptx_op_stack,          ptx_op_texture,
        ptx_op_surface_load, ptx_op_surface_store, ptx_op_copy_async,     ptx_op_bulk_copy,
        ptx_op_mbarrier,     ptx_op_texture_query, ptx_op_matrix,         ptx_op_load_matrix,
        ptx_op_store_matrix, ptx_op_load_fragment, ptx_op_store_fragment, ptx_op_transpose};
    static const sm_op together[] = {ptx_op_barrier, ptx_op_warp_barrier, ptx_op_shuffle,
                                     ptx_op_vote,    ptx_op_match,        ptx_op_reduce,
                                     ptx_op_active,  ptx_op_elect};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (o->run == others[i])
            return false;
    for (size_t i = 0; i < sizeof together / sizeof *together && o->guard != PTX_NO_SLOT; i++)
        if (o->run == together[i])
            return false;
    return true;
}

/* ---- runs ---- */

/* The run that a branch leads to. */
static bool find_target(const struct look *k, uint32_t record, uint32_t *run)
{
    const struct ptx_fresh *f = k->f;
    const uint32_t entry = f->info->entry;
    const uint64_t pc = ptx_pc(f->image, entry + record);
    uint32_t target;
    if (!ptx_index(f->image, pc + (uint64_t)f->image->op[entry + record].offset, &target) ||
        target < entry || target >= f->info->end)
        return false;
    *run = f->record[target - entry].run;
    return k->begins[*run] == target - entry;
}

static bool find_runs(struct look *k)
{
    const struct ptx_fresh *f = k->f;
    const struct ptx_op *op = f->image->op + f->info->entry;
    const uint32_t count = f->info->end - f->info->entry;
    uint64_t reach[RUNS];
    uint32_t target;
    k->runs = 1;
    k->f->parts = true;
    for (uint32_t i = 0; i < count; i++) {
        k->f->parts &= op[i].run != ptx_op_shuffle;
        if (!is_known(&op[i]) || (divides(&op[i]) && k->runs == RUNS))
            return false;
        f->record[i].run = (uint8_t)(k->runs - 1);
        if (divides(&op[i]))
            k->begins[k->runs++] = i + 1;
    }
    k->begins[k->runs] = count;
    for (uint32_t i = 0; i < count; i++) {
        const unsigned run = f->record[i].run;
        if (divides(&op[i]) && (op[i].run == ptx_op_join || op[i].guard != PTX_NO_SLOT))
            k->next[run] |= (uint64_t)2 << run;
        if (op[i].run == ptx_op_bra && !find_target(k, i, &target))
            return false;
        if (op[i].run == ptx_op_bra)
            k->next[run] |= (uint64_t)1 << target;
    }
    memcpy(reach, k->next, sizeof reach);
    for (uint32_t i = 0; i < k->runs; i++)
        for (uint32_t j = 0; j < k->runs; j++)
            reach[j] |= reach[j] >> i & 1 ? reach[i] : 0;
    for (uint32_t i = 0; i < k->runs; i++)
        k->loops |= reach[i] & (uint64_t)1 << i;
    k->f->parts &= !k->loops;
    return true;
}

/* ---- rows ---- */

/* Adds the rows that a record writes as a whole, writes otherwise, and reads. */
static bool list(const struct look *k, uint32_t record, struct rows *whole, struct rows *part,
                 struct rows *read)
{
    const struct sm_ptx *image = k->f->image;
    const struct ptx_op *o = &image->op[record];
    struct wt_machine *m = &k->w->device->machine;
    const uint32_t frame = k->w->base * PTX_ROW_BYTES;
    struct wt_insn_operands all;
    if (!m->ops->operands(m, k->w->id, ptx_pc(image, record), &all) || all.incomplete)
        return false;
    for (unsigned i = 0; i < all.count; i++) {
        const struct wt_insn_operand *x = &all.list[i];
        if (x->file != SM_FILE_R || (x->kind != WT_OPERAND_ROW && x->kind != WT_OPERAND_SCALAR))
            continue;
        const uint32_t at = x->number - frame;
        const uint32_t bytes = x->kind == WT_OPERAND_ROW ? x->step / 8u * SM_LANES : x->bits / 8u;
        const bool is_whole = x->kind == WT_OPERAND_ROW && !x->keeps && !x->first &&
                              x->bits == x->step && at % PTX_ROW_BYTES == 0 &&
                              o->guard == PTX_NO_SLOT;
        if (x->number < frame || !bytes || at + bytes > ROWS * PTX_ROW_BYTES)
            return false;
        for (uint32_t row = at / PTX_ROW_BYTES, n = row; row <= (at + bytes - 1) / PTX_ROW_BYTES;
             row++) {
            if (x->writes)
                put(is_whole ? whole : part, row);
            if (x->writes && is_whole)
                put(&k->f->of[x->bits == 32 ? DWORDS : LOW + row - n], row);
            if (x->reads)
                put(read, row);
        }
    }
    return true;
}

/* Adds the rows that are written as dwords and as qwords. */
static void add_mixed(struct rows *to, const struct ptx_fresh *f)
{
    for (unsigned i = 0; i < WORDS; i++) {
        const uint64_t dwords = f->of[DWORDS].bits[i], low = f->of[LOW].bits[i];
        to->bits[i] |= (dwords & low) | ((dwords | low) & f->of[HIGH].bits[i]);
    }
}

/* The rows that have been written on each way to a run. */
static void find_written(const struct look *k, struct rows *before)
{
    memset(before, 0xff, k->runs * sizeof *before);
    memset(before, 0, sizeof *before);
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = 0; i < k->runs; i++) {
            struct rows out = before[i];
            add(&out, &k->f->written[i]);
            for (uint32_t j = 1; j < k->runs; j++) {
                const struct rows old = before[j];
                if (k->next[i] >> j & 1)
                    keep(&before[j], &out);
                changes |= memcmp(&old, &before[j], sizeof old) != 0;
            }
        }
    }
}

/* Chooses the rows that are left alone at first. */
static bool choose_rows(struct look *k)
{
    struct ptx_fresh *f = k->f;
    const uint32_t entry = f->info->entry, count = f->info->end - entry;
    struct rows before[RUNS], part = {{0}}, *read = calloc(count, sizeof *read);
    for (uint32_t i = 0; read && i < count; i++) {
        struct fresh_record *r = &f->record[i];
        if (!list(k, entry + i, &r->written, &part, &read[i])) {
            free(read);
            return false;
        }
        add(&f->written[r->run], &r->written);
        add(&f->late, &r->written);
    }
    find_written(k, before);
    for (uint32_t row = 0; row < PTX_PARAMETER_ROW; row++)
        put(&part, row);
    struct rows used = part;
    add(&used, &f->late);
    for (uint32_t i = 0; read && i < count; i++)
        add(&used, &read[i]);
    for (uint32_t row = 0; row < f->info->rows; row++)
        if (!has(&used, row))
            put(&f->late, row);
    add_mixed(&part, f);
    drop(&f->late, &part, NULL);
    for (uint32_t i = 0; i < k->runs; i++) {
        if (k->loops >> i & 1)
            drop(&f->late, &f->written[i], NULL);
        for (uint32_t n = k->begins[i]; read && n < k->begins[i + 1]; n++) {
            drop(&f->late, &read[n], &before[i]);
            add(&before[i], &f->record[n].written);
        }
    }
    for (uint32_t i = 0; i < k->runs; i++)
        for (unsigned n = 0; n < WORDS; n++)
            f->tells |= (uint64_t)((f->written[i].bits[n] & f->late.bits[n]) != 0) << i;
    free(read);
    return read;
}

/* The other rows, in ranges: those with few between them are one. */
static uint32_t find_ranges(struct ptx_fresh *f)
{
    uint32_t cleared = 0;
    for (uint32_t row = 0; row < f->info->rows; row++) {
        uint32_t n = f->ranges;
        if (has(&f->late, row))
            continue;
        if (n && row - f->range[n - 1].first - f->range[n - 1].count < GAP)
            n--;
        else
            f->range[f->ranges++].first = row;
        f->range[n].count = row + 1 - f->range[n].first;
    }
    for (uint32_t n = 0; n < f->ranges; n++)
        cleared += f->range[n].count;
    return cleared;
}

static void look_at(struct ptx_fresh *f, const struct sm_warp *w)
{
    const uint32_t count = f->info->end - f->info->entry;
    struct look k = {.f = f, .w = w};
    f->looked = true;
    f->record = count <= RECORDS && f->info->rows <= ROWS ? calloc(count, sizeof *f->record) : NULL;
    f->helps =
        f->record && find_runs(&k) && choose_rows(&k) && find_ranges(f) + FEWEST <= f->info->rows;
}

/* A warp that is in the frame of its kernel; NULL: there is none. */
static const struct sm_warp *any_warp(const struct sm_device *d)
{
    for (uint32_t i = 0; i < d->machine.waves; i++)
        if (d->warp[i].active && d->warp[i].base == PTX_FIRST_ROW)
            return &d->warp[i];
    return NULL;
}

/* The knowledge of a kernel or a function, made where there is none; NULL without host memory. */
static struct ptx_fresh *known(struct sm_device *d, const struct sm_ptx *image,
                               const struct ptx_function_info *info)
{
    struct ptx_fresh *f = d->known;
    while (f && f->info != info)
        f = f->next;
    if (!f && (f = calloc(1, sizeof *f))) {
        f->image = image;
        f->info = info;
        f->next = d->known;
        d->known = f;
    }
    return f;
}

void ptx_fresh_choose(struct sm_device *d)
{
    const struct sm_launch *l = &d->grid.launch;
    uint32_t index = 0;
    const struct sm_ptx *image = l->rows ? ptx_image_at(d, l->entry, &index) : NULL;
    struct ptx_fresh *f = NULL;
    d->unknown = false;
    for (size_t i = 0; image && !f && i < image->function_count; i++)
        if (image->function[i].entry == index)
            f = known(d, image, &image->function[i]);
    if (!f)
        return;
    const bool often = d->grid.total * d->grid.warps_per_cta >= WARPS || f->launches >= LAUNCHES;
    const struct sm_warp *w = any_warp(d);
    if (often && !f->looked && w) {
        look_at(f, w);
        if (f->helps && f->launches) /* translated code does not tell where warps come */
            wt_code_invalidate(&d->machine.code, image->code,
                               (image->op_count + 2) / 3 * SM_BUNDLE);
    }
    f->launches += f->launches < LAUNCHES;
    d->fresh = f->helps && ptx_pc(f->image, f->info->entry) == l->entry ? f : NULL;
}

void ptx_fresh_forget(struct sm_device *d, const struct sm_ptx *image)
{
    memset(d->called, 0, sizeof d->called);
    for (struct ptx_fresh **at = &d->known, *f; (f = *at);) {
        if (image && f->image != image) {
            at = &f->next;
            continue;
        }
        if (d->fresh == f)
            d->fresh = NULL;
        *at = f->next;
        free(f->record);
        free(f);
    }
}

/* ---- warps ---- */

#ifdef SM_CLONES
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
void ptx_clear_rows(uint32_t (*r)[SM_LANES], size_t rows)
{
    typedef uint64_t vector __attribute__((vector_size(64), may_alias));
    vector *to = (vector *)r;
    for (size_t i = 0; i < rows; i++, to += 2) {
        const vector zeros = {0};
        to[0] = to[1] = zeros;
        __asm__("" : "+r"(to)); /* else the compiler makes it a call of that function */
    }
}

/* The record at pc of the kernel that runs; NULL: it is elsewhere. */
static const struct fresh_record *record_at(const struct sm_device *d, uint64_t pc)
{
    const struct ptx_fresh *f = d->fresh;
    uint32_t index;
    return f && ptx_index(f->image, pc, &index) && index >= f->info->entry && index < f->info->end
               ? &f->record[index - f->info->entry]
               : NULL;
}

bool ptx_is_unseen(const struct sm_device *d)
{
    const struct wt_machine *m = &d->machine;
    return d->hidden && !m->watch && !m->observer && !m->judge && !d->handler &&
           d->config.fill.kind == WT_FILL_ZERO;
}

/* Clears the rows of a frame that are cleared at first. */
static void clear_early(struct sm_warp *w, const struct ptx_fresh *f, uint32_t base)
{
    for (uint32_t n = 0; n < f->ranges; n++)
        ptx_clear_rows(w->r + base + f->range[n].first, f->range[n].count);
#ifdef WT_CHECK_INVARIANTS
    for (uint32_t row = 0; row < f->info->rows; row++)
        if (has(&f->late, row))
            memset(w->r[base + row], 0xa5, sizeof *w->r);
#endif
    w->device->has_fresh = true;
}

bool ptx_begin_fresh(struct sm_warp *w)
{
    const struct sm_device *d = w->device;
    const struct ptx_fresh *f = d->fresh;
    if (!f || w->mask != UINT32_MAX || !d->hidden)
        return false;
    clear_early(w, f, PTX_FIRST_ROW);
    w->fresh = true;
    w->runs = 1;
    return true;
}

unsigned ptx_run_at(const struct sm_device *d, uint64_t pc)
{
    const struct fresh_record *r = record_at(d, pc);
    return !r ? 0 : d->fresh->tells >> r->run & 1 ? r->run + 1u : WT_ROWS_NO_RUN;
}

bool ptx_has_ways(const struct sm_device *d)
{
    return d->fresh && d->fresh->parts;
}

/* Clears rows of a frame. */
static void clear_rest(struct sm_warp *w, uint32_t base, const struct rows *left)
{
    for (unsigned i = 0; i < WORDS; i++)
        for (uint64_t rows = left->bits[i]; rows;) {
            const unsigned first = (unsigned)__builtin_ctzll(rows);
            const uint64_t behind = ~(rows >> first);
            const unsigned count = behind ? (unsigned)__builtin_ctzll(behind) : 64 - first;
            ptx_clear_rows(w->r + base + 64 * i + first, count);
            rows &= rows + ((uint64_t)1 << first);
        }
}

/* The rows that a warp before a record has not written, if it has come through runs. */
static struct rows find_left(const struct ptx_fresh *f, const struct fresh_record *r, uint64_t runs)
{
    struct rows left = f->late;
    for (; runs; runs &= runs - 1)
        drop(&left, &f->written[__builtin_ctzll(runs)], NULL);
    for (const struct fresh_record *before = r; before-- > f->record && before->run == r->run;)
        drop(&left, &before->written, NULL);
    return left;
}

/* The dwords of a row of qwords that 16 lanes have. */
static uint32_t halves_of(uint32_t lanes)
{
    uint32_t dwords = 0;
    for (unsigned i = 0; i < SM_LANES / 2; i++)
        dwords |= lanes >> i & 1 ? 3u << 2 * i : 0;
    return dwords;
}

/* Clears what some lanes have in rows. */
static PTX_CLONED void clear_lanes(struct sm_warp *w, const struct rows *left, uint32_t lanes)
{
    const struct ptx_fresh *f = w->device->fresh;
    const uint32_t dwords[] = {lanes, halves_of(lanes), halves_of(lanes >> SM_LANES / 2)};
    for (unsigned i = 0; i < WORDS; i++)
        for (uint64_t rows = left->bits[i]; rows; rows &= rows - 1) {
            const uint32_t row = 64 * i + (unsigned)__builtin_ctzll(rows);
            const uint32_t mask = dwords[has(&f->of[LOW], row)    ? LOW
                                         : has(&f->of[HIGH], row) ? HIGH
                                                                  : DWORDS];
            uint32_t *to = w->r[w->base + row];
            for (unsigned k = 0; k < SM_LANES; k++)
                to[k] = mask & ptx_lane_bit[k] ? 0 : to[k];
        }
}

/* Likewise the rows that the lanes of a path, which stands at pc, have not written; they have
 * come through `more` runs than their ways say. */
static void settle_path(struct sm_warp *w, uint64_t pc, uint32_t lanes, uint64_t more)
{
    const struct ptx_fresh *f = w->device->fresh;
    const struct fresh_record *r = record_at(w->device, pc);
    assert(r);
    for (unsigned i = 0; i < w->ways; i++) {
        const uint64_t runs = (w->way[i].runs | more) & ~((uint64_t)1 << r->run);
        const struct rows left = find_left(f, r, runs);
        clear_lanes(w, &left, w->way[i].mask & lanes);
    }
}

/* Settles a warp that has ways. */
static void settle_ways(struct sm_warp *w, uint64_t pc, uint64_t more)
{
    settle_path(w, pc, w->mask, more);
    for (uint32_t i = 0; i < w->depth; i++)
        settle_path(w, w->stack[i].pc, w->stack[i].mask, 0);
    w->fresh = false;
    w->ways = 0;
}

void ptx_settle(struct sm_warp *w, uint64_t pc)
{
    struct ptx_fresh *f = w->device->fresh;
    const struct fresh_record *r = record_at(w->device, pc);
    assert(w->fresh && w->base == PTX_FIRST_ROW && r);
    if (w->ways) {
        settle_ways(w, pc, 0);
        return;
    }
    const uint64_t runs = w->runs & ~((uint64_t)1 << r->run);
    const unsigned i = (unsigned)(r - f->record) % SETTLED;
    if (f->settled[i].record != r || f->settled[i].runs != runs) {
        f->settled[i].record = r;
        f->settled[i].runs = runs;
        f->settled[i].left = find_left(f, r, runs);
    }
    clear_rest(w, w->base, &f->settled[i].left);
    w->fresh = false;
    w->runs = 0;
}

/* ---- ways ---- */

static uint64_t run_bit(const struct sm_warp *w, uint64_t pc)
{
    return (uint64_t)1 << record_at(w->device, pc)->run;
}

struct ways {
    struct sm_way way[SM_WAYS];
    unsigned count;
};

/* Makes one of those whose lanes have come through the same runs. */
static void join_ways(struct ways *all)
{
    for (unsigned i = all->count; i-- > 1;)
        for (unsigned k = 0; k < i; k++)
            if (all->way[k].runs == all->way[i].runs) {
                all->way[k].mask |= all->way[i].mask;
                all->way[i] = all->way[--all->count];
                break;
            }
}

/* Some lanes, each of which is of a way, come to runs. False: there is no room for the ways. */
static bool come(struct ways *all, uint32_t lanes, uint64_t runs)
{
    for (unsigned i = 0; i < all->count; i++) {
        struct sm_way *way = &all->way[i];
        const uint32_t mask = way->mask & lanes;
        if (!mask || !(runs & ~way->runs))
            continue;
        if (mask != way->mask && all->count == SM_WAYS) {
            join_ways(all);
            if (all->count == SM_WAYS)
                return false;
            i = UINT32_MAX; /* they are others: those that have come stay as they are */
            continue;
        }
        if (mask != way->mask)
            all->way[all->count++] = (struct sm_way){way->mask & ~mask, way->runs};
        way->mask = mask;
        way->runs |= runs;
    }
    return true;
}

/* Likewise lanes of a warp that has ways. */
static bool warp_comes(struct sm_warp *w, uint32_t lanes, uint64_t runs, uint32_t others,
                       uint64_t to)
{
    for (unsigned i = 0; i < w->ways && !others; i++) /* mostly they are those of a way */
        if (w->way[i].mask == lanes) {
            w->way[i].runs |= runs;
            return true;
        }
    struct ways all = {.count = w->ways};
    memcpy(all.way, w->way, sizeof all.way);
    if (!come(&all, lanes, runs) || !come(&all, others, to))
        return false;
    memcpy(w->way, all.way, sizeof all.way);
    w->ways = (uint8_t)all.count;
    return true;
}

void ptx_came(struct sm_warp *w, const struct sm_uop *u, uint64_t runs)
{
    const uint64_t pc = sm_pc_of(w, u);
    if (!warp_comes(w, w->mask, runs, 0, 0))
        settle_ways(w, pc + (sm_is_control(pc) ? 8 : 0), runs);
}

void ptx_comes_to(struct sm_warp *w, uint64_t from, uint64_t to)
{
    if (!w->ways)
        w->runs |= run_bit(w, to);
    else if (!warp_comes(w, w->mask, run_bit(w, to), 0, 0))
        ptx_settle(w, from);
}

void ptx_parts(struct sm_warp *w, uint64_t from, uint32_t lanes, uint64_t to, uint64_t others_to)
{
    const uint64_t runs = run_bit(w, to), others = run_bit(w, others_to);
    if (!w->device->fresh->parts) {
        ptx_settle(w, from);
    } else if (!w->ways) {
        w->way[0] = (struct sm_way){lanes, w->runs | runs};
        w->way[1] = (struct sm_way){w->mask & ~lanes, w->runs | others};
        w->ways = 2;
        w->runs = 0;
    } else if (!warp_comes(w, lanes, runs, w->mask & ~lanes, others)) {
        ptx_settle(w, from);
    }
}

/* ---- frames of functions ---- */

/* Finds the opening of a function, which no branch leads to, and chooses the rows that it writes;
 * the warp is in its frame. */
static bool choose_opening(struct look *k)
{
    struct ptx_fresh *f = k->f;
    const struct sm_ptx *image = f->image;
    const uint32_t entry = f->info->entry, end = f->info->end;
    const struct ptx_op *op = image->op;
    struct rows part = {{0}}, read = {{0}};
    for (uint32_t i = entry; i < end; i++) {
        uint32_t target;
        const bool branches = op[i].run == ptx_op_bra;
        if (op[i].run == ptx_op_brx ||
            (branches && (!ptx_index(image, ptx_pc(image, i) + (uint64_t)op[i].offset, &target) ||
                          target == entry)))
            return false;
    }
    for (uint32_t row = 0; row < PTX_PARAMETER_ROW; row++)
        put(&part, row);
    for (uint32_t i = entry; i < end && is_known(&op[i]) && !divides(&op[i]) &&
                             op[i].run != ptx_op_ret && op[i].run != ptx_op_exit;
         i++) {
        struct rows *whole = &f->record[f->opening++].written, before = f->late;
        struct rows reads = {{0}};
        if (!list(k, i, whole, &part, &reads))
            return false;
        drop(&reads, &before, NULL); /* `reads` keeps rows that are read before they are written */
        add(&read, &reads);
        add(&f->late, whole);
    }
    drop(&f->late, &part, NULL);
    drop(&f->late, &read, NULL);
    return true;
}

static void look_at_function(struct ptx_fresh *f, struct sm_warp *w, uint32_t base)
{
    const uint32_t count = f->info->end - f->info->entry, caller = w->base;
    struct look k = {.f = f, .w = w};
    f->looked = true;
    f->record = count <= RECORDS && f->info->rows <= ROWS ? calloc(count, sizeof *f->record) : NULL;
    w->base = base; /* operands are those of the frame */
    f->helps = f->record && choose_opening(&k) && find_ranges(f) + FEWEST <= f->info->rows;
    w->base = caller;
}

bool ptx_begin_frame(struct sm_warp *w, uint32_t base, const struct sm_ptx *image,
                     const struct ptx_function_info *info)
{
    struct sm_device *d = w->device;
    struct ptx_fresh **at =
        &d->called[(size_t)(info - image->function) % (sizeof d->called / sizeof *d->called)];
    if (!*at || (*at)->info != info)
        *at = known(d, image, info);
    struct ptx_fresh *f = *at;
    if (f && !f->looked && ++f->launches == CALLS)
        look_at_function(f, w, base);
    if (!f || !f->helps || !ptx_is_unseen(d))
        return false;
    clear_early(w, f, base);
    w->opens = true;
    return true;
}

void ptx_settle_frame(struct sm_warp *w, uint64_t pc)
{
    struct sm_device *d = w->device;
    const struct ptx_fresh *f = d->known;
    uint32_t index = 0;
    const struct sm_ptx *image = ptx_image_at(d, pc, &index);
    w->opens = false;
    while (f && (f->image != image || index < f->info->entry || index >= f->info->end))
        f = f->next;
    if (!f || w->base == PTX_FIRST_ROW || !f->helps || index - f->info->entry >= f->opening)
        return;
    struct rows left = f->late;
    for (uint32_t i = 0; i < index - f->info->entry; i++)
        drop(&left, &f->record[i].written, NULL);
    clear_rest(w, w->base, &left);
}

void ptx_settle_all(struct sm_device *d)
{
    for (uint32_t i = 0; d->has_fresh && i < d->machine.waves; i++) {
        struct sm_warp *w = &d->warp[i];
        if (w->active && w->fresh)
            ptx_settle(w, w->pc);
        if (w->active && w->opens)
            ptx_settle_frame(w, w->pc);
    }
    d->has_fresh = false;
}
