/* A recorded run as bytes, for core files. See timeline.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/machine.h"
#include "emulator/machine/timeline_state.h"
#include "emulator/machine/state.h"

#define MOST_TIME ((uint64_t)1 << 62)
/* Bytes of an entry without bytes of its own. */
#define LEAST_ENTRY 57

/* ---- operations by number ---- */

static uint32_t operation_count(const wt_input_operation *list)
{
    uint32_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

static uint32_t number_of(const wt_input_operation *list, wt_input_operation operation)
{
    uint32_t n = 0;
    while (list[n] != operation) {
        assert(list[n]); /* each operation that is used must be in the family's list */
        n++;
    }
    return n;
}

static void operation(struct wt_archive *a, const struct wt_timeline_file *file,
                      struct wt_input *input)
{
    const uint32_t count = operation_count(file->operation);
    uint32_t number = 0;
    if (!wt_archive_reads(a))
        number = number_of(file->operation, input->operation);
    else if (!count)
        wt_archive_fail(a, "an input is of a kind that there is not");
    wt_archive_u32(a, &number, count ? count - 1 : 0, "an operation");
    if (count)
        input->operation = file->operation[number];
}

/* ---- the log ---- */

static void entry(struct wt_archive *a, const struct wt_timeline_file *file, struct entry *e)
{
    struct wt_input *input = &e->input;
    unsigned kind = input->kind;
    uint64_t size = input->size;
    wt_archive_bool(a, &e->ran);
    wt_archive_u64(a, &e->time, MOST_TIME, "an issue time");
    wt_archive_u64(a, &e->after, MOST_TIME, "an issue time");
    wt_archive_u64(a, &e->until, MOST_TIME, "an issue time");
    wt_archive_unsigned(a, &kind, WT_INPUT_OPERATION, "an input's kind");
    input->kind = (enum wt_input_kind)kind;
    wt_archive_u32(a, &input->wave, UINT32_MAX, "an input's wave");
    wt_archive_unsigned(a, &input->lane, UINT32_MAX, "an input's lane");
    wt_archive_u32(a, &input->value, UINT32_MAX, "an input's value");
    wt_archive_u64(a, &input->addr, UINT64_MAX, "an input's address");
    wt_archive_u64(a, &size, UINT64_MAX, "an input's size");
    if (input->kind == WT_INPUT_OPERATION)
        operation(a, file, input);
    if (!wt_archive_reads(a)) {
        wt_archive_bytes(a, (void *)(uintptr_t)input->bytes, input->size);
        return;
    }
    if (size > a->left)
        wt_archive_fail(a, "it ends in the middle of an input");
    if (e->after < e->time || (e->ran && e->until < e->time))
        wt_archive_fail(a, "an input ends before it begins");
    if (a->failed)
        return;
    input->bytes = size ? a->in : NULL;
    input->size = size;
    a->in += size;
    a->left -= size;
}

static void write_log(struct wt_archive *a, const struct wt_timeline_file *file, size_t from,
                      size_t to)
{
    struct wt_timeline *t = file->timeline;
    uint64_t count = to - from;
    wt_archive_u64(a, &count, UINT64_MAX, "the number of inputs");
    for (size_t i = from; i < to; i++)
        entry(a, file, &t->entry[i]);
}

static enum wt_status read_log(struct wt_archive *a, const struct wt_timeline_file *file,
                               struct wt_error *err)
{
    struct wt_timeline *t = file->timeline;
    uint64_t count = 0, last = t->m->time;
    wt_archive_u64(a, &count, a->left / LEAST_ENTRY, "the number of inputs");
    for (uint64_t i = 0; i < count && !a->failed; i++) {
        struct entry e = {0};
        entry(a, file, &e);
        if (e.time < last)
            wt_archive_fail(a, "the inputs are not in order");
        last = e.after;
        if (a->failed)
            break;
        if (!timeline_add_entry(&t->entry, &t->entries, &t->entry_room, &e))
            return wt_fail(err, WT_NO_MEMORY, "no host memory for the recorded run");
        t->entry_bytes += timeline_heap_bytes(e.input.size);
    }
    t->end = last;
    return WT_OK;
}

/* ---- the whole ---- */

static enum wt_status write_past(const struct wt_timeline_file *file, struct wt_archive *a,
                                 struct wt_error *err)
{
    enum wt_status status;
    struct wt_timeline *t = file->timeline;
    struct wt_machine *m = t->m;
    const size_t done = t->done;
    const uint64_t start = wt_timeline_start(t);
    const uint64_t from = m->time > file->issues ? m->time - file->issues : 0;
    struct wt_state *now = wt_state_save(m);
    if (!now)
        return wt_fail(err, WT_NO_MEMORY, "no host memory to save the state");
    if ((status = wt_timeline_goto(t, from > start ? from : start, err)) == WT_OK) {
        /* The beginning is the state before the inputs at that time. */
        if (from <= start) {
            wt_state_restore(m, t->snapshot[0].state);
            t->done = t->snapshot[0].entries;
        }
        file->state(m, a);
        write_log(a, file, t->done, done);
    }
    wt_state_restore(m, now);
    wt_state_free(now);
    t->done = done;
    return status;
}

enum wt_status wt_timeline_write(const struct wt_timeline_file *file, struct wt_archive *a,
                                 struct wt_error *err)
{
    enum wt_status status;
    struct wt_timeline *t = file->timeline;
    assert(!wt_archive_reads(a) && (!t || !t->looking));
    bool past = t && file->issues && !t->broken;
    wt_archive_bool(a, &past);
    if (past && (status = write_past(file, a, err)) != WT_OK)
        return status;
    file->state(file->machine, a);
    return WT_OK;
}

static enum wt_status failed(const struct wt_archive *a, struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "%s", a->why);
}

