/* `wavetrap explain-address`: where an address leads as one lane of one wave sees it. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/exec.h"
#include "cli/gcn.h"
#include "emulator/gcn/host.h"

enum { MOST_ADDRESSES = 16 };

struct explain {
    struct cli_kernel_options options; /* first: the context of CLI_KERNEL_OPTIONS */
    const char *place;                 /* of --at, where it is one */
    uint64_t at;                       /* else: the issue time */
    uint32_t wave;                     /* or GCN_ANY_WAVE, GCN_EACH_WAVE */
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
        return wt_fail(err, WT_INVALID, "'%.40s' is no issue time and no function", value);
    return x->place ? WT_OK : wt_parse_number(value, &x->at, err);
}

static enum wt_status set_wave(void *context, const char *value, struct wt_error *err)
{
    uint64_t wave = GCN_EACH_WAVE;
    if (strcmp(value, "each") != 0 && wt_parse_number(value, &wave, err))
        return err->status;
    ((struct explain *)context)->wave = wave < GCN_EACH_WAVE ? (uint32_t)wave : GCN_EACH_WAVE;
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
        if (!*end && x->first_lane <= x->last_lane && x->last_lane < 64)
            return WT_OK;
    }
    return wt_fail(err, WT_INVALID, "a wave has lanes 0 to 63; '%.40s' is none, nor FIRST-LAST",
                   value);
}

/* "A,B,…". */
static enum wt_status take_addresses(struct explain *x, const char *text, struct wt_error *err)
{
    do {
        char one[32];
        const size_t length = strcspn(text, ",");
        if (length >= sizeof one)
            return wt_fail(err, WT_INVALID, "'%.40s' is not an address", text);
        if (x->addresses == MOST_ADDRESSES)
            return wt_fail(err, WT_INVALID, "more than %u addresses", MOST_ADDRESSES);
        memcpy(one, text, length);
        one[length] = 0;
        if (wt_parse_number(one, &x->addr[x->addresses++], err))
            return err->status;
        text += length + (text[length] == ',');
    } while (*text);
    return WT_OK;
}

/* ---- kernels of code objects ---- */

static void answer(const struct explain *x, const struct cli_kernel_run *run, uint32_t wave)
{
    struct wt_machine *m = gcn_machine(run->device);
    char place[128];
    m->ops->place(m, wave, place, sizeof place);
    for (unsigned lane = x->first_lane; lane <= x->last_lane; lane++) {
        printf("wave %" PRIu32 " (%s), lane %u, issue time %" PRIu64 "\n", wave, place, lane,
               m->time);
        for (unsigned i = 0; i < x->addresses; i++) {
            struct wt_explanation e;
            m->ops->explain(m, wave, lane, x->addr[i], &e);
            wt_explanation_print(stdout, x->addr[i], &e);
        }
    }
}

/* At an issue time: the wave that was asked for or, without one, wave 0; or all that there are. If
 * it is not there, says which are. */
static enum wt_status at_time(const struct explain *x, const struct cli_kernel_run *run,
                              struct wt_error *err)
{
    struct wt_machine *m = gcn_machine(run->device);
    const uint32_t wanted = x->wave == GCN_ANY_WAVE ? 0 : x->wave;
    char list[200] = "";
    size_t used = 0;
    bool answered = false;
    if (x->at && m->ops->run(m, x->at) == WT_RUN_FAULT)
        cli_kernel_fault(run); /* the waves are as they were then */
    for (uint32_t i = 0; i < m->waves; i++) {
        struct wt_wave_view view;
        m->ops->view(m, i, &view);
        if (!view.active)
            continue;
        if (wanted == i || wanted == GCN_EACH_WAVE) {
            answer(x, run, i);
            answered = true;
        } else if (used < sizeof list - 16) {
            used += (size_t)snprintf(list + used, sizeof list - used, " %u", i);
        }
    }
    return answered ? WT_OK
                    : wt_fail(err, WT_INVALID,
                              "no wave %" PRIu32 " runs at issue time %" PRIu64 "; %s%s", wanted,
                              m->time, *list ? "there are:" : "the kernel has ended", list);
}

/* "FUNCTION" or "FUNCTION+OFFSET". */
static bool find_place(const struct cli_kernel_run *run, const char *place, uint64_t *pc)
{
    char name[256];
    const size_t length = strcspn(place, "+");
    snprintf(name, sizeof name, "%.*s", (int)length, place);
    if (!run->symbols || !wt_symbols_address(run->symbols, name, pc))
        return false;
    *pc += GCN_LAUNCH_CODE + (place[length] ? strtoull(place + length + 1, NULL, 0) : 0);
    return true;
}

