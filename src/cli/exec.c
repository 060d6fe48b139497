/*
 * `wavetrap exec`: runs an unchanged host program on emulated GPUs. The program's own runtime does
 * everything; only the library that reaches the driver is replaced.
 */
#include "cli/exec.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/file.h"
#include "base/held.h"
#include "base/report.h"
#include "base/text.h"
#include "base/token.h"
#include "cli/cli.h"
#include "cli/exec_gdb.h"
#include "emulator/machine/config.h"
#include "emulator/machine/fill.h"
#include "emulator/machine/schedule.h"
#include "runtime/common/catch.h"
#include "runtime/common/code_cache.h"
#include "runtime/common/environment.h"
#include "runtime/common/host_core.h"
#include "runtime/common/policy.h"
#include "runtime/common/progress.h"
#include "runtime/i915/gem.h"
#include "session/exec_file.h"
#include "session/options.h"
#include "session/program_socket.h"
#include "target/host_program.h"
#include "target/own_files.h"

enum { MOST_GPUS_TEXT = 2048 };

/* ---- environment ---- */

/* Selects the GPUs of a family from "FAMILY:KEY=VALUE,… FAMILY…", in the same form; "" for none. */
static void gpus_of(const char *family, const char *all, char *list, size_t size)
{
    size_t used = 0;
    *list = 0;
    while (*(all += strspn(all, " "))) {
        const size_t length = strcspn(all, " ");
        if (strncmp(all, family, strlen(family)) == 0 && strcspn(all, ": ") == strlen(family)) {
            used += (size_t)snprintf(list + used, size - used, "%s%.*s", used ? " " : "",
                                     (int)length, all);
            assert(used < size);
        }
        all += length;
    }
}

/* Adds the key to each GPU of a list that has not said more. */
static void add_no_jit(char *list, size_t size)
{
    char from[4 * MOST_GPUS_TEXT];
    size_t used = 0;
    snprintf(from, sizeof from, "%s", list);
    for (const char *gpu = from; *(gpu += strspn(gpu, " "));) {
        const size_t length = strcspn(gpu, " ");
        used += (size_t)snprintf(list + used, size - used, "%s%.*s%c" WT_NO_JIT, used ? " " : "",
                                 (int)length, gpu, memchr(gpu, ':', length) ? ',' : ':');
        assert(used < size);
        gpu += length;
    }
}

/* Sets the environment of a family's driver, for the GPUs that were asked for (NULL: one, if the
 * driver was built; by the family's alias, where it has one, of the model for which the program has
 * code). @p file is the program's; NULL: it was not found. *offered tells whether
 * programs can use it; then folder is that of its library. */
static enum wt_status offer(const struct wt_family *family, struct wt_host_program *program,
                            const char *file, const struct cli_exec_options *options,
                            char folder[PATH_MAX], bool *offered, struct wt_error *err)
{
    const struct wt_host_driver *driver = family->host;
    const char *gpus = options->gpus;
    char list[4 * MOST_GPUS_TEXT];
    *offered = false;
    if (gpus)
        gpus_of(family->name, gpus, list, sizeof list / 2);
    else
        snprintf(list, sizeof list / 2, "%s",
                 driver->wanted && !driver->wanted(program) ? ""
                 : family->alias                            ? family->alias
                                                            : family->name);
    if (!*list)
        return WT_OK;
    if (options->no_jit)
        add_no_jit(list, sizeof list);
    if (!wt_own_driver(family, folder, PATH_MAX))
        return gpus ? wt_fail(err, WT_UNSUPPORTED,
                              "%s is not there: this wavetrap was built without %s (see 'wavetrap "
                              "doctor')",
                              driver->library, driver->package)
                    : WT_OK;
    program->own_library = file && exec_file_look(file, driver->library).own_library;
    if (setenv(driver->gpus, list, 1) || !driver->prepare(program, folder))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    *offered = true;
    return WT_OK;
}

/* A program that is linked with the library of a GPU that it is not given cannot be loaded. */
static enum wt_status check_needs(const char *file, unsigned offered, struct wt_error *err)
{
    for (unsigned i = 0; wt_families[i]; i++) {
        const struct wt_host_driver *driver = wt_families[i]->host;
        if (driver && !(offered >> i & 1) && exec_file_look(file, driver->library).needs)
            return wt_fail(err, WT_INVALID,
                           "%.200s is linked with %s, the library of an %s: give --gpu=%s", file,
                           driver->library, wt_families[i]->name, wt_families[i]->name);
    }
    return WT_OK;
}

