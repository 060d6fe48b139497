/* Journeys through the recorded run, and searches of it. */
#include "debug/core/touches.h"
#include "debug/program/internal.h"

/* Pumps an operation until it ends. */
static enum wt_status wait_for_errand(struct wt_program *g, struct wt_error *err)
{
    g->came = false;
    g->event = (struct wt_event){.kind = WT_EVENT_NONE};
    enum wt_status status = pg_wait_for_event(g, err);
    if (!status && g->event.reason == WT_STOP_LOST)
        return wt_fail(err, WT_IO, "%s", g->event.text);
    if (!status && g->event.reason == WT_STOP_INTERRUPTED)
        return wt_fail(err, WT_STATE, "Interrupted.");
    return status;
}

enum wt_status wt_program_goto(struct wt_program *g, uint64_t time, struct wt_error *err)
{
    wt_program_forget_frames(g);
    enum wt_status status = wt_client_begin_run(g->client, err);
    if (!status)
        status = wt_debugger_begin_goto(g->debugger, time, err);
    g->runs++;
    if (!status)
        status = wait_for_errand(g, err);
    if (status)
        return status;
    g->started = !wt_debugger_ended(g->debugger, NULL);
    g->faulted = false;
    wt_program_select(g, g->thread && wt_debugger_thread_alive(g->debugger, g->thread)
                             ? g->thread
                             : wt_debugger_current_thread(g->debugger));
    pg_refresh_watched(g);
    for (size_t i = 0; i < g->point_count; i++)
        g->point[i]->ending_count = 0;
    return WT_OK;
}

enum wt_status wt_program_jump(struct wt_program *g, uint64_t address, struct wt_error *err)
{
    const struct wt_program_user *user = &g->options.user;
    enum wt_status status = user->may_change ? user->may_change(user->context, err) : WT_OK;
    if (!status)
        status = wt_debugger_write_number(g->debugger, g->thread, (unsigned)g->topology->pc_index,
                                          address, err);
    if (status)
        return status;
    g->entered = g->wanted_line = 0;
    g->faulted = false;
    wt_program_forget_frames(g);
    return WT_OK;
}

enum wt_status wt_program_find_home(struct wt_program *g, const char *text,
                                    struct wt_watchpoint_request *where,
                                    const struct wt_type **type, struct wt_error *err)
{
    const struct wt_view view = wt_program_view(g);
    struct wt_values v;
    enum wt_status status = wt_source_evaluate(&view, text, &v, err);
    if (status)
        return status;
    if (v.state[0] != WT_VALUE_UNREADABLE)
        status = wt_values_check_first(&v, err);
    if (!status && !v.in_memory)
        status =
            wt_fail(err, WT_INVALID,
                    "%s does not lie in memory; what is at an address is *(TYPE *)(ADDRESS)", text);
    const struct wt_address seen = {v.space, v.in_memory ? v.address[0] : 0};
    *where = (struct wt_watchpoint_request){.kind = WT_WATCHPOINT_WRITE, .thread = view.thread};
    if (!status)
        status = wt_debugger_find_home(g->debugger, view.thread, seen, v.size, &where->addr,
                                       &where->size, err);
    if (!status && where->size < v.size)
        status = wt_fail(err, WT_UNSUPPORTED, "%s lies in several places of memory: ask for a part",
                         text);
    *type = v.type;
    wt_values_free(&v);
    return status;
}

enum wt_status wt_program_touches(struct wt_program *g, const struct wt_watchpoint_request *where,
                                  uint64_t most, struct wt_touch **list, size_t *count, bool *more,
                                  struct wt_error *err)
{
    enum wt_status status = wt_client_begin_run(g->client, err);
    if (!status)
        status = wt_debugger_begin_touches(g->debugger, where, most, err);
    if (!status)
        status = wait_for_errand(g, err);
    if (!status)
        wt_debugger_take_touches(g->debugger, list, count, more);
    return status;
}

/* Seeds of a value in memory: the instructions that wrote its bytes last. */
static enum wt_status seed_memory(struct wt_program *g, const char *text, const struct wt_values *v,
                                  struct wt_slice_seed **seed, size_t *seeds,
                                  struct wt_where_from *from, struct wt_error *err)
{
    enum { MOST_WRITES = 64 };
    struct wt_watchpoint_request where;
    const struct wt_type *type;
    struct wt_touch *list = NULL;
    size_t count = 0;
    bool more;
    enum wt_status status = wt_program_find_home(g, text, &where, &type, err);
    if (!status)
        status = wt_program_touches(g, &where, MOST_WRITES, &list, &count, &more, err);
    if (status)
        return status;
    const bool plain = !v->bit_size && v->size == where.size;
    uint8_t *stored = malloc(where.size ? where.size : 1);
    *seed = calloc(count ? count : 1, sizeof **seed);
    if (stored && plain)
        memcpy(stored, v->bytes, where.size);
    status = *seed && stored ? wt_touch_seeds(list, count, where.addr, where.size, *seed, seeds,
                                              &from->unwritten, stored, err)
                             : wt_fail(err, WT_NO_MEMORY, "no host memory for the search");
    for (uint64_t b = 0; !status && plain && b < where.size; b++)
        from->changed += stored[b] != v->bytes[b];
    free(stored);
    free(list);
    return status;
}

