/* See search_record.h. */
#include "explore/search_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/machine/schedule.h"

/* Of a record: numbers, then slots of waves, steps with their accesses, reversals, choices, a text.
 */
struct search_head {
    uint64_t fixed, steps, reversals, choices, left; /* lengths of the text */
    uint32_t waves;
    bool late_groups, blocked;
};

struct step_head {
    explore_waves enabled; /* before it */
    uint64_t accesses;
    uint32_t wave;
};

/* ---- writing ---- */

static void put(FILE *out, const void *what, size_t size)
{
    fwrite(what, 1, size, out);
}

/* Without what lies between members. */
static void put_access(const struct explore_access *a, FILE *out)
{
    struct explore_access one;
    memset(&one, 0, sizeof one);
    one.space = a->space;
    one.home = a->home;
    one.first = a->first;
    one.last = a->last;
    one.write = a->write;
    one.lane = a->lane;
    put(out, &one, sizeof one);
}

static void put_choice(const struct wt_choice *c, FILE *out)
{
    struct wt_choice one;
    memset(&one, 0, sizeof one);
    one.time = c->time;
    one.wave = c->wave;
    put(out, &one, sizeof one);
}

static void put_steps(const struct search *s, size_t first, FILE *out)
{
    for (size_t i = first; i < s->steps.count; i++) {
        const struct explore_step *step = &s->steps.step[i];
        struct step_head head;
        memset(&head, 0, sizeof head);
        head.enabled = s->node[i].enabled;
        head.accesses = step->access_end - step->access;
        head.wave = step->wave;
        put(out, &head, sizeof head);
        for (size_t k = step->access; k < step->access_end; k++)
            put_access(&s->steps.access[k], out);
    }
}

enum wt_status search_record(struct search *s, struct explore_record *record, struct wt_error *err)
{
    const size_t first = s->fixed ? s->fixed - 1 : 0;
    char *bytes = NULL, *left = s->blocked ? strdup("") : s->subject->write(s->subject->context);
    FILE *out = left ? open_memstream(&bytes, &record->length) : NULL;
    struct search_head head;
    memset(&head, 0, sizeof head);
    if (out) {
        head.fixed = s->fixed;
        head.steps = s->steps.count - first;
        head.reversals = s->reversals;
        head.choices = s->choices.count;
        head.left = strlen(left);
        head.waves = s->steps.waves;
        head.late_groups = s->steps.late_groups;
        head.blocked = s->blocked;
        put(out, &head, sizeof head);
        put(out, s->steps.slot, head.waves * sizeof *s->steps.slot);
        put_steps(s, first, out);
        put(out, s->reversal, s->reversals * sizeof *s->reversal);
        for (size_t i = 0; i < s->choices.count; i++)
            put_choice(&s->choices.at[i], out);
        put(out, left, head.left);
    }
    free(left);
    const bool failed = !out || ferror(out);
    if ((out && fclose(out)) || failed) {
        free(bytes);
        return search_no_memory(err);
    }
    record->bytes = (uint8_t *)bytes;
    return WT_OK;
}

/* ---- reading ---- */

struct search_reader {
    const uint8_t *at;
    size_t left;
};

/* The next bytes; NULL: there are not so many. */
static const void *get(struct search_reader *r, uint64_t count, size_t size)
{
    if (count > r->left / size)
        return NULL;
    const void *there = r->at;
    r->at += count * size;
    r->left -= count * size;
    return there;
}

static enum wt_status of_another(struct wt_error *err)
{
    return wt_fail(err, WT_INVALID, "a record is not of this search");
}

static enum wt_status read_step(struct search *s, struct search_reader *r, bool pushes,
                                struct wt_error *err)
{
    struct step_head head;
    bool blocked = false;
    const void *bytes = get(r, 1, sizeof head);
    if (!bytes)
        return of_another(err);
    memcpy(&head, bytes, sizeof head);
    const void *accesses = get(r, head.accesses, sizeof *s->steps.access);
    enum wt_status status = !accesses ? of_another(err)
                            : pushes  ? search_push(s, head.enabled, &blocked, err)
                                      : WT_OK;
    if (status)
        return status;
    if (blocked || s->node[s->count - 1].chosen != head.wave)
        return of_another(err);
    return explore_steps_put(&s->steps, head.wave, accesses, head.accesses) ? WT_OK
                                                                            : search_no_memory(err);
}

static enum wt_status read_ends(struct search *s, const struct search_head *head,
                                struct search_reader *r, struct wt_error *err)
{
    const void *reversals = get(r, head->reversals, sizeof *s->reversal),
               *choices = reversals ? get(r, head->choices, sizeof *s->choices.at) : NULL,
               *left = choices ? get(r, head->left, 1) : NULL;
    if (!left || r->left)
        return of_another(err);
    s->reversals = 0;
    for (size_t i = 0; i < head->reversals; i++) {
        struct reversal one;
        memcpy(&one, (const uint8_t *)reversals + i * sizeof one, sizeof one);
        if (one.before >= s->count || one.wave >= EXPLORE_WAVES)
            return of_another(err);
        if (!search_add_reversal(s, &one))
            return search_no_memory(err);
    }
    s->choices.count = 0;
    for (size_t i = 0; i < head->choices; i++) {
        struct wt_choice one;
        memcpy(&one, (const uint8_t *)choices + i * sizeof one, sizeof one);
        if (!wt_choices_add(&s->choices, one.time, one.wave))
            return search_no_memory(err);
    }
    char *text = strndup(left, head->left);
    if (!text)
        return search_no_memory(err);
    const enum wt_status status = search_commit(s, text, err);
    free(text);
    return status;
}

enum wt_status search_read(struct search *s, const struct explore_record *record,
                           struct wt_error *err)
{
    struct search_reader r = {record->bytes, record->length};
    struct search_head head;
    const void *bytes = get(&r, 1, sizeof head);
    if (!bytes)
        return of_another(err);
    memcpy(&head, bytes, sizeof head);
    const void *slots =
        head.waves <= EXPLORE_WAVES ? get(&r, head.waves, sizeof *s->steps.slot) : NULL;
    if (!slots || head.fixed != s->fixed || head.fixed != s->count ||
        !explore_steps_adopt(&s->steps, slots, head.waves, head.late_groups))
        return of_another(err);
    const size_t first = s->fixed ? s->fixed - 1 : 0;
    enum wt_status status = WT_OK;
    explore_steps_cut(&s->steps, first);
    for (size_t i = 0; i < head.steps && !status; i++)
        status = read_step(s, &r, first + i >= s->fixed, err);
    s->blocked = head.blocked;
    return status ? status : read_ends(s, &head, &r, err);
}
