/* The runs of `wavetrap explore` under many schedules, each a process. See explore.h. */
#include "cli/explore.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/file.h"
#include "cli/exec.h"
#include "emulator/machine/machine.h"
#include "emulator/machine/schedule.h"
#include "explore/journal.h"
#include "runtime/common/checked.h"
#include "runtime/common/results.h"
#include "target/checks.h"

/* A run under way: its process, and the files that it writes, which have no names. */
struct job {
    pid_t process; /* 0: there is none */
    uint64_t run;
    const struct wt_choices *choices; /* its schedule; NULL: that of its number */
    int output, report, memory, errors;
};

struct runs {
    struct explore *x;
    struct wt_emulated *device; /* with a kernel loaded, which each child has a copy of */
    struct explore_journal journal;
    bool *done; /* for each run: its outcome is known */
    struct job *job;
    uint64_t next; /* no run before it is left to begin */
};

void explore_schedule(uint64_t run, char *text, size_t size)
{
    static const char *const first[] = {WT_SCHEDULE_DEFAULT, "rr:1", "lockstep"};
    const size_t count = sizeof first / sizeof *first;
    if (run < count)
        snprintf(text, size, "%s", first[run]);
    else
        snprintf(text, size, "random:%" PRIu64, run - count + 1);
}

enum wt_status explore_hash(struct wt_emulated *e, uint64_t *hash, struct wt_error *err)
{
    if (!wt_emulated_hash_results(e, hash))
        return wt_fail(err, WT_NO_MEMORY, "no host memory");
    *hash += !*hash;
    return WT_OK;
}

/* ---- in the child ---- */

/* Runs the kernel that the parent has loaded; returns the exit status. */
static int run_kernel(struct runs *r, const struct job *job, const char *schedule, char *report)
{
    struct wt_emulated *e = r->device;
    struct wt_turns *turns = &e->machine->turns;
    struct wt_error err;
    uint64_t hash;
    if (job->choices)
        turns->policy =
            (struct wt_schedule){.kind = WT_SCHEDULE_FILE, .turn = 1, .choices = job->choices};
    else if (wt_schedule_parse(schedule, &turns->policy, &err) != WT_OK)
        return wt_subcommand_fail(r->x->command, &err);
    turns->policy.state = turns->policy.seed;
    r->x->drive.report = report;
    const int status = wt_session_drive(r->x->command, &r->x->drive, e);
    if (explore_hash(e, &hash, &err) != WT_OK ||
        pwrite(job->memory, &hash, sizeof hash, 0) != (ssize_t)sizeof hash)
        return WT_EXIT_FAILED;
    return status;
}

/* Becomes the parent of the host program; returns its exit status. */
static int run_host(struct runs *r, const char *schedule, char *report, const char *results)
{
    struct wt_session_options *o = &r->x->drive.options;
    char gpus[2048] = "", checks[200];
    size_t used = 0;
    for (size_t i = 0; i < o->gpu_count && used < sizeof gpus; i++) {
        struct wt_gpu gpu = {0};
        struct wt_error err;
        if (wt_gpu_choose(&gpu, o->gpu[i], &err) != WT_OK)
            return WT_EXIT_FAILED; /* no memory: what it says has been read before */
        used += (size_t)snprintf(gpus + used, sizeof gpus - used, "%s%s", i ? " " : "", gpu.spec);
        wt_gpu_free(&gpu);
    }
    struct cli_supervision supervision = {
        .report = report, .timeout = r->x->timeout, .check = r->x->drive.check};
    const struct cli_exec_options options = {.gpus = *gpus ? gpus : NULL,
                                             .memory = o->device.memory,
                                             .schedule = schedule,
                                             .fill = o->fill_text,
                                             .no_jit = o->device.no_jit,
                                             .supervision = &supervision};
    /* Drivers know the program's allocations where there are checks, also where none is asked for.
     */
    wt_check_options_write(&r->x->drive.check.options, checks);
    if (setenv(WT_CHECK_VARIABLE, checks, 1) || setenv(WT_RESULTS_VARIABLE, results, 1))
        return WT_EXIT_FAILED;
    return cli_exec_program(r->x->command, &options, r->x->program);
}