static enum wt_status no_driver(struct wt_error *err)
{
    char packages[200] = "";
    size_t used = 0;
    for (const struct wt_family *const *f = wt_families; *f && used < sizeof packages; f++)
        if ((*f)->host && *(*f)->host->package)
            used += (size_t)snprintf(packages + used, sizeof packages - used, "%s%s",
                                     used ? " and " : "", (*f)->host->package);
    return wt_fail(err, WT_UNSUPPORTED,
                   "this wavetrap was built without %s: it has no driver for host programs (see "
                   "'wavetrap doctor')",
                   packages);
}

/* Offers the program the drivers of all families, in the order in which the families are listed:
 * their libraries are preloaded in it, and the first is asked first about a device file. *offered
 * becomes a bit set of the families. */
static enum wt_status offer_all(struct wt_host_program *program, const char *file,
                                const struct cli_exec_options *options, unsigned *offered,
                                struct wt_error *err)
{
    char folder[PATH_MAX];
    enum wt_status status;
    *offered = 0;
    for (unsigned i = 0; wt_families[i]; i++) {
        bool its = false;
        if (wt_families[i]->host &&
            (status = offer(wt_families[i], program, file, options, folder, &its, err)) != WT_OK)
            return status;
        *offered |= (unsigned)its << i;
    }
    if (!*offered)
        return no_driver(err);
    for (unsigned i = 0; wt_families[i]; i++)
        if (!(*offered >> i & 1) && wt_families[i]->host && wt_families[i]->host->absent &&
            !wt_families[i]->host->absent(program, folder))
            return wt_fail(err, WT_NO_MEMORY, "no host memory");
    return WT_OK;
}

/* Variables that users set themselves, and exec does not: what has no sense is named here, once,
 * and the program's libraries do not find it. */
static void check_environment(void)
{
    const char *held = getenv(WT_HELD_VARIABLE), *cache = getenv(CODE_CACHE_VARIABLE);
    pid_t process, debugger;
    if (held && !wt_held_parse(held, &process, &debugger)) {
        wt_say_once(WT_HELD_NONSENSE, held);
        unsetenv(WT_HELD_VARIABLE);
    }
    wt_environment_check(true);
    if (cache && !code_cache_is_value(cache)) {
        wt_say_once(CODE_CACHE_NONSENSE, cache);
        unsetenv(CODE_CACHE_VARIABLE);
    }
}

void cli_keep_addresses(const struct wt_subcommand *command, const char *consequence)
{
    if (personality(ADDR_NO_RANDOMIZE) < 0)
        fprintf(stderr,
                "wavetrap %s: the system refuses to switch address space layout randomization off "
                "(%s): %s\n",
                command->name, strerror(errno), consequence);
}

/* --code-cache; a folder that the environment names stays. */
static bool set_cache(const char *option)
{
    const char *named = getenv(CODE_CACHE_VARIABLE);
    if (!option || (strcmp(option, "off") != 0 && named && *named == '/'))
        return true;
    return wt_host_set_or_unset(CODE_CACHE_VARIABLE, strcmp(option, "off") == 0 ? "off" : "on");
}

