/*
 * Code of breakpoints as bytes: examples of it, and what happens to any bytes on an SM whose warps
 * stand at a kernel's beginning.
 */
#ifndef TESTS_CONDITION_RIG_H
#define TESTS_CONDITION_RIG_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/condition.h"
#include "base/bits.h"
#include "emulator/sm/sm.h"
#include "expr/condition_wire.h"
#include "expr/wire.h"

#define CONDITION_EXAMPLES 9
#define CONDITION_CODE UINT64_C(0x10000)
#define CONDITION_BANK UINT64_C(0x30000)
#define CONDITION_DATA UINT64_C(0x40000)

static inline struct wt_machine *condition_machine(void)
{
    struct sm_config config;
    struct sm_device *d;
    struct wt_error err;
    uint8_t bytes[8];
    sm_config_default(&config);
    if (sm_device_new(&config, &d, &err) || sm_device_map(d, CONDITION_CODE, 0x1000, false, &err) ||
        sm_device_map(d, CONDITION_BANK, 0x1000, false, &err) ||
        sm_device_map(d, CONDITION_DATA, 0x1000, true, &err))
        abort();
    wt_store_le(bytes, UINT64_C(0xe30000000007000f), 8); /* EXIT */
    if (!sm_device_write(d, CONDITION_CODE + 8, bytes, 8))
        abort();
    const struct sm_launch launch = {.entry = CONDITION_CODE,
                                     .grid = {2, 1, 1},
                                     .block = {48, 1, 1},
                                     .registers = 16,
                                     .bank = {CONDITION_BANK},
                                     .bank_size = {64}};
    if (sm_device_launch(d, &launch, &err))
        abort();
    return sm_machine(d);
}

/* ---- examples ---- */

static inline void condition_append(struct wt_buffer *to, struct wt_expr *e,
                                    const struct wt_expr_source *source)
{
    const size_t at = to->length;
    uint32_t size = 0;
    if (wt_expr_finish(e, WT_IGNORED))
        abort();
    wt_buffer_append(to, &size, sizeof size);
    wt_expr_pack(e, source, to);
    size = (uint32_t)(to->length - at - sizeof size);
    memcpy(to->bytes + at, &size, sizeof size);
    wt_expr_free(e);
}

static inline struct wt_expr *condition_compare(enum wt_expr_op op, uint64_t value)
{
    struct wt_expr *e = wt_expr_new();
    const wt_expr_vector t = wt_expr_temporary(e, 0);
    wt_expr_add(e, op, 64, t, wt_expr_register(e, 0), wt_expr_constant(e, value));
    wt_expr_add(e, WT_EXPR_END, 0, t, t, t);
    return e;
}

/* for (i = 0; i < limit; i++) sum += i; sum == value */
static inline struct wt_expr *condition_loop(uint64_t limit, uint64_t value)
{
    struct wt_expr *e = wt_expr_new();
    const wt_expr_vector i = wt_expr_temporary(e, 0), sum = wt_expr_temporary(e, 1);
    const wt_expr_vector t = wt_expr_temporary(e, 2);
    const size_t begin = wt_expr_add(e, WT_EXPR_ADD, 64, sum, sum, i);
    wt_expr_add(e, WT_EXPR_ADD, 64, i, i, wt_expr_constant(e, 1));
    wt_expr_add(e, WT_EXPR_LESS_UNSIGNED, 64, t, i, wt_expr_constant(e, limit));
    wt_expr_set_target(e, wt_expr_add(e, WT_EXPR_BRANCH, 0, t, t, t), begin);
    wt_expr_add(e, WT_EXPR_EQUAL, 64, t, sum, wt_expr_constant(e, value));
    wt_expr_add(e, WT_EXPR_END, 0, t, t, t);
    return e;
}

static inline struct wt_expr *condition_message(void)
{
    struct wt_expr *e = wt_expr_new();
    const wt_expr_vector t = wt_expr_temporary(e, 0);
    const struct wt_expr_argument argument[] = {{wt_expr_register(e, 0), 64},
                                                {wt_expr_constant(e, CONDITION_DATA), 64}};
    wt_expr_print(e, "lane %d \"%s\"\n", 13, argument, 2);
    wt_expr_add(e, WT_EXPR_END, 0, t, t, t);
    return e;
}

