/*
 * Requests of our own for views that draw all lanes of all waves: "wavetrap/grid" describes the
 * waves as they are, "wavetrap/recording" at many times of the recorded run, "wavetrap/goto" goes
 * to one of these, "wavetrap/select" selects a lane. docs/view.md describes the answers.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/called_place.h"
#include "base/demangle.h"
#include "debug/source/described.h"
#include "debug/source/inlined.h"
#include "frontend/dap/internal.h"

#define MOST_EXPRESSIONS 16
#define MOST_FRAMES 2000                     /* most frames of a recording */
#define MOST_TIMES (2 + DAP_TRAIL_STEPS + 1) /* that a finding and a trail add */
#define MOST_IMAGES 4
#define MOST_IMAGE_BYTES (1 << 20)

/* Memory that is shown as a picture, or as a plot. */
struct image {
    struct wt_address at;
    size_t size;  /* bytes; 0: its place is not known */
    int64_t last; /* number of its contents the last time; -1: there are none */
};

/* The waves that an answer describes: each is described once while it stays the same. */
struct pool {
    struct wt_dap *d;
    struct json_object *body, *waves, *places, *dispatches;
    const char *expression[MOST_EXPRESSIONS];
    size_t expression_count;
    struct json_object *last; /* last of each wave's id: its number in `waves` */
    struct image image[MOST_IMAGES];
    size_t image_count;
    struct json_object *contents; /* contents of images, as base64 */
};

/* ---- parts ---- */

static void put_lanes(struct json_object *o, const char *name, wt_lanes lanes)
{
    char text[40];
    wt_mask_text(lanes, text, sizeof text);
    dap_put_text(o, name, text + strlen("0x"));
}

static void put_three(struct json_object *o, const char *name, const uint32_t three[3])
{
    struct json_object *list = dap_put_list(o, name);
    for (unsigned i = 0; i < 3; i++)
        json_object_array_add(list, json_object_new_int64(three[i]));
}

/* Adds an address of code, which the list of places describes. */
static void put_pc(struct pool *p, struct json_object *o, unsigned device, uint64_t pc)
{
    char key[24], name[512];
    struct wt_code_line line;
    struct wt_program *g = p->d->g;
    snprintf(key, sizeof key, "0x%" PRIx64, pc);
    dap_put_text(o, "pc", key);
    if (json_object_object_get_ex(p->places, key, NULL))
        return;
    struct json_object *place = dap_put_object(p->places, key);
    struct wt_inlined call;
    wt_described_call(g->modules, &(struct wt_called_place){.pc = pc, .device = device}, &call);
    if (call.function) {
        wt_demangle(call.function, name, sizeof name);
        dap_put_text(place, "function", name);
    }
    if (call.path && call.line) {
        dap_put_text(place, "path", call.path);
        dap_put_number(place, "line", call.line);
        if (call.foreign)
            dap_put_flag(place, "foreign", true);
    }
    if (wt_program_instruction(g, pc, &line, WT_IGNORED) == WT_OK && *line.text)
        dap_put_text(place, "instruction", line.text);
}

static void put_dispatch(struct pool *p, const struct wt_dispatch *dispatch)
{
    char key[24], name[200];
    struct json_object *o;
    snprintf(key, sizeof key, "%" PRIu64, dispatch->number);
    if (json_object_object_get_ex(p->dispatches, key, &o) &&
        strcmp(dap_text(o, "kernel"), "?") != 0)
        return;
    o = dap_put_object(p->dispatches, key);
    dap_put_text(o, "kernel", wt_program_kernel(p->d->g, dispatch, name, sizeof name));
    put_three(o, "block", dispatch->block);
    put_three(o, "groups", dispatch->groups);
    if (dispatch->wave_count)
        put_three(o, "items", dispatch->wave[0]->wave.grid);
}

