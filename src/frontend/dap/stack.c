/* Threads, their frames, and the scopes of these. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/demangle.h"
#include "base/wave_name.h"
#include "frontend/dap/internal.h"

#define MOST_FRAMES 1000 /* frames of an answer: clients ask for more */
#define MOST_CALLS 8     /* frames of an answer to "wavetrap/where" */

/* ---- threads ---- */

static void put_thread(struct json_object *list, int64_t id, const char *name)
{
    struct json_object *o = dap_add_object(list);
    dap_put_number(o, "id", id);
    dap_put_text(o, "name", name);
}

/* "w3 l5 (1,0,0) blur.hip:19": an editor's list has room for some twenty letters, so what differs
 * comes first, and device and core are named where there are several. */
static void name_thread(const struct wt_dap *d, const struct wt_thread_info *t, char *text,
                        size_t size)
{
    const struct wt_topology *topology = d->g->topology;
    const char *file;
    unsigned line;
    struct wt_wave wave;
    FILE *out = fmemopen(text, size, "w");
    *text = 0;
    if (!out)
        return;
    const bool known = wt_debugger_thread_wave(d->g->debugger, t->id, &wave);
    fprintf(out, "%c%u", *topology->wave_word, t->wave_in_core);
    if (wt_debugger_thread_mode(d->g->debugger) == WT_THREADS_LANES)
        fprintf(out, " %c%u", *topology->lane_word, t->lane);
    if (known && wave.has_work)
        fprintf(out, " (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", wave.group[0], wave.group[1],
                wave.group[2]);
    if (t->running)
        fputs(" running", out);
    else if (wt_modules_user_line(d->g->modules, 0, t->pc, &file, &line))
        fprintf(out, " %s:%u", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
    if (!t->running && !t->enabled)
        fputs(" masked off", out);
    if (topology->cores > 1)
        fprintf(out, ", core %u", t->core);
    if (known && topology->devices > 1)
        fprintf(out, ", device %u", wave.device);
    fclose(out);
}

/* Threads from number `start` on, at most `count`; that of the stop always. */
enum wt_status dap_threads(struct wt_dap *d, struct json_object *arguments,
                           struct json_object **body, struct wt_error *err)
{
    const struct wt_thread_info *threads;
    size_t total = 0;
    int64_t start = 0, count = (int64_t)d->thread_page;
    dap_number(arguments, "start", &start);
    dap_number(arguments, "count", &count);
    if (start < 0 || count < 0)
        return wt_fail(err, WT_INVALID, "\"start\" and \"count\" are 0 or more");
    *body = json_object_new_object();
    struct json_object *list = dap_put_list(*body, "threads");
    if (!d->g->started ||
        wt_debugger_threads(d->g->debugger, &threads, &total, WT_IGNORED) != WT_OK)
        total = 0;
    /* The list is the debugger's, and valid until its next function. */
    struct wt_thread_info *all = malloc((total + 1) * sizeof *all);
    if (!all)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for %zu threads", total);
    if (total)
        memcpy(all, threads, total * sizeof *all);
    for (size_t i = 0; i < total; i++) {
        char name[WT_THREAD_NAME];
        const bool there = (int64_t)i >= start && (int64_t)i - start < count;
        if (!there && all[i].id != d->g->thread)
            continue;
        name_thread(d, &all[i], name, sizeof name);
        put_thread(list, all[i].id, name);
    }
    free(all);
    if (!total)
        put_thread(list, DAP_NO_KERNEL,
                   d->g->started ? "no kernel runs" : "the program has not begun, or has ended");
    dap_put_number(*body, "totalThreads", (int64_t)total);
    return WT_OK;
}

/* ---- frames ---- */

static void put_arguments(void *context, const struct wt_variable *v)
{
    FILE *out = context;
    const struct wt_format format = {0};
    fprintf(out, "%s%s=", ftell(out) > 0 ? ", " : "", v->name);
    if (v->values && wt_type_is_scalar(wt_type_plain(v->values->type)))
        wt_values_print(out, v->view, v->values, 0, &format);
    else
        fputs("...", out);
}

static char *frame_name(struct wt_dap *d, const struct wt_frame *frame, struct json_object *format)
{
    char name[512] = "??", *values = NULL;
    size_t size;
    if (frame->function)
        wt_demangle(frame->function, name, sizeof name);
    if (!dap_flag(format, "parameters") && !dap_flag(format, "parameterValues"))
        return strdup(name);
    FILE *out = open_memstream(&values, &size);
    if (out) {
        wt_program_variables(d->g, frame, true, 0, put_arguments, out);
        fclose(out);
    }
    char *text = dap_format("%s(%s)", name, values ? values : "");
    free(values);
    return text;
}

static bool add_frame(struct wt_dap *d, struct dap_frame frame, int64_t *id)
{
    struct dap_frame *grown =
        wt_array_grow(d->frame, &d->frame_capacity, d->frame_count + 1, sizeof *grown);
    if (!grown)
        return false;
    d->frame = grown;
    *id = d->frame_base + (int64_t)d->frame_count;
    grown[d->frame_count++] = frame;
    return true;
}

static void put_frame(struct wt_dap *d, struct json_object *list, const struct wt_frame *frame,
                      struct json_object *format)
{
    const struct wt_module *module;
    int64_t id;
    if (!add_frame(d, (struct dap_frame){d->g->thread, frame->level}, &id))
        return;
    struct json_object *o = dap_add_object(list);
    char *name = frame_name(d, frame, format);
    dap_put_number(o, "id", id);
    dap_put_text(o, "name", name ? name : "??");
    free(name);
    const bool has_line = frame->path && frame->line;
    if (has_line)
        dap_put_source(d, o, frame->path);
    dap_put_number(o, "line", has_line ? dap_line_out(d, frame->line) : 0);
    dap_put_number(o, "column", has_line && !d->client.columns_from_0 ? 1 : 0);
    dap_put_address(o, "instructionPointerReference", frame->pc);
    if ((module = wt_modules_at(d->g->modules, 0, frame->inside)) != NULL)
        dap_put_number(o, "moduleId", (int64_t)module->id);
    if (!has_line || wt_program_passes(d->g, frame->path, frame->function))
        dap_put_text(o, "presentationHint", "subtle");
}

/* The frames of the selected thread. */
static enum wt_status put_frames(struct wt_dap *d, struct json_object *arguments,
                                 struct json_object **body, struct wt_error *err)
{
    const struct wt_frame *frame;
    int64_t start = 0, levels = 0;
    enum wt_status status = WT_OK;
    dap_number(arguments, "startFrame", &start);
    dap_number(arguments, "levels", &levels);
    if (!status && (start < 0 || levels < 0 || start > UINT32_MAX))
        status = wt_fail(err, WT_INVALID, "\"startFrame\" and \"levels\" are 0 or more");
    if (!status)
        status = wt_program_need_frame(d->g, &frame, err);
    if (status)
        return status;
    if (!levels || levels > MOST_FRAMES)
        levels = MOST_FRAMES;
    *body = json_object_new_object();
    struct json_object *list = dap_put_list(*body, "stackFrames");
    unsigned level = (unsigned)start;
    for (; level < start + levels && (frame = wt_frames_get(d->g->frames, level)); level++)
        put_frame(d, list, frame, dap_object(arguments, "format"));
    /* A total that is too large says that there are more. */
    const bool more = level == start + levels && wt_frames_get(d->g->frames, level);
    dap_put_number(*body, "totalFrames", (int64_t)level + more);
    return WT_OK;
}

/* An editor asks for the frames of threads that its user has not chosen: what is selected stays. */
enum wt_status dap_stack_trace(struct wt_dap *d, struct json_object *arguments,
                               struct json_object **body, struct wt_error *err)
{
    const struct dap_frame own = {d->g->thread, d->g->level};
    enum wt_status status = dap_enter_thread(d, arguments, err);
    if (!status)
        status = put_frames(d, arguments, body, err);
    if (own.thread && own.thread != d->g->thread)
        dap_enter(d, own, WT_IGNORED);
    return status;
}

/* ---- scopes ---- */

static void put_scope(struct wt_dap *d, struct json_object *list, const char *name,
                      const char *hint, enum dap_holder_kind kind, struct dap_frame frame,
                      bool expensive)
{
    struct json_object *o = dap_add_object(list);
    dap_put_text(o, "name", name);
    dap_put_text(o, "presentationHint", hint);
    dap_put_number(o, "variablesReference", dap_hold(d, kind, frame, -1, NULL, NULL));
    dap_put_flag(o, "expensive", expensive);
}

enum wt_status dap_scopes(struct wt_dap *d, struct json_object *arguments,
                          struct json_object **body, struct wt_error *err)
{
    int64_t id;
    struct wt_wave wave;
    const struct wt_frame *frame;
    const enum wt_status status = dap_need_frame(d, arguments, &id, &frame, err);
    if (status)
        return status;
    const struct dap_frame of = d->frame[id - d->frame_base];
    *body = json_object_new_object();
    struct json_object *list = dap_put_list(*body, "scopes");
    put_scope(d, list, "Arguments", "arguments", DAP_ARGUMENTS, of, false);
    put_scope(d, list, "Locals", "locals", DAP_LOCALS, of, false);
    put_scope(d, list, "Lanes", NULL, DAP_LANES, of, true);
    put_scope(d, list, "Registers", "registers", DAP_REGISTERS, of, true);
    if (wt_debugger_thread_wave(d->g->debugger, d->g->thread, &wave) && wave.has_work)
        put_scope(d, list, "Dispatch", NULL, DAP_DISPATCH, of, true);
    return WT_OK;
}

/* ---- "wavetrap/where": the state in one answer, for clients without a list of threads ---- */

static void put_line(struct wt_dap *d, struct json_object *o, const struct wt_frame *frame)
{
    char name[512];
    if (frame->function) {
        wt_demangle(frame->function, name, sizeof name);
        dap_put_text(o, "function", name);
    }
    if (!frame->path || !frame->line)
        return;
    const struct wt_text_file *file = wt_program_open_source(d->g, frame->path);
    dap_put_text(o, "file", frame->path);
    dap_put_number(o, "line", frame->line);
    if (file && frame->line <= file->line_count)
        dap_put_text(o, "source", file->line[frame->line - 1]);
}

/* The calls, the innermost first; the place is the innermost one in the user's code. */
static void put_calls(struct wt_dap *d, struct json_object *body)
{
    const struct wt_frame *frame;
    if (wt_program_need_frame(d->g, &frame, WT_IGNORED) != WT_OK)
        return;
    dap_put_address(body, "pc", frame->pc);
    dap_put_number(body, "frame", d->g->level);
    struct json_object *list = dap_put_list(body, "calls");
    bool placed = false;
    for (unsigned level = d->g->level; level < d->g->level + MOST_CALLS; level++) {
        if (!(frame = wt_frames_get(d->g->frames, level)))
            break;
        put_line(d, dap_add_object(list), frame);
        if (!placed && frame->path && frame->line &&
            !wt_program_passes(d->g, frame->path, frame->function)) {
            put_line(d, body, frame);
            placed = true;
        }
    }
}

static void put_wave(struct wt_dap *d, struct json_object *body)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    char text[WT_WAVE_NAME + WT_LANES_TEXT];
    if (!d->g->thread || wt_program_wave(d->g, d->g->thread, &wave, &place, WT_IGNORED) != WT_OK)
        return;
    snprintf(text, sizeof text, "%" PRIu64, wave.id);
    dap_put_text(body, "wave", text);
    wt_debugger_name_wave(d->g->debugger, &wave, text, sizeof text);
    dap_put_text(body, "name", text);
    dap_put_number(body, "lane", place.lane);
    wt_lanes_list(place.active, ",", text, sizeof text);
    dap_put_text(body, "lanes", text);
}

