/* See ahead.h. */
#include "explore/ahead.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

enum { KEPT = 16 }; /* runs that have ended and wait for their turn, of each process */

/* Which run: a node, how many of its waves are done, and the next one of them; and what the search
 * knew of waves. */
struct key {
    uint64_t serial;
    size_t done;
    uint32_t wave, waves;
    bool late_groups;
};

struct ahead_made {
    struct key key;
    int fd;        /* -1: the place is free */
    pid_t process; /* 0: it has ended */
};

struct ahead {
    unsigned jobs;
    size_t places;
    struct ahead_made made[];
};

struct ahead *ahead_begin(unsigned jobs)
{
    const size_t places = (size_t)jobs * KEPT;
    struct ahead *a = calloc(1, sizeof *a + places * sizeof *a->made);
    if (!a)
        return NULL;
    a->jobs = jobs;
    a->places = places;
    for (size_t i = 0; i < places; i++)
        a->made[i].fd = -1;
    return a;
}

static void drop(struct ahead_made *m)
{
    if (m->process) {
        kill(m->process, SIGKILL);
        while (waitpid(m->process, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    close(m->fd);
    *m = (struct ahead_made){.fd = -1};
}

void ahead_end(struct ahead *a)
{
    for (size_t i = 0; a && i < a->places; i++)
        if (a->made[i].fd >= 0)
            drop(&a->made[i]);
    free(a);
}

static struct key key_of(const struct search *s, const struct node *n, size_t done, uint32_t wave)
{
    return (struct key){n->serial, done, wave, s->steps.waves, s->steps.late_groups};
}

static bool is_same(const struct key *a, const struct key *b)
{
    return a->serial == b->serial && a->done == b->done && a->wave == b->wave &&
           a->waves == b->waves && a->late_groups == b->late_groups;
}

static struct ahead_made *find(struct ahead *a, const struct key *key)
{
    for (size_t i = 0; i < a->places; i++)
        if (a->made[i].fd >= 0 && is_same(&a->made[i].key, key))
            return &a->made[i];
    return NULL;
}

static unsigned running(const struct ahead *a)
{
    unsigned count = 0;
    for (size_t i = 0; i < a->places; i++)
        count += a->made[i].fd >= 0 && a->made[i].process;
    return count;
}

/* ---- in the child ---- */

/* Goes back to a node, unless it stands there, and makes the run; returns what goes to the file. */
static enum wt_status make(struct search *s, size_t node, bool stands, struct explore_record *made,
                           struct wt_error *err)
{
    bool more = true;
    enum wt_status status = stands ? WT_OK : search_next(s, node, &more, err);
    if (!status)
        status = search_run(s, err);
    return status ? status : search_record(s, made, err);
}

/* A status, and the record or the text of the error. */
static _Noreturn void be_child(struct search *s, size_t node, bool stands, int fd, pid_t parent)
{
    struct explore_record made = {NULL, 0};
    struct wt_error err;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
        _exit(1);
    const enum wt_status status = make(s, node, stands, &made, &err);
    const int32_t word = (int32_t)status;
    FILE *out = fdopen(fd, "w");
    if (!out || fwrite(&word, sizeof word, 1, out) != 1)
        _exit(1);
    if (status)
        fputs(err.text, out);
    else
        fwrite(made.bytes, 1, made.length, out);
    _exit(fflush(out) || ferror(out));
}

/* ---- in the parent ---- */

/* Whether a run may still come: its node is one of the search. */
static bool may_come(const struct search *s, const struct ahead_made *m)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->node[i].serial == m->key.serial)
            return true;
    return false;
}

/* A place for a new run; NULL: there is none. */
static struct ahead_made *place_for(struct ahead *a, const struct search *s)
{
    for (size_t i = 0; i < a->places; i++) {
        struct ahead_made *m = &a->made[i];
        if (m->fd >= 0 && may_come(s, m))
            continue;
        if (m->fd >= 0)
            drop(m);
        return m;
    }
    return NULL;
}

static enum wt_status begin(struct ahead_made *m, struct search *s, size_t node, bool stands,
                            const struct key *key, struct wt_error *err)
{
    const pid_t parent = getpid();
    *m = (struct ahead_made){.key = *key, .fd = memfd_create("run", MFD_CLOEXEC)};
    fflush(NULL);
    const pid_t process = m->fd < 0 ? -1 : fork();
    if (process == 0)
        be_child(s, node, stands, m->fd, parent);
    if (process > 0) {
        m->process = process;
        return WT_OK;
    }
    const int why = errno;
    if (m->fd >= 0)
        close(m->fd);
    m->fd = -1;
    return wt_fail(err, WT_IO, "a process cannot be started: %s", strerror(why));
}

/* Begins runs that will come, the nearest ones first, while there are processes for them. */
static enum wt_status go_ahead(struct ahead *a, struct search *s, struct wt_error *err)
{
    enum wt_status status = WT_OK;
    for (size_t n = s->count - 1; n-- && !status && running(a) < a->jobs;) {
        const uint32_t wave = search_choice(s, &s->node[n]);
        const struct key key = key_of(s, &s->node[n], s->node[n].done_count + 1, wave);
        struct ahead_made *m = wave == UINT32_MAX || find(a, &key) ? NULL : place_for(a, s);
        if (m)
            status = begin(m, s, n, false, &key, err);
    }
    return status;
}

/* Waits until any process has ended. */
static enum wt_status wait_for_one(struct ahead *a, struct wt_error *err)
{
    pid_t ended;
    int how;
    while ((ended = waitpid(-1, &how, 0)) < 0 && errno == EINTR)
        ;
    if (ended < 0)
        return wt_fail(err, WT_IO, "waiting for a run: %s", strerror(errno));
    for (size_t i = 0; i < a->places; i++) {
        struct ahead_made *m = &a->made[i];
        if (m->fd < 0 || m->process != ended)
            continue;
        m->process = 0;
        if (!WIFEXITED(how) || WEXITSTATUS(how)) {
            drop(m);
            return wt_fail(err, WT_IO, "the process of a run has ended by itself (%d)", how);
        }
    }
    return WT_OK;
}

static enum wt_status read_made(struct ahead_made *m, struct explore_record *record,
                                struct wt_error *err)
{
    uint8_t *bytes = NULL;
    size_t length;
    int32_t word;
    enum wt_status status =
        lseek(m->fd, 0, SEEK_SET) < 0
            ? wt_fail(err, WT_IO, "what a run has found: %s", strerror(errno))
            : wt_file_read_fd(m->fd, "what a run has found", &bytes, &length, err);
    drop(m);
    if (!status && length < sizeof word)
        status = wt_fail(err, WT_IO, "what a run has found is not there");
    if (!status) {
        memcpy(&word, bytes, sizeof word);
        length -= sizeof word;
        memmove(bytes, bytes + sizeof word, length);
        if (word)
            status = wt_fail(err, (enum wt_status)word, "%.*s", (int)length, (char *)bytes);
    }
    if (status)
        free(bytes);
    else
        *record = (struct explore_record){bytes, length};
    return status;
}

enum wt_status ahead_run(struct ahead *a, struct search *s, struct explore_record *record,
                         struct wt_error *err)
{
    const struct node *n = &s->node[s->count - 1];
    const struct key key = key_of(s, n, n->done_count, n->chosen);
    struct ahead_made *m = find(a, &key);
    enum wt_status status = WT_OK;
    if (!m) {
        /* Some that are ahead may be in the way of the next one. */
        for (size_t i = 0; !(m = place_for(a, s)) && i < a->places; i++)
            drop(&a->made[i]);
        status = begin(m, s, s->count - 1, true, &key, err);
    }
    if (!status)
        status = go_ahead(a, s, err);
    while (!status && m->process)
        if ((status = wait_for_one(a, err)) == WT_OK && m->process)
            status = go_ahead(a, s, err);
    return status ? status : read_made(m, record, err);
}
