/*
 * Drives libvortex-wavetrap.so as upstream's libvortex.so of Vortex 3.0 does: six functions,
 * registers of the command processor, a ring of lines of 64 bytes. LIBRARY WORK [FILE PLACE…]: a
 * .vxbin file and the addresses of its kernels add, kernel_main and stray.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct callbacks {
    int (*open)(void **device);
    int (*close)(void *device);
    int (*write)(void *device, uint32_t offset, uint32_t value);
    int (*read)(void *device, uint32_t offset, uint32_t *value);
    int (*alloc)(void *device, uint64_t size, void **host, uint64_t *address);
    int (*release)(void *device, uint64_t address);
};

enum {
    CTRL = 0,
    STATUS = 4,
    RING = 0x100,
    COMPLETION = 0x110,
    LOG2 = 0x118,
    CONTROL = 0x11c,
    TAIL = 0x120,
    SEQNUM = 0x128,
    ERROR = 0x12c,
    ANSWER = 0x130
};
enum {
    MEM_WRITE = 1,
    MEM_READ,
    MEM_COPY,
    DCR_WRITE,
    DCR_READ,
    LAUNCH,
    FENCE,
    EVENT_SIG,
    EVENT_WAIT,
    CACHE_FLUSH,
    LAUNCH_QMD,
    DRAW
};
enum { LINE = 64, RING_BYTES = 128, ITEMS = 96 };

static struct callbacks call;
static void *device;
static uint8_t *ring;
static uint64_t ring_address, completion_address, *completion, tail;
static uint32_t posted;

static void wrong(const char *what)
{
    printf("wrong: %s\n", what);
    exit(1);
}

static void put(uint32_t offset, uint64_t value)
{
    if (call.write(device, offset, (uint32_t)value) ||
        call.write(device, offset + 4, (uint32_t)(value >> 32)))
        wrong("a register is not written");
}

static uint32_t get(uint32_t offset)
{
    uint32_t value;
    if (call.read(device, offset, &value))
        wrong("a register is not read");
    return value;
}

static void begin(void)
{
    void *host;
    if (call.open(&device) || call.alloc(device, RING_BYTES, &host, &ring_address) ||
        call.alloc(device, 64, (void **)&completion, &completion_address))
        wrong("no device");
    ring = host;
    tail = posted = 0;
    memset(ring, 0, RING_BYTES);
    *completion = 0;
    put(RING, ring_address);
    put(COMPLETION, completion_address);
    if (call.write(device, LOG2, 7) || call.write(device, CONTROL, 1) ||
        call.write(device, CTRL, 1))
        wrong("it does not start");
}

static void end(void)
{
    if (call.close(device))
        wrong("it does not close");
}

static uint8_t *line(void)
{
    uint8_t *at = ring + tail % RING_BYTES;
    memset(at, 0, LINE);
    tail += LINE;
    return at;
}

static uint8_t *command(uint8_t *at, uint8_t opcode, unsigned count, uint64_t a, uint64_t b,
                        uint64_t c)
{
    const uint64_t arguments[] = {a, b, c};
    *at = opcode;
    memcpy(at + 4, arguments, count * 8);
    posted++;
    return at + 4 + count * 8;
}

/* As upstream: the tail, then the number of commands that have ended. */
static int ring_bell(void)
{
    return call.write(device, TAIL, (uint32_t)tail) ||
           call.write(device, TAIL + 4, (uint32_t)(tail >> 32));
}

static int wait(void)
{
    uint32_t is;
    do
        if (call.read(device, SEQNUM, &is))
            return -1;
    while (is < posted);
    return 0;
}

static int post(uint8_t opcode, unsigned count, uint64_t a, uint64_t b, uint64_t c)
{
    command(line(), opcode, count, a, b, c);
    return ring_bell() ? -1 : wait();
}