enum wt_status dap_where(struct wt_dap *d, struct json_object *arguments, struct json_object **body,
                         struct wt_error *err)
{
    const struct wt_checks *checks = d->g->options.checks;
    struct wt_debugger_time time;
    *body = json_object_new_object();
    dap_put_text(*body, "state",
                 d->g->started                  ? "stopped"
                 : d->g->ended || d->terminated ? "ended"
                                                : "new");
    if (d->g->ended)
        dap_put_number(*body, "exitCode", (int64_t)d->g->exit_word);
    dap_put_text(*body, "family", d->g->topology->family);
    if (checks)
        dap_put_number(*body, "findings", (int64_t)checks->count(checks->context));
    if (!d->g->started)
        return WT_OK;
    dap_put_text(*body, "reason", d->why_stopped.reason ? d->why_stopped.reason : d->reason);
    dap_put_text(*body, "text",
                 d->why_stopped.details ? d->why_stopped.details
                 : d->why_stopped.text  ? d->why_stopped.text
                                        : d->why_stopped.description);
    if (wt_debugger_time(d->g->debugger, &time, WT_IGNORED) == WT_OK) {
        dap_put_number(*body, "time", (int64_t)time.now);
        dap_put_number(*body, "firstTime", (int64_t)time.start);
        dap_put_number(*body, "lastTime", (int64_t)time.end);
    }
    put_wave(d, *body);
    put_calls(d, *body);
    return WT_OK;
}