/* Adds a text for each lane, or one where all are the same; or why there is none. */
static void put_values(struct pool *p, struct json_object *list, const struct wt_view *view,
                       const char *expression, unsigned lanes)
{
    const struct wt_format format = {.elements = 16};
    struct wt_error err = {.text = ""};
    struct wt_values values;
    char *whole = dap_format("(%s)@*", expression), *first = NULL;
    struct json_object *o = dap_add_object(list), *texts;
    const enum wt_status status = whole && view->frame
                                      ? wt_source_evaluate(view, whole, &values, &err)
                                      : wt_fail(&err, WT_STATE, "nothing is known of the frame");
    free(whole);
    if (status) {
        dap_put_text(o, "why", err.text);
        return;
    }
    values.reference = NULL;
    bool equal = true;
    texts = json_object_new_array();
    for (unsigned i = 0; i < values.lane_count && i < lanes; i++) {
        char *text = dap_value_text(view, &values, i, &format);
        char *clean = wt_text_utf8(text ? text : "");
        json_object_array_add(texts, json_object_new_string(clean ? clean : ""));
        equal = equal && (!first || strcmp(first, clean ? clean : "") == 0);
        if (first)
            free(clean);
        else
            first = clean;
        free(text);
    }
    if (equal && first)
        dap_put_text(o, "all", first);
    else
        json_object_object_add(o, "each", json_object_get(texts));
    json_object_put(texts);
    free(first);
    wt_values_free(&values);
}

static void put_expressions(struct pool *p, struct json_object *o, wt_thread thread, unsigned lanes)
{
    struct wt_program *g = p->d->g;
    struct json_object *list = p->expression_count ? dap_put_list(o, "values") : NULL;
    if (!list)
        return;
    struct wt_frames *frames = wt_frames_new(g->debugger, g->modules, thread);
    const struct wt_view view = {.source = g->source,
                                 .thread = thread,
                                 .frames = frames,
                                 .frame = frames ? wt_frames_get(frames, 0) : NULL};
    for (size_t i = 0; i < p->expression_count; i++)
        put_values(p, list, &view, p->expression[i], lanes);
    wt_frames_free(frames);
}

/* Where lanes are, and why they do not run. */
static void put_state(struct pool *p, struct json_object *o, const struct wt_wave_info *info,
                      wt_thread thread)
{
    struct wt_event fault;
    put_pc(p, o, info->wave.device, info->pc);
    put_lanes(o, "mask", info->mask);
    if (info->has_wait && info->detail.view.waiting)
        dap_put_text(o, "wait", info->detail.view.wait);
    if (info->has_wait && info->detail.view.at_barrier)
        dap_put_flag(o, "barrier", true);
    struct json_object *waiters =
        info->has_detail && info->detail.waiter_count ? dap_put_list(o, "waiters") : NULL;
    for (unsigned i = 0; waiters && i < info->detail.waiter_count; i++) {
        struct json_object *waiter = dap_add_object(waiters);
        put_lanes(waiter, "lanes", info->detail.waiter[i].lanes);
        put_pc(p, waiter, info->wave.device, info->detail.waiter[i].pc);
    }
    if (thread && wt_debugger_fault(p->d->g->debugger, thread, &fault)) {
        put_lanes(o, "faulted", fault.record.kind ? fault.record.lanes : info->mask);
        dap_put_text(o, "fault", fault.text);
    }
}

static struct json_object *wave_object(struct pool *p, const struct wt_wave_info *info)
{
    struct json_object *o = json_object_new_object();
    const struct wt_wave *w = &info->wave;
    char id[24];
    uint32_t first = 0;
    wt_thread thread = 0;
    snprintf(id, sizeof id, "%" PRIu64, w->id);
    dap_put_text(o, "id", id);
    dap_put_number(o, "device", w->device);
    dap_put_number(o, "core", w->core);
    dap_put_number(o, "slot", w->slot);
    dap_put_number(o, "lanes", w->lanes);
    if (w->has_work) {
        dap_put_number(o, "dispatch", (int64_t)w->dispatch);
        put_three(o, "group", w->group);
        dap_put_number(o, "index", w->index);
        dap_put_number(o, "items", wt_wave_items(w, &first));
        dap_put_number(o, "first", first);
        put_three(o, "block", w->block);
    }
    if (info->running) {
        dap_put_flag(o, "running", true);
        return o;
    }
    wt_program_thread_of_wave(p->d->g, w->id, &thread);
    put_state(p, o, info, thread);
    if (thread)
        put_expressions(p, o, thread, w->lanes);
    return o;
}