static void move(int out, uint64_t there, void *bytes, uint64_t size)
{
    void *host;
    uint64_t address;
    if (call.alloc(device, size, &host, &address))
        wrong("no host memory");
    if (!out)
        memcpy(host, bytes, size);
    if (out ? post(MEM_READ, 3, address, there, size) : post(MEM_WRITE, 3, there, address, size))
        wrong("a copy fails");
    if (out)
        memcpy(bytes, host, size);
    if (call.release(device, address))
        wrong("host memory is not freed");
}

/* ---- launches ---- */

static uint64_t image_at;

static void load(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (size < 16)
        wrong("no image");
    fclose(file);
    memcpy(&image_at, bytes, 8);
    move(0, image_at, bytes + 16, size - 16);
}

/* A grid of 4x3 blocks of 4x2 threads. */
static const uint32_t shape[][2] = {{0x16, 4}, {0x17, 2}, {0x18, 1},  {0x19, 4},
                                    {0x1a, 3}, {0x1b, 1}, {0x1c, 64}, {0x1d, 8},
                                    {0x21, 1}, {0x22, 1}, {0x23, 1}};

static size_t launch_of(uint64_t kernel, uint64_t arguments, uint32_t (*pair)[2])
{
    const uint32_t threads = 1u << (get(0x18) >> 8 & 7);
    const uint32_t first[][2] = {{0x10, (uint32_t)image_at},  {0x11, (uint32_t)(image_at >> 32)},
                                 {0x12, (uint32_t)kernel},    {0x13, (uint32_t)(kernel >> 32)},
                                 {0x14, (uint32_t)arguments}, {0x15, (uint32_t)(arguments >> 32)},
                                 {0x1e, threads % 4},         {0x1f, threads / 4 % 2},
                                 {0x20, threads / 8 % 1}};
    memcpy(pair, first, sizeof first);
    memcpy(pair + sizeof first / sizeof *first, shape, sizeof shape);
    return sizeof first / sizeof *first + sizeof shape / sizeof *shape;
}

/* By the registers, three of a line. */
static int launch(uint64_t kernel, uint64_t arguments)
{
    uint32_t pair[32][2];
    const size_t count = launch_of(kernel, arguments, pair);
    uint8_t *at = NULL;
    for (size_t i = 0; i < count; i++) {
        at = command(i % 3 ? at : line(), DCR_WRITE, 2, pair[i][0], pair[i][1], 0);
        if ((i % 3 == 2 || i == count - 1) && (ring_bell() || wait()))
            return -1;
    }
    return post(LAUNCH, 1, 0, 0, 0) || post(CACHE_FLUSH, 1, 1, 0, 0);
}

/* By a descriptor in device memory. */
static int launch_by_descriptor(uint64_t kernel, uint64_t arguments)
{
    enum { THERE = 0x40000 };
    struct {
        uint32_t count, pair[32][2];
    } list;
    list.count = (uint32_t)launch_of(kernel, arguments, list.pair);
    move(0, THERE, &list, sizeof list);
    return post(LAUNCH_QMD, 1, THERE, 0, 0);
}

static void compute(char **words)
{
    enum { A = 0x10000, B = 0x11000, C = 0x12000, ARGUMENTS = 0x13000 };
    uint32_t a[ITEMS], b[ITEMS], c[ITEMS], arguments[] = {3, A, B, C};
    uint64_t sum = 0;
    begin();
    load(words[0]);
    for (uint32_t i = 0; i < ITEMS; i++)
        a[i] = i, b[i] = i * i;
    move(0, A, a, sizeof a);
    move(0, B, b, sizeof b);
    move(0, ARGUMENTS, arguments, sizeof arguments);
    if (launch(strtoull(words[1], NULL, 16), ARGUMENTS) ||
        launch_by_descriptor(strtoull(words[2], NULL, 16), ARGUMENTS))
        wrong("a launch fails");
    move(1, C, c, sizeof c);
    for (uint32_t i = 0; i < ITEMS; i++)
        sum += c[i] == 3 * (i + i * i) + i / 16 / 2 * 4 + i % 16 / 4;
    if (post(DCR_READ, 2, 1, 2 << 16, 0))
        wrong("no counter");
    printf("%llu of %d right, %s instructions counted, %llu commands\n", (unsigned long long)sum,
           ITEMS, get(ANSWER) ? "some" : "no", (unsigned long long)*completion);
    end();
}

