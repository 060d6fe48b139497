/*
 * `wavetrap exec`: runs a host program for AMD GPUs, as it is, on emulated ones. The program's own
 * runtime does everything; only the library by which it reaches the driver is ours.
 */
#include "cli/exec.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/exec_file.h"
#include "cli/options.h"

#define LIBRARY "libhsakmt.so.1"

enum { EXEC_NOT_RUN = 126, EXEC_NOT_FOUND = 127 };

/* The folder of our library: in the build tree, and as installed. */
static bool find_library(char *folder, size_t size)
{
    static const char *const places[] = {"../runtime/hsakmt", WT_HOST_LIBRARY};
    char self[PATH_MAX], file[2 * PATH_MAX], full[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const bool absolute = *places[i] == '/';
        snprintf(file, sizeof file, "%s%s%s/" LIBRARY, absolute ? "" : self, absolute ? "" : "/",
                 places[i]);
        if (access(file, R_OK) || !realpath(file, full))
            continue;
        *strrchr(full, '/') = 0;
        return snprintf(folder, size, "%s", full) < (int)size;
    }
    return false;
}

static int no_memory(const struct cli_command *command)
{
    struct wt_error err;
    wt_fail(&err, WT_NO_MEMORY, "no host memory");
    return cli_fail(command, &err);
}

/* Appends a name to the list in an environment variable. */
static bool append(const char *variable, char separator, const char *name)
{
    const char *before = getenv(variable);
    char list[2 * PATH_MAX];
    const int n = before && *before ? snprintf(list, sizeof list, "%s%c%s", before, separator, name)
                                    : snprintf(list, sizeof list, "%s", name);
    return n > 0 && (size_t)n < sizeof list && !setenv(variable, list, 1);
}

/* Adds a file of our folder to LD_PRELOAD. */
static bool preload(const char *folder, const char *name)
{
    char path[2 * PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && (size_t)n < sizeof path && append("LD_PRELOAD", ':', path);
}

/* What LD_LIBRARY_PATH does not do. */
static bool prepare(const char *folder, const char *program, const struct exec_file *file)
{
    const char *name = strrchr(program, '/');
    if (file->why)
        fprintf(stderr, "wavetrap exec: %s: %s: it will not find the emulated GPUs\n", program,
                file->why);
    /* rocminfo looks for the kernel module. */
    if (strcmp(name ? name + 1 : program, "rocminfo") == 0 &&
        !preload(folder, "libwavetrap-rocminfo.so"))
        return false;
    /* Programs that open the driver's device files themselves. */
    if (!preload(folder, "libwavetrap-kfd.so"))
        return false;
    return !file->own_library || preload(folder, LIBRARY);
}

int cli_exec_program(const struct cli_command *command, const char *gpus, uint64_t memory,
                     const char *explain, char **argv)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    struct wt_error err;
    char folder[PATH_MAX], file[PATH_MAX], bytes[24];
    struct exec_file what = {0};
    if (!find_library(folder, sizeof folder)) {
        wt_fail(&err, WT_UNSUPPORTED,
                LIBRARY " is not there: this wavetrap was built without libhsakmt-dev");
        return cli_fail(command, &err);
    }
    const size_t size = strlen(folder) + (before ? strlen(before) : 0) + 2;
    char *path = malloc(size);
    if (!path)
        return no_memory(command);
    snprintf(path, size, "%s%s%s", folder, before && *before ? ":" : "", before ? before : "");
    snprintf(bytes, sizeof bytes, "%" PRIu64, memory);
    const bool set =
        !setenv("LD_LIBRARY_PATH", path, 1) &&
        !setenv("WAVETRAP_GPUS", gpus ? gpus : wt_family_of_host_programs()->name, 1) &&
        !(memory ? setenv("WAVETRAP_MEMORY", bytes, 1) : unsetenv("WAVETRAP_MEMORY")) &&
        !(explain ? setenv("WAVETRAP_EXPLAIN", explain, 1) : unsetenv("WAVETRAP_EXPLAIN"));
    free(path);
    const bool found = exec_file_find(argv[0], file, sizeof file);
    if (found)
        what = exec_file_look(file, LIBRARY);
    /* The library is a tool of the HSA runtime's, too: waits.c. */
    if (!set || !append("HSA_TOOLS_LIB", ' ', LIBRARY) || !prepare(folder, argv[0], &what))
        return no_memory(command);
    if (found && what.elf)
        execv(file, argv); /* execvp would give what cannot be run to a shell */
    else
        execvp(argv[0], argv);
    const int status = errno == ENOENT ? EXEC_NOT_FOUND : EXEC_NOT_RUN; /* as shells have it */
    wt_fail(&err, WT_IO, "%.400s: cannot be run: %s", argv[0], strerror(errno));
    cli_fail(command, &err);
    return status;
}