int cli_exec_program(const struct wt_subcommand *command, const struct cli_exec_options *options,
                     char **argv)
{
    struct wt_error err;
    struct wt_host_program program = {
        .name = argv[0],
        .chosen = options->gpus != NULL,
        .logged = options->log != NULL,
        .checked = getenv(WT_CHECK_VARIABLE) ||
                   (options->supervision && options->supervision->check.options.checks)};
    struct exec_file what = {0};
    char history[24], bytes[24], caught[24], file[PATH_MAX];
    unsigned offered;
    int status;
    check_environment();
    const bool found = exec_file_find(argv[0], file, sizeof file);
    if (found) {
        what = exec_file_look(file, "");
        program.images = wt_host_images_look(file);
    }
    snprintf(history, sizeof history, "%" PRIu64, options->core_history);
    snprintf(bytes, sizeof bytes, "%" PRIu64, options->memory);
    snprintf(caught, sizeof caught, "%" PRIu32, options->caught);
    if (!wt_host_set_or_unset(WT_CORE_VARIABLE, options->core) ||
        !wt_host_set_or_unset(WT_CORE_HISTORY_VARIABLE, options->core_history ? history : NULL) ||
        !wt_host_set_or_unset(WT_PROGRESS_VARIABLE, options->progress) ||
        (options->socket && (!wt_host_set_or_unset(WT_LISTEN_VARIABLE, options->socket) ||
                             !wt_host_set_or_unset(WT_TOKEN_VARIABLE, options->token))) ||
        !wt_host_set_or_unset(WT_CATCH_VARIABLE, options->caught ? caught : NULL) ||
        !set_cache(options->code_cache) ||
        !wt_host_set_or_unset("WAVETRAP_MEMORY", options->memory ? bytes : NULL) ||
        !wt_host_set_or_unset("WAVETRAP_EXPLAIN", options->explain) ||
        !wt_host_set_or_unset(WT_GEM_VARIABLE, options->gem) ||
        !wt_host_set_or_unset(WT_REPORT_VARIABLE,
                              options->supervision ? options->supervision->report : NULL) ||
        !wt_host_set_or_unset("WAVETRAP_LOG_CALLS", options->log) ||
        !wt_host_set_or_unset(WT_SCHEDULE_VARIABLE, options->schedule) ||
        !wt_host_set_or_unset(WT_FILL_VARIABLE, options->fill)) {
        wt_fail(&err, WT_NO_MEMORY, "no host memory");
        return wt_subcommand_fail(command, &err);
    }
    if (options->code_cache && strcmp(options->code_cache, "clear") == 0)
        code_cache_clear();
    if (offer_all(&program, found ? file : NULL, options, &offered, &err) != WT_OK)
        return wt_subcommand_fail(command, &err);
    if (found && options->gpus && check_needs(file, offered, &err) != WT_OK) {
        wt_subcommand_fail(command, &err);
        return CLI_EXEC_NOT_RUN;
    }
    if (what.why)
        fprintf(stderr, "wavetrap exec: %s: %s: it will not find the emulated GPUs\n", argv[0],
                what.why);
    /* Recorded runs can be compared (`wavetrap diff`) where memory is at the same addresses. */
    if (options->core_history)
        cli_keep_addresses(command, "'wavetrap diff' may find that addresses differ");
    if (options->supervision && cli_supervises(options->supervision) &&
        !cli_supervise(command, options->supervision, offered, &status))
        return status;
    if (options->gdb && cli_exec_gdb(options->gdb, options->any_client, &err) != WT_OK)
        return wt_subcommand_fail(command, &err);
    if (found && what.elf)
        execv(file, argv); /* execvp would pass a file that cannot be executed to a shell */
    else
        execvp(argv[0], argv);
    status = errno == ENOENT ? CLI_EXEC_NOT_FOUND : CLI_EXEC_NOT_RUN; /* as shells have it */
    wt_fail(&err, WT_IO, "%.400s: cannot be run: %s", argv[0], strerror(errno));
    wt_subcommand_fail(command, &err);
    return status;
}

/* ---- the command ---- */

struct exec {
    char gpus[MOST_GPUS_TEXT];
    size_t length;
    uint64_t memory;                  /* memory of each GPU, in bytes; 0: the library's default */
    const char *progress;             /* --progress */
    const char *code_cache;           /* --code-cache; NULL: as the environment says */
    const char *schedule;             /* --schedule */
    char schedule_file[PATH_MAX + 8]; /* --schedule=file: */
    const char *fill;                 /* --fill */
    bool no_jit;
    char gem[PATH_MAX];  /* --gem, whole; "": none */
    char log[PATH_MAX];  /* --log-calls */
    char core[PATH_MAX]; /* --core-on-fault, whole; "": none */
    uint64_t core_history;
    bool logs;
    struct cli_supervision supervision;
    const char *page;     /* FILE:N from --export; NULL: none */
    const char *socket;   /* --socket, or NULL */
    char token[PATH_MAX]; /* --token, whole; "": none */
    uint32_t caught;      /* exceptions of --catch */
    unsigned catches;     /* GPUs that have them, and memory of their own */
    unsigned logging;     /* GPUs that know --log-calls */
    const char *gdb;      /* --gdb, or NULL */
    bool any_client;      /* anybody may connect to it */
    unsigned known;       /* GPUs that GDB knows */
    unsigned count;       /* count of GPUs */
    bool help;
};