static _Noreturn void be_child(struct runs *r, const struct job *job, pid_t parent)
{
    char schedule[40], report[64], results[64];
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    explore_schedule(job->run, schedule, sizeof schedule);
    snprintf(report, sizeof report, "/proc/%d/fd/%d\n", (int)parent, job->report);
    snprintf(results, sizeof results, "/proc/%d/fd/%d", (int)parent, job->memory);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent || nothing < 0 ||
        dup2(nothing, STDIN_FILENO) < 0 || dup2(job->output, STDOUT_FILENO) < 0 ||
        dup2(job->errors, STDERR_FILENO) < 0)
        _exit(WT_EXIT_FAILED);
    const int status = r->x->is_host ? run_host(r, schedule, report, results)
                                     : run_kernel(r, job, schedule, report);
    fflush(NULL);
    _exit(status);
}

/* ---- in the parent ---- */

static void close_job(struct job *job)
{
    close(job->output);
    close(job->report);
    close(job->memory);
    close(job->errors);
    *job = (struct job){.process = 0};
}

static enum wt_status begin(struct runs *r, struct job *job, uint64_t run, struct wt_error *err)
{
    const pid_t parent = getpid();
    *job = (struct job){.run = run,
                        .choices = job->choices,
                        .output = memfd_create("output", MFD_CLOEXEC),
                        .report = memfd_create("report", MFD_CLOEXEC),
                        .memory = memfd_create("memory", MFD_CLOEXEC),
                        .errors = memfd_create("errors", MFD_CLOEXEC)};
    fflush(NULL);
    if (job->output >= 0 && job->report >= 0 && job->memory >= 0 && job->errors >= 0)
        job->process = fork();
    if (job->process == 0 && getpid() != parent)
        be_child(r, job, parent);
    if (job->process > 0)
        return WT_OK;
    const int why = errno;
    close_job(job);
    return wt_fail(err, WT_IO, "a process cannot be started: %s", strerror(why));
}

static enum wt_status read_file(int fd, uint8_t **bytes, size_t *length, struct wt_error *err)
{
    if (lseek(fd, 0, SEEK_SET) < 0)
        return wt_fail(err, WT_IO, "what a run has written: %s", strerror(errno));
    return wt_file_read_fd(fd, "what a run has written", bytes, length, err);
}

/* The results that the process of a run has left. */
static enum wt_status read_outcome(const struct job *job, int how, struct explore_outcome *o,
                                   struct wt_error *err)
{
    uint8_t *output = NULL, *report = NULL;
    size_t length;
    *o = (struct explore_outcome){.status = WIFSIGNALED(how) ? WT_EXIT_SIGNAL + WTERMSIG(how)
                                                             : WEXITSTATUS(how)};
    enum wt_status status = read_file(job->output, &output, &length, err);
    if (!status && length)
        o->output = XXH3_64bits(output, length);
    if (!status && (status = read_file(job->report, &report, &length, err)) == WT_OK &&
        !(o->found = explore_found((const char *)report)))
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (pread(job->memory, &o->memory, sizeof o->memory, 0) != (ssize_t)sizeof o->memory)
        o->memory = 0;
    free(output);
    free(report);
    return status;
}

/* A run that wavetrap itself could not make ends the exploration, with what it has said. */
static enum wt_status refuse(const struct job *job, struct wt_error *err)
{
    uint8_t *said = NULL;
    size_t length;
    char schedule[40];
    enum wt_status status = read_file(job->errors, &said, &length, err);
    if (status)
        return status;
    snprintf(schedule, sizeof schedule, "file:, as the search has chosen it,");
    if (!job->choices)
        explore_schedule(job->run, schedule, sizeof schedule);
    while (length && said[length - 1] == '\n')
        said[--length] = 0;
    status = wt_fail(err, WT_INVALID, "the run with --schedule=%s has failed: %.400s", schedule,
                     length ? (const char *)said : "it says nothing");
    free(said);
    return status;
}

/* A run is done, with this outcome. */
static enum wt_status count(struct runs *r, uint64_t run, const struct explore_outcome *o,
                            struct wt_error *err)
{
    size_t place;
    r->done[run] = true;
    return explore_outcomes_add(&r->x->outcomes, o, run, &place, err);
}