/* ---- the command ---- */

struct exec {
    char gpus[2048];
    size_t length;
    uint64_t memory; /* of each GPU, in bytes; 0: the library's default */
    bool help;
};

/* Each --gpu is a GPU of its own. */
static enum wt_status add_gpu(void *context, const char *value, struct wt_error *err)
{
    struct exec *e = context;
    const char *family = wt_family_of_host_programs()->name;
    struct wt_gpu gpu = {0};
    e->help = strcmp(value, "help") == 0;
    if (e->help)
        return WT_OK;
    enum wt_status status = WT_OK;
    if (strncmp(value, family, strcspn(value, ":")) != 0 || strchr(value, ' '))
        status =
            wt_fail(err, WT_INVALID, "host programs run on %s only, not on '%.40s'", family, value);
    if (!status)
        status = wt_gpu_choose(&gpu, value, err);
    wt_gpu_free(&gpu);
    if (status)
        return status;
    const int n = snprintf(e->gpus + e->length, sizeof e->gpus - e->length, "%s%s",
                           e->length ? " " : "", value);
    if (n < 0 || (size_t)n >= sizeof e->gpus - e->length)
        return wt_fail(err, WT_INVALID, "too many GPUs");
    e->length += (size_t)n;
    return WT_OK;
}

static enum wt_status set_memory(void *context, const char *value, struct wt_error *err)
{
    struct exec *e = context;
    enum wt_status status;
    if ((status = cli_bytes(value, "", &e->memory, err)) != WT_OK)
        return status;
    /* The runtime needs some of it for itself. 2^46 bytes is the most that it can allocate at once.
     */
    if (e->memory < (uint64_t)16 << 20 || e->memory > (uint64_t)1 << 46)
        return wt_fail(err, WT_INVALID, "a GPU has at least 16M, and at most 65536G");
    return WT_OK;
}

static int exec(int argc, char **argv)
{
    struct exec e = {.length = 0};
    /* --gpu=help needs no program. */
    switch (cli_parse(&cli_exec, argc, argv, &e, NULL, 0, true)) {
    case CLI_DONE:
        return 0;
    case CLI_BAD:
        return CLI_FAILED;
    default:
        break;
    }
    if (e.help) {
        const struct wt_family *family = wt_family_of_host_programs();
        printf("--gpu=%s:KEY=VALUE,… with these keys (and defaults):\n", family->name);
        family->config_help(stdout);
        return 0;
    }
    if (optind == argc) {
        struct wt_error err;
        wt_fail(&err, WT_INVALID, "an operand is missing (%s)", cli_exec.operands);
        return cli_fail(&cli_exec, &err);
    }
    return cli_exec_program(&cli_exec, e.length ? e.gpus : NULL, e.memory, NULL, argv + optind);
}

static const struct cli_option options[] = {
    {"gpu", 'g', "SPEC",
     "a GPU: gfx900:KEY=VALUE,… (--gpu=help lists the keys); once for each\n"
     "(default: one gfx900)",
     add_gpu},
    {"memory", 0, "SIZE",
     "memory of each GPU: a number of bytes, or with K, M or G (default: 8G,\n"
     "at most three quarters of the host's); hipMalloc fails beyond it",
     set_memory},
    {0},
};

const struct cli_command cli_exec = {
    .name = "exec",
    .operands = "PROGRAM [ARGUMENT]…",
    .summary = "Runs PROGRAM, an unmodified host program for AMD GPUs (HIP), on emulated GPUs. It\n"
               "needs no GPU, no driver and no privileges.",
    .options = options,
    .program = true,
    .notes = "The exit status is the program's; 127 if there is no such program, 126 if it cannot "
             "be run, 125\n"
             "for another failure of wavetrap's. A fault of a GPU is reported on stderr; then "
             "AMD's runtime\n"
             "aborts the program (134).\n",
    .run = exec,
};
