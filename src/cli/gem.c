/* `wavetrap gem`: reports Intel's driver's buffer objects. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "base/private_dir.h"
#include "base/text.h"
#include "cli/cli.h"
#include "runtime/i915/gem.h"

struct gem_options {
    const char *state; /* file of --state */
    enum wt_gem_format format;
    enum { SUMMARY, GTT, STOLEN } list;
    bool explain, json;
    bool has_pid;
    uint64_t pid, device, batch;
};

static enum wt_status set_format(void *context, const char *value, struct wt_error *err)
{
    static const char *const names[] = {
        [WT_GEM_4_14] = "4.14", [WT_GEM_4_16] = "4.16", [WT_GEM_5_2] = "5.2"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(value, names[i]) == 0) {
            ((struct gem_options *)context)->format = i;
            return WT_OK;
        }
    return wt_fail(err, WT_INVALID, "'%.40s' is not a version: 4.14, 4.16 or 5.2", value);
}

static enum wt_status set_list(void *context, const char *value, struct wt_error *err)
{
    struct gem_options *o = context;
    if (strcmp(value, "gtt") == 0)
        o->list = GTT;
    else if (strcmp(value, "stolen") == 0)
        o->list = STOLEN;
    else
        return wt_fail(err, WT_INVALID, "'%.40s' is not a list: gtt or stolen", value);
    return WT_OK;
}

static enum wt_status set_pid(void *context, const char *value, struct wt_error *err)
{
    struct gem_options *o = context;
    o->has_pid = true;
    return wt_parse_number(value, &o->pid, err);
}

static enum wt_status set_device(void *context, const char *value, struct wt_error *err)
{
    struct gem_options *o = context;
    enum wt_status status = wt_parse_number(value, &o->device, err);
    return status != WT_OK || o->device <= UINT8_MAX
               ? status
               : wt_fail(err, WT_INVALID, "a program has fewer GPUs");
}

static enum wt_status set_batch(void *context, const char *value, struct wt_error *err)
{
    struct gem_options *o = context;
    enum wt_status status = wt_parse_number(value, &o->batch, err);
    return status != WT_OK || o->batch ? status
                                       : wt_fail(err, WT_INVALID, "batches are counted from 1");
}

