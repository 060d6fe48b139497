/* `wavetrap ps`: the host programs with emulated GPUs that a debugger can reach. */
#include "cli/options.h"
#include "debug/gcn/process.h"
#include "debug/gen/process.h"

struct listing {
    unsigned count;
};

static void print(void *context, int pid, unsigned gpus, const char *name)
{
    struct listing *l = context;
    if (!l->count++)
        printf("%7s  %4s  %s\n", "PID", "GPUs", "program");
    if (gpus)
        printf("%7d  %4u  %s\n", pid, gpus, name);
    else
        printf("%7d  %4s  %s (a debugger is there)\n", pid, "", name);
}

static int run(int argc, char **argv)
{
    struct listing listing = {0};
    struct wt_error err;
    switch (cli_parse(&cli_ps, argc, argv, NULL, NULL, 0, false)) {
    case CLI_DONE:
        return 0;
    case CLI_BAD:
        return CLI_FAILED;
    case CLI_GO:
        break;
    }
    if (wt_gcn_processes(print, &listing, &err) != WT_OK ||
        wt_gen_processes(print, &listing, &err) != WT_OK)
        return cli_fail(&cli_ps, &err);
    if (!listing.count)
        fputs("no program of yours with emulated GPUs is running\n", stderr);
    return 0;
}

static const struct cli_option own_options[] = {{.name = NULL}};

const struct cli_command cli_ps = {
    .name = "ps",
    .operands = "",
    .summary = "Lists the host programs with emulated GPUs that a debugger can reach.",
    .options = own_options,
    .notes =
        "Programs that 'wavetrap exec' runs are reached by a Unix socket in a folder of the user's "
        "own:\n$WAVETRAP_SOCKETS, or wavetrap in $XDG_RUNTIME_DIR, or /tmp/wavetrap-UID.\n",
    .run = run,
};
