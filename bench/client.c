/*
 * A GDB remote serial protocol client that measures a server: the same packets to every server, as
 * stock GDB would send them, by the rate at which they are answered.
 *
 *   client HOST:PORT step|read|write|break|watch SECONDS [ADDR]
 *
 * Prints one number: single steps, bytes, or stops for a breakpoint or watchpoint per second. The
 * best of what the server offers is used: no acknowledgements, X for writing, its own packet size.
 */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct client {
    int fd;
    bool acks;
    bool binary_write; /* X */
    bool binary_read;  /* x, as GDB 16 has it */
    bool vcont;
    size_t packet;    /* largest packet of the server */
    char in[1 << 18]; /* bytes received and not yet used: [at, end) */
    size_t at, end;
    char reply[1 << 18];
    char thread[64]; /* "p1.1" of the last stop */
};

static void die(const char *what)
{
    fprintf(stderr, "client: %s\n", what);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int get(struct client *c)
{
    if (c->at == c->end) {
        const ssize_t n = read(c->fd, c->in, sizeof c->in);
        if (n <= 0)
            die("the server has closed the connection");
        c->at = 0;
        c->end = (size_t)n;
    }
    return (unsigned char)c->in[c->at++];
}

static void put(struct client *c, const char *bytes, size_t size)
{
    while (size) {
        const ssize_t n = write(c->fd, bytes, size);
        if (n <= 0)
            die("the server does not take what is sent");
        bytes += n;
        size -= (size_t)n;
    }
}

static void send_packet(struct client *c, const char *text, size_t length)
{
    static char out[1 << 19];
    uint8_t sum = 0;
    size_t n = 0;
    out[n++] = '$';
    for (size_t i = 0; i < length; i++) {
        sum += (uint8_t)text[i];
        out[n++] = text[i];
    }
    n += (size_t)sprintf(out + n, "#%02x", sum);
    put(c, out, n);
}

/* Makes sure that there is something to read at c->in + c->at. */
static void fill(struct client *c)
{
    get(c);
    c->at--;
}

/* The next packet of the server, run lengths expanded; its length. */
static size_t receive(struct client *c)
{
    while (get(c) != '$')
        ;
    size_t n = 0;
    int ch;
    /* The plain part in one go. */
    for (;;) {
        fill(c);
        size_t length = c->end - c->at;
        const char *end = memchr(c->in + c->at, '#', length);
        if (end)
            length = (size_t)(end - (c->in + c->at));
        const char *run = memchr(c->in + c->at, '*', length);
        if (run)
            length = (size_t)(run - (c->in + c->at));
        if (n + length + 1 >= sizeof c->reply)
            die("a reply is too long");
        memcpy(c->reply + n, c->in + c->at, length);
        n += length;
        c->at += length;
        if (end || run)
            break;
    }
    while ((ch = get(c)) != '#') {
        int times = 1;
        if (ch == '*' && n) {
            times = get(c) - 29;
            ch = c->reply[n - 1];
        }
        if (n + (size_t)times >= sizeof c->reply)
            die("a reply is too long");
        while (times-- > 0)
            c->reply[n++] = (char)ch;
    }
    get(c);
    get(c);
    if (c->acks)
        put(c, "+", 1);
    c->reply[n] = 0;
    return n;
}

static size_t ask(struct client *c, const char *text)
{
    send_packet(c, text, strlen(text));
    return receive(c);
}

static void keep_thread(struct client *c)
{
    const char *t = strstr(c->reply, "thread:");
    if (t)
        snprintf(c->thread, sizeof c->thread, "%.*s", (int)strcspn(t + 7, ";"), t + 7);
}

static void connect_to(struct client *c, const char *where)
{
    char host[256];
    snprintf(host, sizeof host, "%s", where);
    char *port = strrchr(host, ':');
    if (!port)
        die("HOST:PORT expected");
    *port++ = 0;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_INET}, *info;
    if (getaddrinfo(host, port, &hints, &info))
        die("no such host");
    for (int tries = 0;; tries++) {
        c->fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(c->fd, info->ai_addr, info->ai_addrlen) == 0)
            break;
        close(c->fd);
        if (tries == 200)
            die("cannot connect");
        usleep(20000);
    }
    freeaddrinfo(info);
    const int on = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    c->acks = true;
    put(c, "+", 1);
    ask(c, "qSupported:multiprocess+;swbreak+;hwbreak+;vContSupported+;binary-upload+");
    c->binary_read = strstr(c->reply, "binary-upload+");
    const char *size = strstr(c->reply, "PacketSize=");
    c->packet = size ? strtoul(size + 11, NULL, 16) : 400;
    if (c->packet > 1 << 17)
        c->packet = 1 << 17;
    if (strstr(c->reply, "QStartNoAckMode+")) {
        ask(c, "QStartNoAckMode");
        c->acks = false;
    }
    ask(c, "vCont?");
    c->vcont = c->reply[0] == 'v';
    ask(c, "?");
    keep_thread(c);
    if (!c->thread[0]) {
        ask(c, "qC");
        snprintf(c->thread, sizeof c->thread, "%s", c->reply[0] == 'Q' ? c->reply + 2 : "1");
    }
    char text[80];
    snprintf(text, sizeof text, "Hg%s", c->thread);
    ask(c, text);
    snprintf(text, sizeof text, "Hc%s", c->thread);
    ask(c, text);
}