/* A file of version 4 does not say of which wave a fault is, but its state does. */
static void read_state(const struct wt_timeline_file *file, struct wt_archive *a)
{
    struct wt_machine *m = file->machine;
    file->state(m, a);
    if (a->version == 4 && !a->failed && m->fault.kind)
        m->fault.id = wt_machine_wave_id(m, m->fault.wave);
}

static enum wt_status read_past(struct wt_timeline_file *file, struct wt_archive *a,
                                struct wt_error *err)
{
    enum wt_status status;
    struct wt_machine *m = file->machine;
    read_state(file, a);
    if (a->failed)
        return failed(a, err);
    if ((status = wt_timeline_new(m, file->budget, &file->timeline, err)) != WT_OK)
        return status;
    file->timeline->foreign = true;
    return read_log(a, file, err);
}

static enum wt_status read_all(struct wt_timeline_file *file, struct wt_archive *a,
                               struct wt_error *err)
{
    enum wt_status status;
    struct wt_machine *m = file->machine;
    bool past = false;
    wt_archive_bool(a, &past);
    if (past && (status = read_past(file, a, err)) != WT_OK)
        return status;
    read_state(file, a);
    struct wt_timeline *t = file->timeline;
    if (t && !a->failed && m->time < t->end)
        wt_archive_fail(a, "the present is before the past");
    if (a->failed)
        return failed(a, err);
    if (!t)
        return wt_timeline_new(m, file->budget, &file->timeline, err);
    t->done = t->entries;
    t->end = m->time;
    if (!timeline_take_snapshot(t))
        return wt_fail(err, WT_NO_MEMORY, "no host memory for the recorded run");
    return WT_OK;
}

enum wt_status wt_timeline_read(struct wt_timeline_file *file, struct wt_archive *a,
                                struct wt_error *err)
{
    assert(wt_archive_reads(a) && !file->timeline);
    const enum wt_status status = read_all(file, a, err);
    if (status == WT_OK)
        return WT_OK;
    wt_timeline_free(file->timeline);
    file->timeline = NULL;
    return status;
}
