/* Journeys through the recorded run, and searches of it. */
#include <stdlib.h>
#include <string.h>

#include "debug/core/touches.h"
#include "debug/program/internal.h"
#include "debug/source/callers.h"

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
    g->entered = g->wanted_line = 0;
    wt_program_select(g, g->thread && wt_debugger_thread_alive(g->debugger, g->thread)
                             ? g->thread
                             : wt_debugger_current_thread(g->debugger));
    pg_refresh_watched(g);
    for (size_t i = 0; i < g->point_count; i++)
        g->point[i]->ending_count = 0;
    return WT_OK;
}

/* Runs to the end of one launch after the other. */
static enum wt_status run_launches(struct wt_program *g, bool (*there)(void *context),
                                   void *context, struct wt_error *err)
{
    struct wt_stepped end;
    enum wt_status status = wt_program_begin(g, err);
    while (!status && g->started) {
        status = wt_program_continue(g, false, &end, err);
        if (!status && g->event.reason == WT_STOP_INTERRUPTED)
            return wt_fail(err, WT_STATE, "Interrupted.");
        if (!status && g->started && there(context))
            return WT_OK;
    }
    return status ? status
                  : wt_fail(err, WT_STATE, "the program has ended without coming there again");
}

enum wt_status wt_program_repeat(struct wt_program *g, bool (*there)(void *context), void *context,
                                 struct wt_error *err)
{
    struct wt_point *own, **off = calloc(g->point_count + 1, sizeof *off);
    size_t count = 0;
    if (!off)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a list of breakpoints");
    for (size_t i = 0; i < g->point_count; i++)
        if (g->point[i]->enabled)
            (off[count++] = g->point[i])->enabled = false;
    enum wt_status status = wt_program_set_catch(g, "dispatch end", NULL, &own, err);
    if (!status) {
        own->silent = true;
        status = run_launches(g, there, context, err);
        pg_take_back(g, own);
    }
    for (size_t i = 0; i < g->point_count; i++) /* watchpoints have gone with the old run */
        for (size_t k = 0; k < count; k++)
            if (g->point[i] == off[k])
                off[k]->enabled = true;
    free(off);
    return status;
}

/* The last launch of a kernel that has lines, or of any kernel where none has. */
struct last_launch {
    struct wt_program *g;
    uint64_t all, with_lines, left;
};

static bool has_line(struct wt_program *g)
{
    const struct wt_frame *frame;
    return wt_program_need_frame(g, &frame, WT_IGNORED) == WT_OK && frame->line;
}

static bool count(void *context)
{
    struct last_launch *l = context;
    l->all++;
    l->with_lines += has_line(l->g);
    return false;
}

static bool is_last(void *context)
{
    struct last_launch *l = context;
    return (!l->with_lines || has_line(l->g)) && --l->left == 0;
}

