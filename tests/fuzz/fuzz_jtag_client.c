/*
 * Fuzz target: what a remote_bitbang server may answer. A thread serves an emulated TAP, and the
 * input says what it is and which of its answers go wrong, how. The client must come to an end with
 * values or a message; where nothing goes wrong, with the right values.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bus/jtag/jtag.h"
#include "bus/jtag/stream.h"

#include "../unit/temporary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 4, FAULT = 3, SIZE_MAX_INPUT = 4096 };

struct server {
    pthread_mutex_t lock;
    uint8_t input[SIZE_MAX_INPUT];
    size_t size;
    uint32_t reg[256];
    char address[128];
    int listener;
};

struct connection {
    int fd;
    uint8_t input[SIZE_MAX_INPUT];
    size_t size, at;
    unsigned until; /* replies until the next fault */
    unsigned run;   /* replies that a fault of some length still has */
    uint8_t kind;
};

static uint32_t read_register(void *context, uint32_t addr)
{
    return ((struct server *)context)->reg[addr & 255];
}

static void write_register(void *context, uint32_t addr, uint32_t value)
{
    ((struct server *)context)->reg[addr & 255] = value;
}

static struct wt_dtm_config config_of(const uint8_t *input)
{
    struct wt_dtm_config config = wt_dtm_default_config(input[1]);
    config.abits = WT_DTM_ABITS_MIN + input[0] % (WT_DTM_ABITS_MAX - WT_DTM_ABITS_MIN + 1);
    config.idle = input[0] >> 5;
    config.addresses = input[2];
    return config;
}

static void next_fault(struct connection *c)
{
    c->until = UINT32_MAX;
    if (c->size - c->at < FAULT)
        return;
    c->until = c->input[c->at] | (unsigned)c->input[c->at + 1] << 8;
    c->kind = c->input[c->at + 2];
    c->at += FAULT;
}

/* Puts a reply, or what comes instead, to @p out; false: the connection is to be closed. */
static bool reply(struct connection *c, char bit, char *out, size_t *n)
{
    if (c->run) {
        c->run--;
        out[(*n)++] = (c->kind & 7) == 0 ? '0' : (c->kind & 7) == 1 ? '1' : bit ^ 1;
        return true;
    }
    if (c->until--) {
        out[(*n)++] = bit;
        return true;
    }
    switch (c->kind & 7) {
    case 0: /* stuck or inverted for a while */
    case 1:
    case 2:
        c->run = 1u << (c->kind >> 3 & 15);
        next_fault(c);
        return reply(c, bit, out, n);
    case 3:
        out[(*n)++] = (char)c->kind;
        break;
    case 4: /* too many */
        out[(*n)++] = bit;
        out[(*n)++] = bit;
        break;
    case 5:
        return false;
    case 6: /* too few */
        break;
    default:
        out[(*n)++] = bit ^ 1;
    }
    next_fault(c);
    return true;
}

static void talk(struct connection *c, struct wt_dtm *dtm)
{
    uint8_t in[4096], bits[4096];
    char out[2 * sizeof bits];
    ssize_t got;
    next_fault(c);
    while ((got = recv(c->fd, in, sizeof in, 0)) > 0) {
        size_t replies, n = 0;
        bool quit, open = true;
        wt_bitbang_take(dtm, in, (size_t)got, bits, sizeof bits, &replies, &quit);
        for (size_t i = 0; i < replies && open; i++)
            open = reply(c, (char)bits[i], out, &n);
        if (send(c->fd, out, n, MSG_NOSIGNAL) < 0 || !open || quit)
            return;
    }
}

static void *serve(void *context)
{
    struct server *s = context;
    static struct connection c;
    while ((c.fd = accept(s->listener, NULL, NULL)) >= 0) {
        pthread_mutex_lock(&s->lock);
        memcpy(c.input, s->input, s->size);
        c.size = s->size;
        c.at = HEAD;
        c.run = 0;
        pthread_mutex_unlock(&s->lock);
        const struct wt_dtm_config config = config_of(c.input);
        const struct wt_bus_device device = {
            .context = s, .read = read_register, .write = write_register};
        struct wt_dtm dtm;
        wt_dtm_init(&dtm, &config, &device);
        talk(&c, &dtm);
        close(c.fd);
    }
    return NULL;
}

static char path[TEMPORARY_PATH]; /* of the socket */

static void remove_socket(void)
{
    unlink(path);
}

static struct server *start(void)
{
    static struct server s = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    pthread_t thread;
    if (s.listener)
        return &s;
    close(temporary_file(path));
    unlink(path);
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    snprintf(s.address, sizeof s.address, "remote_bitbang:unix:%s", path);
    s.listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(s.listener, (struct sockaddr *)&a, sizeof a) || listen(s.listener, 100) ||
        pthread_create(&thread, NULL, serve, &s) || atexit(remove_socket))
        abort();
    return &s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD || size > SIZE_MAX_INPUT)
        return 0;
    struct server *s = start();
    pthread_mutex_lock(&s->lock);
    memcpy(s->input, data, size);
    s->size = size;
    pthread_mutex_unlock(&s->lock);
    const struct wt_dtm_config config = config_of(data);
    bool sound = size < HEAD + FAULT && (config.addresses == 0 || config.addresses > 12);
    struct wt_jtag_options options = wt_jtag_default_options(s->address);
    struct wt_error err = {0};
    struct wt_bus *bus;
    options.timeout_ms = sound ? 5000 : 10;
    options.batch = 1 + data[3] % 64;
    enum wt_status status = wt_bus_jtag_open(&options, &bus, &err);
    if (status ? bus || !err.text[0] || sound : !bus)
        abort();
    for (int i = 0; bus && i < 3; i++) {
        struct wt_bus_op ops[24];
        for (unsigned k = 0; k < 24; k++) /* write one of 12, read it */
            ops[k] = (struct wt_bus_op){.write = k % 2 == 0, .addr = k / 2 & 15, .value = k << i};
        err.text[0] = 0;
        status = wt_bus_transact(bus, ops, 24, &err);
        if (status && (!err.text[0] || sound))
            abort();
        for (unsigned k = 1; k < 24 && sound; k += 2)
            if (ops[k].value != (k - 1) << i)
                abort();
    }
    wt_bus_close(bus);
    return 0;
}
