/* The state where the program is stopped: waves, registers, memory, values, frames, code. */
#include <stdlib.h>
#include <string.h>

#include "api/internal.h"
#include "base/demangle.h"
#include "emulator/machine/observe.h"

/* ---- waves ---- */

static struct wavetrap_wave wave_of(const struct wt_wave_info *info, uint64_t dispatch)
{
    const struct wt_wave *w = &info->wave;
    struct wavetrap_wave wave = {.id = w->id,
                                 .device = w->device,
                                 .core = w->core,
                                 .slot = w->slot,
                                 .lanes = w->lanes,
                                 .mask = api_lanes(info->mask),
                                 .pc = info->pc,
                                 .waits = info->has_wait && info->detail.view.waiting,
                                 .has_work = w->has_work,
                                 .dispatch = dispatch,
                                 .index = w->index};
    memcpy(wave.group, w->group, sizeof wave.group);
    memcpy(wave.block, w->block, sizeof wave.block);
    memcpy(wave.grid, w->grid, sizeof wave.grid);
    if (wave.waits)
        snprintf(wave.why, sizeof wave.why, "%s", info->detail.view.wait);
    return wave;
}

enum wavetrap_status wavetrap_waves(struct wavetrap *w, const struct wavetrap_wave **list,
                                    size_t *count, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_program *g = api_program(w);
    struct wt_work work = {0};
    enum wt_status status = wt_program_need_run(g, err);
    if (!status)
        status = wt_program_work(g, &work, err);
    struct wavetrap_wave *grown =
        status ? NULL : realloc(w->wave, (work.wave_count + 1) * sizeof *grown);
    if (!status && !grown)
        status = wt_fail(err, WT_NO_MEMORY, "no host memory for %zu waves", work.wave_count);
    if (!status) {
        w->wave = grown;
        for (size_t i = 0; i < work.wave_count; i++) {
            const struct wt_dispatch *of = wt_debugger_dispatch(g->debugger, work.wave[i].dispatch);
            grown[i] = wave_of(&work.wave[i], of ? of->number : 0);
        }
        *list = grown;
        *count = work.wave_count;
    }
    wt_work_free(&work);
    return api_end(status, err, error);
}

enum wavetrap_status wavetrap_select(struct wavetrap *w, uint64_t wave, unsigned lane,
                                     struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    const enum wt_status status = wt_program_need_run(api_program(w), err);
    return api_end(status ? status : wt_program_select_lane_of(api_program(w), wave, lane, err),
                   err, error);
}

/* A thread of a wave that stands. */
static enum wt_status thread_of(struct wavetrap *w, uint64_t wave, wt_thread *thread,
                                struct wt_error *err)
{
    struct wt_program *g = api_program(w);
    const enum wt_status status = wt_program_need_run(g, err);
    if (status)
        return status;
    return wt_program_thread_of_wave(g, wave, thread)
               ? WT_OK
               : wt_fail(err, WT_INVALID, "there is no wave 0x%llx now", (unsigned long long)wave);
}

/* ---- registers ---- */

const struct wavetrap_register *wavetrap_registers(struct wavetrap *w, size_t *count)
{
    const struct wt_topology *t = api_program(w)->topology;
    struct wavetrap_register *grown = realloc(w->reg, (t->register_count + 1) * sizeof *grown);
    *count = grown ? t->register_count : 0;
    w->reg = grown ? grown : w->reg;
    for (size_t i = 0; i < *count; i++) {
        const struct wt_register *r = &t->registers[i];
        grown[i] = (struct wavetrap_register){.name = r->name,
                                              .set = r->set,
                                              .alt_name = r->alt_name,
                                              .bytes = (unsigned)wt_register_size(r),
                                              .per_lane = r->scope == WT_SCOPE_LANE,
                                              .read_only = r->read_only};
    }
    return grown;
}

