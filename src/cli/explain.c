/* `wavetrap explain-address`: explains how an address is translated, for one lane of one wave. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/exec.h"
#include "emulator/machine/explain.h"
#include "emulator/machine/machine.h"
#include "report/device.h"
#include "session/kernel.h"

enum { MOST_ADDRESSES = 16 };

#define ANY_WAVE UINT32_MAX
#define EACH_WAVE (UINT32_MAX - 1)

struct explain {
    struct wt_session_drive drive; /* first: the context of the options about the device */
    const char *place;             /* --at, where it is a place */
    uint64_t at;                   /* else: the issue time */
    uint32_t wave;                 /* or ANY_WAVE, EACH_WAVE */
    unsigned first_lane, last_lane;
    uint64_t addr[MOST_ADDRESSES];
    unsigned addresses;
};

/* ---- options ---- */

static enum wt_status set_at(void *context, const char *value, struct wt_error *err)
{
    struct explain *x = context;
    x->place = isdigit((unsigned char)*value) ? NULL : value;
    if (!*value || strchr(value, ' '))
        return wt_fail(err, WT_INVALID, "'%.40s' is neither an issue time nor a function", value);
    return x->place ? WT_OK : wt_parse_number(value, &x->at, err);
}

static enum wt_status set_wave(void *context, const char *value, struct wt_error *err)
{
    enum wt_status status;
    uint64_t wave = EACH_WAVE;
    if (strcmp(value, "each") != 0 && (status = wt_parse_number(value, &wave, err)) != WT_OK)
        return status;
    ((struct explain *)context)->wave = wave < EACH_WAVE ? (uint32_t)wave : EACH_WAVE;
    return WT_OK;
}

static enum wt_status set_lane(void *context, const char *value, struct wt_error *err)
{
    struct explain *x = context;
    char *end = NULL;
    if (isdigit((unsigned char)*value)) {
        x->first_lane = x->last_lane = (unsigned)strtoul(value, &end, 10);
        if (*end == '-' && isdigit((unsigned char)end[1]))
            x->last_lane = (unsigned)strtoul(end + 1, &end, 10);
        if (!*end && x->first_lane <= x->last_lane && x->last_lane < WT_MAX_LANES)
            return WT_OK;
    }
    return wt_fail(
        err, WT_INVALID,
        "'%.40s' is neither a lane nor FIRST-LAST; a wave has lanes 0 to 63, a warp up to 127",
        value);
}

/* "A,B,…". */
static enum wt_status take_addresses(struct explain *x, const char *text, struct wt_error *err)
{
    enum wt_status status;
    for (;;) {
        char one[32];
        const size_t length = strcspn(text, ",");
        if (length >= sizeof one)
            return wt_fail(err, WT_INVALID, "'%.40s' is not an address", text);
        if (x->addresses == MOST_ADDRESSES)
            return wt_fail(err, WT_INVALID, "more than %u addresses", MOST_ADDRESSES);
        memcpy(one, text, length);
        one[length] = 0;
        if ((status = wt_parse_number(one, &x->addr[x->addresses++], err)) != WT_OK)
            return status;
        if (!text[length])
            return WT_OK;
        text += length + 1;
    }
}

/* ---- programs on an emulated device ---- */

static void answer(const struct explain *x, struct wt_emulated *e, uint32_t wave)
{
    struct wt_machine *m = e->machine;
    char place[WT_WAVE_NAME];
    wt_machine_name_wave(m, wave, place, sizeof place);
    for (unsigned lane = x->first_lane; lane <= x->last_lane; lane++) {
        printf("%s %" PRIu32 " (%s), %s %u, issue time %" PRIu64 "\n", e->family->words.wave, wave,
               place, e->family->words.lane, lane, m->time);
        for (unsigned i = 0; i < x->addresses; i++) {
            struct wt_explanation explanation;
            m->ops->explain(m, wave, lane, x->addr[i], &explanation);
            wt_explanation_print(stdout, x->addr[i], &explanation);
        }
    }
}