static void stray(char **words)
{
    uint32_t arguments[] = {3, 0x10000, 0x11000, 0x12000}, value = 0;
    begin();
    load(words[0]);
    move(0, 0x13000, arguments, sizeof arguments);
    const int failed = launch(strtoull(words[3], NULL, 16), 0x13000);
    printf("launch %d, status %u, error %u, sequence %s\n", failed, get(STATUS), get(ERROR),
           call.read(device, SEQNUM, &value) ? "fails" : "goes on");
    if (call.write(device, CONTROL, 3)) /* reset */
        wrong("it is not reset");
    tail = posted = 0;
    printf("after a reset: %d\n", post(FENCE, 0, 0, 0, 0));
    end();
}

/* A launch, and an event behind it that the host waits for, in one ring. */
static void line_up(char **words)
{
    enum { ARGUMENTS = 0x13000, EVENT = 0x20000 };
    uint32_t arguments[] = {3, 0x10000, 0x11000, 0x12000}, pair[32][2];
    begin();
    load(words[0]);
    move(0, ARGUMENTS, arguments, sizeof arguments);
    const size_t count = launch_of(strtoull(words[1], NULL, 16), ARGUMENTS, pair);
    for (size_t i = 0; i < count; i++)
        post(DCR_WRITE, 2, pair[i][0], pair[i][1], 0);
    uint8_t *at = command(line(), LAUNCH, 1, 0, 0, 0);
    command(command(at, EVENT_SIG, 2, EVENT, 7, 0), EVENT_WAIT, 3, EVENT, 7, 0);
    command(line(), LAUNCH, 1, 0, 0, 0);
    if (ring_bell() || wait())
        wrong("the launches fail");
    puts("both have ended");
    end();
}

/* ---- events, capabilities ---- */

static void events(void)
{
    begin();
    *completion = 0;
    uint64_t *host, at;
    if (call.alloc(device, 8, (void **)&host, &at))
        wrong("no host memory");
    *host = 0;
    command(line(), EVENT_WAIT, 3, at, 5, 1); /* at least 5 */
    if (ring_bell())
        wrong("the tail");
    printf("waits: %u, busy: %u\n", get(SEQNUM), get(STATUS));
    *host = 7;
    printf("goes on: %u, busy: %u\n", get(SEQNUM), get(STATUS));
    if (post(EVENT_SIG, 2, 0x20000, 42, 0) || post(EVENT_WAIT, 3, 0x20000, 42, 0) ||
        post(MEM_COPY, 3, 0x30000, 0x20000, 8) || post(MEM_READ, 3, at, 0x30000, 8))
        wrong("a command fails");
    printf("signalled: %llu\n", (unsigned long long)*host);
    end();
}

static void capabilities(void)
{
    begin();
    const uint32_t device_low = get(0x18), device_high = get(0x1c), isa = get(0x20);
    printf("threads %u warps %u cores %u clusters %u local %u bank %u xlen %u\n",
           1u << (device_low >> 8 & 7), 1u << (device_low >> 11 & 7), 1u << (device_low >> 17 & 7),
           1u << (device_low >> 20 & 7), 1u << (device_low >> 26 | (device_high & 3) << 6),
           20 + (device_high >> 5 & 31), 8u << (isa >> 30) << 1);
    end();
}

/* ---- mistakes ---- */

struct mistake {
    uint8_t opcode, count;
    uint64_t a, b, c;
};

