/* A connection to a host process. See connection.h. */
#include "debug/process/connection.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/private_dir.h"
#include "bus/address.h"
#include "object/process_wire.h"

#define PATIENCE_S 10 /* a process that does not answer for so long is stuck, or stopped */

/* ---- messages ---- */

enum wt_status wt_connection_lost(struct wt_connection *c, const char *why, struct wt_error *err)
{
    c->ended = true;
    snprintf(c->end.text, sizeof c->end.text, "%s: %s", c->name, why);
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
    if (c->elsewhere)
        snprintf(c->end.text, sizeof c->end.text, "%.80s has closed the connection", c->name);
    else
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
            return errno == EAGAIN ? wt_fail(err, WT_TIMEOUT, "%s does not answer", c->name)
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
        if (put < 0 && (errno == EPIPE || errno == ECONNRESET))
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

static void set_patience(const struct wt_connection *c)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

static enum wt_status open_elsewhere(struct wt_connection *c, const struct wt_process_place *place,
                                     struct wt_error *err)
{
    char file[160];
    struct wt_address address;
    enum wt_status status;
    c->elsewhere = true;
    snprintf(c->name, sizeof c->name, "the program at %.90s", place->address);
    if ((!place->token && (status = wt_token_path(file, sizeof file, err)) != WT_OK) ||
        (status = wt_token_read(place->token ? place->token : file, c->token, err)) != WT_OK ||
        (status = wt_address_parse(place->address, &address, err)) != WT_OK ||
        (status = wt_address_connect(&address, PATIENCE_S * 1000, &c->fd, err)) != WT_OK)
        return status;
    fcntl(c->fd, F_SETFL, 0); /* it blocks */
    set_patience(c);
    return WT_OK;
}

enum wt_status wt_connection_open(struct wt_connection *c, const struct wt_process_place *place,
                                  const char *kind, struct wt_error *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    enum wt_status status;
    *c = (struct wt_connection){.fd = -1, .pid = place->pid};
    if (place->address)
        return open_elsewhere(c, place, err);
    snprintf(c->name, sizeof c->name, "process %d", c->pid);
    if ((status = wt_private_socket(name.sun_path, sizeof name.sun_path, c->pid, kind, err)) !=
        WT_OK)
        return status;
    c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0)
        return wt_fail(err, WT_IO, "no socket: %s", strerror(errno));
    set_patience(c);
    if (connect(c->fd, (struct sockaddr *)&name, sizeof name) == 0)
        return judge_owner(c, err);
    status = wt_fail(err, WT_INVALID,
                     "process %d cannot be reached at %s: %s. 'wavetrap ps' lists those that can",
                     c->pid, name.sun_path, strerror(errno));
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
    const struct wt_process_place place = {.pid = pid};
    const enum wt_status status = wt_connection_open(&c, &place, kind, err);
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
        return wt_fail(err, WT_STATE, "%s has another debugger", c->name);
    if (other->result || other->family != own->family)
        return wt_connection_lost(c, "its greeting makes no sense", err);
    return WT_OK;
}

static enum wt_status exchange(struct wt_connection *c, const struct wt_wire_greeting *own,
                               struct wt_wire_greeting *other, struct wt_error *err)
{
    enum wt_status status;
    if ((status = wt_connection_send(c, own, sizeof *own, err)) != WT_OK)
        return status;
    status = wt_connection_receive(c, other, sizeof *other, err);
    if (status == WT_IO && c->elsewhere)
        return wt_fail(err, WT_IO, "%s has closed the connection: it has another token", c->name);
    return status;
}

enum wt_status wt_connection_greet(struct wt_connection *c, uint32_t family, struct wt_error *err)
{
    struct wt_wire_greeting own = wt_wire_greeting(family, (uint32_t)getpid()), other = {0};
    memcpy(own.token, c->token, sizeof own.token);
    const enum wt_status status = exchange(c, &own, &other, err);
    return status ? status : judge_greeting(c, &own, &other, err);
}

enum wt_status wt_connection_ask_family(struct wt_process_place *place, uint32_t *family,
                                        struct wt_error *err)
{
    struct wt_connection c;
    struct wt_wire_greeting own = wt_wire_greeting(0, (uint32_t)getpid()), other = {0};
    enum wt_status status = wt_connection_open(&c, place, NULL, err);
    memcpy(own.token, c.token, sizeof own.token);
    if (!status)
        status = exchange(&c, &own, &other, err);
    own.family = other.family;
    if (!status)
        status = judge_greeting(&c, &own, &other, err);
    wt_connection_close(&c);
    *family = other.family;
    place->pid = (int)other.pid;
    return status;
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
    const struct wt_process_place place = {.pid = pid};
    if (wt_connection_open(&c, &place, kind, WT_IGNORED) != WT_OK)
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
