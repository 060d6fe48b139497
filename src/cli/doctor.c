/*
 * `wavetrap doctor`: what this machine has for each family, what the family can do with it, and
 * what to install for the rest.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/llvm.h"
#include "base/private_dir.h"
#include "cli/cli.h"
#include "cli/info.h"
#include "target/own_files.h"

/* The tools that a machine needs to debug, of whatever family. */
static const struct wt_family_task debuggers[] = {
    {"debug with GDB (Vortex)", "cmd:gdb-multiarch", "gdb-multiarch", false},
    {"debug with LLDB (Vortex)", "llvm:lldb-#", "lldb-#", false},
    {0},
};

enum { MOST_ASKED = 16 };

struct doctor {
    const char *asked[MOST_ASKED]; /* --gpu, as they were given */
    unsigned count;
    struct wt_buffer libraries; /* what ldconfig -p prints, with a NUL */
    char missing[1024];         /* packages, each between blanks */
    struct wt_buffer verdicts;  /* lines: what each family can do */
};

/* ---- what is there ---- */

/* Lists the libraries that the dynamic linker knows: lines of "\tNAME (libc6,x86-64) => PATH". */
static void list_libraries(struct doctor *d)
{
    char piece[4096];
    FILE *list = popen("PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null", "r");
    for (size_t n; list && (n = fread(piece, 1, sizeof piece, list)) > 0;)
        wt_buffer_append(&d->libraries, piece, n);
    if (list)
        pclose(list);
    wt_buffer_append(&d->libraries, "", 1);
}

