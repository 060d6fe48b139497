/* `wavetrap explain-address`: where an address leads as one lane of one wave sees it. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/gcn.h"
#include "cli/report.h"

struct explain {
    struct cli_kernel_options options; /* first: the context of CLI_KERNEL_OPTIONS */
    uint64_t at, wave, lane;
};

static enum wt_status set_at(void *context, const char *value, struct wt_error *err)
{
    return cli_number(value, &((struct explain *)context)->at, err);
}

static enum wt_status set_wave(void *context, const char *value, struct wt_error *err)
{
    return cli_number(value, &((struct explain *)context)->wave, err);
}

static enum wt_status set_lane(void *context, const char *value, struct wt_error *err)
{
    return cli_number(value, &((struct explain *)context)->lane, err);
}

static void print(const struct wt_explanation *e, uint64_t addr)
{
    printf("0x%" PRIx64 ": %s", addr, e->space);
    if (e->has_aperture)
        printf(", aperture 0x%" PRIx64 " .. 0x%" PRIx64, e->first, e->last);
    printf("\n");
    for (unsigned i = 0; i < e->terms; i++)
        printf("  %c %#18" PRIx64 "  %s\n", e->summand[i] ? '+' : ' ', e->term[i].value,
               e->term[i].name);
    printf("  = %#18" PRIx64 "  in %s", e->landing, e->where);
    if (e->usable)
        printf(", which holds 0x%08" PRIx64 "\n", e->contents);
    else
        printf(", where there is nothing\n");
}

/* The wave, or where there is none, a message that says which there are. */
static enum wt_status check_wave(struct cli_kernel_run *run, const struct explain *x,
                                 struct wt_error *err)
{
    struct wt_machine *m = gcn_machine(run->device);
    char list[200] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < m->waves && used < sizeof list - 16; i++) {
        struct wt_wave_view view;
        m->ops->view(m, i, &view);
        if (!view.active)
            continue;
        if (i == x->wave)
            return x->lane < m->lanes
                       ? WT_OK
                       : wt_fail(err, WT_INVALID, "a wave has lanes 0 to %u", m->lanes - 1);
        used += (size_t)snprintf(list + used, sizeof list - used, " %u", i);
    }
    return wt_fail(err, WT_INVALID, "no wave %" PRIu64 " runs at issue time %" PRIu64 "; %s%s",
                   x->wave, m->time, *list ? "there are:" : "the kernel has ended", list);
}

static int explain(const struct explain *x, const char *program, const char *address)
{
    struct cli_kernel_run run;
    struct wt_explanation e;
    struct wt_error err;
    uint64_t addr;
    int status = 0;
    if (cli_number(address, &addr, &err))
        return cli_fail(&cli_explain, &err);
    if (cli_kernel_open(&run, &x->options.kernel, &x->options.drive.options, program, &err)) {
        status = cli_fail(&cli_explain, &err);
    } else {
        struct wt_machine *m = gcn_machine(run.device);
        if (x->at && m->ops->run(m, x->at) == WT_RUN_FAULT)
            cli_kernel_fault(&run); /* the waves are as they were then */
        if (check_wave(&run, x, &err)) {
            status = cli_fail(&cli_explain, &err);
        } else {
            char place[128];
            m->ops->place(m, (uint32_t)x->wave, place, sizeof place);
            printf("wave %" PRIu64 " (%s), lane %" PRIu64 ", issue time %" PRIu64 "\n", x->wave,
                   place, x->lane, m->time);
            gcn_explain_address(run.device, (uint32_t)x->wave, (unsigned)x->lane, addr, &e);
            print(&e, addr);
        }
    }
    cli_kernel_close(&run);
    return status;
}

static int run_explain(int argc, char **argv)
{
    struct explain x = {0};
    int status;
    switch (cli_parse(&cli_explain, argc, argv, &x, &x.options.drive.options, 2, false)) {
    case CLI_DONE:
        status = 0;
        break;
    case CLI_BAD:
        status = CLI_FAILED;
        break;
    default:
        status = explain(&x, argv[optind], argv[optind + 1]);
        break;
    }
    cli_kernel_free(&x.options.kernel);
    cli_drive_free(&x.options.drive);
    return status;
}

static const struct cli_option options[] = {
    {"at", 0, "TIME", "after so many issues (0: before the first)", set_at},
    {"wave", 0, "N", "as this wave sees it (0)", set_wave},
    {"lane", 0, "N", "as this lane sees it (0)", set_lane},
    CLI_KERNEL_OPTIONS,
    {0},
};

const struct cli_command cli_explain = {
    .name = "explain-address",
    .operands = "CODE-OBJECT ADDRESS",
    .summary =
        "Explains where an address leads as one lane of a kernel sees it. It says which address\n"
        "space and aperture it is, each term of the sum, and what is there.",
    .options = options,
    .device = true,
    .notes = "The kernel is launched as by 'wavetrap run'; so are its arguments given.\n",
    .run = run_explain,
};
