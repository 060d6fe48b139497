/* Names of findings. See finding.h. */
#include "check/finding.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct {
    const char *name;
    enum wt_check check;
    enum wt_severity severity, weaker;
    enum wt_finding_stop stop;
    const char *meaning;
} kinds[] = {
#define KIND(ID, name, check, severity, weaker, stop, meaning)                                     \
    [WT_FOUND_##ID] = {name, WT_CHECK_##check, WT_##severity, WT_##weaker, WT_STOP_##stop, meaning},
#include "check/kinds.def"
#undef KIND
};

const char *wt_finding_name(enum wt_finding_kind kind)
{
    assert(kind < WT_FINDING_KINDS);
    return kinds[kind].name;
}

const char *wt_finding_meaning(enum wt_finding_kind kind)
{
    assert(kind < WT_FINDING_KINDS);
    return kinds[kind].meaning;
}

enum wt_check wt_finding_check(enum wt_finding_kind kind)
{
    assert(kind < WT_FINDING_KINDS);
    return kinds[kind].check;
}

enum wt_finding_stop wt_finding_stop(enum wt_finding_kind kind)
{
    assert(kind < WT_FINDING_KINDS);
    return kinds[kind].stop;
}

enum wt_severity wt_finding_severity(enum wt_finding_kind kind, bool weaker)
{
    assert(kind < WT_FINDING_KINDS);
    return weaker ? kinds[kind].weaker : kinds[kind].severity;
}

const char *wt_severity_name(enum wt_severity severity)
{
    static const char *const names[] = {"error", "warning", "note"};
    return names[severity];
}

/* ---- the list of --check ---- */

const char wt_checks_help[] =
    "report what these checks find, with commas between, or all:\n"
#define CHECK_OF_CALLS(ID, name, includes, all, help, ...) #name ": " help "\n"
#define CHECK_OF_MACHINE(ID, name, includes, all, help, ...) #name ": " help "\n"
#include "check/checks.def"
#undef CHECK_OF_CALLS
#undef CHECK_OF_MACHINE
    "'all' leaves out advice, which has notes alone; the status is 115 if\n"
    "an error is reported, and the program ended with 0";

enum wt_status wt_checks_parse(const char *list, unsigned *checks, struct wt_error *err)
{
    static const struct {
        const char *name;
        unsigned bits;
    } names[] = {
#define CHECK_OF_CALLS(ID, name, includes, ...) {#name, WT_CHECK_##ID | (includes)},
#define CHECK_OF_MACHINE(ID, name, includes, ...) {#name, WT_CHECK_##ID | (includes)},
#include "check/checks.def"
#undef CHECK_OF_CALLS
#undef CHECK_OF_MACHINE
        {"all", WT_CHECK_ALL}};
    enum { COUNT = sizeof names / sizeof *names };
    *checks = 0;
    for (;;) {
        const size_t length = strcspn(list, ",");
        unsigned i = 0;
        while (i < COUNT &&
               (strlen(names[i].name) != length || strncmp(names[i].name, list, length) != 0))
            i++;
        if (i == COUNT) {
            wt_fail(err, WT_INVALID, "'%.*s' is not a check; they are ",
                    (int)(length < 40 ? length : 40), list);
            struct wt_text text = {err->text + strlen(err->text),
                                   sizeof err->text - strlen(err->text)};
            for (i = 0; i < COUNT; i++)
                wt_text_add(&text, "%s%s", names[i].name,
                            i + 2 < COUNT   ? ", "
                            : i + 1 < COUNT ? " and "
                                            : "");
            return WT_INVALID;
        }
        *checks |= names[i].bits;
        if (!list[length])
            return WT_OK;
        list += length + 1;
    }
}

void wt_finding_of_object(struct wt_finding *f, const struct wt_object *o)
{
    f->has_object = true;
    f->freed = o->freed;
    f->object = o->addr;
    f->object_size = o->size;
    f->object_number = o->number;
    f->made = o->made;
    f->ended = o->ended;
    snprintf(f->object_by, sizeof f->object_by, "%s", o->by ? o->by : "");
    snprintf(f->object_name, sizeof f->object_name, "%s", o->name);
}

static bool same_calls(const struct wt_call_stack *a, const struct wt_call_stack *b)
{
    return a->depth == b->depth && !memcmp(a->address, b->address, a->depth * sizeof *a->address);
}

static bool same_places(uint64_t a, const uint64_t *a_back, uint64_t b, const uint64_t *b_back)
{
    return a == b && !memcmp(a_back, b_back, WT_TRAIL * sizeof *a_back);
}

/* Whether they are about the same accesses; of a race in either order. */
static bool same_accesses(const struct wt_finding *a, const struct wt_finding *b)
{
    const bool turned = a->other.pc && same_places(a->pc, a->back, b->other.pc, b->other.back) &&
                        same_places(a->other.pc, a->other.back, b->pc, b->back) &&
                        a->access == b->other.access && a->other.access == b->access;
    return turned || (same_places(a->pc, a->back, b->pc, b->back) && a->access == b->access &&
                      same_places(a->other.pc, a->other.back, b->other.pc, b->other.back) &&
                      a->other.access == b->other.access);
}

bool wt_finding_is_like(const struct wt_finding *a, const struct wt_finding *b)
{
    /* Of an object without a known place each is another one. */
    return a->kind == b->kind && a->severity == b->severity && same_accesses(a, b) &&
           a->space == b->space && a->origin == b->origin && a->device == b->device &&
           a->has_object == b->has_object && same_calls(&a->made, &b->made) &&
           (a->made.depth || a->object_number == b->object_number ||
            (a->kind == WT_FOUND_LEAK && a->pc)) &&
           (a->pc || (same_calls(&a->calls, &b->calls) && strcmp(a->text, b->text) == 0)) &&
           (a->other.pc || same_calls(&a->other_calls, &b->other_calls));
}