static bool find_listed(const struct doctor *d, const char *name, char *path, size_t size)
{
    char start[200];
    const char *list = d->libraries.failed ? NULL : (const char *)d->libraries.bytes;
    snprintf(start, sizeof start, "\t%s (", name);
    for (const char *at = list; at && (at = strstr(at, start)); at++) {
        const char *end = strchr(at, '\n'), *arrow = strstr(at, "=> ");
        if (!end || !arrow || arrow > end)
            continue;
        snprintf(path, size, "%.*s", (int)(end - arrow - 3), arrow + 3);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* GCC's libraries of plugins lie in a folder of their own. */
static bool find_library(const struct doctor *d, const char *name, char *path, size_t size)
{
    return wt_file_in_folders(getenv("LD_LIBRARY_PATH"), name, R_OK, path, size) ||
           find_listed(d, name, path, size) ||
           wt_file_in_folders("/usr/lib/gcc/x86_64-linux-gnu/12:/usr/lib/x86_64-linux-gnu", name,
                              R_OK, path, size);
}

/* The newest LLVM with all files of a list; the first one stands for it. */
static bool find_llvm(const char *files, char *path, size_t size)
{
    char name[PATH_MAX];
    const unsigned version = wt_llvm_newest(files);
    wt_llvm_text(name, sizeof name, files, version);
    name[strcspn(name, ",")] = 0;
    if (!version)
        return false;
    if (!strchr(name, '/'))
        return wt_file_in_folders(getenv("PATH"), name, R_OK, path, size);
    snprintf(path, size, "%s", name);
    return true;
}

/* One need of a task. */
static bool find_need(const struct doctor *d, const struct wt_family *family, const char *need,
                      char *path, size_t size)
{
    if (strcmp(need, "own:driver") == 0)
        return wt_own_driver(family, path, size);
    if (strcmp(need, "own:cuda") == 0)
        return cli_cuda_folder(path, size);
    if (strncmp(need, "llvm:", 5) == 0)
        return find_llvm(need + 5, path, size);
    if (strncmp(need, "lib:", 4) == 0)
        return find_library(d, need + 4, path, size);
    if (strncmp(need, "cmd:", 4) == 0)
        return wt_file_in_folders(getenv("PATH"), need + 4, R_OK, path, size);
    snprintf(path, size, "%s", need + 5); /* "file:" */
    return access(path, R_OK) == 0;
}

static void explain_lack(const char *need, char *text, size_t size)
{
    char name[200];
    wt_llvm_text(name, sizeof name, strchr(need, ':') + 1, WT_LLVM_USUAL);
    name[strcspn(name, ",")] = 0;
    if (strncmp(need, "own:", 4) == 0)
        snprintf(text, size, "this build left out wavetrap's %s",
                 strcmp(need, "own:driver") == 0 ? "library for it"
                                                 : "folder for clang (cuda-path)");
    else
        snprintf(text, size, "%s is missing", name);
}

/* ---- what can be done ---- */

static void note_missing(struct doctor *d, const char *packages)
{
    char all[200], with[120], *state = NULL;
    wt_llvm_text(all, sizeof all, packages, WT_LLVM_USUAL);
    for (char *p = strtok_r(all, " ", &state); p; p = strtok_r(NULL, " ", &state)) {
        const size_t used = strlen(d->missing);
        snprintf(with, sizeof with, " %s ", p);
        if (strstr(d->missing, with))
            continue;
        assert(used + strlen(with) < sizeof d->missing);
        snprintf(d->missing + used, sizeof d->missing - used, "%s", with + 1);
    }
}

/* The version in the first line that a command prints with --version; "" if there is none. */
static void find_version(const char *command, char *version, size_t size)
{
    char call[PATH_MAX + 40], line[400] = "";
    snprintf(call, sizeof call, "'%s' --version 2>/dev/null </dev/null", command);
    FILE *said = strchr(command, '\'') ? NULL : popen(call, "r");
    if (said && !fgets(line, sizeof line, said))
        *line = 0;
    if (said)
        pclose(said);
    const char *at = line;
    size_t length;
    for (; *(at += strcspn(at, "0123456789")); at += length)
        if ((length = strspn(at, "0123456789.")) > 2 && memchr(at, '.', length)) {
            snprintf(version, size, " (%.*s)", (int)length, at);
            return;
        }
    *version = 0;
}

/* Describes the file that a need was found as: a library's file has its version in its name. */
static void describe_found(const char *need, const char *path, char *text, size_t size)
{
    char full[PATH_MAX], version[40] = "";
    if (strncmp(need, "cmd:", 4) == 0 || strncmp(need, "llvm:", 5) == 0)
        find_version(path, version, sizeof version);
    const bool library = strncmp(need, "lib:", 4) == 0 && realpath(path, full);
    snprintf(text, size, ": %s%s", library ? full : path, version);
}

/* Tells whether a task can be done, and with what. */
static bool tell_task(struct doctor *d, const struct wt_family *family,
                      const struct wt_family_task *task)
{
    char needs[400], path[PATH_MAX], first[2 * PATH_MAX] = "", *state = NULL;
    const char *lacks = NULL;
    snprintf(needs, sizeof needs, "%s", task->needs);
    for (char *n = strtok_r(needs, " ", &state); n && !lacks; n = strtok_r(NULL, " ", &state))
        if (!find_need(d, family, n, path, sizeof path))
            lacks = n;
        else if (strncmp(n, "own:", 4) != 0 && !*first)
            describe_found(n, path, first, sizeof first);
    if (!lacks) {
        printf("  %-36s yes%s\n", task->name, first);
        return true;
    }
    explain_lack(lacks, first, sizeof first);
    printf("  %-36s no: %s\n", task->name, first);
    note_missing(d, task->packages);
    return false;
}

/* Notes in one line what a family, or the GPU @p spec of it, can do; @p lacks: the tasks that it
 * cannot do. */
static void note_verdict(struct doctor *d, const char *spec, bool runs, const char *lacks)
{
    char line[800], name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
    const int length = snprintf(line, sizeof line, "  %-36s %s%s%.500s\n", name,
                                !runs    ? "cannot run host programs"
                                : *lacks ? "runs programs"
                                         : "all is there",
                                *lacks ? ", but cannot " : "", lacks);
    wt_buffer_append(&d->verdicts, line, (size_t)length);
}

static void add_model(void *names, const char *name, const char *about, const char *keys)
{
    (void)about, (void)keys;
    struct wt_buffer *b = names;
    if (b->length)
        wt_buffer_append(b, ", ", 2);
    wt_buffer_append(b, name, strlen(name));
}

/* Lists the models of a family that --gpu takes, where there are several. */
static void tell_models(const struct wt_family *family)
{
    struct wt_buffer names = {0};
    if (family->models)
        family->models(add_model, &names);
    if (!names.failed && names.length && memchr(names.bytes, ',', names.length))
        printf("  %-36s %.*s\n", "models (-g)", (int)names.length, (const char *)names.bytes);
    free(names.bytes);
}

/* Whether a family can run programs. */
static bool tell_family(struct doctor *d, const struct wt_family *family, const char *spec)
{
    char lacks[500] = "";
    bool runs = false;
    if (!family->config.describe)
        printf("%s\n", family->name);
    else if (cli_tell_device(spec))
        return false;
    tell_models(family);
    for (const struct wt_family_task *t = family->tasks; t->name; t++) {
        const bool can = tell_task(d, family, t);
        const size_t used = strlen(lacks);
        runs |= can && t->runs;
        if (!can)
            snprintf(lacks + used, sizeof lacks - used, "%s%s", used ? "; " : "", t->name);
    }
    note_verdict(d, spec, runs, lacks);
    fflush(stdout);
    return runs;
}

/* ---- the machine ---- */

static void tell_limit(const char *name, int resource, const char *least)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        printf("  %-36s %llu%s\n", name, (unsigned long long)limit.rlim_cur, least);
}

static void tell_folders(void)
{
    char path[PATH_MAX];
    struct wt_error err;
    const char *given = getenv("TMPDIR"), *temporary = wt_temporary_folder();
    if (wt_private_dir(path, sizeof path, &err) == WT_OK)
        printf("  %-36s %s\n", "folder of sockets", path);
    else
        printf("  %-36s cannot be used: %s\n", "folder of sockets", err.text);
    if (given && *given && wt_temporary_check(given, &err) != WT_OK)
        printf("  %-36s is not used: %s\n", "TMPDIR", err.text);
    printf("  %-36s %s%s%s\n", "folder of temporary files", temporary,
           access(temporary, W_OK | X_OK) ? ": cannot be used: " : "",
           access(temporary, W_OK | X_OK) ? strerror(errno) : "");
}

static void tell_machine(void)
{
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    puts("wavetrap " WT_VERSION);
    printf("  %-36s %ld, %.0f GiB of memory\n", "processors", sysconf(_SC_NPROCESSORS_ONLN),
           memory / (1 << 30));
#ifdef __x86_64__
    printf("  %-36s %s\n", "AVX2 and FMA (kernels run faster)",
           __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "yes" : "no");
#endif
#ifdef WT_HAVE_LIBEDIT
    printf("  %-36s yes\n", "line editing in the console");
#else
    printf("  %-36s no: this build left it out (libedit-dev)\n", "line editing in the console");
#endif
    tell_folders();
    /* Memory of GPUs is reserved in large pieces, and given by the host as it is touched. */
    tell_limit("limit of address space", RLIMIT_AS,
               " bytes: GPUs may get less memory than they want");
}

/* ---- the command ---- */

static enum wt_status add_gpu(void *context, const char *value, struct wt_error *err)
{
    struct doctor *d = context;
    struct wt_gpu gpu = {0};
    const enum wt_status status = wt_gpu_choose(&gpu, value, err);
    wt_gpu_free(&gpu);
    if (status)
        return status;
    if (d->count == MOST_ASKED)
        return wt_fail(err, WT_INVALID, "too many GPUs");
    d->asked[d->count++] = value;
    return WT_OK;
}

/* The families that are asked for, or all; false: one of them cannot run programs. */
static bool tell_families(struct doctor *d)
{
    bool all = true;
    for (unsigned i = 0; i < d->count; i++) {
        struct wt_gpu gpu = {0};
        if (wt_gpu_choose(&gpu, d->asked[i], WT_IGNORED) == WT_OK)
            all &= tell_family(d, gpu.family, d->asked[i]);
        wt_gpu_free(&gpu);
    }
    for (const struct wt_family *const *f = wt_families; *f && !d->count; f++)
        tell_family(d, *f, (*f)->name);
    return all;
}

/* The name of this machine's system, as /etc/os-release has it. */
static void find_release(char *name, size_t size)
{
    char line[200], value[100];
    FILE *f = fopen("/etc/os-release", "r");
    snprintf(name, size, "Debian 12");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "PRETTY_NAME=\"%99[^\"]", value) == 1)
            snprintf(name, size, "%s", value);
    if (f)
        fclose(f);
}