enum wt_status wt_program_repeat_to_last(struct wt_program *g, struct wt_error *err)
{
    struct last_launch l = {.g = g};
    enum wt_status status = wt_program_repeat(g, count, &l, err);
    if (!status || g->started)
        return status;
    if (!l.all)
        return wt_fail(err, WT_STATE, "the program has launched no kernel");
    l.left = l.with_lines ? l.with_lines : l.all;
    return wt_program_repeat(g, is_last, &l, err);
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

/* ---- the accesses to a value ---- */

enum { MOST_PARTS = 64, MOST_SPAN = 1 << 16 };

/* Bytes of a value that lie side by side in memory. */
struct time_part {
    uint64_t at, size;
    struct wt_address home;
};

/* Where a value lies in memory, part by part. */
static enum wt_status find_parts(struct wt_program *g, const char *text, const struct wt_home *home,
                                 struct time_part *part, unsigned *count, struct wt_error *err)
{
    const struct wt_values *v = &home->value;
    struct wt_value_place place;
    *count = 0;
    for (unsigned i = 0; wt_values_place(v, 0, i, &place); i++) {
        if (!place.in_memory)
            return wt_fail(err, WT_INVALID,
                           "%s does not lie in memory; what is at an address is *(TYPE *)(ADDRESS)",
                           text);
        for (uint64_t done = 0, size; done < place.size; done += size) {
            struct time_part *p = &part[*count];
            if (*count == MOST_PARTS)
                return wt_fail(err, WT_UNSUPPORTED,
                               "%s lies in more than %d places of memory: ask for a part", text,
                               MOST_PARTS);
            enum wt_status status = wt_debugger_find_home(g->debugger, home->thread,
                                                          wt_address_plus(place.memory, done),
                                                          place.size - done, &p->home, &size, err);
            if (status)
                return status;
            p->at = place.at + done;
            p->size = size;
            if (p->home.space != part[0].home.space)
                return wt_fail(err, WT_UNSUPPORTED,
                               "%s lies in several address spaces: ask for a part", text);
            ++*count;
        }
    }
    return WT_OK;
}

/* The range of memory that has all parts, and where in it they are. */
static enum wt_status join_parts(const char *text, struct wt_home *home,
                                 const struct time_part *part, unsigned count, struct wt_error *err)
{
    struct wt_watchpoint_request *where = &home->where;
    uint64_t first = part[0].home.offset, end = first;
    for (unsigned i = 0; i < count; i++) {
        first = part[i].home.offset < first ? part[i].home.offset : first;
        end = part[i].home.offset + part[i].size > end ? part[i].home.offset + part[i].size : end;
    }
    where->addr = (struct wt_address){part[0].home.space, first};
    where->size = end - first;
    where->changes = home->value.bit_size != 0; /* code writes its neighbours with it */
    if (count == 1 && !home->value.bit_size)
        return WT_OK;
    if (where->size > MOST_SPAN)
        return wt_fail(err, WT_UNSUPPORTED,
                       "%s lies in places of memory that are far from each other: ask for a part",
                       text);
    home->at = calloc(home->value.size, sizeof *home->at);
    home->mask = calloc(where->size, 1);
    if (!home->at || !home->mask)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the search");
    for (unsigned i = 0; i < count; i++)
        for (uint64_t b = 0; b < part[i].size; b++) {
            const uint64_t at = part[i].home.offset - first + b;
            home->at[part[i].at + b] = at;
            home->mask[at] |= wt_values_mask(&home->value, part[i].at + b);
        }
    return WT_OK;
}

enum wt_status wt_program_find_home(struct wt_program *g, const char *text, struct wt_home *home,
                                    struct wt_error *err)
{
    const struct wt_view view = wt_program_view(g);
    struct wt_values *v = &home->value;
    struct time_part part[MOST_PARTS];
    unsigned count = 0;
    *home = (struct wt_home){.thread = view.thread,
                             .where = {.kind = WT_WATCHPOINT_WRITE, .thread = view.thread}};
    enum wt_status status = wt_source_evaluate(&view, text, v, err);
    if (status)
        return status;
    if (v->state[0] != WT_VALUE_UNREADABLE)
        status = wt_values_check_first(v, err);
    if (!status)
        status = find_parts(g, text, home, part, &count, err);
    if (!status && !count)
        status = wt_fail(err, WT_INVALID, "%s has no bytes", text);
    if (!status)
        status = join_parts(text, home, part, count, err);
    if (status)
        wt_home_free(home);
    return status;
}

void wt_home_free(struct wt_home *home)
{
    wt_values_free(&home->value);
    free(home->at);
    free(home->mask);
    home->at = NULL;
    home->mask = NULL;
}

/* Takes over the bytes of an access that are the value's; returns how many. */
static uint64_t take_bytes(const struct wt_home *home, const struct wt_watchpoint_hit *hit,
                           const uint8_t *from, uint8_t *to)
{
    uint64_t taken = 0;
    for (uint64_t b = 0; b < home->value.size; b++) {
        const uint64_t at = home->where.addr.offset + (home->at ? home->at[b] : b);
        const uint64_t n = at - hit->addr.offset;
        if (hit->addr.space != home->where.addr.space || n >= hit->size || n >= sizeof hit->after)
            continue;
        to[b] = from[n];
        taken++;
    }
    return taken;
}

bool wt_home_touched(const struct wt_home *home, const struct wt_touch *t, uint8_t *before,
                     uint8_t *after)
{
    uint64_t taken = take_bytes(home, &t->last, t->before, before);
    take_bytes(home, &t->last, t->last.after, after);
    if (taken == home->value.size)
        return true;
    /* A lane's access of many bytes is told in several, side by side or apart. */
    for (unsigned k = 0; k < t->shown && t->shown < WT_TOUCH_LANES; k++)
        if (!wt_address_equal(t->lane[k].addr, t->last.addr)) {
            taken += take_bytes(home, &t->lane[k], t->lane[k].before, before);
            take_bytes(home, &t->lane[k], t->lane[k].after, after);
        }
    return taken == home->value.size;
}

/* Searches for accesses to a value, with their calls if there are @p callers. */
static enum wt_status search_touches(struct wt_program *g, const struct wt_home *home,
                                     uint64_t most, const struct wt_callers *callers,
                                     struct wt_error *err)
{
    enum wt_status status = wt_client_begin_run(g->client, err);
    if (!status)
        status =
            wt_debugger_begin_touches(g->debugger, &home->where, home->mask, most, callers, err);
    return status ? status : wait_for_errand(g, err);
}

enum wt_status wt_program_touches(struct wt_program *g, const struct wt_home *home, uint64_t most,
                                  struct wt_touch **list, size_t *count, bool *more,
                                  struct wt_error *err)
{
    const struct wt_callers callers = wt_callers_by_frames(g->modules);
    enum wt_status status = search_touches(g, home, most, &callers, err);
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
    struct wt_home home;
    struct wt_touch *list = NULL;
    size_t count = 0;
    bool more;
    enum wt_status status = wt_program_find_home(g, text, &home, err);
    if (status)
        return status;
    status = search_touches(g, &home, MOST_WRITES, NULL, err);
    if (!status)
        wt_debugger_take_touches(g->debugger, &list, &count, &more);
    uint8_t *stored = status ? NULL : calloc(home.where.size, 1);
    *seed = status ? NULL : calloc(count ? count : 1, sizeof **seed);
    for (uint64_t b = 0; stored && b < v->size; b++)
        stored[home.at ? home.at[b] : b] = v->bytes[b];
    if (!status)
        status = *seed && stored
                     ? wt_touch_seeds(list, count, home.where.addr, home.where.size, home.mask,
                                      *seed, seeds, &from->unwritten, stored, err)
                     : wt_fail(err, WT_NO_MEMORY, "no host memory for the search");
    for (uint64_t b = 0; !status && b < v->size; b++)
        from->changed +=
            ((stored[home.at ? home.at[b] : b] ^ v->bytes[b]) & wt_values_mask(v, b)) != 0;
    free(stored);
    free(list);
    wt_home_free(&home);
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
    struct wt_value_place place;
    struct wt_wave wave;
    *seed = calloc(v->piece_count ? v->piece_count : 1, sizeof **seed);
    if (!*seed)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the search");
    if (!wt_debugger_thread_wave(g->debugger, g->thread, &wave))
        return wt_fail(err, WT_STATE, "the wave has ended");
    for (*seeds = 0; wt_values_place(v, 0, (unsigned)*seeds, &place); ++*seeds) {
        if (place.in_memory || place.reg < 0 || (size_t)place.reg >= topology->register_count)
            return wt_fail(err, WT_INVALID,
                           v->piece_count
                               ? "a part of %s lies in no register: ask for another part"
                               : "%s lies neither in memory nor in a register of the wave",
                           text);
        struct wt_slice_seed *s = &(*seed)[*seeds];
        *s = (struct wt_slice_seed){.id = wave.id,
                                    .lanes = v->lanes,
                                    .from = (uint32_t)place.from,
                                    .bytes = (uint32_t)place.size};
        snprintf(s->name, sizeof s->name, "%s", topology->registers[place.reg].name);
    }
    return WT_OK;
}

enum wt_status wt_program_where_from(struct wt_program *g, const char *text,
                                     const struct wt_slice_limits *limits,
                                     struct wt_where_from *from, struct wt_error *err)
{
    const struct wt_view view = wt_program_view(g);
    const struct wt_callers callers = wt_callers_by_frames(g->modules);
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
        status = !wt_values_in_memory(&v) ? seed_registers(g, text, &v, &seed, &seeds, err)
                 : v.in_memory && leads_to_registers(g->topology, v.space, v.address[0], &byte)
                     ? seed_places(g, &v, &seed, &seeds, err)
                     : seed_memory(g, text, &v, &seed, &seeds, from, err);
    wt_values_free(&v);
    if (!status && seeds)
        status = wt_client_begin_run(g->client, err);
    if (!status && seeds)
        status = wt_debugger_begin_slice(g->debugger, seed, seeds, limits, &callers, err);
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
    struct wt_defined_request request = {.lane = lane->lane};
    struct wt_value_place place;
    enum wt_status status = WT_OK;
    for (unsigned i = 0; !status && wt_values_place(v, k, i, &place); i++) {
        struct wt_address addr = {0};
        request.name[0] = 0;
        if (place.in_memory) {
            addr = place.memory;
            if (leads_to_registers(g->topology, addr.space, addr.offset, &request.from))
                strcpy(request.name, "#");
        } else if (place.reg < 0 || (size_t)place.reg >= g->topology->register_count) {
            return wt_fail(err, WT_INVALID,
                           "%s%s lies neither in memory nor in a register of the wave: ask for "
                           "what it is made of",
                           v->piece_count ? "a part of " : "", text);
        } else {
            request.from = (uint32_t)place.from;
            snprintf(request.name, sizeof request.name, "%s",
                     g->topology->registers[place.reg].name);
        }
        status = ask_defined(g, request, addr, place.at, place.at + place.size, lane, err);
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