static enum wt_status at_place(const struct explain *x, const struct cli_kernel_run *run,
                               struct wt_error *err)
{
    enum { SLICE = 1 << 16 };
    struct gcn_watch watch = {.wave = x->wave};
    enum wt_run why = WT_RUN_BUDGET;
    bool answered = false;
    if (!find_place(run, x->place, &watch.pc))
        return wt_fail(err, WT_INVALID, "there is no function '%.200s'", x->place);
    while (why == WT_RUN_BUDGET) {
        uint32_t met;
        why = gcn_watch_run(run->device, &watch, SLICE, &met);
        if (met == GCN_ANY_WAVE)
            continue;
        answer(x, run, met);
        answered = true;
        if (x->wave != GCN_EACH_WAVE)
            return WT_OK;
    }
    if (why == WT_RUN_FAULT)
        cli_kernel_fault(run);
    return answered ? WT_OK : wt_fail(err, WT_STATE, "no wave came to '%.200s'", x->place);
}

static int in_kernel(const struct explain *x, const char *path)
{
    struct cli_kernel_run run;
    struct wt_error err;
    int status = 0;
    if (cli_kernel_open(&run, &x->options.kernel, &x->options.drive.options, path, &err) ||
        (x->place ? at_place(x, &run, &err) : at_time(x, &run, &err)))
        status = cli_fail(&cli_explain, &err);
    cli_kernel_close(&run);
    return status;
}

/* ---- host programs: the library that they load does it ---- */

static int in_program(const struct explain *x, char **argv)
{
    char text[1000], gpu[64];
    struct wt_error err;
    int n;
    if (!x->place || strlen(x->place) > 300) {
        wt_fail(&err, WT_INVALID, "for a host program --at is a function of a kernel");
        return cli_fail(&cli_explain, &err);
    }
    n = snprintf(text, sizeof text, "at=%s lanes=%u-%u", x->place, x->first_lane, x->last_lane);
    if (x->wave == GCN_EACH_WAVE)
        n += snprintf(text + n, sizeof text - (size_t)n, " wave=each");
    else if (x->wave != GCN_ANY_WAVE)
        n += snprintf(text + n, sizeof text - (size_t)n, " wave=%u", x->wave);
    for (unsigned i = 0; i < x->addresses; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, " 0x%" PRIx64, x->addr[i]);
    snprintf(gpu, sizeof gpu, "gfx900:cu=%u", x->options.drive.options.gcn.cu);
    return cli_exec_program(&cli_explain, gpu, text, argv);
}

/* PROGRAM ADDRESS ARGUMENT…: the program's own command line is without the second one. */
static int explain(struct explain *x, char **operands)
{
    struct wt_error err;
    if (take_addresses(x, operands[1], &err))
        return cli_fail(&cli_explain, &err);
    if (cli_is_code_object(operands[0])) {
        if (!operands[2])
            return in_kernel(x, operands[0]);
        wt_fail(&err, WT_INVALID, "'%.200s' is one operand too many", operands[2]);
        return cli_fail(&cli_explain, &err);
    }
    operands[1] = operands[0];
    return in_program(x, operands + 1);
}

static int run_explain(int argc, char **argv)
{
    struct explain x = {.wave = GCN_ANY_WAVE};
    int status;
    switch (cli_parse(&cli_explain, argc, argv, &x, &x.options.drive.options, 2, true)) {
    case CLI_DONE:
        status = 0;
        break;
    case CLI_BAD:
        status = CLI_FAILED;
        break;
    default:
        status = explain(&x, argv + optind);
        break;
    }
    cli_kernel_free(&x.options.kernel);
    cli_drive_free(&x.options.drive);
    return status;
}

static const struct cli_option options[] = {
    {"at", 0, "TIME",
     "after so many issues (0: before the first); or FUNCTION[+OFFSET]: when\n"
     "a wave is about to issue the instruction there",
     set_at},
    {"wave", 0, "N", "as this wave sees it, or 'each' (0; at a function: the first to come)",
     set_wave},
    {"lane", 0, "N", "as this lane sees it, or FIRST-LAST (0)", set_lane},
    CLI_KERNEL_OPTIONS,
    {0},
};

const struct cli_command cli_explain = {
    .name = "explain-address",
    .operands = "PROGRAM ADDRESS[,ADDRESS]… [ARGUMENT]…",
    .summary =
        "Explains where an address leads as one lane of a kernel sees it. It says which address\n"
        "space and aperture it is, each term of the sum, and what is there.",
    .options = options,
    .device = true,
    .program = true,
    .notes =
        "A code object's kernel is launched as by 'wavetrap run'; so are its arguments given.\n"
        "Another PROGRAM is a host program: it runs with its ARGUMENTs as by 'wavetrap exec', to\n"
        "its end; --at is a function then, and explanations go to stderr.\n",
    .run = run_explain,
};