static enum wt_status find_register(const struct wt_topology *t, const char *name, unsigned *index,
                                    struct wt_error *err)
{
    for (*index = 0; *index < t->register_count; ++*index) {
        const struct wt_register *r = &t->registers[*index];
        if (strcmp(r->name, name) == 0 || (r->alt_name && strcmp(r->alt_name, name) == 0))
            return WT_OK;
    }
    return wt_fail(err, WT_INVALID, "%s has no register %s", t->arch, name);
}

/* A register of a wave that stands. */
struct inspect_found {
    const struct wt_register *reg;
    unsigned index; /* its index in the topology */
    wt_thread thread;
    struct wt_wave wave;
};

static enum wt_status find_in_wave(struct wavetrap *w, uint64_t wave, const char *name,
                                   struct inspect_found *f, struct wt_error *err)
{
    struct wt_program *g = api_program(w);
    enum wt_status status = find_register(g->topology, name, &f->index, err);
    if (!status)
        status = thread_of(w, wave, &f->thread, err);
    if (status)
        return status;
    f->reg = &g->topology->registers[f->index];
    return wt_debugger_thread_wave(g->debugger, f->thread, &f->wave)
               ? WT_OK
               : wt_fail(err, WT_STATE, "wave 0x%llx has ended", (unsigned long long)wave);
}

enum wavetrap_status wavetrap_read_row(struct wavetrap *w, uint64_t wave, const char *name,
                                       void *out, size_t size, size_t *length,
                                       struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct inspect_found f;
    const enum wt_status status = find_in_wave(w, wave, name, &f, err);
    if (status)
        return api_end(status, err, error);
    const wt_lanes lanes = wt_lanes_first(f.wave.lanes);
    *length = wt_register_row(f.reg, lanes);
    if (*length > size)
        return api_end(
            wt_fail(err, WT_INVALID, "a row of %s has %zu bytes, not %zu", name, *length, size),
            err, error);
    return api_end(
        wt_debugger_read_rows(api_program(w)->debugger, f.thread, lanes, &f.index, 1, out, err),
        err, error);
}

enum wavetrap_status wavetrap_write_register(struct wavetrap *w, uint64_t wave, unsigned lane,
                                             const char *name, const void *bytes, size_t size,
                                             struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_program *g = api_program(w);
    struct inspect_found f;
    enum wt_status status = find_in_wave(w, wave, name, &f, err);
    if (status)
        return api_end(status, err, error);
    if (size != wt_register_size(f.reg))
        return api_end(wt_fail(err, WT_INVALID, "%s has %zu bytes, not %zu", name,
                               wt_register_size(f.reg), size),
                       err, error);
    if (lane >= f.wave.lanes)
        return api_end(wt_fail(err, WT_INVALID, "the wave has no lane %u", lane), err, error);
    const wt_thread thread = wt_debugger_thread_of_lane(g->debugger, f.thread, lane);
    status = wt_debugger_write_register(g->debugger, thread, f.index, bytes, err);
    wt_program_refresh_frames(g);
    return api_end(status, err, error);
}

/* ---- memory ---- */

static enum wt_status address_of(const struct wt_program *g, const char *space, uint64_t offset,
                                 struct wt_address *address, struct wt_error *err)
{
    const struct wt_topology *t = g->topology;
    *address = wt_debugger_address(g->debugger, offset);
    for (uint32_t i = 0; space && i < t->space_count; i++)
        if (strcmp(t->spaces[i].name, space) == 0) {
            *address = (struct wt_address){.space = i, .offset = offset};
            return WT_OK;
        }
    return space ? wt_fail(err, WT_INVALID, "%s has no address space '%s'", t->arch, space) : WT_OK;
}

/* The wave and lane through which memory is accessed; wave 0: the selected ones, if any. */
static enum wt_status seen_from(struct wavetrap *w, uint64_t *wave, unsigned *lane,
                                struct wt_error *err)
{
    struct wt_program *g = api_program(w);
    struct wt_thread_position place;
    enum wt_status status = wt_program_need_run(g, err);
    if (status || *wave)
        return status;
    if ((status = wt_program_need_thread(g, err)) != WT_OK)
        return status;
    *wave = wt_program_own_wave(g);
    status = wt_debugger_thread_position(g->debugger, g->thread, &place, err);
    *lane = status ? 0 : place.lane;
    return status;
}

