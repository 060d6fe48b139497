/* `wavetrap examples`: copies the examples that the pages use. */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "target/own_files.h"

/* Copies the contents of @p from into a new folder. */
static enum wt_status copy(const char *from, char *to, struct wt_error *err)
{
    char contents[PATH_MAX + 2];
    char *words[] = {"cp", "-RL", "--", contents, to, NULL};
    pid_t child;
    int ended = -1;
    snprintf(contents, sizeof contents, "%s/.", from);
    if (mkdir(to, 0777) != 0)
        return wt_fail(err, WT_IO, "%.200s: %s%s", to, strerror(errno),
                       errno == EEXIST ? "; name a folder that is not there yet" : "");
    if (posix_spawnp(&child, words[0], NULL, NULL, words, environ) != 0 ||
        waitpid(child, &ended, 0) != child || ended != 0)
        return wt_fail(err, WT_IO, "%.200s: not all of %.200s could be copied", to, from);
    return WT_OK;
}

static int run(int argc, char **argv)
{
    static const char *const places[] = {"../share/wavetrap/examples", "../../../examples", NULL};
    static char usual[] = "examples";
    char folder[PATH_MAX];
    struct wt_error err;
    const int parsed = wt_subcommand_parse(&cli_examples, argc, argv, NULL, NULL, 0, true);
    if (parsed != WT_SUBCOMMAND_GO)
        return parsed;
    char *to = optind < argc ? argv[optind] : usual;
    if (optind + 1 < argc)
        wt_fail(&err, WT_INVALID, "takes one folder, not '%.100s' besides", argv[optind + 1]);
    else if (!wt_own_folder(places, "gcn/blur.hip", folder, sizeof folder))
        wt_fail(&err, WT_UNSUPPORTED, "the examples are not installed with this wavetrap");
    else if (copy(folder, to, &err) == WT_OK) {
        const char *name = strrchr(to, '/');
        if (strcmp(name ? name + 1 : to, usual) == 0)
            printf(
                "%s has the examples; the commands of README.md and of the pages work beside it.\n",
                to);
        else
            printf("%s has the examples, which the commands of README.md and of the pages call "
                   "'examples'.\n",
                   to);
        printf("'make -C %s' lists those that are one command.\n", to);
        return 0;
    }
    return wt_subcommand_fail(&cli_examples, &err);
}

static const struct wt_option own_options[] = {{.name = NULL}};

const struct wt_subcommand cli_examples = {
    .name = "examples",
    .operands = "[FOLDER]",
    .summary = "Copies the examples of the pages into a new FOLDER ('examples' if none is named).",
    .options = own_options,
    .notes = "Pages type their commands beside that folder: 'hipcc … examples/gcn/blur.hip'.\n"
             "'make -C examples gcn/blur' compiles that example and runs it; 'make -C examples'\n"
             "lists all.\n",
    .run = run,
};