static enum wt_status no_host_programs(const char *gpu, struct wt_error *err)
{
    char names[200] = "";
    size_t used = 0;
    for (const struct wt_family *const *f = wt_families; *f && used < sizeof names; f++) {
        bool last = true;
        for (const struct wt_family *const *next = f + 1; *next; next++)
            last &= !(*next)->host;
        if ((*f)->host)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     !used  ? ""
                                     : last ? " and "
                                            : ", ",
                                     (*f)->name);
    }
    return wt_fail(err, WT_INVALID, "host programs run on %s, not on '%.40s'", names, gpu);
}

/* Each --gpu adds a GPU. */
static enum wt_status add_gpu(void *context, const char *value, struct wt_error *err)
{
    struct exec *e = context;
    struct wt_gpu gpu = {0};
    e->help = strcmp(value, "help") == 0;
    if (e->help)
        return WT_OK;
    enum wt_status status = wt_gpu_choose(&gpu, value, err);
    if (status == WT_OK && (!gpu.family->host || strchr(value, ' ')))
        status = no_host_programs(value, err);
    e->catches += !status && gpu.family->debug.exception_name;
    e->logging += !status && gpu.family->host->logs_calls;
    e->known += !status && gpu.family->debug.gdb && gpu.family->debug.process;
    const int n = status ? 0
                         : snprintf(e->gpus + e->length, sizeof e->gpus - e->length, "%s%s",
                                    e->length ? " " : "", gpu.spec);
    wt_gpu_free(&gpu);
    if (status)
        return status;
    if (n < 0 || (size_t)n >= sizeof e->gpus - e->length)
        return wt_fail(err, WT_INVALID, "too many GPUs");
    e->length += (size_t)n;
    e->count++;
    return WT_OK;
}

static enum wt_status set_memory(void *context, const char *value, struct wt_error *err)
{
    struct exec *e = context;
    enum wt_status status;
    if ((status = wt_parse_size(value, "", &e->memory, err)) != WT_OK)
        return status;
    /* The runtime needs some of it for itself. 2^46 bytes is the most that it can
     * allocate at once. */
    if (e->memory < (uint64_t)16 << 20 || e->memory > (uint64_t)1 << 46)
        return wt_fail(err, WT_INVALID, "a GPU has at least 16M, and at most 65536G");
    return WT_OK;
}

static enum wt_status set_progress(void *context, const char *value, struct wt_error *err)
{
    struct exec *e = context;
    e->progress = value ? value : "auto";
    if (strcmp(e->progress, "auto") == 0 || strcmp(e->progress, "always") == 0)
        return WT_OK;
    return wt_fail(err, WT_INVALID, "--progress is auto (on a terminal) or always, not '%.40s'",
                   value);
}

static enum wt_status set_code_cache(void *context, const char *value, struct wt_error *err)
{
    struct exec *e = context;
    e->code_cache = value;
    if (strcmp(value, "on") == 0 || strcmp(value, "off") == 0 || strcmp(value, "clear") == 0)
        return WT_OK;
    return wt_fail(err, WT_INVALID, "--code-cache is on, off or clear, not '%.40s'", value);
}

static enum wt_status set_fill(void *context, const char *value, struct wt_error *err)
{
    struct wt_fill fill;
    ((struct exec *)context)->fill = value;
    return wt_fill_parse(value, &fill, err);
}

/* The program may change its folder: a file gets its whole name. */
static enum wt_status set_schedule(void *context, const char *value, struct wt_error *err)
{
    struct exec *e = context;
    struct wt_schedule schedule;
    char file[PATH_MAX];
    const enum wt_status status = wt_schedule_parse(value, &schedule, err);
    if (status)
        return status;
    if (schedule.kind == WT_SCHEDULE_FILE &&
        (!realpath(value + strlen("file:"), file) ||
         snprintf(e->schedule_file, sizeof e->schedule_file, "file:%s", file) < 0))
        return wt_fail(err, WT_IO, "%s: %s", value, strerror(errno));
    e->schedule = schedule.kind == WT_SCHEDULE_FILE ? e->schedule_file : value;
    wt_schedule_free(&schedule);
    return WT_OK;
}

