/* `wavetrap slice`: runs a program, and says what bytes of memory are made of. */
#include "cli/kernel.h"
#include "frontend/common/common.h"

static enum wt_status add_bytes(void *context, const char *value, struct wt_error *err)
{
    return cli_results_add_slice(&((struct cli_drive *)context)->results, value, err);
}

static enum wt_status set_limit(void *context, const char *name, const char *value,
                                struct wt_error *err)
{
    char text[64];
    const char *at = text;
    snprintf(text, sizeof text, "--%s%.40s", name, value ? value : "");
    return wt_slice_option(&at, &((struct cli_drive *)context)->results.limits, err);
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

static int run_program(struct cli_drive *drive, const char *path)
{
    struct wt_emulated device;
    struct wt_error err;
    if (!drive->results.touch_count) {
        wt_fail(&err, WT_INVALID, "--of=PLACE[,LENGTH] says which bytes; it is missing");
        return cli_fail(&cli_slice, &err);
    }
    if (cli_open(&device, &drive->options, path, &err) != WT_OK)
        return cli_fail(&cli_slice, &err);
    const int status = cli_drive(&cli_slice, drive, &device);
    wt_emulated_close(&device);
    return status;
}

static int run(int argc, char **argv)
{
    struct cli_drive drive = {.results.limits = WT_SLICE_LIMITS};
    int status = cli_parse(&cli_slice, argc, argv, &drive, &drive.options, 1, false);
    if (status == CLI_GO)
        status = run_program(&drive, argv[optind]);
    cli_drive_free(&drive);
    return status;
}

static const struct cli_option options[] = {
    CLI_DRIVE_OPTIONS,
    CLI_KERNEL_OPTIONS,
    {"of", 0, "PLACE[,LENGTH]",
     "the bytes (LENGTH: 4); PLACE is 0xADDRESS, SYMBOL or, for code objects,\n"
     "N:OFFSET in argument N's buffer; may be given several times",
     CLI_SET(add_bytes)},
    {"depth", 0, "N", "steps that are further than N from the bytes are left out (64)",
     CLI_SET(set_depth)},
    {"steps", 0, "N", "print N steps at most (100)", CLI_SET(set_steps)},
    {"addresses", 0, NULL, "follow what says where a value lies, too", CLI_SET(set_addresses)},
    {0},
};

const struct cli_command cli_slice = {
    .name = "slice",
    .operands = "PROGRAM",
    .summary = "Runs PROGRAM and tells what bytes of its memory are made of.\n"
               "Printed are the instructions, loads and inputs that had a part in them.",
    .options = options,
    .device = true,
    .notes = "The run is recorded, and searched backwards, lane by lane, through registers and\n"
             "memory. Branches are not followed. The slice goes to stderr. 'wavetrap run --help' "
             "has\nthe forms of --arg.\n\n" CLI_DRIVE_NOTES,
    .run = run,
};
