/* `wavetrap run`: runs a program, or one kernel of a code object, to its end. */
#include "cli/drive.h"
#include "cli/gcn.h"

struct run {
    struct cli_drive drive; /* first: the context of CLI_DRIVE_OPTIONS */
    struct cli_kernel kernel;
    bool kernel_options; /* given */
};

static struct cli_kernel *kernel_of(void *context)
{
    struct run *r = context;
    r->kernel_options = true;
    return &r->kernel;
}

static enum wt_status set_kernel(void *context, const char *value, struct wt_error *err)
{
    kernel_of(context)->name = value;
    return WT_OK;
}

static enum wt_status set_grid(void *context, const char *value, struct wt_error *err)
{
    return cli_kernel_set_grid(kernel_of(context), value, err);
}

static enum wt_status set_block(void *context, const char *value, struct wt_error *err)
{
    return cli_kernel_set_block(kernel_of(context), value, err);
}

static enum wt_status add_dump(void *context, const char *value, struct wt_error *err)
{
    return cli_kernel_add_dump(kernel_of(context), value, err);
}

static enum wt_status add_compare(void *context, const char *value, struct wt_error *err)
{
    return cli_kernel_add_compare(kernel_of(context), value, err);
}

static int run_program(struct run *r, const char *path);

static int run(int argc, char **argv)
{
    struct run r = {0};
    int status;
    switch (cli_parse(&cli_run, argc, argv, &r, &r.drive.options, 1, false)) {
    case CLI_DONE:
        status = 0;
        break;
    case CLI_BAD:
        status = CLI_FAILED;
        break;
    default:
        status = cli_is_code_object(argv[optind])
                     ? cli_run_kernel(&cli_run, &r.drive, &r.kernel, argv[optind])
                     : run_program(&r, argv[optind]);
        break;
    }
    cli_kernel_free(&r.kernel);
    cli_drive_free(&r.drive);
    return status;
}

static const struct cli_option options[] = {
    CLI_DRIVE_OPTIONS,
    {"kernel", 0, "NAME", "code objects: the kernel to run", set_kernel},
    {"grid", 0, "X[,Y[,Z]]", "code objects: how many work-items there are", set_grid},
    {"block", 0, "X[,Y[,Z]]", "code objects: work-items of a work-group (64)", set_block},
    {"dump-arg", 0, "N:FILE", "code objects: at the end, write the buffer of argument N to FILE",
     add_dump},
    {"compare-arg", 0, "N:FILE", "code objects: at the end, compare that buffer with FILE",
     add_compare},
    {0},
};

const struct cli_command cli_run = {
    .name = "run",
    .operands = "PROGRAM",
    .summary = "Runs PROGRAM (ELF, Intel HEX, .vxbin, raw binary, AMD code object) on an emulated "
               "GPU. Its\n"
               "console goes to stdout, reports about it go to stderr.",
    .options = options,
    .device = true,
    .notes =
        "A kernel takes an --arg for each of its arguments, in their order: a number, or one with "
        "its\n"
        "type (i8, u8 … i64, u64, f16, f32, f64: \"f32:1.5\"), hex:BYTES; for a buffer "
        "zeros:SIZE,\n"
        "iota:SIZE (dwords 0, 1, 2 …), pattern:SIZE=HEX, file:PATH; for local memory local:SIZE.\n"
        "The exit status of a kernel is 0, or 1 if a buffer is not as --compare-arg "
        "says.\n\n" CLI_DRIVE_NOTES,
    .run = run,
};

static int run_program(struct run *r, const char *path)
{
    struct cli_session session;
    struct wt_error err;
    if (r->kernel_options) {
        wt_fail(&err, WT_INVALID,
                "%s is no AMD code object: --kernel, --grid, --block, --dump-arg and --compare-arg "
                "are for those",
                path);
        return cli_fail(&cli_run, &err);
    }
    if (cli_session_open(&session, &r->drive.options, path, &err))
        return cli_fail(&cli_run, &err);
    const int status = cli_drive(&cli_run, &r->drive, &session);
    cli_session_close(&session);
    return status;
}
