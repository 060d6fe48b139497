/* `wavetrap explore`, in parts: the command, its runs as processes, its systematic search. */
#ifndef WT_CLI_EXPLORE_H
#define WT_CLI_EXPLORE_H

#include "explore/outcome.h"
#include "session/drive.h"

struct wt_choices;

/*
 * How the processes of a shared exploration talk. One of them is the manager: it keeps the state
 * file and prints the outcomes. The others are workers: each makes one run at a time. A worker
 * sends a message and waits for the answer, which is the number of its next run, or EXPLORE_NO_RUN
 * at the end. Its first message is "". Each later one is the line of the run that it has made
 * (explore_journal_line()), or "!" and the reason why it could not make that run.
 */
struct explore_share {
    void *context;
    unsigned workers; /* workers of the manager; 0: this process is a worker */
    /* A worker's message, and the answer that it waits for. */
    uint64_t (*ask)(void *context, const char *message);
    /* The manager waits for the next message: malloc'ed; NULL without host memory. */
    char *(*listen)(void *context, unsigned *worker);
    void (*answer)(void *context, unsigned worker, uint64_t run);
};
#define EXPLORE_NO_RUN UINT64_MAX

struct explore {
    struct wt_session_drive drive; /* first: the context of options of `run` */
    const struct wt_subcommand *command;
    const struct explore_share *share; /* NULL: this process makes all runs */
    uint64_t runs, jobs;
    double timeout; /* seconds of a host program; 0: no limit */
    bool systematic;
    uint32_t preemptions; /* most of them; EXPLORE_UNBOUNDED */
    const char *state;    /* a file; NULL: none */
    const char *save;     /* what the names of files of choices begin with */
    char **program;       /* and its arguments; NULL ends them */
    bool is_host;         /* it is a host program */
    bool complete;        /* the systematic search has come to its end */
    char *words;          /* the words after the schedule in a command line that repeats a run */
    struct explore_outcomes outcomes;
};

/* Whether this process is a worker of a shared exploration. */
static inline bool explore_works(const struct explore *x)
{
    return x->share && !x->share->workers;
}

/* `wavetrap explore` as a part of a shared exploration. Returns the exit status; a worker's is 0,
 * but WT_EXIT_FAILED where its command line is refused. */
int explore_shared(int argc, char **argv, const struct explore_share *share);

/* The schedule of a run, from 0 on: "rr:64", "rr:1", "lockstep", "random:SEED". */
void explore_schedule(uint64_t run, char *text, size_t size);

/* Runs the program under `runs` schedules, several processes at a time, and gathers the outcomes;
 * of a shared exploration the part of the manager or of a worker. */
enum wt_status explore_runs(struct explore *x, struct wt_error *err);

/* Runs the kernel of a device that has not begun, in a process of its own, by a list of choices and
 * with checks, for so many issues at most (0: without a limit). What it has found is *o, which the
 * caller frees. */
enum wt_status explore_checked(struct explore *x, struct wt_emulated *device,
                               const struct wt_choices *choices, uint64_t issues,
                               struct explore_outcome *o, struct wt_error *err);

/* Searches all schedules of a kernel, writes the choices of each outcome to a file, and prints what
 * it has found. */
enum wt_status explore_search(struct explore *x, struct wt_error *err);

/* A number for the command and its program's bytes. */
enum wt_status explore_command_number(const struct explore *x, uint64_t *number,
                                      struct wt_error *err);

/* The name of the file with the choices of an outcome, from 1 on. */
void explore_file(const struct explore *x, size_t outcome, char *name, size_t size);

/* The device stands where a run has ended: its memory as a hash, not 0. */
enum wt_status explore_hash(struct wt_emulated *e, uint64_t *hash, struct wt_error *err);

#endif