/* The byte of the wave's registers that an address leads to; false: it leads to memory. */
static bool leads_to_registers(const struct wt_topology *t, uint32_t space, uint64_t address,
                               uint32_t *byte)
{
    const uint32_t file = t->registers_space;
    const uint64_t first = file ? t->spaces[file].aperture : 0;
    if (!file || (space != file && (space || !first || address < first)))
        return false;
    address -= space == file ? 0 : first;
    *byte = (uint32_t)address;
    return address == *byte;
}

/* Seeds of a value that lies in registers as if these were memory: one for each lane. */
static enum wt_status seed_places(struct wt_program *g, const struct wt_values *v,
                                  struct wt_slice_seed **seed, size_t *seeds, struct wt_error *err)
{
    struct wt_wave wave;
    wt_lanes left = v->lanes;
    *seed = calloc(v->lane_count, sizeof **seed);
    if (!*seed)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the search");
    if (!wt_debugger_thread_wave(g->debugger, g->thread, &wave))
        return wt_fail(err, WT_STATE, "the wave has ended");
    for (unsigned k = 0; k < v->lane_count; k++, left &= left - 1) {
        struct wt_slice_seed *s = &(*seed)[*seeds];
        if (v->state[k] != WT_VALUE_GOOD ||
            !leads_to_registers(g->topology, v->space, v->address[k], &s->from))
            continue;
        s->id = wave.id;
        s->lanes = left & -left;
        s->bytes = (uint32_t)v->size;
        strcpy(s->name, "#");
        ++*seeds;
    }
    return WT_OK;
}

/* Seeds of a value in registers: a register, or one for each piece. */
static enum wt_status seed_registers(struct wt_program *g, const char *text,
                                     const struct wt_values *v, struct wt_slice_seed **seed,
                                     size_t *seeds, struct wt_error *err)
{
    const struct wt_topology *topology = g->topology;
    const struct wt_value_piece whole = {.end = v->size, .reg = v->reg, .from = v->from};
    struct wt_wave wave;
    *seeds = v->piece_count ? v->piece_count : 1;
    *seed = calloc(*seeds, sizeof **seed);
    if (!*seed)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the search");
    if (!wt_debugger_thread_wave(g->debugger, g->thread, &wave))
        return wt_fail(err, WT_STATE, "the wave has ended");
    uint64_t begin = 0;
    for (size_t i = 0; i < *seeds; i++) {
        const struct wt_value_piece *piece = v->piece_count ? &v->piece[i] : &whole;
        if (piece->reg < 0 || (size_t)piece->reg >= topology->register_count)
            return wt_fail(err, WT_INVALID,
                           v->piece_count
                               ? "a part of %s lies in no register: ask for another part"
                               : "%s lies neither in memory nor in a register of the wave",
                           text);
        (*seed)[i] = (struct wt_slice_seed){.id = wave.id,
                                            .lanes = v->lanes,
                                            .from = (uint32_t)piece->from,
                                            .bytes = (uint32_t)(piece->end - begin)};
        snprintf((*seed)[i].name, sizeof(*seed)[i].name, "%s",
                 topology->registers[piece->reg].name);
        begin = piece->end;
    }
    return WT_OK;
}

enum wt_status wt_program_where_from(struct wt_program *g, const char *text,
                                     const struct wt_slice_limits *limits,
                                     struct wt_where_from *from, struct wt_error *err)
{
    const struct wt_view view = wt_program_view(g);
    struct wt_values v;
    struct wt_slice_seed *seed = NULL;
    size_t seeds = 0;
    uint32_t byte;
    *from = (struct wt_where_from){.unwritten = 0};
    enum wt_status status = wt_source_evaluate(&view, text, &v, err);
    if (status)
        return status;
    status = wt_values_check_first(&v, err);
    if (!status)
        status = !v.in_memory ? seed_registers(g, text, &v, &seed, &seeds, err)
                 : leads_to_registers(g->topology, v.space, v.address[0], &byte)
                     ? seed_places(g, &v, &seed, &seeds, err)
                     : seed_memory(g, text, &v, &seed, &seeds, from, err);
    wt_values_free(&v);
    if (!status && seeds)
        status = wt_client_begin_run(g->client, err);
    if (!status && seeds)
        status = wt_debugger_begin_slice(g->debugger, seed, seeds, limits, err);
    if (!status && seeds)
        status = wait_for_errand(g, err);
    if (!status && seeds)
        wt_debugger_take_slice(g->debugger, &from->found);
    free(seed);
    return status;
}

