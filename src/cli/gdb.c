/* `wavetrap gdb`: GDB on a program at its first instruction, in one command. */
#include <unistd.h>

#include "cli/cli.h"
#include "cli/gdb_child.h"
#include "cli/remote.h"

struct gdb {
    struct wt_session_options options; /* first: the context of options about the device */
    struct cli_gdb_choice choice;
    struct wt_report_check check;
    const char *page; /* the address of --view; NULL: no pages */
};

static enum wt_status set_view(void *context, const char *value, struct wt_error *err)
{
    ((struct gdb *)context)->page = value ? value : WT_LISTEN_ANYWHERE;
    return WT_OK;
}

static int run_gdb(struct gdb *g, char **operands, const char *directory)
{
    struct cli_remote remote;
    struct wt_error err;
    struct wt_rsp_options rsp = wt_rsp_default_options();
    char address[128];
    snprintf(address, sizeof address, "unix:%s/gdb", directory);
    rsp.address = address;
    rsp.program = operands[0];
    rsp.console_to_gdb = true;
    rsp.allow_files = true; /* its one client is the user's GDB */
    if (cli_gdb_signals(&rsp.stop_fd, &err) != WT_OK)
        return wt_subcommand_fail(&cli_gdb, &err);
    const struct cli_pages_counts counts = {NULL, NULL};
    struct cli_pages *pages = NULL;
    enum wt_status opened = g->page ? cli_pages_open("gdb", g->page, &counts, &pages, &err) : WT_OK;
    if (!opened && (opened = cli_remote_open(&remote, &g->options, operands[0], &rsp, &g->check,
                                             stdout, &err)) != WT_OK)
        cli_pages_close(pages);
    if (!opened && pages && (opened = cli_remote_show(&remote, pages, &err)) != WT_OK)
        cli_remote_close(&cli_gdb, &remote);
    if (opened) {
        close(rsp.stop_fd);
        return wt_subcommand_fail(&cli_gdb, &err);
    }
    bool elf = remote.device.is_elf;
    int status = cli_gdb_serve(&cli_gdb, &g->choice, elf ? operands[0] : NULL, operands + 1,
                               remote.server[0], rsp.stop_fd);
    const int checked = cli_remote_close(&cli_gdb, &remote);
    close(rsp.stop_fd);
    return status ? status : checked;
}

static int gdb(int argc, char **argv)
{
    struct gdb g = {0};
    int status = wt_subcommand_parse(&cli_gdb, argc, argv, &g, &g.options, 1, true);
    if (status == WT_SUBCOMMAND_GO) {
        char directory[CLI_GDB_DIRECTORY];
        struct wt_error err;
        if (cli_gdb_directory(directory, &err)) {
            status = wt_subcommand_fail(&cli_gdb, &err);
        } else {
            status = run_gdb(&g, argv + optind, directory);
            rmdir(directory);
        }
    }
    wt_report_check_free(&g.check);
    wt_session_options_free(&g.options);
    return status;
}

static const struct wt_option options[] = {
    {"gdb", 0, "COMMAND", "which GDB (default: gdb-multiarch, else another that is there)",
     WT_OPTION_TEXT(struct gdb, choice.gdb)},
    {"plain", 0, NULL, "do not load wavetrap's commands for GPUs into GDB",
     WT_OPTION_FLAG(struct gdb, choice.plain)},
    {"view", 0, "[=PORT]",
     "show the lanes in a browser, too: docs/view.md; the page's address is\n"
     "printed, and the page follows GDB",
     WT_OPTION_SET(set_view)},
    WT_CHECK_OPTIONS(struct gdb, check),
    {0},
};

const struct wt_subcommand cli_gdb = {
    .name = "gdb",
    .operands = "PROGRAM [-- GDB-ARGUMENTS]",
    .summary = "Starts GDB connected to PROGRAM at its first instruction. Its output is\n"
               "shown by GDB; 'run' starts it afresh.",
    .options = options,
    .device = true,
    .debugger = true,
    .notes =
        "The exit status is GDB's; or 115, where GDB's is 0 and --check has reported an error.\n",
    .run = gdb,
};
