/*
 * PTX: in which order paths of a warp run (sm/ptx/exec/flow.c), so that they come together where
 * all ways from a branch meet again: its post-dominator, which stands above some of these ways
 * where a compiler has moved them to the end of the function.
 *
 * The order is one of basic blocks in which a block stands behind those that lead to it, loops
 * aside, and in which the blocks of a loop stand together, behind the block that it is entered by:
 * a weak topological order (F. Bourdoncle, "Efficient chaotic iteration strategies with widenings",
 * 1993, figure 4, here without recursion). A function whose text has this property keeps its own
 * order, as does one whose loops are nested hundreds deep.
 */
#include <stdlib.h>
#include <string.h>

#include "emulator/sm/ptx/image.h"

enum { NONE = UINT32_MAX };

/* A block that the search is in: its successors, then those of the loop that it heads. */
struct visit {
    uint32_t block, next; /* the next successor */
    uint32_t head;        /* the lowest number that its successors lead back to */
    uint32_t end;         /* heads: the first place behind the loop, plus 1; 0: no loop so far */
    bool loops;
};

struct order {
    const struct sm_ptx *image;
    const struct ptx_function_info *f;
    uint32_t blocks, edges;
    uint32_t *block;              /* each record's block */
    uint32_t *first;              /* each block's first record; and where the last one ends */
    uint32_t *successor, *follow; /* all blocks', the highest first; where a block's begin */
    uint32_t *number;             /* in the search; 0: not visited */
    uint32_t *place, *at;         /* a block's place in the order; the block at a place */
    uint32_t *last; /* the last place of the loop that it heads; NONE: it heads none */
    uint32_t *loop; /* the innermost loop that it is in, or heads: its head; NONE */
    uint32_t *stack;
    struct visit *visit;
};

static uint32_t record_at(const struct sm_ptx *image, uint64_t pc)
{
    uint32_t index = NONE;
    return ptx_index(image, pc, &index) ? index : NONE;
}

static bool ends_path(const struct ptx_op *o)
{
    return (o->run == ptx_op_ret || o->run == ptx_op_exit || o->run == ptx_op_bra ||
            o->run == ptx_op_brx) &&
           o->guard == PTX_NO_SLOT;
}

/* The records that a record may branch to: how many; `at` of them, from 0. */
static uint32_t target_of(const struct order *r, uint32_t record, uint32_t at, uint32_t *target)
{
    const struct ptx_op *o = &r->image->op[record];
    if (o->run == ptx_op_bra) {
        *target = record_at(r->image, ptx_pc(r->image, record) + (uint64_t)o->offset);
        return 1;
    }
    if (o->run != ptx_op_brx)
        return 0;
    const uint32_t *list = &r->image->target[o->index];
    *target = at < list[0] ? list[1 + at] : NONE;
    return list[0];
}

static bool is_inside(const struct order *r, uint32_t record)
{
    return record >= r->f->entry && record < r->f->end;
}

/* ---- blocks and edges ---- */

static void find_blocks(struct order *r)
{
    const uint32_t entry = r->f->entry, count = r->f->end - entry;
    uint32_t target;
    memset(r->block, 0, count * sizeof *r->block);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0, n = 1; k < n; k++) {
            n = target_of(r, entry + i, k, &target);
            if (k < n && is_inside(r, target))
                r->block[target - entry] = 1;
        }
        const struct ptx_op *o = &r->image->op[entry + i];
        if (i + 1 < count && (ends_path(o) || o->run == ptx_op_bra || o->run == ptx_op_brx))
            r->block[i + 1] = 1;
    }
    r->block[0] = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (r->block[i])
            r->first[r->blocks++] = i;
        r->block[i] = r->blocks - 1;
    }
    r->first[r->blocks] = count;
}