static void step(struct client *c)
{
    char text[80];
    if (c->vcont)
        snprintf(text, sizeof text, "vCont;s:%s", c->thread);
    else
        strcpy(text, "s");
    ask(c, text);
    if (c->reply[0] != 'T' && c->reply[0] != 'S')
        die("a step did not stop");
}

static void expect_ok(struct client *c, const char *text)
{
    ask(c, text);
    if (strcmp(c->reply, "OK"))
        die(text);
}

/* The way of stock GDB past a breakpoint: lift it, step, plant it, go on. */
static void to_breakpoint(struct client *c, unsigned long addr)
{
    char text[80];
    snprintf(text, sizeof text, "z0,%lx,4", addr);
    expect_ok(c, text);
    step(c);
    text[0] = 'Z';
    expect_ok(c, text);
    ask(c, c->vcont ? "vCont;c" : "c");
    if (c->reply[0] != 'T' && c->reply[0] != 'S')
        die("no stop at the breakpoint");
}

static size_t read_block(struct client *c, unsigned long addr)
{
    char text[80];
    /* Escaped bytes take two places: leave room for all of them. */
    const size_t size = (c->packet - 16) / 2;
    snprintf(text, sizeof text, "%c%lx,%zx", c->binary_read ? 'x' : 'm', addr, size);
    if (ask(c, text) < (c->binary_read ? size : size * 2))
        die("memory could not be read");
    return size;
}

static size_t write_block(struct client *c, unsigned long addr)
{
    static char text[1 << 18];
    size_t size, n;
    if (c->binary_write) {
        size = c->packet / 2;
        n = (size_t)sprintf(text, "X%lx,%zx:", addr, size);
        memset(text + n, 'a', size);
        n += size;
    } else {
        size = (c->packet - 32) / 2;
        n = (size_t)sprintf(text, "M%lx,%zx:", addr, size);
        for (size_t i = 0; i < size * 2; i++) /* no runs, which some servers shorten */
            text[n++] = "0123456789abcdef"[(i * 7 + i / 16) % 16];
    }
    send_packet(c, text, n);
    receive(c);
    if (strcmp(c->reply, "OK"))
        die("memory could not be written");
    return size;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        die("usage: client HOST:PORT step|read|write|break|watch SECONDS [ADDR]");
    static struct client c;
    connect_to(&c, argv[1]);
    const char *what = argv[2];
    const double seconds = atof(argv[3]);
    const unsigned long addr = argc > 4 ? strtoul(argv[4], NULL, 0) : 0;
    if (strcmp(what, "write") == 0) {
        char text[80];
        snprintf(text, sizeof text, "X%lx,0:", addr);
        ask(&c, text);
        c.binary_write = strcmp(c.reply, "OK") == 0;
    }
    if (strcmp(what, "break") == 0) {
        char text[80];
        snprintf(text, sizeof text, "Z0,%lx,4", addr);
        expect_ok(&c, text);
        ask(&c, c.vcont ? "vCont;c" : "c");
        keep_thread(&c);
    }
    if (strcmp(what, "watch") == 0) {
        char text[80];
        snprintf(text, sizeof text, "Z2,%lx,4", addr);
        expect_ok(&c, text);
    }
    if (strcmp(what, "read") == 0)
        write_block(&c, addr);
    double done = 0;
    const double begin = now();
    double end;
    do {
        for (int i = 0; i < 16; i++) {
            if (strcmp(what, "step") == 0) {
                step(&c);
                done++;
            } else if (strcmp(what, "read") == 0) {
                done += (double)read_block(&c, addr);
            } else if (strcmp(what, "write") == 0) {
                done += (double)write_block(&c, addr);
            } else if (strcmp(what, "break") == 0) {
                to_breakpoint(&c, addr);
                done++;
            } else if (strcmp(what, "watch") == 0) {
                ask(&c, c.vcont ? "vCont;c" : "c");
                if (!strstr(c.reply, "watch:"))
                    die("no stop for the watchpoint");
                done++;
            } else {
                die("step, read, write, break or watch");
            }
        }
        end = now();
    } while (end - begin < seconds);
    printf("%.0f\n", done / (end - begin));
    send_packet(&c, "k", 1);
    return 0;
}
