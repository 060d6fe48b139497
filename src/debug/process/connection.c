/* A connection to a host process. See connection.h. */
#include "debug/process/connection.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/private_dir.h"
#include "object/process_wire.h"

#define PATIENCE_S 10 /* a process that does not answer for so long is stuck, or stopped */

/* ---- messages ---- */

enum wt_status wt_connection_lost(struct wt_connection *c, const char *why, struct wt_error *err)
{
    c->ended = true;
    snprintf(c->end.text, sizeof c->end.text, "process %d: %s", c->pid, why);
    return wt_fail(err, WT_IO, "%s", c->end.text);
}

enum wt_status wt_connection_ended(struct wt_connection *c, uint32_t status, bool closed,
                                   struct wt_error *err)
{
    c->ended = true;
    if (closed)
        wt_process_closed(&c->end, c->pid);
    else
        wt_process_exited(&c->end, c->pid, status);
    return wt_fail(err, WT_IO, "%s", c->end.text);
}

static enum wt_status ended_silently(struct wt_connection *c, struct wt_error *err)
{
    c->ended = true;
    wt_process_find_end(&c->end, c->pid);
    return wt_fail(err, WT_IO, "%s", c->end.text);
}

enum wt_status wt_connection_receive(struct wt_connection *c, void *to, size_t size,
                                     struct wt_error *err)
{
    if (c->ended)
        return wt_fail(err, WT_IO, "%s", c->end.text);
    for (size_t done = 0; done < size;) {
        const ssize_t got = recv(c->fd, (uint8_t *)to + done, size - done, 0);
        if (got == 0 || (got < 0 && errno == ECONNRESET))
            return ended_silently(c, err);
        if (got < 0 && errno != EINTR)
            return errno == EAGAIN ? wt_fail(err, WT_TIMEOUT, "process %d does not answer", c->pid)
                                   : wt_connection_lost(c, strerror(errno), err);
        done += got > 0 ? (size_t)got : 0;
    }
    return WT_OK;
}

enum wt_status wt_connection_send(struct wt_connection *c, const void *from, size_t size,
                                  struct wt_error *err)
{
    if (c->ended)
        return wt_fail(err, WT_IO, "%s", c->end.text);
    for (size_t done = 0; done < size;) {
        const ssize_t put = send(c->fd, (const uint8_t *)from + done, size - done, MSG_NOSIGNAL);
        if (put < 0 && errno == EPIPE)
            return WT_OK;
        if (put < 0 && errno != EINTR)
            return wt_connection_lost(c, strerror(errno), err);
        done += put > 0 ? (size_t)put : 0;
    }
    return WT_OK;
}

/* ---- connecting ---- */

/* Who answers might be anybody where the folder has belonged to another user. */
static enum wt_status judge_owner(struct wt_connection *c, struct wt_error *err)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
        (peer.uid == getuid() || getuid() == 0))
        return WT_OK;
    wt_connection_close(c);
    return wt_fail(err, WT_IO, "the socket of process %d is another user's", c->pid);
}

enum wt_status wt_connection_open(struct wt_connection *c, int pid, const char *kind,
                                  struct wt_error *err)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    enum wt_status status;
    *c = (struct wt_connection){.fd = -1, .pid = pid};
    if ((status = wt_private_socket(name.sun_path, sizeof name.sun_path, pid, kind, err)) != WT_OK)
        return status;
    c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0)
        return wt_fail(err, WT_IO, "no socket: %s", strerror(errno));
    setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(c->fd, (struct sockaddr *)&name, sizeof name) == 0)
        return judge_owner(c, err);
    status = wt_fail(err, WT_INVALID,
                     "process %d cannot be reached at %s: %s. 'wavetrap ps' lists those that can",
                     pid, name.sun_path, strerror(errno));
    wt_connection_close(c);
    return status;
}

void wt_connection_close(struct wt_connection *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

enum wt_status wt_connection_reachable(int pid, const char *kind, bool *reachable,
                                       struct wt_error *err)
{
    struct wt_connection c;
    const enum wt_status status = wt_connection_open(&c, pid, kind, err);
    *reachable = status == WT_OK;
    wt_connection_close(&c);
    return status == WT_INVALID ? WT_OK : status;
}

/* The first words of a process of another version may be fewer than ours. */
static enum wt_status judge_greeting(struct wt_connection *c, const struct wt_wire_greeting *own,
                                     const struct wt_wire_greeting *other, struct wt_error *err)
{
    if (other->magic != WT_WIRE_MAGIC)
        return wt_connection_lost(c, "it answers in another protocol", err);
    if (!wt_wire_agree(own, other))
        return wt_fail(
            err, WT_UNSUPPORTED,
            "process %d runs with another version of the driver library: version %u (%u, "
            "%u bytes) of the protocol, not %u (%u, %u bytes)",
            c->pid, (unsigned)other->version, (unsigned)other->request_bytes,
            (unsigned)other->answer_bytes, (unsigned)own->version, (unsigned)own->request_bytes,
            (unsigned)own->answer_bytes);
    if (other->result == -EBUSY)
        return wt_fail(err, WT_STATE, "process %d has another debugger", c->pid);
    if (other->result || other->family != own->family)
        return wt_connection_lost(c, "its greeting makes no sense", err);
    return WT_OK;
}

enum wt_status wt_connection_greet(struct wt_connection *c, uint32_t family, struct wt_error *err)
{
    const struct wt_wire_greeting own = wt_wire_greeting(family, (uint32_t)getpid());
    struct wt_wire_greeting other = {0};
    enum wt_status status;
    if ((status = wt_connection_send(c, &own, sizeof own, err)) != WT_OK ||
        (status = wt_connection_receive(c, &other, sizeof other, err)) != WT_OK)
        return status;
    return judge_greeting(c, &own, &other, err);
}

/* ---- which there are ---- */

static void name_of(int pid, char *name, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(name, 1, size - 1, file) : 0;
    if (file)
        fclose(file);
    name[length] = 0;
    for (size_t i = 0; i + 1 < length; i++)
        if (!name[i])
            name[i] = ' ';
}

/* Whether the process answers; a greeting that it refuses for another debugger is an answer, too.
 */
static bool answers(int pid, const char *kind, uint32_t family, wt_connection_count *count,
                    unsigned *gpus)
{
    struct wt_connection c;
    if (wt_connection_open(&c, pid, kind, WT_IGNORED) != WT_OK)
        return false;
    const enum wt_status status = count(&c, family, gpus, WT_IGNORED);
    wt_connection_close(&c);
    return status == WT_OK || status == WT_STATE;
}

enum wt_status wt_connection_each(const char *kind, uint32_t family, wt_connection_count *count,
                                  void (*found)(void *context, int pid, unsigned gpus,
                                                const char *name),
                                  void *context, struct wt_error *err)
{
    char folder[80], name[256], wanted[32];
    enum wt_status status;
    unsigned gpus;
    int pid;
    if ((status = wt_private_dir(folder, sizeof folder, err)) != WT_OK)
        return status;
    DIR *dir = opendir(folder);
    if (!dir)
        return wt_fail(err, WT_IO, "%s: %s", folder, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (sscanf(entry->d_name, "%d", &pid) != 1)
            continue;
        snprintf(wanted, sizeof wanted, "%d.%s", pid, kind);
        if (strcmp(wanted, entry->d_name) != 0 || !answers(pid, kind, family, count, &gpus))
            continue;
        name_of(pid, name, sizeof name);
        found(context, pid, gpus, name);
    }
    closedir(dir);
    return WT_OK;
}