/* Stops at an issue time: explains for the chosen wave or, without one, wave 0; or for all that
 * exist. If the chosen wave does not exist, reports which do. */
static enum wt_status at_time(const struct explain *x, struct wt_emulated *e, struct wt_error *err)
{
    struct wt_machine *m = e->machine;
    const uint32_t wanted = x->wave == ANY_WAVE ? 0 : x->wave;
    char list[200] = "";
    size_t used = 0;
    bool answered = false;
    if (x->at && m->ops->run(m, x->at) == WT_RUN_FAULT)
        wt_report_device_fault(stderr, e, NULL); /* the waves are as they were then */
    for (uint32_t i = 0; i < m->waves; i++) {
        struct wt_wave_view view;
        m->ops->view(m, i, &view);
        if (!view.active)
            continue;
        if (wanted == i || wanted == EACH_WAVE) {
            answer(x, e, i);
            answered = true;
        } else if (used < sizeof list - 16) {
            used += (size_t)snprintf(list + used, sizeof list - used, " %u", i);
        }
    }
    return answered
               ? WT_OK
               : wt_fail(err, WT_INVALID, "no %s %" PRIu32 " runs at issue time %" PRIu64 "; %s%s",
                         e->family->words.wave, wanted, m->time,
                         *list                       ? "there are:"
                         : !e->family->run.exit_word ? "the kernel has ended"
                                                     : "the program has ended",
                         list);
}

/* "FUNCTION" or "FUNCTION+OFFSET": explains for each wave that reaches it, or for the first of
 * those that were asked for. */
static enum wt_status at_place(const struct explain *x, struct wt_emulated *e, struct wt_error *err)
{
    enum { SLICE = 1 << 16 };
    struct wt_machine *m = e->machine;
    struct wt_watch watch = {.kind = WT_WATCH_EXECUTE, .size = 1};
    struct wt_error ignored;
    enum wt_run why = WT_RUN_BUDGET;
    bool answered = false;
    if (wt_emulated_address(e, x->place, &watch.addr, &ignored) != WT_OK)
        return wt_fail(err, WT_INVALID, "there is no function '%.200s'", x->place);
    bool *seen = calloc(m->waves, sizeof *seen);
    if (!seen || !wt_set_watches(m, &watch, 1)) {
        free(seen);
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    }
    while (why == WT_RUN_BUDGET || why == WT_RUN_WATCH) {
        why = m->ops->run(m, SLICE);
        for (size_t i = 0; why == WT_RUN_WATCH && i < m->hits; i++) {
            const uint32_t wave = m->hit[i].wave;
            if (seen[wave] || (x->wave < EACH_WAVE && wave != x->wave))
                continue;
            answer(x, e, wave);
            seen[wave] = answered = true;
        }
        if (answered && x->wave != EACH_WAVE)
            break;
    }
    free(seen);
    if (why == WT_RUN_FAULT)
        wt_report_device_fault(stderr, e, NULL);
    return answered
               ? WT_OK
               : wt_fail(err, WT_STATE, "no %s reached '%.200s'", e->family->words.wave, x->place);
}

static int on_device(const struct explain *x, const char *path)
{
    struct wt_emulated device;
    struct wt_error err;
    int status = 0;
    if (wt_session_open_device(&device, &x->drive.options, path, &err) != WT_OK)
        return wt_subcommand_fail(&cli_explain, &err);
    device.console = stderr; /* the explanation is this command's output */
    if (x->last_lane >= device.machine->lanes) {
        wt_fail(&err, WT_INVALID, "--lane: a %s has %ss 0 to %u", device.family->words.wave,
                device.family->words.lane, device.machine->lanes - 1);
        status = wt_subcommand_fail(&cli_explain, &err);
    } else if (x->wave < EACH_WAVE && x->wave >= device.machine->waves) {
        wt_fail(&err, WT_INVALID, "--wave=%" PRIu32 ": the device has %ss 0 to %" PRIu32, x->wave,
                device.family->words.wave, device.machine->waves - 1);
        status = wt_subcommand_fail(&cli_explain, &err);
    } else if ((x->place ? at_place(x, &device, &err) : at_time(x, &device, &err)) != WT_OK) {
        status = wt_subcommand_fail(&cli_explain, &err);
    }
    wt_emulated_close(&device);
    return status;
}

