/* The effect of each function that stands before HIP's. See hip/calls.h. */
#include "runtime/hip/calls.h"

atomic_uint hip_captured;
const char hip_streams;

const struct wt_host_order *hip_order(void)
{
    const struct wt_host_checks *c = calls_checks();
    return c && !hip_captured && c->wants(WT_CHECK_RACE) ? c->order : NULL;
}

/* The thread's call gives something, until hip_given(). */
static _Thread_local bool gives;

void hip_enter(void)
{
    const struct wt_host_order *o = hip_order();
    if (o)
        o->enter();
    calls_depth++;
}

/* Notes a call that HIP has refused. */
int hip_leave(const char *name, int result)
{
    static const char *(*_Atomic text)(int);
    calls_depth--;
    const struct wt_host_order *o = gives ? NULL : hip_order();
    if (o)
        o->leave();
    const struct wt_host_checks *c = result && result != NOT_READY ? calls_checks() : NULL;
    if (!c)
        return result;
    c->call(WT_FOUND_FAILED_CALL, NULL, "%s: %s", name,
            LOOK_UP(text, "hipGetErrorName") ? text(result) : "");
    return result;
}

/* ---- what is given to streams ---- */

void hip_give(void *stream, const char *by, bool copies)
{
    const struct wt_host_order *o = hip_order();
    if (!o)
        return;
    o->give(stream, by, copies);
    gives = true;
}

void hip_give_array(void *stream, const char *by)
{
    const struct wt_host_order *o;
    hip_give(stream, by, true);
    if (gives && (o = hip_order()))
        o->by_kernels();
}

void hip_accesses(const void *p, size_t size, enum wt_access access)
{
    const struct wt_host_order *o = gives && p ? hip_order() : NULL;
    if (o)
        o->accesses(calls_address(p), size, access);
}

int hip_given(int result, void *stream, bool waits)
{
    const struct wt_host_order *o = gives ? hip_order() : NULL;
    const struct wt_host_checks *c = calls_checks();
    gives = false;
    if (c)
        c->copy_ended(waits && !result);
    if (!o)
        return result;
    o->given();
    if (waits)
        o->host_waits(stream);
    o->leave();
    return result;
}

/* Handles up to 2 are the default streams. */
bool hip_is_destroyed(const void *space, const void *handle, const char *what, const char *by)
{
    const struct wt_host_checks *c = calls_checks();
    struct wt_object o;
    if (!c || calls_address(handle) <= 2 || !c->find(space, calls_address(handle), &o) || !o.freed)
        return false;
    c->call(WT_FOUND_USE_AFTER_DESTROY, &o, "%s: the %s was destroyed before", by, what);
    return c->wants(WT_CHECK_API);
}