static enum wt_status set_gem(void *context, const char *value, struct wt_error *err)
{
    return wt_file_make(value, ((struct exec *)context)->gem, err);
}

/* The file is not created yet: a program without a fault leaves no core file. */
static enum wt_status set_core(void *context, const char *value, struct wt_error *err)
{
    struct exec *e = context;
    char name[PATH_MAX];
    const enum wt_status status = wt_file_whole_name(value, e->core, name, err);
    if (status)
        return status;
    char *slash = strrchr(name, '/');
    slash[slash == name] = 0;
    return access(name, W_OK)
               ? wt_fail(err, WT_IO, "%.400s: cannot be written: %s", value, strerror(errno))
               : WT_OK;
}

static enum wt_status set_socket(void *context, const char *value, struct wt_error *err)
{
    ((struct exec *)context)->socket = value;
    return wt_session_check_socket(value, err);
}

static enum wt_status set_token(void *context, const char *value, struct wt_error *err)
{
    char name[PATH_MAX];
    return wt_file_whole_name(value, ((struct exec *)context)->token, name, err);
}

/* The token is there before the program is, so that a debugger can be given it. */
static enum wt_status make_token(struct exec *e, struct wt_error *err)
{
    uint8_t token[WT_TOKEN_BYTES];
    enum wt_status status = WT_OK;
    if (!e->socket)
        return *e->token
                   ? wt_fail(err, WT_INVALID, "--token is for --socket=ADDRESS, which is missing")
                   : WT_OK;
    if (!*e->token)
        status = wt_token_path(e->token, sizeof e->token, err);
    if (!status)
        status = wt_token_make(e->token, err);
    return status ? status : wt_token_read(e->token, token, err);
}

static enum wt_status set_log(void *context, const char *value, struct wt_error *err)
{
    struct exec *e = context;
    e->logs = true;
    return value ? wt_file_make(value, e->log, err) : WT_OK;
}

static enum wt_status add_report(void *context, const char *value, struct wt_error *err)
{
    struct cli_supervision *s = &((struct exec *)context)->supervision;
    bool taken;
    const enum wt_status status = wt_report_set_check_report(&s->check, value, &taken, err);
    return status || taken ? status : wt_report_add(&s->report, value, err);
}

static enum wt_status set_launches(void *context, const char *value, struct wt_error *err)
{
    uint64_t *launches = &((struct exec *)context)->supervision.launches;
    if (wt_parse_number(value, launches, err) != WT_OK)
        return err->status;
    return *launches ? WT_OK : wt_fail(err, WT_INVALID, "takes 1 or more, not 0");
}

static enum wt_status set_fault_exit(void *context, const char *value, struct wt_error *err)
{
    uint64_t status;
    if (wt_parse_number(value, &status, err) != WT_OK)
        return err->status;
    if (status > 255)
        return wt_fail(err, WT_INVALID, "an exit status is 0 to 255, not %.20s", value);
    ((struct exec *)context)->supervision.fault_exit = (int)status;
    ((struct exec *)context)->supervision.has_fault_exit = true;
    return WT_OK;
}

/* The family whose exceptions --catch takes. */
static const struct wt_family *family_with_exceptions(void)
{
    const struct wt_family *const *f = wt_families;
    while (!(*f)->debug.exception_name)
        f++;
    return *f;
}

/* One name of --catch, as bits; 0: there is no such exception. */
static uint32_t exceptions_of(const char *name, size_t length)
{
    const struct wt_family *family = family_with_exceptions();
    const bool all = length == 3 && strncmp(name, "all", 3) == 0;
    const char *known;
    uint32_t bits = 0;
    for (unsigned i = 0; (known = family->debug.exception_name(i)); i++)
        if (all || (strlen(known) == length && strncmp(name, known, length) == 0))
            bits |= 1u << i;
    return bits;
}

static enum wt_status no_exception(const char *name, int length, struct wt_error *err)
{
    const struct wt_family *family = family_with_exceptions();
    char names[200];
    const char *known;
    int n = 0;
    for (unsigned i = 0; (known = family->debug.exception_name(i)) && n < (int)sizeof names; i++)
        n += snprintf(names + n, sizeof names - (size_t)n, "%s, ", known);
    return wt_fail(err, WT_INVALID, "'%.*s' is not an exception; they are %sall", length, name,
                   names);
}

