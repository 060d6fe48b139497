/* `wavetrap run`: runs a program to its end. */
#include "cli/drive.h"

static int run(int argc, char **argv)
{
    struct cli_drive drive = {0};
    struct cli_session session;
    struct wt_error err;
    switch (cli_parse(&cli_run, argc, argv, &drive, &drive.options, 1, false)) {
    case CLI_DONE:
        cli_drive_free(&drive);
        return 0;
    case CLI_BAD:
        cli_drive_free(&drive);
        return CLI_FAILED;
    default:
        break;
    }
    int status;
    if (cli_session_open(&session, &drive.options, argv[optind], &err)) {
        status = cli_fail(&cli_run, &err);
    } else {
        status = cli_drive(&cli_run, &drive, &session);
        cli_session_close(&session);
    }
    cli_drive_free(&drive);
    return status;
}

static const struct cli_option options[] = {CLI_DRIVE_OPTIONS, {0}};

const struct cli_command cli_run = {
    .name = "run",
    .operands = "PROGRAM",
    .summary = "Runs PROGRAM (ELF, Intel HEX, .vxbin or raw binary) on an emulated GPU. Its console\n"
               "goes to stdout, reports about it go to stderr.",
    .options = options,
    .device = true,
    .notes = CLI_DRIVE_NOTES,
    .run = run,
};