enum wavetrap_status wavetrap_read_memory(struct wavetrap *w, uint64_t wave, unsigned lane,
                                          const char *space, uint64_t address, void *out,
                                          size_t size, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_address at;
    enum wt_status status = address_of(api_program(w), space, address, &at, err);
    if (!status)
        status = seen_from(w, &wave, &lane, err);
    return api_end(
        status ? status
               : wt_debugger_read_lane(api_program(w)->debugger, wave, lane, at, out, size, err),
        err, error);
}

enum wavetrap_status wavetrap_write_memory(struct wavetrap *w, uint64_t wave, unsigned lane,
                                           const char *space, uint64_t address, const void *bytes,
                                           size_t size, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_program *g = api_program(w);
    struct wt_address at;
    enum wt_status status = address_of(g, space, address, &at, err);
    if (!status)
        status = seen_from(w, &wave, &lane, err);
    if (!status)
        status = wt_debugger_write_lane(g->debugger, wave, lane, at, bytes, size, err);
    wt_program_refresh_frames(g);
    return api_end(status, err, error);
}

/* ---- source ---- */

enum wavetrap_status wavetrap_print(struct wavetrap *w, const char *expression, char *text,
                                    size_t size, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    char *line = NULL;
    if (asprintf(&line, "output %s", expression) < 0)
        return api_end(wt_fail(err, WT_NO_MEMORY, "no host memory"), err, error);
    w->captured = (struct api_captured){text, size, 0};
    const enum wt_status status = wt_shell_execute(w->d.console, line, err);
    if (size)
        text[w->captured.length] = 0;
    w->captured = (struct api_captured){.text = NULL};
    free(line);
    return api_end(status, err, error);
}

static struct wavetrap_number number_of(const struct wt_values *v, unsigned k, unsigned lane)
{
    struct wt_number n = {false};
    const uint8_t *bytes = v->bytes + k * v->size;
    if (v->state[k] != WT_VALUE_GOOD ||
        !wt_number_of(wt_type_plain(v->type), v->bit_offset, v->bit_size, bytes, &n))
        return (struct wavetrap_number){.lane = lane};
    const double real = n.is_float    ? n.real
                        : n.is_signed ? (double)(int64_t)n.integer
                                      : (double)n.integer;
    return (struct wavetrap_number){.lane = lane,
                                    .known = true,
                                    .is_float = n.is_float,
                                    .is_signed = n.is_signed,
                                    .integer = n.is_float ? 0 : (int64_t)n.integer,
                                    .real = real};
}

enum wavetrap_status wavetrap_evaluate(struct wavetrap *w, const char *expression,
                                       const struct wavetrap_number **list, size_t *count,
                                       struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    const struct wt_view view = wt_program_view(api_program(w));
    struct wt_values values;
    enum wt_status status = wt_source_evaluate(&view, expression, &values, err);
    if (status)
        return api_end(status, err, error);
    struct wavetrap_number *grown = realloc(w->number, (values.lane_count + 1) * sizeof *grown);
    if (!grown)
        status = wt_fail(err, WT_NO_MEMORY, "no host memory for %u lanes", values.lane_count);
    else if (!wt_type_is_scalar(wt_type_plain(values.type)))
        status = wt_fail(err, WT_INVALID, "'%s' is not a number", expression);
    w->number = grown ? grown : w->number;
    wt_lanes left = values.lanes;
    for (unsigned k = 0; !status && k < values.lane_count; k++, left &= left - 1)
        grown[k] = number_of(&values, k, left ? wt_lanes_lowest(left) : 0);
    *list = grown;
    *count = values.lane_count;
    wt_values_free(&values);
    if (strchr(expression, '='))
        wt_program_refresh_frames(api_program(w));
    return api_end(status, err, error);
}