/* The word at an address is 0. */
static inline struct wt_expr *condition_load(uint64_t addr)
{
    struct wt_expr *e = wt_expr_new();
    const wt_expr_vector t = wt_expr_temporary(e, 0), a = wt_expr_constant(e, addr);
    wt_expr_add(e, WT_EXPR_LOAD, 4, t, a, a);
    wt_expr_add(e, WT_EXPR_LOGIC_NOT, 64, t, t, t);
    wt_expr_add(e, WT_EXPR_END, 0, t, t, t);
    return e;
}

/* What each is: see test_condition.c. */
static inline struct wt_buffer condition_example(unsigned which)
{
    static const struct wt_expr_source lane = {.value = WT_EXPR_LANE},
                                       item = {.value = WT_EXPR_ITEM},
                                       row = {.value = WT_EXPR_ROW,
                                              .number = 3,
                                              .size = 4,
                                              .per_lane = 1};
    struct wt_buffer to = {0};
    const struct wt_condition_head head = {.parts = which == 8 ? 2 : 1, .addresses = UINT64_MAX};
    struct wt_condition_part part = {.owner = 7, .conditions = 1};
    part.conditions = which == 6 ? 0 : which == 7 ? 2 : 1;
    part.messages = which == 3;
    part.ignored = which == 5 || which == 6 ? 3 : 0;
    wt_buffer_append(&to, &head, sizeof head);
    wt_buffer_append(&to, &part, sizeof part);
    switch (which) {
    case 0:
        condition_append(&to, condition_compare(WT_EXPR_EQUAL, 5), &lane);
        break;
    case 1:
        condition_append(&to, condition_compare(WT_EXPR_EQUAL, 40), &item);
        break;
    case 2:
        condition_append(&to, condition_loop(100, 4950), NULL);
        break;
    case 3:
        condition_append(&to, condition_compare(WT_EXPR_LESS_UNSIGNED, 2), &lane);
        condition_append(&to, condition_message(), &lane);
        break;
    case 4:
        condition_append(&to, condition_load(CONDITION_DATA), NULL);
        break;
    case 5:
        condition_append(&to, condition_compare(WT_EXPR_EQUAL, 0), &row);
        break;
    case 7:
        condition_append(&to, condition_compare(WT_EXPR_EQUAL, 99), &lane);
        condition_append(&to, condition_load(8), NULL);
        break;
    case 8:
        condition_append(&to, condition_compare(WT_EXPR_EQUAL, 1), &lane);
        part.owner++;
        wt_buffer_append(&to, &part, sizeof part);
        condition_append(&to, condition_loop(UINT64_MAX, 0), NULL);
        break;
    default:
        break;
    }
    if (to.failed)
        abort();
    return to;
}

/* ---- any bytes ---- */

static inline void condition_told(void *context, const char *text, size_t length)
{
    struct wt_buffer *told = context;
    if (told->length < 1 << 16)
        wt_buffer_append(told, text, length);
}

/* Judges by any bytes, if they make sense; returns whether they do. */
static inline bool condition_any(struct wt_machine *m, const uint8_t *bytes, size_t size)
{
    struct wt_buffer told = {0};
    struct wt_condition_counts counts = {.print = condition_told, .context = &told};
    struct wt_condition *c = NULL;
    const wt_lanes mask[] = {UINT32_MAX, 1, 0x80000001u, 0};
    const bool sense = wt_condition_new(m, bytes, size, &counts, &c, WT_IGNORED) == WT_OK;
    assert(sense == (c != NULL));
    for (unsigned i = 0; c && i < 4; i++) {
        wt_lanes stop;
        const bool decided = wt_condition_judge(c, m, i % 2, CONDITION_CODE + 8, mask[i], i, &stop);
        assert(!(stop & ~mask[i]) && (decided || stop == mask[i]));
    }
    wt_condition_free(c);
    free(counts.list);
    free(told.bytes);
    return sense;
}

#endif
