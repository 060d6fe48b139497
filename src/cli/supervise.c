/* See supervise.h. */
#include "cli/supervise.h"

#include <dirent.h>
#include <fcntl.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/report.h"
#include "base/text.h"
#include "target/host_program.h"
#include "target/process.h"

enum { GRACE = 10 }; /* seconds for the reports of a program whose time is over */

bool cli_supervises(const struct cli_supervision *wanted)
{
    return wanted->timeout > 0 || wanted->launches || wanted->fault_exit || wanted->stats ||
           wanted->report || wanted->check.options.checks ||
           wt_report_profile_wanted(&wanted->profile);
}

/* ---- what the kernels did ---- */

static const struct wt_tally_gpu *counts_of(const struct wt_tally *tally,
                                            const struct wt_family *family)
{
    return &tally->gpu[wt_tally_place(family->debug.process->wire)];
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* "v_rcp_f32, v_sqrt_f32": the instructions executed whose results are near to hardware's; ""
 * without any. */
static void list_near(const struct wt_tally_gpu *g, char *text, size_t size)
{
    char name[WT_NEAR_MOST][WT_NEAR_NAME];
    unsigned count = 0;
    size_t used = 0;
    *text = 0;
    for (unsigned i = 0; i < WT_NEAR_MOST; i++)
        if (g->near[i].whole)
            memcpy(name[count++], g->near[i].name, WT_NEAR_NAME);
    qsort(name, count, sizeof name[0], by_name);
    for (unsigned i = 0; i < count && used < size; i++)
        if (!i || strcmp(name[i], name[i - 1]) != 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", name[i]);
}

/* "gfx900, gfx90a": the models of the GPUs that were opened, else of those that were asked for; the
 * family's name where it has one model, or the program had to choose one. */
static const char *models_of(const struct wt_family *family, const struct wt_tally_gpu *g,
                             char *text, size_t size)
{
    const char *asked = getenv(family->host->gpus);
    struct wt_error err;
    size_t used = 0;
    if (*g->models)
        return g->models;
    if (!family->model || !asked || strncmp(asked, family->alias, strlen(family->alias)) == 0)
        return family->name;
    for (asked += strspn(asked, " "); *asked; asked += strspn(asked, " ")) {
        char spec[512];
        struct wt_gpu gpu = {0};
        const size_t length = strcspn(asked, " ");
        snprintf(spec, sizeof spec, "%.*s", (int)length, asked);
        asked += length;
        if (wt_gpu_choose(&gpu, spec, &err) == WT_OK) {
            const char *name = family->model(gpu.config);
            if (!strstr(text, name) && used < size)
                used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
        }
        wt_gpu_free(&gpu);
    }
    return used ? text : family->name;
}

/* As a text has it: a family with one model has its name as people write it, "SM". */
static const char *name_in_text(const struct wt_family *family, const struct wt_tally_gpu *g,
                                char *text, size_t size)
{
    return family->model ? models_of(family, g, text, size) : family->host->name;
}

static void tell_family(const struct wt_family *family, const struct wt_tally_gpu *g)
{
    const struct wt_host_driver *host = family->host;
    char text[80] = "";
    const char *name = name_in_text(family, g, text, sizeof text);
    const uint64_t launches = g->launches, own = g->own, refused = g->refused, faults = g->faults;
    char more[80] = "", near[WT_NEAR_MOST * (WT_NEAR_NAME + 2)];
    if (own)
        snprintf(more, sizeof more, " (and %" PRIu64 " of the GPU's runtime)", own);
    if (launches || own)
        fprintf(stderr,
                "wavetrap: %" PRIu64 " kernel%s%s %s launched on the emulated %s, %" PRIu64
                " instructions of %s\n",
                launches, wt_plural(launches), more, launches == 1 && !own ? "was" : "were", name,
                (uint64_t)g->issues, host->waves);
    if (g->blocks)
        fprintf(stderr,
                "wavetrap: %" PRIu64 " block%s translated, in which %" PRIu64
                " of the instructions were\n",
                (uint64_t)g->blocks, wt_plural(g->blocks), (uint64_t)g->in_blocks);
    if (g->dealt)
        fprintf(stderr, "wavetrap: %" PRIu64 " kernel%s dealt out to processes\n",
                (uint64_t)g->dealt, g->dealt == 1 ? " was" : "s were");
    if (g->undone)
        fprintf(stderr,
                "wavetrap: %" PRIu64 " kernel%s executed by one process: %s groups need an order, "
                "wait, print, allocate or fail\n",
                (uint64_t)g->undone, g->undone == 1 ? " was" : "s were",
                g->undone == 1 ? "its" : "their");
    list_near(g, near, sizeof near);
    if (*near)
        fprintf(stderr,
                "wavetrap: near to hardware's results, not always equal (info --support): %s\n",
                near);
    if (faults)
        fprintf(stderr, "wavetrap: %" PRIu64 " kernel%s on the emulated %s ended by a fault\n",
                faults, wt_plural(faults), name);
    if (refused)
        fprintf(stderr,
                "wavetrap: %" PRIu64 " launch%s on the emulated %s %s refused; the first: %s\n",
                refused, refused == 1 ? "" : "es", name, refused == 1 ? "was" : "were",
                g->reason_whole ? g->reason : "its reason was not written");
}

/* The GPUs that a program can see, as "gfx90a, Gen9 or SM". */
static void list_families(const struct wt_tally *tally, unsigned offered, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (unsigned f = 0; wt_families[f] && used < size; f++) {
        if (!(offered >> f & 1))
            continue;
        char models[80] = "";
        const bool last = !(offered >> (f + 1));
        used += (size_t)snprintf(
            text + used, size - used, "%s%s",
            !used  ? ""
            : last ? " or "
                   : ", ",
            name_in_text(wt_families[f], counts_of(tally, wt_families[f]), models, sizeof models));
    }
}

static void tell_tally(const struct wt_tally *tally, unsigned offered)
{
    uint64_t launches = 0;
    char names[200];
    for (unsigned f = 0; f < WT_WIRE_FAMILIES; f++)
        launches += tally->gpu[f].launches;
    list_families(tally, offered, names, sizeof names);
    if (!launches)
        fprintf(stderr, "wavetrap: no kernel was launched on the emulated %s\n", names);
    for (const struct wt_family *const *f = wt_families; *f; f++)
        if ((*f)->host)
            tell_family(*f, counts_of(tally, *f));
}

static void report_family(const char *files, const struct wt_family *family,
                          const struct wt_tally_gpu *g)
{
    struct wt_report_object o;
    char near[WT_NEAR_MOST * (WT_NEAR_NAME + 2)], models[80] = "";
    wt_report_begin(&o, files, "kernels");
    wt_report_text(&o, "gpu", models_of(family, g, models, sizeof models));
    wt_report_number(&o, "launches", g->launches);
    wt_report_number(&o, "own", g->own);
    wt_report_number(&o, "issues", g->issues);
    wt_report_number(&o, "refused", g->refused);
    wt_report_number(&o, "faults", g->faults);
    if (g->refused && g->reason_whole)
        wt_report_text(&o, "reason", g->reason);
    list_near(g, near, sizeof near);
    if (*near)
        wt_report_text(&o, "near", near);
    wt_report_end(&o);
}

/* The objects of the end: what ran on each GPU that the program can see, and how it has ended: with
 * a status, or by a signal. */
static void report_end(const struct wt_subcommand *command, const char *files,
                       const struct wt_tally *tally, unsigned offered, const char *how,
                       uint64_t number)
{
    struct wt_report_object o;
    for (unsigned f = 0; wt_families[f]; f++)
        if (offered >> f & 1)
            report_family(files, wt_families[f], counts_of(tally, wt_families[f]));
    wt_report_begin(&o, files, "exit");
    wt_report_text(&o, "command", command->name);
    wt_report_number(&o, how, number);
    wt_report_end(&o);
}

static int fault_status(const struct cli_supervision *wanted)
{
    return wanted->has_fault_exit         ? wanted->fault_exit
           : wanted->check.options.checks ? WT_CHECK_STATUS
                                          : 0;
}

/* The exit status that is wanted of a program that has ended with 0. @p errors: checks have
 * found some. */
static int judge(const struct wt_subcommand *command, const struct cli_supervision *wanted,
                 const struct wt_tally *tally, bool errors)
{
    const int of_fault = fault_status(wanted);
    uint64_t launches = 0, refused = 0, faults = 0;
    for (unsigned f = 0; f < WT_WIRE_FAMILIES; f++) {
        launches += tally->gpu[f].launches;
        refused += tally->gpu[f].refused;
        faults += tally->gpu[f].faults;
    }
    if (of_fault && errors) {
        fprintf(
            stderr,
            "wavetrap %s: exit status %d: checks found errors (the program itself ended with 0)\n",
            command->name, of_fault);
        return of_fault;
    }
    if (of_fault && faults) {
        fprintf(stderr,
                "wavetrap %s: exit status %d (--%s): %" PRIu64
                " kernel%s ended by a fault (the program itself ended with 0)\n",
                command->name, of_fault, wanted->has_fault_exit ? "fault-exit" : "check", faults,
                wt_plural(faults));
        return of_fault;
    }
    if (launches >= wanted->launches && !(wanted->launches && refused))
        return 0;
    fprintf(stderr,
            "wavetrap %s: exit status %d (--require-launches=%" PRIu64 "): %" PRIu64
            " kernel%s %s launched and %" PRIu64 " refused (the program itself ended with 0)\n",
            command->name, CLI_TOO_FEW_LAUNCHES, wanted->launches, launches, wt_plural(launches),
            launches == 1 ? "was" : "were", refused);
    return CLI_TOO_FEW_LAUNCHES;
}

/* ---- processes ---- */

struct process {
    pid_t id, parent;
    bool ours; /* a descendant of this process */
};

static bool parent_of(const char *entry, pid_t *parent)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", entry);
    FILE *file = fopen(path, "re");
    const bool read = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    const char *name_end = read ? strrchr(line, ')') : NULL;
    long id;
    if (!name_end || sscanf(name_end + 1, " %*c %ld", &id) != 1)
        return false;
    *parent = (pid_t)id;
    return true;
}

/* Sends a signal to all descendants of this process. Those that their parents have left belong to
 * this one: it is their subreaper. */
static void signal_descendants(int number)
{
    struct process *all = NULL;
    size_t count = 0, capacity = 0;
    DIR *proc = opendir("/proc");
    const struct dirent *e;
    while (proc && (e = readdir(proc))) {
        struct process p = {.id = (pid_t)atol(e->d_name)}, *grown;
        if (p.id <= 0 || !parent_of(e->d_name, &p.parent) ||
            !(grown = wt_array_grow(all, &capacity, count + 1, sizeof *all)))
            continue;
        all = grown;
        all[count++] = p;
    }
    if (proc)
        closedir(proc);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count && !all[i].ours; j++)
                if (all[i].parent == getpid() || (all[j].ours && all[j].id == all[i].parent))
                    more = all[i].ours = true;
    }
    for (size_t i = 0; i < count; i++)
        if (all[i].ours)
            kill(all[i].id, number);
    free(all);
}

