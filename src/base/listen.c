/* Listening sockets. */
#include "base/listen.h"

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET_FLAGS (SOCK_NONBLOCK | SOCK_CLOEXEC)

static enum wt_status listen_local(const char *path, struct wt_listener *l, struct wt_error *err)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof name.sun_path)
        return wt_fail(err, WT_INVALID, "unix:%s: the path must have 1 to %zu bytes", path,
                       sizeof name.sun_path - 1);
    strcpy(name.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCKET_FLAGS, 0);
    if (fd < 0)
        return wt_fail(err, WT_IO, "unix:%s: %s", path, strerror(errno));
    /* A socket that nobody listens at is left over from a server that was killed. */
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode)) {
        int probe = socket(AF_UNIX, SOCK_STREAM | SOCKET_FLAGS, 0);
        if (probe >= 0) {
            if (connect(probe, (struct sockaddr *)&name, sizeof name) && errno == ECONNREFUSED)
                unlink(path);
            close(probe);
        }
    }
    /* Whoever can connect can run code on the device and read the program: the owner only. */
    mode_t mask = umask(0177);
    int failed = bind(fd, (struct sockaddr *)&name, sizeof name);
    int why = errno;
    umask(mask);
    if (failed || listen(fd, SOMAXCONN)) {
        why = failed ? why : errno;
        close(fd);
        return wt_fail(err, WT_IO, "cannot listen at unix:%s: %s", path, strerror(why));
    }
    l->fd = fd;
    l->local = true;
    snprintf(l->address, sizeof l->address, "%s", path);
    return WT_OK;
}

static bool is_loopback(const struct sockaddr *name)
{
    if (name->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)name)->sin_addr.s_addr) >> 24 == 127;
    if (name->sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)name)->sin6_addr);
    return false;
}

static bool is_wildcard(const struct sockaddr *name)
{
    if (name->sa_family == AF_INET)
        return ((const struct sockaddr_in *)name)->sin_addr.s_addr == htonl(INADDR_ANY);
    return name->sa_family == AF_INET6 &&
           IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)name)->sin6_addr);
}

static void describe(struct wt_listener *l)
{
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";
    if (getsockname(l->fd, (struct sockaddr *)&name, &size) == 0)
        getnameinfo((struct sockaddr *)&name, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    l->exposed = !is_loopback((struct sockaddr *)&name);
    if (is_wildcard((struct sockaddr *)&name))
        snprintf(l->address, sizeof l->address, "localhost:%s", port);
    else if (strchr(host, ':'))
        snprintf(l->address, sizeof l->address, "tcp6:[%.100s]:%s", host, port);
    else
        snprintf(l->address, sizeof l->address, "%.100s:%s", host, port);
}

static enum wt_status listen_tcp(const char *text, struct wt_listener *l, struct wt_error *err)
{
    char host[128];
    const char *colon = strrchr(text, ':');
    const char *port = colon ? colon + 1 : text;
    size_t length = colon ? (size_t)(colon - text) : 0;
    char *end;
    unsigned long number = strtoul(port, &end, 10);
    if (!isdigit((unsigned char)*port) || *end || number > 65535 || length >= sizeof host)
        return wt_fail(err, WT_INVALID,
                       "'%s' is not an address to listen at: :PORT, HOST:PORT, unix:PATH or stdio "
                       "(a port is a number from 0 to 65535)",
                       text);
    memcpy(host, text, length);
    host[length] = 0;
    char *name = host;
    if (length > 1 && host[0] == '[' && host[length - 1] == ']') {
        host[length - 1] = 0;
        name++;
    }
    if (strcmp(name, "*") == 0)
        strcpy(host, "0.0.0.0");
    struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *list;
    int failed = getaddrinfo(*name ? name : "127.0.0.1", port, &hints, &list);
    if (failed)
        return wt_fail(err, WT_INVALID, "%s: %s", text, gai_strerror(failed));
    int why = EADDRNOTAVAIL;
    for (struct addrinfo *a = list; a && l->fd < 0; a = a->ai_next) {
        int one = 1, fd = socket(a->ai_family, a->ai_socktype | SOCKET_FLAGS, a->ai_protocol);
        if (fd < 0) {
            why = errno;
            continue;
        }
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
        if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) {
            l->fd = fd;
        } else {
            why = errno;
            close(fd);
        }
    }
    freeaddrinfo(list);
    if (l->fd < 0)
        return wt_fail(err, WT_IO, "cannot listen at %s: %s", text, strerror(why));
    describe(l);
    return WT_OK;
}