/* Packages to install for the rest. The names are Debian 12's; another release has only some of
 * them.
 */
static void tell_packages(const struct doctor *d)
{
    char release[100], call[sizeof d->missing + 80], line[300], known[sizeof d->missing] = " ";
    char all[sizeof d->missing], with[120], absent[sizeof d->missing] = "", *state = NULL;
    snprintf(call, sizeof call, "apt-cache show --no-all-versions%s2>/dev/null", d->missing);
    FILE *said = popen(call, "r");
    while (said && fgets(line, sizeof line, said)) {
        const size_t used = strlen(known);
        if (sscanf(line, "Package: %99s", with) == 1 && used + strlen(with) + 2 < sizeof known)
            snprintf(known + used, sizeof known - used, "%s ", with);
    }
    if (said)
        pclose(said);
    if (!known[1]) { /* apt-get is not there, or has no lists yet */
        printf("To get the rest on Debian 12: apt-get install%s\n", d->missing);
        return;
    }
    find_release(release, sizeof release);
    memcpy(all, d->missing, sizeof all);
    for (char *p = strtok_r(all, " ", &state); p; p = strtok_r(NULL, " ", &state)) {
        snprintf(with, sizeof with, " %.99s ", p);
        if (!strstr(known, with))
            snprintf(absent + strlen(absent), sizeof absent - strlen(absent), " %s", p);
    }
    printf("To get the rest on %s: apt-get install%s\n", release, known);
    if (*absent)
        printf("%s does not have:%s\n", release, absent);
}

static int run(int argc, char **argv)
{
    struct doctor d = {.missing = " "};
    const int parsed = wt_subcommand_parse(&cli_doctor, argc, argv, &d, NULL, 0, false);
    if (parsed != WT_SUBCOMMAND_GO)
        return parsed;
    list_libraries(&d);
    tell_machine();
    fflush(stdout);
    const bool all = tell_families(&d);
    puts("debuggers");
    for (const struct wt_family_task *t = debuggers; t->name; t++)
        tell_task(&d, NULL, t);
    printf("verdict\n%.*s", (int)d.verdicts.length, (const char *)d.verdicts.bytes);
    if (d.missing[1])
        tell_packages(&d);
    free(d.libraries.bytes);
    free(d.verdicts.bytes);
    return all ? 0 : 1;
}

static const struct wt_option options[] = {
    {"gpu", 'g', "SPEC",
     "a family, or a GPU as 'exec' takes it, to report on; once for each\n(all)",
     WT_OPTION_SET(add_gpu)},
    {0},
};

const struct wt_subcommand cli_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "Shows what this machine can run and debug, and what to install for the rest.",
    .options = options,
    .notes = "The exit status is 0, or 1 if a family that --gpu names cannot run programs.\n",
    .run = run,
};