/* Signals that the child is to have, too, if they were sent to this process alone. */
static const int passed_on[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,
                                SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

/* Waits for the next signal; false if none came before @p until (nanoseconds; 0: no limit). */
static bool next_signal(const sigset_t *set, uint64_t until, siginfo_t *info)
{
    for (;;) {
        const uint64_t now = wt_clock_ns(), left = until > now ? until - now : 0;
        const struct timespec wait = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
        if (sigtimedwait(set, info, until ? &wait : NULL) > 0)
            return true;
        if (errno == EAGAIN)
            return false;
    }
}

/* Ends the program whose time is over: first those who can report, then whoever is left. */
static void end_all(const struct wt_subcommand *command, const struct cli_supervision *wanted,
                    struct wt_tally *tally, bool first)
{
    if (first)
        fprintf(stderr,
                "wavetrap %s: the program has not ended after %g s (--timeout): it is ended\n",
                command->name, wanted->timeout);
    atomic_store(&tally->over, true);
    signal_descendants(first ? SIGTERM : SIGKILL);
    signal_descendants(SIGCONT);
}

/* Why a program has not ended by itself. */
struct ended {
    bool over;  /* its time was */
    bool asked; /* somebody has sent a signal for that */
};

/* Waits for the child, for as long as --timeout says; returns its status as of wait(). */
static int wait_for(pid_t child, const struct wt_subcommand *command,
                    const struct cli_supervision *wanted, const sigset_t *set,
                    struct wt_tally *tally, struct ended *how)
{
    uint64_t until =
        wanted->timeout > 0 ? wt_clock_ns() + (uint64_t)llround(wanted->timeout * 1e9) : 0;
    siginfo_t info;
    int status;
    for (;;) {
        if (!next_signal(set, until, &info)) {
            end_all(command, wanted, tally, !how->over);
            until = wt_clock_ns() + (uint64_t)GRACE * 1000000000;
            how->over = true;
            continue;
        }
        how->asked = how->asked || info.si_signo == SIGINT || info.si_signo == SIGQUIT ||
                     info.si_signo == SIGTERM || info.si_signo == SIGHUP;
        /* A terminal's Ctrl-C and Ctrl-\ go to the whole group. */
        if (info.si_signo != SIGCHLD && info.si_code <= 0)
            kill(child, info.si_signo);
        for (pid_t id; (id = waitpid(-1, &status, WNOHANG)) > 0;)
            if (id == child)
                return status;
    }
}

/* The child's children may still run, and report where their waves are. */
static void wait_for_rest(void)
{
    const uint64_t until = wt_clock_ns() + (uint64_t)GRACE * 1000000000;
    const struct timespec pause = {.tv_nsec = 10000000};
    pid_t id;
    while ((id = waitpid(-1, NULL, WNOHANG)) >= 0 && wt_clock_ns() < until)
        if (!id)
            nanosleep(&pause, NULL);
    if (id >= 0)
        signal_descendants(SIGKILL);
}

/* Ends this process by the signal of which the child has died. */
static void die_of(int number)
{
    const struct rlimit none = {0, 0}; /* no core file of this process is wanted */
    sigset_t one;
    setrlimit(RLIMIT_CORE, &none);
    signal(number, SIG_DFL);
    sigemptyset(&one);
    sigaddset(&one, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

/* Starts the child, which does not survive this process; false: there is none. */
static bool start_child(const sigset_t *signals, pid_t *child)
{
    const pid_t parent = getpid();
    *child = fork();
    if (*child)
        return *child > 0;
    /* A parent that is killed takes the program along, as if it were the program. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(WT_EXIT_FAILED);
    sigprocmask(SIG_SETMASK, signals, NULL);
    return true;
}

/* In a child: writes the page about a finding, for which the program runs again, recorded. */
static void write_page(const struct cli_supervision *wanted)
{
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0 && dup2(null, STDIN_FILENO) >= 0)
        execve("/proc/self/exe", wanted->page, wanted->environment);
    fprintf(stderr, "wavetrap exec: --export: the program cannot be run again: %s\n",
            strerror(errno));
    _exit(WT_EXIT_FAILED);
}

bool cli_supervise(const struct wt_subcommand *command, struct cli_supervision *wanted,
                   unsigned offered, int *status)
{
    struct wt_error err;
    sigset_t set, before;
    struct ended how = {.over = false}, how_paged = how;
    struct wt_tally *tally = wt_tally_create(&err);
    *status = WT_EXIT_FAILED;
    if (!tally ||
        wt_report_profile_begin_programs(&wanted->profile, wanted->check.options.checks, &err) !=
            WT_OK ||
        wt_report_check_begin_programs(&wanted->check, &err) != WT_OK) {
        *status = wt_subcommand_fail(command, &err);
        return false;
    }
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < PASSED_ON; i++)
        sigaddset(&set, passed_on[i]);
    sigprocmask(SIG_BLOCK, &set, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child, page;
    if (start_child(&before, &child) && !child)
        return true;
    if (child < 0) {
        wt_fail(&err, WT_IO, "fork: %s", strerror(errno));
        *status = wt_subcommand_fail(command, &err);
        return false;
    }
    const int ended = wait_for(child, command, wanted, &set, tally, &how);
    if (how.over)
        wait_for_rest();
    if (wanted->stats)
        tell_tally(tally, offered);
    const int counted =
        wt_report_profile_report(command->name, &wanted->profile, NULL, wanted->report);
    struct wt_report_looked looked = {.began = !WIFEXITED(ended) ||
                                               (WEXITSTATUS(ended) != CLI_EXEC_NOT_RUN &&
                                                WEXITSTATUS(ended) != CLI_EXEC_NOT_FOUND)};
    for (unsigned f = 0; f < WT_WIRE_FAMILIES; f++) {
        looked.launches += tally->gpu[f].launches + tally->gpu[f].own;
        looked.faults += tally->gpu[f].faults;
    }
    const int checked = wt_report_check_report(command->name, &wanted->check, wanted->profile.file,
                                               NULL, &looked, wanted->report);
    const bool errors = checked == WT_CHECK_STATUS;
    fflush(stderr);
    int paged = 0;
    if (wanted->page && (how.over || how.asked)) {
        /* The second time it would not, either. */
        fprintf(stderr, "wavetrap exec: --export: no page is written about a program that does "
                        "not end by itself\n");
    } else if (wanted->page && looked.began) {
        if (start_child(&before, &page) && !page)
            write_page(wanted);
        paged =
            page < 0 ? WT_EXIT_FAILED : wait_for(page, command, wanted, &set, tally, &how_paged);
        paged = paged ? WT_EXIT_FAILED : 0;
        if (how_paged.over) /* its run is recorded, and so slower than the first one */
            fprintf(stderr, "wavetrap exec: --export: no page is written, its run of the program "
                            "needs a longer --timeout\n");
    }
    if (how.over)
        *status = CLI_TIME_OVER;
    else if (!WIFSIGNALED(ended))
        *status = WEXITSTATUS(ended) ? WEXITSTATUS(ended) : judge(command, wanted, tally, errors);
    /* It has ended at its first error. */
    if (wanted->check.options.stop && errors && *status == WT_CHECK_STATUS)
        *status = fault_status(wanted);
    *status = *status ? *status : checked && !errors ? checked : counted ? counted : paged;
    const bool died = !how.over && WIFSIGNALED(ended);
    report_end(command, wanted->report, tally, offered, died ? "signal" : "status",
               (uint64_t)(died ? WTERMSIG(ended) : *status));
    if (died)
        die_of(WTERMSIG(ended));
    return false;
}
