/* `wavetrap run`: runs a program, or one kernel of a code object, to its end. */
#include "cli/drive.h"
#include "cli/gcn.h"

static int run_program(struct cli_kernel_options *r, const char *path);

static int run(int argc, char **argv)
{
    struct cli_kernel_options r = {0};
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
    CLI_KERNEL_OPTIONS,
    {"dump-arg", 0, "N:FILE", "code objects: at the end, write the buffer of argument N to FILE",
     cli_kernel_add_dump},
    {"compare-arg", 0, "N:FILE", "code objects: at the end, compare that buffer with FILE",
     cli_kernel_add_compare},
    {"who-wrote", 0, "N:OFFSET[,LENGTH]",
     "code objects: at the end, say who wrote these bytes (4) of the\nbuffer of argument N last",
     cli_kernel_add_writer},
    {0},
};

const struct cli_command cli_run = {
    .name = "run",
    .operands = "PROGRAM",
    .summary = "Runs PROGRAM (ELF, Intel HEX, .vxbin, raw, AMD code object) on an emulated "
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
        "What it prints (printf of OpenCL C) goes to stdout when it ends, or is stopped. Its exit\n"
        "status is 0, or 1 if a buffer is not as --compare-arg says; then it is also said who "
        "wrote\n"
        "the first wrong byte.\n\n" CLI_DRIVE_NOTES,
    .run = run,
};

static int run_program(struct cli_kernel_options *r, const char *path)
{
    struct wt_emulated session;
    struct wt_error err;
    if (r->given) {
        wt_fail(&err, WT_INVALID,
                "%s is no AMD code object: --kernel, --grid, --block, --dump-arg, --compare-arg "
                "and --who-wrote are for those",
                path);
        return cli_fail(&cli_run, &err);
    }
    if (cli_open(&session, &r->drive.options, path, &err))
        return cli_fail(&cli_run, &err);
    const int status = cli_drive(&cli_run, &r->drive, &session);
    wt_emulated_close(&session);
    return status;
}