static void mistakes(void)
{
    static const struct mistake list[] = {{13, 0, 0, 0, 0},
                                          {0xff, 0, 0, 0, 0},
                                          {DRAW, 1, 0x1000, 0, 0},
                                          {DCR_WRITE, 2, 0x7ff, 1, 0},
                                          {DCR_WRITE, 2, 0x1010, 1, 0},
                                          {DCR_WRITE, 2, 0x104, 1, 0},
                                          {DCR_READ, 2, 0x40, 0, 0},
                                          {DCR_READ, 2, 1, 9, 0},
                                          {CACHE_FLUSH, 1, 9, 0, 0},
                                          {MEM_COPY, 3, UINT64_MAX - 7, 0x10000, 16},
                                          {MEM_COPY, 3, 0x10000, UINT64_C(1) << 48, 16},
                                          {MEM_READ, 3, 8, 0x10000, UINT64_MAX},
                                          {EVENT_SIG, 2, UINT64_C(0xffffffffffff), 1, 0},
                                          {EVENT_WAIT, 3, UINT64_MAX, 1, 0},
                                          {LAUNCH_QMD, 1, UINT64_MAX, 0, 0}};
    uint32_t value;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        begin();
        const struct mistake *m = &list[i];
        const int failed = post(m->opcode, m->count, m->a, m->b, m->c);
        if (!failed || get(ERROR) != 2 || get(STATUS) != 2 || !call.read(device, SEQNUM, &value) ||
            !call.write(device, TAIL + 4, 0))
            printf("wrong: mistake %zu is let through\n", i);
        end();
    }
    begin(); /* a command across the end of its line; one beyond the host's memory */
    command(command(line(), MEM_COPY, 3, 0x10000, 0x20000, 4), EVENT_WAIT, 3, 0, 0, 0);
    ring[28 + 28] = MEM_COPY;
    if (!ring_bell() && !wait())
        wrong("a command across two lines");
    end();
    begin();
    if (!post(MEM_WRITE, 3, 0x10000, ring_address + 64, 65))
        wrong("a copy from behind the host's memory");
    end();
    begin(); /* registers, tails, handles, memory */
    void *host;
    uint64_t at;
    const int refused[] = {!call.write(device, 0x134, 0),
                           !call.write(device, SEQNUM, 0),
                           !call.write(device, 2, 0),
                           !call.read(device, 0x2000, &value),
                           !call.read(device, CTRL, NULL),
                           !call.write(device, LOG2, 40),
                           !call.write(device, 0x28, 1),
                           !call.write(device, TAIL, 32) && !call.write(device, TAIL + 4, 0),
                           !call.write(device, TAIL, 192) && !call.write(device, TAIL + 4, 0),
                           !call.alloc(device, 0, &host, &at),
                           !call.alloc(device, UINT64_MAX, &host, &at),
                           !call.alloc(device, 8, NULL, &at),
                           !call.release(device, 0x1234),
                           !call.read(&value, CTRL, &value),
                           !call.close(NULL),
                           !call.open(&host),
                           !call.open(NULL)};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i])
            printf("wrong: %zu is not refused\n", i);
    end();
    printf("stale: %d %d\n", call.close(device), call.read(device, CTRL, &value));
    begin();
    put(RING, 0xfffffffffff0); /* where no ring is */
    if (!post(FENCE, 0, 0, 0, 0))
        wrong("a ring beyond memory");
    end();
}

int main(int argc, char **argv)
{
    void *library = argc > 2 ? dlopen(argv[1], RTLD_LAZY) : NULL;
    int (*init)(struct callbacks *) =
        library ? (int (*)(struct callbacks *))dlsym(library, "vx_dev_init") : NULL;
    if (!init || !init(NULL) || init(&call)) {
        fprintf(stderr, "no driver: %s\n", dlerror());
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!strcmp(argv[2], "compute"))
        compute(argv + 3);
    else if (!strcmp(argv[2], "stray"))
        stray(argv + 3);
    else if (!strcmp(argv[2], "line"))
        line_up(argv + 3);
    else if (!strcmp(argv[2], "events"))
        events();
    else if (!strcmp(argv[2], "capabilities"))
        capabilities();
    else
        mistakes();
    return 0;
}
