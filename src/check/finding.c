/* Names of findings. See finding.h. */
#include "check/finding.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    enum wt_check check;
    const char *meaning;
} kinds[] = {
    [WT_FOUND_OUT_OF_BOUNDS] = {"out-of-bounds", WT_CHECK_MEMORY,
                                "An access outside of every object, or beyond the end of one."},
    [WT_FOUND_OUT_OF_OBJECT] = {"out-of-object", WT_CHECK_MEMORY,
                                "An access in another object than the one whose address it uses."},
    [WT_FOUND_USE_AFTER_FREE] = {"use-after-free", WT_CHECK_MEMORY,
                                 "An access to memory that was freed."},
    [WT_FOUND_MISALIGNED] = {"misaligned", WT_CHECK_MEMORY,
                             "An access whose address is not aligned as its type is."},
    [WT_FOUND_READ_ONLY] = {"read-only", WT_CHECK_MEMORY,
                            "A store to memory that must not be written."},
    [WT_FOUND_NULL] = {"null", WT_CHECK_MEMORY,
                       "An access by a null pointer, or up to 64 KiB behind one."},
    [WT_FOUND_DOUBLE_FREE] = {"double-free", WT_CHECK_MEMORY, "Memory is freed twice."},
    [WT_FOUND_BAD_FREE] = {"bad-free", WT_CHECK_MEMORY,
                           "What is freed was never allocated, or is within an allocation."},
    [WT_FOUND_LEAK] = {"leak", WT_CHECK_LEAK,
                       "Memory, or another object, is not freed when the program ends."},
    [WT_FOUND_FAILED_CALL] = {"failed-call", WT_CHECK_API,
                              "A call of the GPU's API has returned an error."},
    [WT_FOUND_USE_AFTER_DESTROY] = {"use-after-destroy", WT_CHECK_API,
                                    "A call uses an object that was destroyed."},
    [WT_FOUND_WRONG_DIRECTION] = {"wrong-direction", WT_CHECK_API,
                                  "The direction of a copy is not that of its addresses."},
    [WT_FOUND_UNSET_ARGUMENT] = {"unset-argument", WT_CHECK_API,
                                 "A kernel is launched whose arguments are not all set."},
    [WT_FOUND_ARGUMENT_SIZE] = {"argument-size", WT_CHECK_API,
                                "An argument's size is not that of the kernel's parameter."},
    [WT_FOUND_RACE] = {"race", WT_CHECK_RACE,
                       "Two accesses to one place, one of them a store, that nothing orders."},
    [WT_FOUND_HOST_RACE] = {"host-race", WT_CHECK_RACE,
                            "A copy, a fill or the host accesses memory that a kernel or another "
                            "copy uses, and no call orders them."},
    [WT_FOUND_MISSED_BARRIER] = {"missed-barrier", WT_CHECK_SYNC,
                                 "Lanes go on without a barrier that others of the group reach."},
    [WT_FOUND_OTHER_BARRIER] = {"other-barrier", WT_CHECK_SYNC,
                                "Lanes of a group wait for each other at different barriers."},
    [WT_FOUND_BARRIER_COUNT] = {"barrier-count", WT_CHECK_SYNC,
                                "Waves say different numbers of what a barrier waits for."},
    [WT_FOUND_SYNC_MASK] = {"sync-mask", WT_CHECK_SYNC,
                            "A mask names other lanes than those that execute the instruction."},
    [WT_FOUND_INACTIVE_LANE] = {"inactive-lane", WT_CHECK_SYNC,
                                "A lane takes the value of one that does not take part."},
    [WT_FOUND_UNFINISHED_COPY] = {"unfinished-copy", WT_CHECK_SYNC,
                                  "Memory is used to which an asynchronous copy is under way."},
    [WT_FOUND_DEADLOCK] = {"deadlock", WT_CHECK_SYNC, "Waves wait for each other for ever."},
    [WT_FOUND_UNDEFINED_BRANCH] = {"undefined-branch", WT_CHECK_INIT,
                                   "Bits that nothing has written decide which lanes go where."},
    [WT_FOUND_UNDEFINED_ADDRESS] = {"undefined-address", WT_CHECK_INIT,
                                    "Bits that nothing has written are part of an address."},
    [WT_FOUND_UNDEFINED_ATOMIC] = {"undefined-atomic", WT_CHECK_INIT,
                                   "An atomic operation has bits that nothing has written."},
    [WT_FOUND_UNDEFINED_RESULT] = {"undefined-result", WT_CHECK_INIT,
                                   "The host gets what was computed of bits that nothing has "
                                   "written."},
    [WT_FOUND_UNDEFINED_LOAD] = {"undefined-load", WT_CHECK_INIT,
                                 "Bytes are loaded that nothing has written."},
    [WT_FOUND_UNDEFINED_COPY] = {"undefined-copy", WT_CHECK_INIT,
                                 "Bytes are copied to the host that nothing has written."},
    [WT_FOUND_UNWAITED_RESULT] = {"unwaited-result", WT_CHECK_HAZARD,
                                  "A register is used while a result is under way to it."},
    [WT_FOUND_UNWAITED_SOURCE] = {"unwaited-source", WT_CHECK_HAZARD,
                                  "A register is written while it may still be read."},
    [WT_FOUND_WAIT_STATES] = {"wait-states", WT_CHECK_HAZARD,
                              "Too few wait states are between two instructions."},
    [WT_FOUND_STALE] = {"stale", WT_CHECK_STALE,
                        "A load may get what a cache held before a store."},
    [WT_FOUND_UNWRITTEN] = {"unwritten", WT_CHECK_STALE,
                            "A store stays in a cache that nothing writes back."},
    [WT_FOUND_IDLE_BARRIER] = {"idle-barrier", WT_CHECK_ADVICE,
                               "The run has had no conflict across a barrier."},
    [WT_FOUND_IDLE_FENCE] = {"idle-fence", WT_CHECK_ADVICE,
                             "The run has had no conflict across a fence."},
};
static_assert(sizeof kinds / sizeof *kinds == WT_FINDING_KINDS, "a name for each kind");

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