enum wt_status wt_listen(const char *address, struct wt_listener *listener, struct wt_error *err)
{
    *listener = (struct wt_listener){.fd = -1};
    if (strcmp(address, "stdio") == 0 || strcmp(address, "-") == 0) {
        strcpy(listener->address, "-");
        return WT_OK;
    }
    if (strncmp(address, "unix:", 5) == 0)
        return listen_local(address + 5, listener, err);
    return listen_tcp(strncmp(address, "tcp:", 4) == 0 ? address + 4 : address, listener, err);
}

enum wt_status wt_listen_without_password(const char *address, bool any_client,
                                          struct wt_listener *listener, struct wt_error *err)
{
    const enum wt_status status = wt_listen(address, listener, err);
    if (status)
        return status;
    listener->any_client = any_client;
    if (!listener->exposed || any_client)
        return WT_OK;
    wt_listener_close(listener);
    return wt_fail(err, WT_INVALID,
                   "%s: other machines could reach it, and the protocol has no password; 'ssh -L' "
                   "leads to a port of 127.0.0.1, and --any-client lets anybody connect",
                   address);
}

/* ---- whose a client is ---- */

/* An address as /proc/net/tcp, or /proc/net/tcp6, has it: words of 32 bits in the host's order. An
 * IPv4 address stands in the latter where a socket of IPv6 has it, mapped. */
static void proc_name(const struct sockaddr_storage *name, bool six, char text[64])
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)name;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)name;
    uint32_t words[4] = {0, 0, htonl(0xffff), in->sin_addr.s_addr}; /* mapped: RFC 4291 2.5.5.2 */
    if (name->ss_family == AF_INET6)
        memcpy(words, &in6->sin6_addr, sizeof words);
    for (unsigned i = six ? 0 : 3; i < 4; i++, text += 8)
        snprintf(text, 9, "%08X", words[i]);
    snprintf(text, 6, ":%04X", ntohs(in->sin_port)); /* both kinds have it at one place */
}

/* The user who holds the other end of a TCP connection on this machine. Only a connection that is
 * established has one for sure: an end that its process has closed counts as root's. */
static bool user_of_peer(int fd, uid_t *user)
{
    enum { ESTABLISHED = 1 };
    struct sockaddr_storage own, peer;
    socklen_t own_size = sizeof own, peer_size = sizeof peer;
    if (getsockname(fd, (struct sockaddr *)&own, &own_size) ||
        getpeername(fd, (struct sockaddr *)&peer, &peer_size))
        return false;
    bool found = false;
    for (unsigned six = 0; six < 2 && !found; six++) {
        char ours[64], theirs[64], local[64], remote[64], line[512];
        unsigned state;
        FILE *list = fopen(six ? "/proc/net/tcp6" : "/proc/net/tcp", "re");
        proc_name(&own, six, ours);
        proc_name(&peer, six, theirs);
        while (list && !found && fgets(line, sizeof line, list))
            found = sscanf(line, " %*u: %63s %63s %x %*s %*s %*s %u", local, remote, &state,
                           user) == 4 &&
                    state == ESTABLISHED && !strcmp(local, theirs) && !strcmp(remote, ours);
        if (list)
            fclose(list);
    }
    return found;
}

int wt_accept(const struct wt_listener *l, int flags, struct wt_error *why)
{
    struct ucred peer = {.uid = (uid_t)-1};
    socklen_t size = sizeof peer;
    *why = (struct wt_error){.text = ""};
    const int fd = accept4(l->fd, NULL, NULL, flags);
    if (fd < 0 || l->any_client)
        return fd;
    const bool known = l->local ? !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size)
                                : user_of_peer(fd, &peer.uid);
    if (known && (peer.uid == geteuid() || peer.uid == 0))
        return fd;
    close(fd);
    if (known)
        wt_fail(why, WT_INVALID,
                "a client of user %u was refused: --any-client lets anybody connect", peer.uid);
    else
        wt_fail(why, WT_INVALID,
                "a client was refused, since its user is not known; --any-client lets anybody "
                "connect");
    return -1;
}

void wt_listener_close(struct wt_listener *listener)
{
    if (listener->fd < 0)
        return;
    close(listener->fd);
    listener->fd = -1;
    if (listener->local)
        unlink(listener->address);
}
