/*
 * The state file of an exploration: a line for each run that has ended, appended by one write. One
 * that is killed leaves at most a piece of a line, which the next one drops: it does that run
 * again.
 */
#ifndef WT_EXPLORE_JOURNAL_H
#define WT_EXPLORE_JOURNAL_H

#include "explore/outcome.h"

struct explore_journal {
    int fd;           /**< -1: there is none */
    const char *path; /**< path of the caller */
};

/** Takes a run that the file has. The outcome is valid until the function returns. */
typedef enum wt_status explore_journal_fn(void *context, uint64_t run,
                                          const struct explore_outcome *outcome,
                                          struct wt_error *err);

/**
 * Opens a file, or makes it, and hands the runs that it has to @p take. WT_INVALID: it is none, is
 * damaged (with the line's number), is of another @p command, or another process has it.
 */
enum wt_status explore_journal_open(struct explore_journal *j, const char *path, uint64_t command,
                                    explore_journal_fn *take, void *context, struct wt_error *err);
/**
 * A line of such a file, without its end, for a run: *line is malloc'ed, and the caller's.
 * explore_journal_read() hands it to @p take, and changes it; WT_INVALID: it is damaged.
 */
enum wt_status explore_journal_line(uint64_t run, const struct explore_outcome *outcome,
                                    char **line, struct wt_error *err);
/** The other way round. */
enum wt_status explore_journal_read(char *line, explore_journal_fn *take, void *context,
                                    struct wt_error *err);
/** Appends a run. */
enum wt_status explore_journal_add(struct explore_journal *j, uint64_t run,
                                   const struct explore_outcome *outcome, struct wt_error *err);
/** Closes the file. */
void explore_journal_close(struct explore_journal *j);

#endif
