/* Runs the checks, and gives their verdicts. See conformance.h. */
#include "debug/conformance/internal.h"

#include <stdio.h>
#include <string.h>

static const struct check *const parts[] = {
    wt_checks_of_shape,    wt_checks_of_windows, wt_checks_of_module,
    wt_checks_of_requests, wt_checks_of_warp,
};

static const struct check *find(size_t index)
{
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (const struct check *check = parts[p]; check->about.name; check++)
            if (index-- == 0)
                return check;
    return NULL;
}

size_t wt_conformance_check_count(void)
{
    size_t count = 0;
    while (find(count))
        count++;
    return count;
}

const struct wt_conformance_check *wt_conformance_check(size_t index)
{
    const struct check *check = find(index);
    return check ? &check->about : NULL;
}

/* ---- the run ---- */

/* The shape that PLATFORM reports. A device that reports nonsense is taken for the smallest one. */
static void learn_shape(struct conformance *c)
{
    struct wt_conformance_device *d = &c->device;
    d->platform = rd(c, DM_PLATFORM);
    d->clusters = wt_field(d->platform, 27, 21);
    d->cores = wt_field(d->platform, 20, 12);
    d->warps = wt_field(d->platform, 11, 3);
    d->threads = 1u << wt_field(d->platform, 2, 0);
    uint64_t waves = (uint64_t)d->clusters * d->cores * d->warps;
    c->waves = waves < 1 ? 1 : waves > WT_MAX_WAVES ? WT_MAX_WAVES : (uint32_t)waves;
    c->windows = (c->waves + 31) / 32;
}

static void report(struct conformance *c, const struct check *check,
                   struct wt_conformance_summary *summary)
{
    struct wt_conformance_result result = {.check = &check->about, .verdict = c->verdict};
    snprintf(result.text, sizeof result.text, "%s", c->text);
    if (c->broken) {
        result.verdict = WT_VERDICT_CANNOT_TELL;
        snprintf(result.text, sizeof result.text, "the connection failed: %.250s", c->err->text);
    }
    summary->passed += result.verdict == WT_VERDICT_PASS;
    summary->failed += result.verdict == WT_VERDICT_FAIL;
    summary->cannot_tell += result.verdict == WT_VERDICT_CANNOT_TELL;
    if (c->options->result)
        c->options->result(c->options->context, &result);
}

/* Leaves the device as promised, over a new connection if necessary. */
static void finish(struct conformance *c, bool was_awake)
{
    struct wt_error after;
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        if (c->broken) {
            c->err = &after; /* the first failure is the one to report */
            c->wmask_known = false;
            c->broken = wt_bus_reconnect(c->bus, &after) != WT_OK;
        }
        leave(c);
        if (!was_awake)
            wr(c, DM_DCTRL, 0);
        if (!c->broken)
            return;
    }
}

enum wt_status wt_conformance_run(const struct wt_target *target,
                                  const struct wt_conformance_options *options,
                                  struct wt_conformance_summary *summary, struct wt_error *err)
{
    struct wt_error first = {0};
    struct conformance c = {.target = target,
                            .bus = ((const struct wt_vortex_link *)target->link)->bus,
                            .options = options,
                            .err = &first,
                            .base_known = options->base_given,
                            .base = options->base};
    *summary = (struct wt_conformance_summary){0};
    bool was_awake = rd(&c, DM_DCTRL) & DCTRL_DMACTIVE;
    learn_shape(&c);
    wr(&c, DM_DCTRL, DCTRL_DMACTIVE);
    c.dconfig = rd(&c, DM_DCONFIG) & ~DCONFIG_EH;
    const bool begun = !c.broken;
    const struct check *check;
    for (size_t i = 0; !c.broken && (check = find(i)); i++) {
        if (options->wanted && !options->wanted(options->context, &check->about))
            continue;
        if (options->stop && options->stop(options->context)) {
            summary->stopped = true;
            break;
        }
        c.verdict = WT_VERDICT_PASS;
        c.decided = false;
        c.text[0] = 0;
        c.check = check;
        check->run(&c);
        /* A module that has just failed may be in any state. */
        c.wmask_known &= c.verdict == WT_VERDICT_PASS;
        report(&c, check, summary);
    }
    summary->device = c.device;
    summary->device.placed = c.placed;
    summary->device.base = c.base;
    if (begun)
        finish(&c, was_awake);
    if (first.status && err)
        *err = first;
    return first.status;
}
