/* `wavetrap gem`: the report of Intel's driver on its buffer objects. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cli/options.h"
#include "runtime/drm/gem.h"

struct gem_options {
    const char *state; /* file of --state */
    enum wt_gem_format format;
    enum { SUMMARY, GTT, STOLEN } list;
    bool explain;
};

static enum wt_status set_state(void *context, const char *value, struct wt_error *err)
{
    ((struct gem_options *)context)->state = value;
    return WT_OK;
}

static enum wt_status set_format(void *context, const char *value, struct wt_error *err)
{
    static const char *const names[] = {
        [WT_GEM_4_14] = "4.14", [WT_GEM_4_16] = "4.16", [WT_GEM_5_2] = "5.2"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(value, names[i]) == 0) {
            ((struct gem_options *)context)->format = i;
            return WT_OK;
        }
    return wt_fail(err, WT_INVALID, "'%.40s' is no version: 4.14, 4.16 or 5.2", value);
}

static enum wt_status set_list(void *context, const char *value, struct wt_error *err)
{
    struct gem_options *o = context;
    if (strcmp(value, "gtt") == 0)
        o->list = GTT;
    else if (strcmp(value, "stolen") == 0)
        o->list = STOLEN;
    else
        return wt_fail(err, WT_INVALID, "'%.40s' is no list: gtt or stolen", value);
    return WT_OK;
}

static enum wt_status set_explain(void *context, const char *value, struct wt_error *err)
{
    ((struct gem_options *)context)->explain = true;
    return WT_OK;
}

static const struct cli_option own_options[] = {
    {"state", 0, "FILE", "the objects, as JSON; - for standard input", set_state},
    {"format", 0, "VERSION", "as linux 4.14, 4.16 (default) or 5.2 prints them", set_format},
    {"list", 0, "WHICH",
     "instead of all objects and the summary: gtt (the bound ones,\nas in i915_gem_gtt) or stolen "
     "(as in "
     "i915_gem_stolen)",
     set_list},
    {"explain", 0, NULL, "below each object what its flags and domains mean", set_explain},
    {0},
};

static void print_objects(const struct gem_options *o, const struct wt_gem_state *state)
{
    for (size_t i = 0; i < state->object_count; i++) {
        wt_gem_describe(stdout, &state->objects[i], state->has_llc, o->format);
        putchar('\n');
        if (o->explain)
            wt_gem_explain(stdout, &state->objects[i], o->format);
    }
}

static enum wt_status report(const struct gem_options *o, struct wt_error *err)
{
    enum wt_status status;
    uint8_t *bytes;
    size_t length;
    struct wt_gem_state state;
    if (o->list != SUMMARY && o->explain)
        return wt_fail(err, WT_INVALID,
                       "--explain belongs to the report of all objects, not to --list");
    if (!o->state)
        return wt_fail(err, WT_INVALID, "which objects? --state=FILE");
    const bool standard_input = strcmp(o->state, "-") == 0;
    status = standard_input ? wt_file_read_fd(0, "standard input", &bytes, &length, err)
                            : wt_file_read(o->state, &bytes, &length, err);
    if (status != WT_OK)
        return status;
    status = wt_gem_state_parse((const char *)bytes, length, &state, err);
    free(bytes);
    if (status != WT_OK)
        return wt_fail_in(err, "%s", standard_input ? "standard input" : o->state);
    if (o->list != SUMMARY) {
        status = wt_gem_list(stdout, &state, o->format, o->list == STOLEN, err);
    } else {
        print_objects(o, &state);
        wt_gem_summary(stdout, &state, o->format);
    }
    wt_gem_state_free(&state);
    return status;
}

static int run(int argc, char **argv)
{
    struct gem_options o = {.format = WT_GEM_4_16};
    struct wt_error err;
    switch (cli_parse(&cli_gem, argc, argv, &o, NULL, 0, false)) {
    case CLI_DONE:
        return 0;
    case CLI_BAD:
        return CLI_FAILED;
    case CLI_GO:
        break;
    }
    return report(&o, &err) == WT_OK ? 0 : cli_fail(&cli_gem, &err);
}

const struct cli_command cli_gem = {
    .name = "gem",
    .operands = "",
    .summary = "Prints the report of Intel's driver (i915) on its buffer objects.",
    .options = own_options,
    .run = run,
};