static enum wt_status add_exceptions(void *context, const char *value, struct wt_error *err)
{
    struct exec *e = context;
    for (;;) {
        const size_t length = strcspn(value, ",");
        const uint32_t bits = exceptions_of(value, length);
        if (!bits)
            return no_exception(value, (int)(length < 40 ? length : 40), err);
        e->caught |= bits;
        if (!value[length])
            return WT_OK;
        value += length + 1;
    }
}

/* With the options as they were parsed; @p program is NULL if none was given. */
static int run_with(struct exec *e, char **program)
{
    if (e->help) {
        for (const struct wt_family *const *f = wt_families; *f; f++)
            if ((*f)->host) {
                printf("--gpu=%s:KEY=VALUE,… with these keys (and defaults):\n", (*f)->name);
                wt_config_help((*f)->config.table, stdout);
            }
        return 0;
    }
    if (!program) {
        struct wt_error err;
        wt_fail(&err, WT_INVALID, "an operand is missing (%s)", cli_exec.operands);
        return wt_subcommand_fail(&cli_exec, &err);
    }
    if (e->caught && e->length && !e->catches && e->caught != WT_CATCH_MEM_VIOL &&
        e->caught != WT_CATCH_ALL) {
        struct wt_error err;
        wt_fail(
            &err, WT_INVALID,
            "--catch: these are exceptions of AMD's GPUs; no --gpu is one (a gen9 and an sm have "
            "mem_viol and all)");
        return wt_subcommand_fail(&cli_exec, &err);
    }
    if (e->memory && e->length && !e->catches) {
        struct wt_error err;
        wt_fail(
            &err, WT_INVALID,
            "--memory is that of AMD's GPUs; a gen9 uses the host's, an sm's is -g sm:memory=SIZE");
        return wt_subcommand_fail(&cli_exec, &err);
    }
    if (e->core_history && (!*e->core || e->count > 1)) {
        struct wt_error err;
        wt_fail(&err, WT_INVALID,
                *e->core
                    ? "--core-history: several GPUs have no common order of issues; give one --gpu"
                    : "--core-history is for --core-on-fault=FILE, which is missing");
        return wt_subcommand_fail(&cli_exec, &err);
    }
    if (e->logs && e->length && !e->logging) {
        struct wt_error err;
        wt_fail(&err, WT_INVALID, "--log-calls is about an sm and a vortex; no --gpu is one");
        return wt_subcommand_fail(&cli_exec, &err);
    }
    struct wt_error err;
    if (e->gdb && e->length && !e->known) {
        wt_fail(&err, WT_INVALID,
                "--gdb: GDB knows the instruction set of no GPU that is given; 'wavetrap debug' is "
                "for these");
        return wt_subcommand_fail(&cli_exec, &err);
    }
    if (e->gdb && e->known > 1) {
        wt_fail(&err, WT_INVALID,
                "--gdb: GDB sees one memory, and each of %u GPUs has its own; 'wavetrap debug' "
                "follows them all",
                e->known);
        return wt_subcommand_fail(&cli_exec, &err);
    }
    if (make_token(e, &err) || wt_report_check_complete(&e->supervision.check, &err))
        return wt_subcommand_fail(&cli_exec, &err);
    const struct cli_exec_options o = {.gpus = e->length ? e->gpus : NULL,
                                       .memory = e->memory,
                                       .progress = e->progress,
                                       .code_cache = e->code_cache,
                                       .schedule = e->schedule,
                                       .fill = e->fill,
                                       .no_jit = e->no_jit,
                                       .gem = *e->gem ? e->gem : NULL,
                                       .core = *e->core ? e->core : NULL,
                                       .core_history = e->core_history,
                                       .socket = e->socket,
                                       .token = e->token,
                                       .log = e->logs ? e->log : NULL,
                                       .gdb = e->gdb,
                                       .any_client = e->any_client,
                                       .supervision = &e->supervision,
                                       .caught = e->caught};
    return cli_exec_program(&cli_exec, &o, program);
}

