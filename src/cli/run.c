/* `wavetrap run`: runs a program, or one kernel of a code object, to its end. */
#include "cli/kernel.h"

static enum wt_status add_buffer(void *context, const char *value, struct wt_error *err)
{
    struct cli_drive *d = context;
    d->options.device.kernel.given = true;
    return cli_results_add_buffer(&d->results, value, err);
}

static enum wt_status add_compare(void *context, const char *value, struct wt_error *err)
{
    struct cli_drive *d = context;
    d->options.device.kernel.given = true;
    return cli_results_add_compare(&d->results, value, err);
}

static enum wt_status add_writer(void *context, const char *value, struct wt_error *err)
{
    return cli_results_add_touch(&((struct cli_drive *)context)->results, false, value, err);
}

static enum wt_status add_reader(void *context, const char *value, struct wt_error *err)
{
    return cli_results_add_touch(&((struct cli_drive *)context)->results, true, value, err);
}

static struct cli_check *check_of(void *context)
{
    return &((struct cli_drive *)context)->check;
}
CLI_CHECK_SETTERS(set_, check_of)

static enum wt_status set_core_history(void *context, const char *value, struct wt_error *err)
{
    return cli_issues(value, &((struct cli_drive *)context)->core_history, err);
}

static int run_program(struct cli_drive *drive, const char *path)
{
    struct wt_emulated device;
    struct wt_error err;
    if (cli_open(&device, &drive->options, path, &err) != WT_OK)
        return cli_fail(&cli_run, &err);
    const int status = cli_drive(&cli_run, drive, &device);
    wt_emulated_close(&device);
    return status;
}

static int misses_core_file(void)
{
    fprintf(stderr, "wavetrap run: --core-history is for --core-on-fault=FILE, which is missing\n");
    return CLI_FAILED;
}

static int run(int argc, char **argv)
{
    struct cli_drive drive = {0};
    int status = cli_parse(&cli_run, argc, argv, &drive, &drive.options, 1, false);
    if (status == CLI_GO) {
        status = drive.core_history && !drive.core_on_fault ? misses_core_file()
                                                            : run_program(&drive, argv[optind]);
    }
    cli_drive_free(&drive);
    return status;
}

static const struct cli_option options[] = {
    CLI_DRIVE_OPTIONS,
    CLI_KERNEL_OPTIONS,
    {"core-on-fault", 0, "FILE",
     "if the program faults, write its state to FILE for 'wavetrap debug\n--core FILE'",
     CLI_TEXT(struct cli_drive, core_on_fault)},
    {"core-history", 0, "ISSUES",
     "put so much of the run before the fault, or 'all', into that file",
     CLI_SET(set_core_history)},
    {"write-schedule", 0, "FILE",
     "at the end, write which warp had its turn when to FILE, for\n--schedule=file:FILE",
     CLI_TEXT(struct cli_drive, choices)},
    {"report", 0, "json:FILE",
     "write faults and the exit as JSON, an object a line, to FILE, too; may be\ngiven several "
     "times",
     CLI_SET(cli_set_report)},
    CLI_CHECK_OPTIONS(set_),
    CLI_PROFILE_OPTIONS(cli_set_profile, cli_set_profile_limit),
    {"dump-arg", 0, "N:FILE", "code objects: at the end, write the buffer of argument N to FILE",
     CLI_SET(add_buffer)},
    {"compare-arg", 0, "N:FILE",
     "code objects: at the end, compare the buffer of argument N with FILE", CLI_SET(add_compare)},
    {"who-wrote", 0, "PLACE[,LENGTH][,count]",
     "at the end, print who wrote these bytes last (LENGTH: 4), and with\n"
     "',count' how many instructions did; PLACE is 0xADDRESS, SYMBOL or, for\n"
     "code objects, N:OFFSET in argument N's buffer",
     CLI_SET(add_writer)},
    {"who-read", 0, "PLACE[,LENGTH][,count]", "likewise, who read them last", CLI_SET(add_reader)},
    {0},
};

const struct cli_command cli_run = {
    .name = "run",
    .operands = "PROGRAM",
    .summary = "Runs PROGRAM (ELF, HEX, .vxbin, raw, code object, cubin, PTX) on an emulated "
               "GPU. Its\n"
               "console goes to stdout, reports about it go to stderr.",
    .options = options,
    .device = true,
    .notes =
        "A kernel takes one --arg for each of its arguments, in order. A value is a number, a "
        "number\n"
        "with its type (i8, u8 … i64, u64, f16, f32, f64: \"f32:1.5\") or hex:BYTES. A buffer is\n"
        "zeros:SIZE, iota:SIZE (dwords 0, 1, 2 …), pattern:SIZE=HEX or file:PATH; "
        "read-only:zeros:SIZE\n"
        "and so on is one that --check=memory lets no kernel write; null is a null pointer. Local\n"
        "memory is local:SIZE. With -g gen9 an image is image:SIZE,ORDER-TYPE,CONTENTS\n"
        "(image:64x48,rgba-unorm8,zeros; CONTENTS zeros, pattern:HEX or file:PATH) or "
        "netpbm:PATH,\n"
        "and a sampler is sampler:ADDRESS,FILTER[,normalized] (sampler:clamp,linear). What it\n"
        "prints by printf (OpenCL C) goes to stdout when the run has ended. Its\n"
        "exit status is 0, or 1 if a buffer differs from its --compare-arg file; the report then\n"
        "names the writer of the first wrong byte.\n\n" CLI_DRIVE_NOTES
        "  114  a count is over its --profile-limit\n",
    .run = run,
};