/* ---- what is defined ---- */

void wt_defined_value_free(struct wt_defined_value *value)
{
    for (unsigned i = 0; value->lane && i < value->lanes; i++)
        free(value->lane[i].undefined);
    free(value->lane);
    *value = (struct wt_defined_value){.lanes = 0};
}

/* Bytes [at, end) of a lane's value, which lie in a register, by @p request, or in memory. */
static enum wt_status ask_defined(struct wt_program *g, struct wt_defined_request request,
                                  struct wt_address addr, uint64_t at, uint64_t end,
                                  struct wt_defined_lane *lane, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (; !status && at < end; at += request.bytes) {
        struct wt_defined_view view;
        bool any = false;
        request.bytes = (uint32_t)(end - at < WT_DEFINED_BYTES ? end - at : WT_DEFINED_BYTES);
        status = wt_debugger_defined(g->debugger, g->thread, addr, &request, &view, err);
        addr.offset += request.bytes;
        request.from += request.bytes;
        if (status)
            break;
        memcpy(lane->undefined + at, view.undefined, request.bytes);
        for (uint32_t i = 0; i < request.bytes; i++)
            any |= view.undefined[i] != 0;
        if (any && lane->first.answer != WT_DEFINED_KNOWN)
            lane->first = view;
    }
    return status;
}

static enum wt_status defined_of_lane(struct wt_program *g, const char *text,
                                      const struct wt_values *v, unsigned k,
                                      struct wt_defined_lane *lane, struct wt_error *err)
{
    const struct wt_value_piece whole = {.end = v->size, .reg = v->reg, .from = v->from};
    struct wt_defined_request request = {.lane = lane->lane};
    struct wt_address addr = {0};
    enum wt_status status = WT_OK;
    if (v->in_memory) {
        addr = (struct wt_address){v->space, v->address[k]};
        if (leads_to_registers(g->topology, v->space, v->address[k], &request.from))
            strcpy(request.name, "#");
        return ask_defined(g, request, addr, 0, v->size, lane, err);
    }
    uint64_t begin = 0;
    for (unsigned i = 0; !status && i < (v->piece_count ? v->piece_count : 1); i++) {
        const struct wt_value_piece *piece = v->piece_count ? &v->piece[i] : &whole;
        if (piece->reg < 0 || (size_t)piece->reg >= g->topology->register_count)
            return wt_fail(err, WT_INVALID,
                           "%s%s lies neither in memory nor in a register of the wave: ask for "
                           "what it is made of",
                           v->piece_count ? "a part of " : "", text);
        request.from = (uint32_t)piece->from;
        snprintf(request.name, sizeof request.name, "%s", g->topology->registers[piece->reg].name);
        status = ask_defined(g, request, addr, begin, piece->end, lane, err);
        begin = piece->end;
    }
    return status;
}

enum wt_status wt_program_defined(struct wt_program *g, const char *text,
                                  struct wt_defined_value *value, struct wt_error *err)
{
    enum { MOST_BYTES = 4096 };
    const struct wt_view view = wt_program_view(g);
    struct wt_values v;
    *value = (struct wt_defined_value){.lanes = 0};
    enum wt_status status = wt_source_evaluate(&view, text, &v, err);
    if (status)
        return status;
    wt_lanes left = v.lanes;
    if (v.size > MOST_BYTES) {
        wt_values_free(&v);
        return wt_fail(err, WT_INVALID, "%s has more than %d bytes: ask for a part of it", text,
                       MOST_BYTES);
    }
    value->lane = calloc(v.lane_count, sizeof *value->lane);
    value->size = v.size;
    value->bits = v.bit_size ? v.bit_size : (uint32_t)(8 * v.size);
    value->from = v.bit_size ? v.bit_offset : 0;
    if (!value->lane)
        status = wt_fail(err, WT_NO_MEMORY, "no host memory for the value");
    for (unsigned k = 0; !status && k < v.lane_count; k++, left &= left - 1) {
        struct wt_defined_lane *lane = &value->lane[value->lanes++];
        lane->lane = left ? wt_lanes_lowest(left) : 0;
        lane->is_there = v.state[k] == WT_VALUE_GOOD || v.state[k] == WT_VALUE_LARGE;
        lane->undefined = calloc(1, v.size ? v.size : 1);
        if (!lane->undefined)
            status = wt_fail(err, WT_NO_MEMORY, "no host memory for the value");
        else if (lane->is_there)
            status = defined_of_lane(g, text, &v, k, lane, err);
    }
    wt_values_free(&v);
    if (status)
        wt_defined_value_free(value);
    return status;
}