/* The number of a wave's description in the pool: that of the last time, where it is the same. */
static int64_t pooled(struct pool *p, const struct wt_wave_info *info)
{
    char id[24];
    struct json_object *o = wave_object(p, info), *before;
    snprintf(id, sizeof id, "%" PRIu64, info->wave.id);
    if (json_object_object_get_ex(p->last, id, &before)) {
        const int64_t number = json_object_get_int64(before);
        if (json_object_equal(json_object_array_get_idx(p->waves, (size_t)number), o)) {
            json_object_put(o);
            return number;
        }
    }
    const int64_t number = (int64_t)json_object_array_length(p->waves);
    json_object_array_add(p->waves, o);
    dap_put_number(p->last, id, number);
    return number;
}

/* ---- images ---- */

/* An image of a request: {expression, width, height, type}. The answer tells its address, or why it
 * has none. */
static enum wt_status add_image(struct pool *p, struct json_object *list, struct json_object *asked,
                                struct wt_error *err)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"u8", 1}, {"i32", 4}, {"u32", 4}, {"f32", 4}};
    struct wt_program *g = p->d->g;
    struct wt_error why = {.text = ""};
    const char *text, *type;
    int64_t width, height;
    uint64_t address;
    size_t size = 0;
    enum wt_status status = dap_need_text(asked, "expression", &text, err);
    if (!status)
        status = dap_need_text(asked, "type", &type, err);
    if (!status)
        status = dap_need_number(asked, "width", &width, err);
    if (!status)
        status = dap_need_number(asked, "height", &height, err);
    if (status)
        return status;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        size = strcmp(type, types[i].name) == 0 ? types[i].size : size;
    if (!size || width < 1 || height < 1 || width > MOST_IMAGE_BYTES ||
        height > MOST_IMAGE_BYTES / width / (int64_t)size)
        return wt_fail(err, WT_INVALID,
                       "an image has at most %d bytes, of the type u8, i32, u32 or f32",
                       MOST_IMAGE_BYTES);
    if (dap_assigns(text))
        return wt_fail(err, WT_INVALID, "%s: an assignment is not made by showing it", text);
    struct json_object *o = dap_add_object(list);
    dap_put_text(o, "expression", text);
    dap_put_text(o, "type", type);
    dap_put_number(o, "width", width);
    dap_put_number(o, "height", height);
    struct image *image = &p->image[p->image_count++];
    *image = (struct image){.last = -1};
    if (wt_program_address(g, text, &address, &why)) {
        dap_put_text(o, "why", why.text);
        return WT_OK;
    }
    dap_put_address(o, "address", address);
    image->at = wt_debugger_address(g->debugger, address);
    image->size = size * (size_t)(width * height);
    return WT_OK;
}

static enum wt_status take_images(struct pool *p, struct json_object *arguments,
                                  struct wt_error *err)
{
    struct json_object *asked = dap_list(arguments, "images");
    struct json_object *list = asked ? dap_put_list(p->body, "images") : NULL;
    enum wt_status status = WT_OK;
    if (list && json_object_array_length(asked) > MOST_IMAGES)
        return wt_fail(err, WT_INVALID, "\"images\": at most %d", MOST_IMAGES);
    for (size_t i = 0; list && i < json_object_array_length(asked) && !status; i++)
        status = add_image(p, list, json_object_array_get_idx(asked, i), err);
    p->contents = list ? dap_put_list(p->body, "contents") : NULL;
    return status;
}

/* The number of an image's contents as they are now; -1: they cannot be read. */
static int64_t contents_of(struct pool *p, struct image *image)
{
    struct wt_program *g = p->d->g;
    uint8_t *bytes = image->size ? malloc(image->size) : NULL;
    char *text = NULL;
    if (bytes && wt_debugger_read_memory(g->debugger, g->thread, image->at, bytes, image->size,
                                         WT_IGNORED) == WT_OK)
        text = dap_base64(bytes, image->size);
    free(bytes);
    if (!text)
        return -1;
    struct json_object *last =
        image->last < 0 ? NULL : json_object_array_get_idx(p->contents, (size_t)image->last);
    if (!last || strcmp(json_object_get_string(last), text) != 0) {
        image->last = (int64_t)json_object_array_length(p->contents);
        json_object_array_add(p->contents, json_object_new_string(text));
    }
    free(text);
    return image->last;
}