/* The page about a finding is of another run, by `view`, in the environment as it is now. */
static int want_page(struct exec *e, int argc, char **argv)
{
    size_t count = 0;
    struct cli_supervision *s = &e->supervision;
    struct wt_error err;
    while (environ[count])
        count++;
    s->page = cli_view_page_words(e->page, &cli_exec, argc, argv, optind);
    s->environment = calloc(count + 1, sizeof *s->environment);
    if (s->page && s->environment && s->check.options.checks) {
        memcpy(s->environment, environ, count * sizeof *environ);
        return WT_SUBCOMMAND_GO;
    }
    if (s->check.options.checks)
        wt_fail(&err, WT_NO_MEMORY, "no host memory");
    else
        wt_fail(&err, WT_INVALID, "--export is about a finding: it needs --check=LIST");
    return wt_subcommand_fail(&cli_exec, &err);
}

static int exec(int argc, char **argv)
{
    struct exec e = {.length = 0};
    /* --gpu=help needs no program. */
    int status = wt_subcommand_parse(&cli_exec, argc, argv, &e, NULL, 0, true);
    if (status == WT_SUBCOMMAND_GO && e.page)
        status = want_page(&e, argc, argv);
    struct cli_again again = {NULL, NULL};
    if (status == WT_SUBCOMMAND_GO && optind < argc)
        again = cli_debug_again(&cli_exec, argc, argv, optind);
    e.supervision.check.again[0] = again.before;
    e.supervision.check.again[1] = again.after;
    if (status == WT_SUBCOMMAND_GO)
        status = run_with(&e, optind < argc ? argv + optind : NULL);
    free(e.supervision.report);
    free(again.before);
    free(again.after);
    for (int i = 2; e.supervision.page && i < 4; i++)
        free(e.supervision.page[i]);
    free(e.supervision.page);
    free(e.supervision.environment);
    wt_report_profile_free(&e.supervision.profile);
    wt_report_check_free(&e.supervision.check);
    return status;
}

