/*
 * Fuzz target: the socket transport against a server that says anything. The input is what the
 * server sends, in pieces: the client must come to an end in bounded time, with a value or a
 * message, and be usable afterwards. A piece is a length byte and as many bytes; length 255: the
 * server closes.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bus/tcp.h"

#include "../unit/temporary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
    int listener;
    char path[TEMPORARY_PATH], address[80];
    const uint8_t *data;
    size_t size, at;
} server;

/* Sends the next pieces to whoever asks: one for each message that comes. */
static void *serve(void *context)
{
    for (;;) {
        int fd = accept(server.listener, NULL, NULL);
        if (fd < 0)
            return NULL;
        char asked[65536];
        while (recv(fd, asked, sizeof asked, 0) > 0) {
            if (server.at >= server.size)
                break;
            size_t length = server.data[server.at++];
            if (length == 255)
                break;
            if (length > server.size - server.at)
                length = server.size - server.at;
            if (length && send(fd, server.data + server.at, length, MSG_NOSIGNAL) < 0)
                break;
            server.at += length;
        }
        close(fd);
    }
}

static void choose_address(void)
{
    close(temporary_file(server.path)); /* the first to bind removes it */
    snprintf(server.address, sizeof server.address, "unix:%s", server.path);
}

static void stop_listening(void)
{
    unlink(server.path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    pthread_t thread;
    if (!server.path[0]) {
        choose_address();
        atexit(stop_listening);
    }
    strcpy(name.sun_path, server.path);
    unlink(server.path);
    server.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    server.data = data;
    server.size = size;
    server.at = 0;
    if (bind(server.listener, (struct sockaddr *)&name, sizeof name) ||
        listen(server.listener, 8) || pthread_create(&thread, NULL, serve, NULL))
        abort();
    const struct wt_bus_tcp_options options = {
        .timeout_ms = 2, .hold = size & 1, .one_at_a_time = size & 2};
    struct wt_bus *bus;
    struct wt_error err;
    if (wt_bus_tcp_open(server.address, &options, &bus, &err) == WT_OK) {
        for (int round = 0; round < 3; round++) {
            struct wt_bus_op ops[12];
            for (int i = 0; i < 12; i++)
                ops[i] = (struct wt_bus_op){.write = i % 3 == 0, .addr = (uint16_t)i, .value = 1};
            err.text[0] = 0;
            if (wt_bus_transact(bus, ops, 12, &err) && !err.text[0])
                abort();
        }
        wt_bus_close(bus);
    } else if (bus) {
        abort();
    }
    shutdown(server.listener, SHUT_RDWR);
    pthread_join(thread, NULL);
    close(server.listener);
    return 0;
}