/* A run has ended: into the state file, and to the outcomes. */
static enum wt_status keep(void *context, uint64_t run, const struct explore_outcome *o,
                           struct wt_error *err)
{
    struct runs *r = context;
    enum wt_status status = WT_OK;
    if (run >= r->x->runs || r->done[run])
        return wt_fail(err, WT_INVALID, "run %" PRIu64 " was not asked for", run);
    if (r->journal.fd >= 0)
        status = explore_journal_add(&r->journal, run, o, err);
    return status ? status : count(r, run, o, err);
}

/* A worker tells the manager of its run, and learns the next one, or EXPLORE_NO_RUN. */
static enum wt_status tell(struct runs *r, uint64_t run, const struct explore_outcome *o,
                           struct wt_error *err)
{
    char *line;
    const enum wt_status status = explore_journal_line(run, o, &line, err);
    if (!status)
        r->next = r->x->share->ask(r->x->share->context, line);
    free(line);
    return status;
}

static enum wt_status end(struct runs *r, struct job *job, int how, struct wt_error *err)
{
    struct explore_outcome o;
    if (WIFEXITED(how) && WEXITSTATUS(how) == WT_EXIT_FAILED)
        return refuse(job, err);
    enum wt_status status = read_outcome(job, how, &o, err);
    if (!status)
        status = r->x->share ? tell(r, job->run, &o, err) : keep(r, job->run, &o, err);
    explore_outcome_free(&o);
    return status;
}

/* Waits for a process to end, and takes its outcome. */
static enum wt_status wait_for_one(struct runs *r, struct wt_error *err)
{
    int how;
    pid_t ended;
    while ((ended = waitpid(-1, &how, 0)) < 0 && errno == EINTR)
        ;
    for (uint64_t i = 0; i < r->x->jobs; i++) {
        struct job *job = &r->job[i];
        if (ended <= 0 || job->process != ended)
            continue;
        const enum wt_status status = end(r, job, how, err);
        close_job(job);
        return status;
    }
    return ended < 0 ? wt_fail(err, WT_IO, "waiting for a run: %s", strerror(errno)) : WT_OK;
}

/* The next run to begin, EXPLORE_NO_RUN after the last. */
static uint64_t next_run(struct runs *r)
{
    while (r->next < r->x->runs && r->done[r->next])
        r->next++;
    return r->next < r->x->runs ? r->next++ : EXPLORE_NO_RUN;
}

static enum wt_status run_all(struct runs *r, struct wt_error *err)
{
    enum wt_status status;
    for (;;) {
        struct job *free_job = NULL;
        uint64_t active = 0, run;
        for (uint64_t i = 0; i < r->x->jobs; i++) {
            active += r->job[i].process != 0;
            free_job = r->job[i].process ? free_job : &r->job[i];
        }
        if (free_job && (run = next_run(r)) != EXPLORE_NO_RUN)
            status = begin(r, free_job, run, err);
        else if (active)
            status = wait_for_one(r, err);
        else
            return WT_OK;
        if (status)
            return status;
    }
}

/* A worker: one run after the other, as the manager says. */
static enum wt_status work(struct runs *r, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    r->next = r->x->share->ask(r->x->share->context, "");
    while (!status && r->next != EXPLORE_NO_RUN) {
        status = begin(r, r->job, r->next, err);
        if (!status)
            status = wait_for_one(r, err);
    }
    return status;
}

/* The manager: hands runs out until all workers know that there is none left. */
static enum wt_status manage(struct runs *r, struct wt_error *err)
{
    const struct explore_share *share = r->x->share;
    enum wt_status status = WT_OK;
    for (unsigned left = share->workers, worker; left && !status;) {
        char *message = share->listen(share->context, &worker);
        if (!message)
            return wt_fail(err, WT_NO_MEMORY, "no host memory");
        if (*message == '!')
            status = wt_fail(err, WT_INVALID, "%s", message + 1);
        else if (*message)
            status = explore_journal_read(message, keep, r, err);
        free(message);
        const uint64_t run = status ? EXPLORE_NO_RUN : next_run(r);
        share->answer(share->context, worker, run);
        left -= run == EXPLORE_NO_RUN;
    }
    return status;
}