static void put_images(struct pool *p, struct json_object *frame)
{
    struct json_object *list = p->image_count ? dap_put_list(frame, "images") : NULL;
    for (size_t i = 0; i < p->image_count; i++)
        json_object_array_add(list, json_object_new_int64(contents_of(p, &p->image[i])));
}

/* ---- counts ---- */

static void add_count(void *to, const struct wt_dap_count *count)
{
    struct json_object *o = dap_add_object(to);
    dap_put_text(o, "path", count->path);
    dap_put_number(o, "line", count->line);
    dap_put_number(o, "issues", (int64_t)count->issues);
    dap_put_number(o, "enabled", (int64_t)count->enabled);
    dap_put_number(o, "lanes", (int64_t)count->lanes);
    dap_put_number(o, "transactions", (int64_t)count->transactions);
}

/* The counts of source lines so far, where they are counted. */
static void put_counts(struct wt_dap *d, struct json_object *frame)
{
    struct json_object *list = json_object_new_array();
    if (d->owner.counts && d->owner.counts(d->owner.context, add_count, list))
        json_object_object_add(frame, "counts", list);
    else
        json_object_put(list);
}

/* ---- findings ---- */

/* Adds finding @p number with its places; a race has two. False: there is none of that number. */
static bool put_finding(struct json_object *list, const struct wt_checks *checks, uint64_t number,
                        struct wt_check_place place[2])
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    const enum wt_status status =
        checks->print(checks->context, out, number, false, place, WT_IGNORED);
    fclose(out);
    if (!status) {
        struct json_object *o = dap_add_object(list), *places = dap_put_list(o, "places");
        dap_put_number(o, "number", (int64_t)number);
        dap_put_text(o, "text", text);
        for (int i = 0; i < 2; i++)
            if (!i || place[i].wave != WT_NO_WAVE || place[i].line)
                dap_put_place(places, &place[i]);
    }
    free(text);
    return !status;
}

/* The findings of --check so far. Their list is kept while there are no more. */
static void put_findings(struct wt_dap *d, struct json_object *body)
{
    const struct wt_checks *checks = d->g->options.checks;
    const uint64_t count = checks ? checks->count(checks->context) : 0;
    struct wt_check_place place[2];
    if (!count)
        return;
    if (!d->findings || json_object_array_length(d->findings) != count) {
        json_object_put(d->findings);
        d->findings = json_object_new_array();
        for (uint64_t i = 1; i <= count && put_finding(d->findings, checks, i, place); i++)
            ;
    }
    json_object_object_add(body, "findings", json_object_get(d->findings));
}

/* ---- frames ---- */

/* Adds the waves as they are now. */
static enum wt_status add_frame(struct pool *p, struct json_object *frames, struct wt_error *err)
{
    struct wt_dap *d = p->d;
    struct wt_debugger_time time;
    struct wt_work work;
    struct json_object *o = dap_add_object(frames);
    if (wt_debugger_time(d->g->debugger, &time, WT_IGNORED) == WT_OK)
        dap_put_number(o, "time", (int64_t)time.now);
    struct json_object *list = dap_put_list(o, "waves");
    put_images(p, o);
    put_counts(d, o);
    if (!d->g->started)
        return WT_OK;
    const enum wt_status status = wt_program_work(d->g, &work, err);
    for (size_t i = 0; !status && i < work.dispatch_count; i++)
        put_dispatch(p, &work.dispatch[i]);
    for (size_t i = 0; !status && i < work.wave_count; i++)
        json_object_array_add(list, json_object_new_int64(pooled(p, &work.wave[i])));
    wt_work_free(&work);
    return status;
}

/* ---- answers ---- */