/* ---- host programs: the library that they load prints the explanation ---- */

static int in_program(const struct explain *x, char **argv)
{
    const struct wt_gpu *gpu = &x->drive.options.device.gpu;
    char text[1000];
    struct wt_error err;
    int n;
    if (!x->place || strlen(x->place) > 300) {
        wt_fail(&err, WT_INVALID, "for a host program --at is a function of a kernel");
        return wt_subcommand_fail(&cli_explain, &err);
    }
    if (x->last_lane >= 64) {
        wt_fail(&err, WT_INVALID, "--lane: a wave has lanes 0 to 63");
        return wt_subcommand_fail(&cli_explain, &err);
    }
    n = snprintf(text, sizeof text, "at=%s lanes=%u-%u", x->place, x->first_lane, x->last_lane);
    if (x->wave == EACH_WAVE)
        n += snprintf(text + n, sizeof text - (size_t)n, " wave=each");
    else if (x->wave != ANY_WAVE)
        n += snprintf(text + n, sizeof text - (size_t)n, " wave=%u", x->wave);
    for (unsigned i = 0; i < x->addresses; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " 0x%" PRIx64, x->addr[i]);
    const struct cli_exec_options options = {.gpus = gpu->family ? gpu->spec : NULL,
                                             .memory = x->drive.options.device.memory,
                                             .explain = text};
    return cli_exec_program(&cli_explain, &options, argv);
}

/* PROGRAM ADDRESS ARGUMENT…: ADDRESS is taken out to form the program's own command line. */
static int explain(struct explain *x, char **operands)
{
    struct wt_error err;
    if (take_addresses(x, operands[1], &err))
        return wt_subcommand_fail(&cli_explain, &err);
    if (wt_emulated_takes(&x->drive.options.device, operands[0])) {
        if (!operands[2])
            return on_device(x, operands[0]);
        wt_fail(&err, WT_INVALID, "'%.200s' is one operand too many", operands[2]);
        return wt_subcommand_fail(&cli_explain, &err);
    }
    operands[1] = operands[0];
    return in_program(x, operands + 1);
}

static int run_explain(int argc, char **argv)
{
    struct explain x = {.wave = ANY_WAVE};
    int status = wt_subcommand_parse(&cli_explain, argc, argv, &x, &x.drive.options, 2, true);
    if (status == WT_SUBCOMMAND_GO) {
        status = explain(&x, argv + optind);
    }
    wt_session_drive_free(&x.drive);
    return status;
}

static const struct wt_option options[] = {
    {"at", 0, "TIME",
     "at this issue time (default: 0, before the first issue); or at\n"
     "FUNCTION[+OFFSET]: when a wave is about to issue the instruction there",
     WT_OPTION_SET(set_at)},
    {"wave", 0, "N", "the wave, or 'each' (default: 0; at a function the first to come)",
     WT_OPTION_SET(set_wave)},
    {"lane", 0, "N", "the lane, or FIRST-LAST (default: 0)", WT_OPTION_SET(set_lane)},
    WT_KERNEL_OPTIONS,
    {0},
};

const struct wt_subcommand cli_explain = {
    .name = "explain-address",
    .operands = "PROGRAM ADDRESS[,ADDRESS]… [ARGUMENT]…",
    .summary =
        "Explains how an address is translated, as one lane of a program sees it. It prints the\n"
        "address space, the aperture, each term of the sum, and the memory that it leads to.",
    .options = options,
    .device = true,
    .program = true,
    .notes =
        "A program for an emulated GPU runs, and a kernel gets its arguments, as by 'wavetrap\n"
        "run'. A host program runs to its end with its ARGUMENTs, as by 'wavetrap exec'; --at is\n"
        "a function then, and explanations go to stderr.\n",
    .run = run_explain,
};
