/* `wavetrap run`: runs a program, or one kernel of a code object, to its end. */
#include "cli/cli.h"
#include "session/kernel.h"

static enum wt_status add_buffer(void *context, const char *value, struct wt_error *err)
{
    struct wt_session_drive *d = context;
    d->options.device.kernel.given = true;
    return wt_report_results_add_buffer(&d->results, value, err);
}

static enum wt_status add_compare(void *context, const char *value, struct wt_error *err)
{
    struct wt_session_drive *d = context;
    d->options.device.kernel.given = true;
    return wt_report_results_add_compare(&d->results, value, err);
}

static enum wt_status add_writer(void *context, const char *value, struct wt_error *err)
{
    return wt_report_results_add_touch(&((struct wt_session_drive *)context)->results, false, value,
                                       err);
}

static enum wt_status add_reader(void *context, const char *value, struct wt_error *err)
{
    return wt_report_results_add_touch(&((struct wt_session_drive *)context)->results, true, value,
                                       err);
}

static int run_program(struct wt_session_drive *drive, const char *path)
{
    struct wt_emulated device;
    struct wt_error err;
    if (wt_session_open_device(&device, &drive->options, path, &err) != WT_OK)
        return wt_subcommand_fail(&cli_run, &err);
    const int status = wt_session_drive(&cli_run, drive, &device);
    wt_emulated_close(&device);
    return status;
}

static int misses_core_file(void)
{
    fprintf(stderr, "wavetrap run: --core-history is for --core-on-fault=FILE, which is missing\n");
    return WT_EXIT_FAILED;
}

static int run(int argc, char **argv)
{
    struct wt_session_drive drive = {0};
    int status = wt_subcommand_parse(&cli_run, argc, argv, &drive, &drive.options, 1, false);
    if (status == WT_SUBCOMMAND_GO) {
        status = drive.core_history && !drive.core_on_fault ? misses_core_file()
                                                            : run_program(&drive, argv[optind]);
    }
    wt_session_drive_free(&drive);
    return status;
}

static const struct wt_option options[] = {
    WT_DRIVE_OPTIONS,
    WT_KERNEL_OPTIONS,
    {"core-on-fault", 0, "FILE",
     "if the program faults, write its state to FILE for 'wavetrap debug\n--core FILE'",
     WT_OPTION_TEXT(struct wt_session_drive, core_on_fault)},
    {"core-history", 0, "ISSUES",
     "put that many issues of the run before the fault, or 'all', into that\nfile",
     WT_OPTION_PART(wt_session_issues, struct wt_session_drive, core_history)},
    {"write-schedule", 0, "FILE",
     "at the end, write which warp had its turn when to FILE, for\n--schedule=file:FILE",
     WT_OPTION_TEXT(struct wt_session_drive, choices)},
    {"report", 0, "json:FILE",
     "write faults and the exit as JSON, an object a line, to FILE, too; may be\ngiven several "
     "times",
     WT_OPTION_SET(wt_session_set_report)},
    WT_CHECK_OPTIONS(struct wt_session_drive, check),
    WT_PROFILE_OPTIONS(struct wt_session_drive, profile),
    {"dump-arg", 0, "N:FILE", "code objects: at the end, write the buffer of argument N to FILE",
     WT_OPTION_SET(add_buffer)},
    {"compare-arg", 0, "N:FILE",
     "code objects: at the end, compare the buffer of argument N with FILE",
     WT_OPTION_SET(add_compare)},
    {"who-wrote", 0, "PLACE[,LENGTH][,count]",
     "at the end, print who wrote these bytes last (LENGTH: 4), and with\n"
     "',count' how many instructions did; PLACE is 0xADDRESS, SYMBOL or, for\n"
     "code objects, N:OFFSET in argument N's buffer",
     WT_OPTION_SET(add_writer)},
    {"who-read", 0, "PLACE[,LENGTH][,count]", "likewise, who read them last",
     WT_OPTION_SET(add_reader)},
    {0},
};

const struct wt_subcommand cli_run = {
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
        "and a sampler is sampler:ADDRESS,FILTER[,normalized] (sampler:clamp,linear). Output\n"
        "of printf (OpenCL C) goes to stdout when the run has ended. Its\n"
        "exit status is 0, or 1 if a buffer differs from its --compare-arg file; the report then\n"
        "names the writer of the first wrong byte.\n\n" WT_DRIVE_NOTES
        "  114  a count is over its --profile-limit\n",
    .run = run,
};
