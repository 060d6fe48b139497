/* The `wavetrap` command: finds the subcommand. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/report.h"
#include "cli/cli.h"
#include "cli/complete.h"

static const struct wt_subcommand *const commands[] = {
    &cli_run,       &cli_debug,        &cli_dap,    &cli_gdb,  &cli_serve,   &cli_attach,
    &cli_trace,     &cli_slice,        &cli_info,   &cli_dm,   &cli_reg,     &cli_exec,
    &cli_explain,   &cli_explain_trap, &cli_asm,    &cli_gtt,  &cli_gem,     &cli_ps,
    &cli_cuda_path, &cli_hip_path,     &cli_doctor, &cli_view, &cli_explore, &cli_diff,
    &cli_examples,  &cli_mcp,          NULL};

static void help(FILE *out)
{
    fputs("Usage: wavetrap COMMAND [OPTION]… …\n"
          "Runs and debugs GPU programs on emulated GPUs.\n\nCommands:\n",
          out);
    for (const struct wt_subcommand *const *c = commands; *c; c++) {
        fprintf(out, "  %-15s ", (*c)->name);
        /* Its first sentence. */
        for (const char *s = (*c)->summary; *s && !(*s == '.' && strchr(" \n", s[1])); s++)
            fputc(*s == '\n' ? ' ' : *s, out);
        fputc('.', out);
        fputc('\n', out);
    }
    fputs("\nOptions:\n"
          "  -h, --help     print this\n"
          "      --version  print the version\n"
          "\n'wavetrap COMMAND --help' says more; so do 'wavetrap help COMMAND' and 'man "
          "wavetrap'.\n",
          out);
}

/* The output of a command, and its reports, are its result: if they cannot be written, the command
 * has failed. */
static int finish(const char *name, int status)
{
    if ((fflush(stdout) || ferror(stdout)) && !status) {
        fprintf(stderr, "wavetrap %s: cannot write to stdout: %s\n", name, strerror(errno));
        return WT_EXIT_FAILED;
    }
    return wt_report_has_failed() ? WT_EXIT_FAILED : status; /* it has said so */
}

static const struct wt_subcommand *find(const char *name)
{
    const struct wt_subcommand *const *c = commands;
    while (*c && strcmp(name, (*c)->name) != 0)
        c++;
    return *c;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        help(stderr);
        return WT_EXIT_FAILED;
    }
    if (strcmp(argv[1], "complete") == 0)
        return finish(argv[1], cli_complete(commands, argc - 2, argv + 2));
    const struct wt_subcommand *command = find(argv[1]);
    if (command)
        return finish(argv[1], command->run(argc - 1, argv + 1));
    const bool is_help = strcmp(argv[1], "help") == 0;
    if (is_help && argc == 3 && (command = find(argv[2]))) {
        char option[] = "--help", *words[] = {argv[2], option, NULL};
        return finish(argv[2], command->run(2, words));
    }
    if (is_help && argc > 2) {
        fprintf(stderr, "wavetrap: there is no command '%s'; see 'wavetrap --help'\n", argv[2]);
        return WT_EXIT_FAILED;
    }
    if (is_help || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help(stdout);
        return finish(argv[1], 0);
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("wavetrap " WT_VERSION);
        return finish(argv[1], 0);
    }
    fprintf(stderr, "wavetrap: there is no command '%s'; see 'wavetrap --help'\n", argv[1]);
    return WT_EXIT_FAILED;
}