static const struct wt_option own_options[] = {
    {"pid", 0, "N", "the objects of a program that 'wavetrap exec' runs on a gen9",
     WT_OPTION_SET(set_pid)},
    {"device", 0, "N", "with --pid: which of its GPUs (default: 0)", WT_OPTION_SET(set_device)},
    {"state", 0, "FILE",
     "the objects, as JSON, or as 'exec --gem=FILE' has recorded\nthem; - for standard input",
     WT_OPTION_TEXT(struct gem_options, state)},
    {"batch", 0, "N", "of a recording: its line N, from 1 on (default: the\nlast)",
     WT_OPTION_SET(set_batch)},
    {"json", 0, NULL, "print the state as JSON, for --state",
     WT_OPTION_FLAG(struct gem_options, json)},
    {"format", 0, "VERSION", "as linux 4.14, 4.16 (default) or 5.2 prints them",
     WT_OPTION_SET(set_format)},
    {"list", 0, "WHICH",
     "instead of all objects and the summary: gtt (the bound ones,\nas in i915_gem_gtt) or stolen "
     "(as in "
     "i915_gem_stolen)",
     WT_OPTION_SET(set_list)},
    {"explain", 0, NULL, "below each object what its flags and domains mean",
     WT_OPTION_FLAG(struct gem_options, explain)},
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

/* ---- where the state comes from ---- */

static enum wt_status read_file(const struct gem_options *o, uint8_t **bytes, size_t *length,
                                struct wt_error *err)
{
    return strcmp(o->state, "-") == 0 ? wt_file_read_fd(0, "standard input", bytes, length, err)
                                      : wt_file_read(o->state, bytes, length, err);
}

/* Asks a program that runs (runtime/i915/report.h). */
static enum wt_status read_program(const struct gem_options *o, uint8_t **bytes, size_t *length,
                                   struct wt_error *err)
{
    char folder[PATH_MAX], name[32];
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    const unsigned char device = (unsigned char)o->device;
    enum wt_status status;
    if ((status = wt_private_dir(folder, sizeof folder, err)) != WT_OK)
        return status;
    snprintf(name, sizeof name, WT_GEM_SOCKET, (int)o->pid);
    const int n = snprintf(at.sun_path, sizeof at.sun_path, "%s/%s", folder, name);
    if (n < 0 || (size_t)n >= sizeof at.sun_path)
        return wt_fail(err, WT_INVALID, "the path of the folder for sockets is too long");
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return wt_fail(err, WT_IO, "no socket: %s", strerror(errno));
    if (connect(fd, (const struct sockaddr *)&at, sizeof at) ||
        send(fd, &device, 1, MSG_NOSIGNAL) != 1)
        status =
            wt_fail(err, WT_IO,
                    "process %" PRIu64 " is not a program of yours that uses a gen9 of 'wavetrap "
                    "exec' now",
                    o->pid);
    else
        status = wt_file_read_fd(fd, "the program's driver", bytes, length, err);
    close(fd);
    if (status == WT_OK && !*length) {
        free(*bytes);
        status =
            wt_fail(err, WT_INVALID, "process %" PRIu64 " has not opened a gen9 of number %" PRIu64,
                    o->pid, o->device);
    }
    return status;
}

/* The state of a batch in a recording, in which each line is a state; 0: the last one. Other files
 * are one state as a whole. */
static enum wt_status choose_batch(const struct gem_options *o, const char **text, size_t *length,
                                   struct wt_error *err)
{
    static const char begins[] = "{\"batch\":";
    const char *const end = *text + *length;
    const bool records = *length > sizeof begins && !memcmp(*text, begins, sizeof begins - 1);
    uint64_t lines = 0;
    if (!records)
        return o->batch ? wt_fail(err, WT_INVALID, "--batch is for what 'exec --gem' has recorded")
                        : WT_OK;
    for (const char *line = *text, *next; line < end; line = next) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        next = newline ? newline + 1 : end;
        if (next - line > 1 && ++lines) {
            *text = line;
            *length = (size_t)(next - line);
        }
        if (lines == o->batch && o->batch)
            return WT_OK;
    }
    return o->batch ? wt_fail(err, WT_INVALID,
                              "there is no batch %" PRIu64 ": %" PRIu64 " were recorded", o->batch,
                              lines)
                    : WT_OK;
}

static enum wt_status read_state(const struct gem_options *o, struct wt_gem_state *state,
                                 struct wt_error *err)
{
    uint8_t *bytes;
    size_t length;
    if (!o->state == !o->has_pid)
        return wt_fail(err, WT_INVALID,
                       "which objects? --pid=N of a program that runs, or --state=FILE");
    enum wt_status status =
        o->has_pid ? read_program(o, &bytes, &length, err) : read_file(o, &bytes, &length, err);
    if (status != WT_OK)
        return status;
    const char *text = (const char *)bytes;
    if ((status = choose_batch(o, &text, &length, err)) == WT_OK)
        status = wt_gem_state_parse(text, length, state, err);
    free(bytes);
    if (status != WT_OK && o->state)
        return wt_fail_in(err, "%s", strcmp(o->state, "-") == 0 ? "standard input" : o->state);
    return status;
}

static enum wt_status report(const struct gem_options *o, struct wt_error *err)
{
    enum wt_status status;
    struct wt_gem_state state;
    if (o->list != SUMMARY && o->explain)
        return wt_fail(err, WT_INVALID,
                       "--explain belongs to the report of all objects, not to --list");
    if ((status = read_state(o, &state, err)) != WT_OK)
        return status;
    if (o->json) {
        wt_gem_state_write(stdout, &state);
    } else if (o->list != SUMMARY) {
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
    const int parsed = wt_subcommand_parse(&cli_gem, argc, argv, &o, NULL, 0, false);
    if (parsed != WT_SUBCOMMAND_GO)
        return parsed;
    return report(&o, &err) == WT_OK ? 0 : wt_subcommand_fail(&cli_gem, &err);
}

const struct wt_subcommand cli_gem = {
    .name = "gem",
    .operands = "",
    .summary = "Prints the report of Intel's driver (i915) on its buffer objects.",
    .options = own_options,
    .run = run,
};
