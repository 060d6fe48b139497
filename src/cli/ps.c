/* `wavetrap ps`: lists the host programs with emulated GPUs that a debugger can attach to. */
#include "base/private_dir.h"
#include "cli/cli.h"
#include "debug/process/link.h"
#include "target/process.h"

struct ps_listing {
    unsigned count;
    const char *family; /* family of the next ones */
};

static void print(void *context, int pid, unsigned gpus, const char *name)
{
    struct ps_listing *l = context;
    if (!l->count++)
        printf("%7s  %4s  %-6s  %s\n", "PID", "GPUs", "family", "program");
    if (gpus)
        printf("%7d  %4u  %-6s  %s\n", pid, gpus, l->family, name);
    else
        printf("%7d  %4s  %-6s  %s (a debugger is there)\n", pid, "", l->family, name);
}

static int run(int argc, char **argv)
{
    struct ps_listing listing = {0};
    struct wt_error err;
    const int parsed = wt_subcommand_parse(&cli_ps, argc, argv, NULL, NULL, 0, false);
    if (parsed != WT_SUBCOMMAND_GO)
        return parsed;
    wt_private_sweep();
    for (const struct wt_family *const *f = wt_families; *f; f++) {
        listing.family = (*f)->name;
        if ((*f)->debug.process &&
            wt_process_link_each((*f)->debug.process->socket, (*f)->debug.process->wire, print,
                                 &listing, &err) != WT_OK)
            return wt_subcommand_fail(&cli_ps, &err);
    }
    if (!listing.count)
        fputs("no program of yours with emulated GPUs is running\n", stderr);
    return 0;
}

static const struct wt_option own_options[] = {{.name = NULL}};

const struct wt_subcommand cli_ps = {
    .name = "ps",
    .operands = "",
    .summary = "Lists the host programs with emulated GPUs that a debugger can reach.",
    .options = own_options,
    .notes =
        "Programs that 'wavetrap exec' runs are reached by a Unix socket in a folder of the user's "
        "own:\n$WAVETRAP_SOCKETS, or wavetrap in $XDG_RUNTIME_DIR, or /tmp/wavetrap-UID.\n",
    .run = run,
};