const char *wt_severity_name(enum wt_severity severity)
{
    static const char *const names[] = {"error", "warning", "note"};
    return names[severity];
}

enum wt_status wt_checks_parse(const char *list, unsigned *checks, struct wt_error *err)
{
    static const struct {
        const char *name;
        unsigned bits;
    } names[] = {{"memory", WT_CHECK_MEMORY}, {"leak", WT_CHECK_LEAK},
                 {"api", WT_CHECK_API},       {"race", WT_CHECK_RACE | WT_CHECK_MEMORY},
                 {"sync", WT_CHECK_SYNC},     {"init", WT_CHECK_INIT | WT_CHECK_MEMORY},
                 {"hazard", WT_CHECK_HAZARD}, {"stale", WT_CHECK_STALE},
                 {"advice", WT_CHECK_ADVICE}, {"all", WT_CHECK_ALL}};
    enum { COUNT = sizeof names / sizeof *names };
    *checks = 0;
    for (;;) {
        const size_t length = strcspn(list, ",");
        unsigned i = 0;
        while (i < COUNT &&
               (strlen(names[i].name) != length || strncmp(names[i].name, list, length) != 0))
            i++;
        if (i == COUNT)
            return wt_fail(
                err, WT_INVALID,
                "'%.*s' is no check; they are memory, leak, api, race, sync, init, hazard, "
                "stale, advice and all",
                (int)(length < 40 ? length : 40), list);
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

/* Whether they are about the same accesses; of a race in either order. */
static bool same_accesses(const struct wt_finding *a, const struct wt_finding *b)
{
    const bool turned = a->other.pc && a->pc == b->other.pc && a->other.pc == b->pc &&
                        a->access == b->other.access && a->other.access == b->access;
    return turned || (a->pc == b->pc && a->access == b->access && a->other.pc == b->other.pc &&
                      a->other.access == b->other.access);
}

bool wt_finding_is_like(const struct wt_finding *a, const struct wt_finding *b)
{
    /* Of an object without a known place each is another one. */
    return a->kind == b->kind && a->severity == b->severity && same_accesses(a, b) &&
           a->space == b->space && a->origin == b->origin && a->device == b->device &&
           a->has_object == b->has_object && same_calls(&a->made, &b->made) &&
           (a->made.depth || a->object_number == b->object_number) &&
           (a->pc || (same_calls(&a->calls, &b->calls) && strcmp(a->text, b->text) == 0)) &&
           (a->other.pc || same_calls(&a->other_calls, &b->other_calls));
}