static void end_jobs(struct runs *r)
{
    for (uint64_t i = 0; r->job && i < r->x->jobs; i++)
        if (r->job[i].process) {
            kill(r->job[i].process, SIGKILL);
            waitpid(r->job[i].process, NULL, 0);
            close_job(&r->job[i]);
        }
}

/* ---- the state file ---- */

/* A run that the file has; those beyond --runs are left out. */
static enum wt_status take_run(void *context, uint64_t run, const struct explore_outcome *o,
                               struct wt_error *err)
{
    struct runs *r = context;
    if (run >= r->x->runs)
        return WT_OK;
    if (r->done[run])
        return wt_fail(err, WT_INVALID, "run %" PRIu64 " is there twice", run);
    return count(r, run, o, err);
}

enum wt_status explore_command_number(const struct explore *x, uint64_t *number,
                                      struct wt_error *err)
{
    uint8_t *bytes = NULL;
    size_t length = 0;
    *number = XXH3_64bits(x->words, strlen(x->words));
    if (strchr(x->program[0], '/') || !x->is_host) {
        const enum wt_status status = wt_file_read(x->program[0], &bytes, &length, err);
        if (status)
            return status;
    }
    *number ^= bytes ? XXH3_64bits_withSeed(bytes, length, 1) : 0;
    free(bytes);
    return WT_OK;
}

static enum wt_status open_state(struct runs *r, struct wt_error *err)
{
    uint64_t command;
    enum wt_status status;
    r->journal.fd = -1;
    if (!r->x->state)
        return WT_OK;
    if ((status = explore_command_number(r->x, &command, err)) == WT_OK &&
        (status = explore_journal_open(&r->journal, r->x->state, command, take_run, r, err)))
        wt_fail_in(err, "--state");
    return status;
}

static void complain(const struct explore_share *share, const struct wt_error *err)
{
    char message[sizeof err->text + 1];
    snprintf(message, sizeof message, "!%s", err->text);
    share->ask(share->context, message);
}

enum wt_status explore_checked(struct explore *x, struct wt_emulated *device,
                               const struct wt_choices *choices, uint64_t issues,
                               struct explore_outcome *o, struct wt_error *err)
{
    struct runs r = {.x = x, .device = device};
    struct job job = {.choices = choices};
    const uint64_t most = x->drive.max_issues;
    int how;
    *o = (struct explore_outcome){.status = 0};
    x->drive.max_issues = issues;
    enum wt_status status = begin(&r, &job, 0, err);
    x->drive.max_issues = most;
    if (status)
        return status;
    while (waitpid(job.process, &how, 0) < 0 && errno == EINTR)
        ;
    status = WIFEXITED(how) && WEXITSTATUS(how) == WT_EXIT_FAILED ? refuse(&job, err)
                                                                  : read_outcome(&job, how, o, err);
    close_job(&job);
    return status;
}

enum wt_status explore_runs(struct explore *x, struct wt_error *err)
{
    struct wt_emulated device = {0};
    struct runs r = {.x = x,
                     .device = &device,
                     .done = calloc(x->runs, sizeof *r.done),
                     .job = calloc(x->jobs, sizeof *r.job),
                     .journal = {.fd = -1}};
    const bool works = explore_works(x), manages = x->share && !works;
    enum wt_status status = WT_OK;
    if (!r.done || !r.job)
        status = wt_fail(err, WT_NO_MEMORY, "no host memory");
    if (x->is_host && !manages)
        cli_keep_addresses(x->command, "memory that has pointers may differ from run to run");
    if (!status && !x->is_host && !manages)
        status = wt_session_open_device(&device, &x->drive.options, x->program[0], err);
    if (!status && !works)
        status = open_state(&r, err);
    if (!status)
        status = (works ? work : manages ? manage : run_all)(&r, err);
    if (status && works)
        complain(x->share, err);
    end_jobs(&r);
    explore_journal_close(&r.journal);
    if (device.family)
        wt_emulated_close(&device);
    free(r.done);
    free(r.job);
    return status;
}