static enum wt_status take_expressions(struct pool *p, struct json_object *arguments,
                                       struct wt_error *err)
{
    struct json_object *list = dap_list(arguments, "expressions");
    const size_t count = list ? json_object_array_length(list) : 0;
    if (count > MOST_EXPRESSIONS)
        return wt_fail(err, WT_INVALID, "\"expressions\": at most %d", MOST_EXPRESSIONS);
    for (size_t i = 0; i < count; i++) {
        struct json_object *o = json_object_array_get_idx(list, i);
        if (!json_object_is_type(o, json_type_string))
            return wt_fail(err, WT_INVALID, "\"expressions\" is a list of texts");
        p->expression[i] = json_object_get_string(o);
        if (dap_assigns(p->expression[i]))
            return wt_fail(err, WT_INVALID, "%s: an assignment is not made by showing it",
                           p->expression[i]);
    }
    p->expression_count = count;
    return WT_OK;
}

static enum wt_status begin(struct pool *p, struct wt_dap *d, struct json_object *arguments,
                            struct wt_error *err)
{
    const struct wt_topology *t = d->g->topology;
    struct wt_debugger_time time;
    *p = (struct pool){.d = d};
    enum wt_status status = take_expressions(p, arguments, err);
    if (status)
        return status;
    p->body = json_object_new_object();
    p->last = json_object_new_object();
    if ((status = take_images(p, arguments, err)) != WT_OK) {
        json_object_put(p->body);
        json_object_put(p->last);
        return status;
    }
    dap_put_text(p->body, "family", t->family);
    dap_put_text(p->body, "program", d->g->options.program);
    dap_put_text(p->body, "wave", t->wave_word);
    dap_put_text(p->body, "lane", t->lane_word);
    if (d->joined)
        dap_put_text(p->body, "joined", d->may_run ? "runs" : "looks");
    if (wt_debugger_has_history(d->g->debugger) &&
        wt_debugger_time(d->g->debugger, &time, WT_IGNORED) == WT_OK) {
        dap_put_number(p->body, "start", (int64_t)time.start);
        dap_put_number(p->body, "end", (int64_t)time.end);
        dap_put_number(p->body, "now", (int64_t)time.now);
    }
    if (d->why_stopped.is_end)
        json_object_object_add(p->body, "atEnd", json_object_new_boolean(true));
    struct json_object *list = dap_put_list(p->body, "expressions");
    for (size_t i = 0; i < p->expression_count; i++)
        json_object_array_add(list, json_object_new_string(p->expression[i]));
    p->places = dap_put_object(p->body, "places");
    p->dispatches = dap_put_object(p->body, "dispatches");
    p->waves = dap_put_list(p->body, "waves");
    return WT_OK;
}

/* The wave and lane that are selected. */
static void put_selected(struct wt_dap *d, struct json_object *body)
{
    struct wt_wave wave;
    struct wt_thread_position place;
    char id[24];
    if (!d->g->started || !d->g->thread ||
        wt_program_wave(d->g, d->g->thread, &wave, &place, WT_IGNORED) != WT_OK)
        return;
    struct json_object *o = dap_put_object(body, "selected");
    snprintf(id, sizeof id, "%" PRIu64, wave.id);
    dap_put_text(o, "wave", id);
    dap_put_number(o, "lane", place.lane);
    dap_put_number(o, "threadId", d->g->thread);
}

enum wt_status dap_grid(struct wt_dap *d, struct json_object *arguments, struct json_object **body,
                        struct wt_error *err)
{
    struct pool p;
    enum wt_status status = begin(&p, d, arguments, err);
    if (status)
        return status;
    status = add_frame(&p, dap_put_list(p.body, "frames"), err);
    put_selected(d, p.body);
    put_findings(d, p.body);
    dap_put_number(p.body, "threadId", dap_thread_id(d)); /* also where no kernel runs */
    json_object_put(p.last);
    if (status)
        json_object_put(p.body);
    else
        *body = p.body;
    return status;
}

/* Adds the text of a file that a place names, if it has one. */
static void put_source_of(struct pool *p, struct json_object *sources, struct json_object *place)
{
    const char *path = dap_text(place, "path");
    if (!path || json_object_object_get_ex(sources, path, NULL))
        return;
    char *text = dap_source_text(p->d, path);
    dap_put_text(sources, path, text);
    free(text);
}