static int downwards(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* False without host memory. */
static bool find_edges(struct order *r)
{
    size_t room = 0;
    for (uint32_t b = 0; b < r->blocks; b++) {
        const uint32_t last = r->f->entry + r->first[b + 1] - 1;
        uint32_t target, n = target_of(r, last, 0, &target);
        if (r->edges + n + 1 > room) {
            room = 2 * room + n + 1;
            uint32_t *grown = realloc(r->successor, room * sizeof *grown);
            if (!grown)
                return false;
            r->successor = grown;
        }
        r->follow[b] = r->edges;
        for (uint32_t k = 0; k < n; k++) {
            target_of(r, last, k, &target);
            if (is_inside(r, target))
                r->successor[r->edges++] = r->block[target - r->f->entry];
        }
        if (!ends_path(&r->image->op[last]) && b + 1 < r->blocks)
            r->successor[r->edges++] = b + 1;
        if (r->edges > r->follow[b])
            qsort(r->successor + r->follow[b], r->edges - r->follow[b], sizeof *r->successor,
                  downwards);
    }
    r->follow[r->blocks] = r->edges;
    return true;
}

/* ---- the search ---- */

struct order_search {
    uint32_t numbers, stacked, cursor; /* numbers given; places from `cursor` on are filled */
    size_t depth;
};

static void enter(struct order *r, struct order_search *s, uint32_t block)
{
    r->number[block] = ++s->numbers;
    r->stack[s->stacked++] = block;
    r->visit[s->depth++] =
        (struct visit){.block = block, .next = r->follow[block], .head = s->numbers};
}

static void fill_place(struct order *r, struct order_search *s, uint32_t block)
{
    r->place[block] = --s->cursor;
    r->at[s->cursor] = block;
}

/* All successors of the newest visit have been seen. */
static void leave(struct order *r, struct order_search *s)
{
    struct visit *v = &r->visit[s->depth - 1];
    const uint32_t head = v->head;
    if (!v->end && head == r->number[v->block]) {
        uint32_t block;
        r->number[v->block] = NONE;
        while ((block = r->stack[--s->stacked]) != v->block)
            r->number[block] = v->loops ? 0 : NONE;
        if (v->loops) { /* the loop's blocks once more, without the way back */
            v->end = s->cursor + 1;
            v->next = r->follow[v->block];
            return;
        }
        fill_place(r, s, v->block);
    } else if (v->end) {
        fill_place(r, s, v->block);
        r->last[v->block] = v->end - 2;
    }
    s->depth--;
    struct visit *before = s->depth ? &r->visit[s->depth - 1] : NULL;
    if (before && !before->end && head <= before->head) {
        before->head = head;
        before->loops = true;
    }
}

/* Each loop is searched once more than the one around it. False: they are nested too deep. */
static bool search(struct order *r)
{
    enum { MOST_DEEP = 256 };
    struct order_search s = {.cursor = r->blocks};
    uint64_t left = MOST_DEEP * ((uint64_t)r->blocks + r->edges);
    for (uint32_t root = 0; root < r->blocks; root++) {
        if (!r->number[root])
            enter(r, &s, root);
        while (s.depth) {
            if (!left--)
                return false;
            struct visit *v = &r->visit[s.depth - 1];
            if (v->next == r->follow[v->block + 1]) {
                leave(r, &s);
                continue;
            }
            const uint32_t to = r->successor[v->next++];
            if (!r->number[to]) {
                enter(r, &s, to);
            } else if (!v->end && r->number[to] <= v->head) {
                v->head = r->number[to];
                v->loops = true;
            }
        }
    }
    return true;
}

/* ---- whether the text has it already ---- */

static bool is_in_loop(const struct order *r, uint32_t head, uint32_t block)
{
    return r->place[block] >= r->place[head] && r->place[block] <= r->last[head];
}

/* The loops that blocks are in; `stack` has each loop's highest block then. */
static void find_loops(struct order *r)
{
    uint32_t loop = NONE;
    for (uint32_t p = 0; p < r->blocks; p++) {
        const uint32_t block = r->at[p];
        while (loop != NONE && p > r->last[loop])
            loop = r->number[loop]; /* the one around it */
        r->number[block] = loop;
        if (r->last[block] != NONE)
            loop = block;
        r->loop[block] = loop;
        r->stack[block] = block;
    }
    for (uint32_t block = 0; block < r->blocks; block++)
        for (uint32_t head = r->loop[block]; head != NONE; head = r->number[head])
            r->stack[head] = block;
}

static bool text_has_it(struct order *r)
{
    find_loops(r);
    for (uint32_t from = 0; from < r->blocks; from++)
        for (uint32_t e = r->follow[from]; e < r->follow[from + 1]; e++) {
            const uint32_t to = r->successor[e];
            const bool back = r->last[to] != NONE && is_in_loop(r, to, from);
            if (back != (to <= from))
                return false;
            for (uint32_t head = r->loop[from]; head != NONE; head = r->number[head])
                if (!is_in_loop(r, head, to) && to < r->stack[head])
                    return false;
        }
    return true;
}

/* ---- functions ---- */

static bool order_function(struct sm_ptx *image, const struct ptx_function_info *f)
{
    const uint32_t count = f->end - f->entry;
    struct order r = {.image = image, .f = f};
    uint32_t **const list[] = {&r.block, &r.first, &r.follow, &r.number, &r.place,
                               &r.at,    &r.last,  &r.loop,   &r.stack};
    const size_t lists_bytes = sizeof list / sizeof *list * sizeof(uint32_t);
    uint32_t *lists = count ? calloc((size_t)count + 1, lists_bytes) : NULL;
    bool good = !count;
    if (!lists)
        return good;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        *list[i] = lists + i * ((size_t)count + 1);
    find_blocks(&r);
    r.visit = malloc(r.blocks * sizeof *r.visit);
    memset(r.last, 0xff, r.blocks * sizeof *r.last);
    if (r.visit && find_edges(&r)) {
        good = true;
        if (search(&r) && !text_has_it(&r)) {
            if (!image->order) {
                good = (image->order = malloc(image->op_count * sizeof *image->order)) != NULL;
                for (uint32_t i = 0; good && i < image->op_count; i++)
                    image->order[i] = i;
            }
            uint32_t next = f->entry;
            for (uint32_t p = 0; good && p < r.blocks; p++)
                for (uint32_t i = r.first[r.at[p]]; i < r.first[r.at[p] + 1]; i++)
                    image->order[f->entry + i] = next++;
        }
    }
    free(r.successor);
    free(r.visit);
    free(lists);
    return good;
}

/* The order of addresses follows from that of records. */
static bool place_addresses(struct sm_ptx *image)
{
    const uint32_t slots = (uint32_t)((image->op_count + 2) / 3 * (SM_BUNDLE / 8));
    if (!image->order)
        return true;
    if (!(image->place = malloc(slots * sizeof *image->place)))
        return false;
    for (uint32_t i = 0; i < slots; i++)
        image->place[i] = 8 * i;
    for (uint32_t i = 0; i < image->op_count; i++)
        image->place[(ptx_pc(image, i) - image->code) / 8] =
            (uint32_t)(ptx_pc(image, image->order[i]) - image->code);
    image->places = slots;
    return true;
}

bool ptx_order_paths(struct sm_ptx *image)
{
    for (size_t i = 0; i < image->function_count; i++)
        if (!order_function(image, &image->function[i]))
            return false;
    return place_addresses(image);
}

bool ptx_is_ordered(const struct sm_device *d)
{
    for (size_t i = 0; i < d->image_count; i++)
        if (d->image[i]->order)
            return true;
    return false;
}
