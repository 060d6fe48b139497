/* `wavetrap slice`: runs a program, and says what bytes of memory are made of. */
#include "cli/cli.h"
#include "frontend/common/common.h"
#include "session/kernel.h"

static enum wt_status add_bytes(void *context, const char *value, struct wt_error *err)
{
    return wt_report_results_add_slice(&((struct wt_session_drive *)context)->results, value, err);
}

static enum wt_status set_limit(void *context, const char *name, const char *value,
                                struct wt_error *err)
{
    char text[64];
    const char *at = text;
    snprintf(text, sizeof text, "--%s%.40s", name, value ? value : "");
    return wt_slice_option(&at, &((struct wt_session_drive *)context)->results.limits, err);
}

static enum wt_status set_depth(void *context, const char *value, struct wt_error *err)
{
    return set_limit(context, "depth=", value, err);
}

static enum wt_status set_steps(void *context, const char *value, struct wt_error *err)
{
    return set_limit(context, "steps=", value, err);
}

static enum wt_status set_addresses(void *context, const char *value, struct wt_error *err)
{
    return set_limit(context, "addresses", NULL, err);
}

static int run_program(struct wt_session_drive *drive, const char *path)
{
    struct wt_emulated device;
    struct wt_error err;
    if (!drive->results.touch_count) {
        wt_fail(&err, WT_INVALID, "--of=PLACE[,LENGTH] says which bytes; it is missing");
        return wt_subcommand_fail(&cli_slice, &err);
    }
    if (wt_session_open_device(&device, &drive->options, path, &err) != WT_OK)
        return wt_subcommand_fail(&cli_slice, &err);
    const int status = wt_session_drive(&cli_slice, drive, &device);
    wt_emulated_close(&device);
    return status;
}

static int run(int argc, char **argv)
{
    struct wt_session_drive drive = {.results.limits = WT_SLICE_LIMITS};
    int status = wt_subcommand_parse(&cli_slice, argc, argv, &drive, &drive.options, 1, false);
    if (status == WT_SUBCOMMAND_GO)
        status = run_program(&drive, argv[optind]);
    wt_session_drive_free(&drive);
    return status;
}

static const struct wt_option options[] = {
    WT_DRIVE_OPTIONS,
    WT_KERNEL_OPTIONS,
    {"of", 0, "PLACE[,LENGTH]",
     "the bytes (LENGTH: 4); PLACE is 0xADDRESS, SYMBOL or, for code objects,\n"
     "N:OFFSET in argument N's buffer; may be given several times",
     WT_OPTION_SET(add_bytes)},
    {"depth", 0, "N", "steps that are further than N from the bytes are left out (64)",
     WT_OPTION_SET(set_depth)},
    {"steps", 0, "N", "print N steps at most (100)", WT_OPTION_SET(set_steps)},
    {"addresses", 0, NULL, "follow what says where a value lies, too",
     WT_OPTION_SET(set_addresses)},
    {0},
};

const struct wt_subcommand cli_slice = {
    .name = "slice",
    .operands = "PROGRAM",
    .summary = "Runs PROGRAM and shows what bytes of its memory are made of.\n"
               "Printed are the instructions, loads and inputs that had a part in them.",
    .options = options,
    .device = true,
    .notes = "The run is recorded, and searched backwards, lane by lane, through registers and\n"
             "memory. Branches are not followed. The slice goes to stderr. 'wavetrap run --help' "
             "has\nthe forms of --arg.\n\n" WT_DRIVE_NOTES,
    .run = run,
};