static const struct wt_option options[] = {
    {"gpu", 'g', "SPEC",
     "a GPU: gcn:KEY=VALUE,… (HIP, OpenMP, OpenACC), gen9:KEY=VALUE,…\n"
     "(OpenCL, Level Zero), sm:KEY=VALUE,… (CUDA driver API, OpenMP, OpenACC) or\n"
     "vortex:KEY=VALUE,… (libvortex); --gpu=help lists the keys; once for each\n"
     "(default: one of each; a program that has code of AMD's or of NVIDIA's\n"
     "GPUs only sees that one, AMD's as the newest model that it has code for)",
     WT_OPTION_SET(add_gpu)},
    {"memory", 0, "SIZE",
     "memory of each AMD GPU: a number of bytes, or with K, M or G (default: 8G,\n"
     "at most three quarters of the host's); hipMalloc fails beyond it",
     WT_OPTION_SET(set_memory)},
    {"catch", 0, "LIST",
     "stop the program at the first of these exceptions of an AMD GPU's kernel:\n"
     "invalid, denormal, float_div0, overflow, underflow, inexact, int_div0,\n"
     "addr_watch, mem_viol, all; with commas between; a gen9 and an sm have two:\n"
     "mem_viol is an access that fails, all is whatever ends the kernel",
     WT_OPTION_SET(add_exceptions)},
    {"schedule", 0, "POLICY",
     "which wave issues next: " WT_SCHEDULES "\n(default " WT_SCHEDULE_DEFAULT
     "); FILE has a list of choices; a program without races gives\nthe same with all of them",
     WT_OPTION_SET(set_schedule)},
    {"fill", 0, "VALUE",
     "the contents of registers, local and private memory and new memory of GPUs\n"
     "before they are written: zero, a pattern of 32 bits, random:SEED",
     WT_OPTION_SET(set_fill)},
    {"no-jit", 0, NULL, "translate nothing to machine code of this host: the same results, slower",
     WT_OPTION_FLAG(struct exec, no_jit)},
    {"gem", 0, "FILE",
     "record the buffer objects of a gen9 in FILE as each batch begins, for\n"
     "'wavetrap gem --state=FILE --batch=N'",
     WT_OPTION_SET(set_gem)},
    {"core-on-fault", 0, "FILE",
     "the first fault of a kernel leaves the GPU's state in FILE, for\n"
     "'wavetrap debug --core FILE'",
     WT_OPTION_SET(set_core)},
    {"core-history", 0, "ISSUES",
     "put that many issues of the kernel's run before the fault, or 'all', into\nthat file",
     WT_OPTION_PART(wt_session_issues, struct exec, core_history)},
    WT_PROGRAM_SOCKET_OPTIONS(
        "a debugger elsewhere may attach here, too, with the token: a container,\n"
        "the end of 'ssh -L'; tcp:127.0.0.1:PORT or unix:PATH\n"
        "(see 'wavetrap attach')",
        WT_OPTION_SET(set_socket), WT_OPTION_SET(set_token)),
    {"log-calls", 0, "[=FILE]",
     "log calls of the CUDA driver API and of Vortex's host library, with values\n"
     "and results, and kernels, to stderr or FILE",
     WT_OPTION_SET(set_log)},
    {"code-cache", 0, "WHEN",
     "keep parsed PTX, and what AMD's compiler makes in a HIP program, in\n"
     "~/.cache/wavetrap/code: on (the default), off, or clear, which empties it\n"
     "first",
     WT_OPTION_SET(set_code_cache)},
    {"gdb", 0, "ADDRESS",
     "let stock GDB debug the kernels of a vortex: the program waits in its\n"
     "first launch until GDB has connected to :PORT, HOST:PORT or unix:PATH;\n"
     "port 0 is any free port",
     WT_OPTION_TEXT(struct exec, gdb)},
    {"any-client", 0, NULL,
     "with --gdb: serve clients of other users and, at an address that they\n"
     "reach, of other machines, too: there is no password",
     WT_OPTION_FLAG(struct exec, any_client)},
    WT_CHECK_OPTIONS(struct exec, supervision.check),
    {"stats", 0, NULL,
     "print at the end how many kernels the program and its children launched,\n"
     "also if none, and what was refused",
     WT_OPTION_FLAG(struct exec, supervision.stats)},
    {"require-launches", 0, "N",
     "exit with 122 if fewer kernels were launched, or a launch was refused, and\n"
     "the program ended with 0",
     WT_OPTION_SET(set_launches)},
    {"fault-exit", 0, "N",
     "exit with N if a fault ended a kernel or --check reported an error, and\n"
     "the program ended with 0 (default: 115 with --check, else 0)",
     WT_OPTION_SET(set_fault_exit)},
    {"report", 0, "json:FILE",
     "write faults, findings, counts of kernels and the exit as JSON, an object\n"
     "a line, to FILE, too ('%p' in it: a file for each process); sarif:FILE and\n"
     "junit:FILE: findings of --check; may be given several times",
     WT_OPTION_SET(add_report)},
    {"export", 0, "FILE:N",
     "write a page about finding N of --check (default: 1) to FILE, which needs\n"
     "no server: the lanes of its launch, at each time ('wavetrap view'); the\n"
     "program runs a second time for it, recorded, without input and output",
     WT_OPTION_TEXT(struct exec, page)},
    WT_PROFILE_OPTIONS(struct exec, supervision.profile),
    {"timeout", 0, "SECONDS",
     "end the program and its children after that time, with the places of all\n"
     "waves; the exit status is 124",
     WT_OPTION_PART(wt_session_seconds, struct exec, supervision.timeout)},
    {"progress", 0, "[=WHEN]",
     "print how far kernels are: work-groups, issues a second; WHEN is auto (the\n"
     "default: if stderr is a terminal) or always",
     WT_OPTION_SET(set_progress)},
    {0},
};

const struct wt_subcommand cli_exec = {
    .name = "exec",
    .operands = "PROGRAM [ARGUMENT]…",
    .summary =
        "Runs PROGRAM, an unmodified host program, on emulated GPUs. It may use HIP, OpenMP,\n"
        "OpenACC, OpenCL, Level Zero or libvortex, and needs no GPU, driver or privileges.",
    .options = options,
    .program = true,
    .notes = "The exit status is the program's; 127 if there is no such program, 126 if it cannot "
             "be run, 125\n"
             "for another failure of wavetrap's. A fault of a GPU is reported on stderr; then "
             "the\n"
             "GPU's runtime aborts the program (134). An exception of --catch ends it with 123;\n"
             "114: a count is over its --profile-limit.\n"
             "SIGINT and SIGTERM print where the waves are, and end it.\n",
    .run = exec,
};