/* Likewise for the places of a finding or of a trail. */
static void put_sources_of(struct pool *p, struct json_object *sources, struct json_object *of)
{
    struct json_object *places = dap_list(of, "places");
    for (size_t i = 0; places && i < json_object_array_length(places); i++)
        put_source_of(p, sources, json_object_array_get_idx(places, i));
}

/* The texts of the files that the places name. */
static void put_sources(struct pool *p)
{
    struct json_object *sources = dap_put_object(p->body, "sources"), *trail;
    json_object_object_foreach(p->places, key, place)
    {
        if (*key)
            put_source_of(p, sources, place);
    }
    const size_t count = p->d->findings ? json_object_array_length(p->d->findings) : 0;
    for (size_t i = 0; i < count; i++)
        put_sources_of(p, sources, json_object_array_get_idx(p->d->findings, i));
    if (json_object_object_get_ex(p->body, "trail", &trail))
        put_sources_of(p, sources, trail);
}

static int by_time(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Times that a recording is to have, whatever it has beside. */
struct extra_times {
    uint64_t at[MOST_TIMES];
    size_t count;
};

static void add_time(struct extra_times *t, uint64_t time)
{
    assert(t->count < MOST_TIMES);
    t->at[t->count++] = time;
}

/* Adds the times of the places of a trail. */
static void add_times_of(struct extra_times *t, struct json_object *trail)
{
    struct json_object *places = dap_list(trail, "places");
    int64_t time;
    for (size_t i = 0; places && i < json_object_array_length(places); i++)
        if (dap_number(json_object_array_get_idx(places, i), "time", &time))
            add_time(t, (uint64_t)time);
}

/* Adds frames of @p count times, spread evenly over the recorded run, and of those of @p wanted
 * that are in it. */
static enum wt_status add_frames(struct pool *p, const struct wt_debugger_time *run, uint64_t count,
                                 const struct extra_times *wanted, struct wt_error *err)
{
    struct json_object *frames = dap_put_list(p->body, "frames");
    const uint64_t length = run->end - run->start;
    uint64_t time[MOST_FRAMES + MOST_TIMES];
    count = count < length + 1 ? count : length + 1;
    for (uint64_t i = 0; i < count; i++)
        time[i] = count > 1 ? run->start + (uint64_t)((unsigned __int128)length * i / (count - 1))
                            : run->end;
    for (size_t i = 0; i < wanted->count; i++)
        if (wanted->at[i] >= run->start && wanted->at[i] <= run->end)
            time[count++] = wanted->at[i];
    qsort(time, count, sizeof *time, by_time);
    for (uint64_t i = 0; i < count; i++) {
        if (i && time[i] == time[i - 1])
            continue;
        enum wt_status status = wt_program_goto(p->d->g, time[i], err);
        if (!status)
            status = add_frame(p, frames, err);
        if (status)
            return status;
    }
    return WT_OK;
}

/* Adds the times of the accesses of a finding that a page is about. */
static enum wt_status find_accesses(struct wt_dap *d, int64_t number, struct extra_times *wanted,
                                    struct wt_error *err)
{
    const struct wt_checks *checks = d->g->options.checks;
    struct wt_check_place access[2] = {{.time = 0}};
    enum wt_status status = wt_checks_need(checks, err);
    if (!status)
        status = number < 1
                     ? wt_fail(err, WT_INVALID, "\"finding\" is a number from 1 on")
                     : checks->print(checks->context, NULL, (uint64_t)number, false, access, err);
    for (int i = 0; i < 2 && !status; i++)
        if (access[i].wave != WT_NO_WAVE)
            add_time(wanted, access[i].time);
    return status;
}

/* The trail that a page is about, as "wavetrap/trail" answers; NULL: about none. */
static enum wt_status find_trail(struct wt_dap *d, struct json_object *arguments,
                                 struct json_object **trail, struct extra_times *wanted,
                                 struct wt_error *err)
{
    struct json_object *asked;
    if (!json_object_object_get_ex(arguments, "trail", &asked))
        return WT_OK;
    const enum wt_status status = dap_find_trail(d, asked, trail, err);
    add_times_of(wanted, *trail);
    return status;
}

enum wt_status dap_recording(struct wt_dap *d, struct json_object *arguments,
                             struct json_object **body, struct wt_error *err)
{
    struct pool p;
    struct wt_debugger_time time;
    struct extra_times wanted = {.count = 0};
    struct json_object *trail = NULL;
    int64_t count = 200, finding = 0;
    const char *why = wt_debugger_unrecorded(d->g->debugger);
    const wt_wave_id wave = d->g->started ? wt_program_own_wave(d->g) : WT_NO_WAVE;
    if (!wt_debugger_has_history(d->g->debugger))
        return wt_fail(err, WT_UNSUPPORTED, "%s", why ? why : "nothing of the run is recorded");
    if (dap_number(arguments, "frames", &count) && (count < 1 || count > MOST_FRAMES))
        return wt_fail(err, WT_INVALID, "\"frames\" is a number of 1 to %d", MOST_FRAMES);
    enum wt_status status = wt_debugger_time(d->g->debugger, &time, err);
    if (!status && dap_number(arguments, "finding", &finding))
        status = find_accesses(d, finding, &wanted, err);
    if (!status)
        status = find_trail(d, arguments, &trail, &wanted, err);
    if (!status)
        status = begin(&p, d, arguments, err);
    if (status) {
        json_object_put(trail);
        return status;
    }
    if (trail)
        json_object_object_add(p.body, "trail", trail);
    const wt_thread thread = d->g->thread;
    const unsigned level = d->g->level;
    d->travels = true;
    status = add_frames(&p, &time, (uint64_t)count, &wanted, err);
    const enum wt_status back = wt_program_goto(d->g, time.now, status ? WT_IGNORED : err);
    d->travels = false;
    d->runs = d->g->runs;
    if (wave != WT_NO_WAVE && wt_debugger_thread_alive(d->g->debugger, thread)) {
        wt_program_select(d->g, thread);
        d->g->level = level;
    }
    json_object_put(p.last);
    if (status || back) {
        json_object_put(p.body);
        return status ? status : back;
    }
    put_findings(d, p.body);
    if (finding)
        dap_put_number(p.body, "finding", finding);
    put_sources(&p);
    put_selected(d, p.body);
    *body = p.body;
    return WT_OK;
}

/* ---- going, selecting ---- */

enum wt_status dap_goto_time(struct wt_dap *d, struct json_object *arguments,
                             struct json_object **body, struct wt_error *err)
{
    int64_t time;
    enum wt_status status = dap_need_number(arguments, "time", &time, err);
    if (!status && !wt_debugger_has_history(d->g->debugger))
        status = wt_fail(err, WT_UNSUPPORTED, "nothing of the run is recorded");
    if (status)
        return status;
    if (d->at_end.end && (uint64_t)time >= d->at_end.end) /* where nothing is left of the program */
        time = (int64_t)d->at_end.now;
    d->reason = "goto";
    status = wt_program_goto(d->g, (uint64_t)time, err);
    if (!status && !d->running)
        dap_begin_run(d);
    return status;
}

enum wt_status dap_select(struct wt_dap *d, struct json_object *arguments,
                          struct json_object **body, struct wt_error *err)
{
    const char *text;
    char *end;
    int64_t lane;
    enum wt_status status = dap_need_text(arguments, "wave", &text, err);
    if (!status)
        status = dap_need_number(arguments, "lane", &lane, err);
    if (status)
        return status;
    const wt_wave_id wave = strtoull(text, &end, 10);
    if (*end || end == text || lane >= WT_MAX_LANES)
        return wt_fail(err, WT_INVALID,
                       "\"wave\" is an id of the grid's, as a text, and \"lane\" "
                       "a lane of it");
    status = wt_program_select_lane_of(d->g, wave, (unsigned)lane, err);
    if (status)
        return status;
    *body = json_object_new_object();
    dap_put_number(*body, "threadId", dap_thread_id(d));
    struct json_object *changed = json_object_new_object();
    dap_put_number(changed, "threadId", dap_thread_id(d));
    dap_event(d, "wavetrap/selected", changed);
    dap_invalidate(d, "stacks");
    return WT_OK;
}