enum wavetrap_status wavetrap_frame(struct wavetrap *w, unsigned level,
                                    struct wavetrap_frame *frame, struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_program *g = api_program(w);
    const struct wt_frame *own;
    enum wt_status status = wt_program_need_frame(g, &own, err);
    if (status)
        return api_end(status, err, error);
    const struct wt_frame *f = wt_frames_get(g->frames, level);
    if (!f)
        return api_end(wt_fail(err, WT_INVALID, "there is no frame %u", level), err, error);
    *frame = (struct wavetrap_frame){.line = f->line, .pc = f->pc, .inlined = f->inlined};
    if (f->function)
        wt_demangle(f->function, frame->function, sizeof frame->function);
    snprintf(frame->file, sizeof frame->file, "%s", f->path ? f->path : f->file ? f->file : "");
    return api_end(WT_OK, err, error);
}

void api_free_names(struct wt_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
    *names = (struct wt_names){.word = ""};
}

enum wavetrap_status wavetrap_locals(struct wavetrap *w, const char *const **names,
                                     struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    const struct wt_frame *frame;
    *names = NULL;
    enum wt_status status = wt_program_need_frame(api_program(w), &frame, err);
    api_free_names(&w->local);
    if (!status) {
        wt_program_offer(api_program(w), WT_NAMES_LOCALS, &w->local);
        char **ended = realloc(w->local.list, (w->local.count + 1) * sizeof *ended);
        if (ended) {
            ended[w->local.count] = NULL;
            w->local.list = ended;
            *names = (const char *const *)ended;
        } else {
            status = wt_fail(err, WT_NO_MEMORY, "no host memory");
        }
    }
    return api_end(status, err, error);
}

enum wavetrap_status wavetrap_instruction(struct wavetrap *w, uint64_t address, char *text,
                                          size_t size, unsigned *length,
                                          struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_code_line line;
    const enum wt_status status = wt_program_instruction(api_program(w), address, &line, err);
    if (!status) {
        snprintf(text, size, "%s", line.text);
        *length = line.length;
    }
    return api_end(status, err, error);
}

/* ---- observation ---- */

static void take_access(void *context, struct wt_machine *m, const struct wt_observed *o)
{
    const struct wavetrap *w = context;
    struct wavetrap_access a = api_access(o->kind, o->space);
    a.time = o->time;
    a.wave = o->id;
    a.pc = o->pc;
    a.size = o->size;
    a.scalar = o->is_scalar;
    a.lanes = api_lanes(o->lanes);
    memcpy(a.address, o->at, sizeof a.address);
    w->observed.fn(w->observed.context, &a);
}

static enum wt_status observe_machine(struct wavetrap *w, struct wt_machine *m,
                                      wavetrap_access_fn *fn, struct wt_error *err)
{
    if (w->observed.fn)
        wt_observe_beneath(m, NULL, NULL, NULL, w);
    w->observed.fn = fn;
    if (!fn || wt_observe_beneath(m, take_access, NULL, NULL, w))
        return WT_OK;
    w->observed.fn = NULL;
    return wt_fail(err, WT_NO_MEMORY, "no host memory for an observer");
}

enum wavetrap_status wavetrap_observe(struct wavetrap *w, wavetrap_access_fn *fn, void *context,
                                      struct wavetrap_error *error)
{
    struct wt_error *const err = &(struct wt_error){.status = WT_OK};
    struct wt_machine *m = w->d.host || wt_debuggee_is_attached(&w->d) ? NULL : w->d.device.machine;
    if (w->observed.on)
        return api_end(api_observed_set(&w->observed, fn, context, err), err, error);
    if (!m)
        return api_end(wt_fail(err, WT_UNSUPPORTED,
                               "accesses are observed of programs that the session starts"),
                       err, error);
    w->observed.context = context;
    return api_end(observe_machine(w, m, fn, err), err, error);
}
