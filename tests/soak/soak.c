/*
 * Soak test: three debuggers of three devices, one in this process, one behind TCP, one behind
 * JTAG, do the same random things. Time passes in a device as its registers are read, so that the
 * three must stay in step: each answer of a debugger, and each state of a device, is the same in
 * all three. At the end the heaps and descriptors of all processes are what they were after the
 * first part.
 *
 *   soak [SECONDS [SEED]]
 *
 * The seed is printed; the same seed does the same things again.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../unit/agent_code.h"
#include "debug/vortex/vortex.h"
#include "bus/open.h"
#include "debug/core/going.h"
#include "debug/core/target.h"
#include "debug/core/debugger.h"
#include "device.h"
#include "../names.h"

enum {
    LOCAL,
    SIDES = 3,
    OPERATIONS = 150, /* of a round */
    PUMPS = 60,
    HANG_SECONDS = 120, /* of one operation, on a machine that is busy with other things */
};

static const char *const side_names[] = {"local", "TCP", "JTAG"};

/* One of the three. */
struct side {
    struct soak_device *device; /* local */
    struct soak_server *server; /* the others */
    struct wt_bus *bus;
    struct wt_vortex_link link;
    struct wt_target target;
    struct wt_debugger *d;
    /* What the operation under way came to. */
    char *text;
    size_t length;
    FILE *out;
};

struct soak {
    uint64_t seed, random;
    struct side side[SIDES];
    struct soak_shape shape;
    uint64_t rounds, operations;
    const char *operation; /* under way */
};

static void die(struct soak *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void die(struct soak *s, const char *format, ...)
{
    va_list args;
    fprintf(stderr,
            "soak: seed %" PRIu64 ", round %" PRIu64 ", operation %" PRIu64 " (%s): ", s->seed,
            s->rounds, s->operations, s->operation);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static void hangs(int signal_number)
{
    static const char text[] = "soak: an operation hangs\n";
    ssize_t written = write(2, text, sizeof text - 1);
    (void)written;
    _exit(1);
}

/* splitmix64 */
static uint64_t any(struct soak *s)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t below(struct soak *s, uint64_t limit)
{
    return any(s) % limit;
}

/* ---- what a side says ---- */

static void say_status(struct side *side, enum wt_status status, const struct wt_error *err)
{
    fprintf(side->out, "%s %s\n", status_name(status), status ? err->text : "");
}

static void say_bytes(struct side *side, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        fprintf(side->out, "%02x", bytes[i]);
    fputc('\n', side->out);
}

static void say_events(struct side *side)
{
    for (;;) {
        const struct wt_event e = wt_debugger_next_event(side->d);
        if (e.kind == WT_EVENT_NONE)
            return;
        fprintf(side->out, "%s thread %" PRIu32 " %s fault %d status %" PRIu32 " %s\n",
                event_name(e.kind), e.thread,
                e.kind == WT_EVENT_STOPPED ? reason_name(e.reason) : "", (int)e.fault, e.status,
                e.text);
    }
}

/* Lets it run until something happens, or long enough; then everything stops. */
static void run(struct side *side, unsigned pumps)
{
    struct wt_error err;
    bool soon = false;
    for (unsigned i = 0; i < pumps && wt_debugger_running(side->d); i++)
        soon = wt_debugger_pump(side->d, 1);
    fprintf(side->out, "running %d soon %d\n", wt_debugger_running(side->d), soon);
    say_events(side);
    if (wt_debugger_running(side->d))
        say_status(side, wt_debugger_interrupt(side->d, &err), &err);
    say_events(side);
}

/* The n-th of the threads there are; 0 if there is none. */
static wt_thread pick_thread(struct side *side, uint64_t n, uint64_t *pc)
{
    const struct wt_thread_info *list;
    size_t count = 0;
    struct wt_error err;
    *pc = 0;
    if (wt_debugger_threads(side->d, &list, &count, &err) || count == 0) {
        fprintf(side->out, "no thread\n");
        return 0;
    }
    *pc = list[n % count].pc;
    return list[n % count].id;
}

/* ---- operations: each does the same on every side, with the same random numbers ---- */

struct numbers {
    uint64_t a, b, c, e;
};

static void do_continue(struct side *side, const struct numbers *n)
{
    const struct wt_resume all = {.kind = WT_RESUME_CONTINUE};
    struct wt_error err;
    say_status(side, wt_debugger_run(side->d, WT_FORWARDS, &all, 1, &err), &err);
    run(side, PUMPS);
}

static void do_step(struct side *side, const struct numbers *n)
{
    struct wt_error err;
    for (unsigned i = 0; i <= n->b % 4; i++) {
        uint64_t pc;
        const struct wt_resume one = {.thread = pick_thread(side, n->a, &pc),
                                      .kind = WT_RESUME_STEP};
        if (!one.thread)
            return;
        say_status(side, wt_debugger_run(side->d, WT_FORWARDS, &one, 1, &err), &err);
        run(side, 8);
    }
}

/* GDB's way: one thread steps, the others go on. */
static void do_range(struct side *side, const struct numbers *n)
{
    uint64_t pc;
    struct wt_error err;
    const wt_thread thread = pick_thread(side, n->a, &pc);
    const struct wt_resume list[] = {
        {.thread = thread, .kind = WT_RESUME_RANGE, .start = pc, .end = pc + 4 + 4 * (n->b % 4)},
        {.kind = WT_RESUME_CONTINUE}};
    if (!thread)
        return;
    say_status(side, wt_debugger_run(side->d, WT_FORWARDS, list, 1 + n->c % 2, &err), &err);
    run(side, PUMPS);
}

static uint64_t code_address(uint64_t n)
{
    return SOAK_CODE + 4 * (n % soak_program_words());
}

static void do_insert(struct side *side, const struct numbers *n)
{
    /* "lane & 1", as a condition: const8 1, end, or const8 0, end */
    static const uint8_t code[2][3] = {{0x22, 1, 0x27}, {0x22, 0, 0x27}};
    const struct agent_code condition = {.bytes = code[n->b % 2], .length = 3};
    struct wt_error err;
    say_status(side,
               agent_insert_breakpoint(side->d, code_address(n->a), &condition, n->c % 3 == 0, NULL,
                                       0, &err),
               &err);
}

static void do_remove(struct side *side, const struct numbers *n)
{
    struct wt_error err;
    if (n->b % 3 == 0)
        wt_debugger_remove_all_breakpoints(side->d);
    else
        say_status(side, wt_debugger_remove_breakpoint(side->d, code_address(n->a), &err), &err);
}

static void do_registers(struct side *side, const struct numbers *n)
{
    const struct wt_topology *t = wt_debugger_topology(side->d);
    unsigned index[512];
    uint64_t value[512], pc;
    struct wt_error err;
    const wt_thread thread = pick_thread(side, n->a, &pc);
    size_t count = t->register_count < 512 ? t->register_count : 512;
    for (size_t i = 0; i < count; i++)
        index[i] = (unsigned)i;
    if (!thread)
        return;
    const enum wt_status status =
        wt_debugger_read_numbers(side->d, thread, index, count, value, &err);
    say_status(side, status, &err);
    for (size_t i = 0; !status && i < count; i++)
        fprintf(side->out, "%s=%" PRIx64 " ", t->registers[i].name, value[i]);
}

/* t3 to t6, which the program does not use. */
static void do_write_register(struct side *side, const struct numbers *n)
{
    struct wt_error err;
    uint64_t pc, value = 0;
    const unsigned index = 28 + (unsigned)(n->b % 4);
    const wt_thread thread = pick_thread(side, n->a, &pc);
    if (!thread)
        return;
    say_status(side, wt_debugger_write_number(side->d, thread, index, n->c, &err), &err);
    say_status(side, wt_debugger_read_numbers(side->d, thread, &index, 1, &value, &err), &err);
    fprintf(side->out, "%" PRIx64 "\n", value);
}

static void do_read_memory(struct side *side, const struct numbers *n)
{
    uint8_t bytes[512] = {0};
    uint64_t pc;
    struct wt_error err;
    const wt_thread thread = pick_thread(side, n->a, &pc);
    const size_t size = 1 + n->c % sizeof bytes;
    const uint64_t addr = n->e % 2 ? SOAK_CODE + n->b % 256 : SOAK_DATA + n->b % 2048;
    if (!thread)
        return;
    say_status(side,
               wt_debugger_read_memory(side->d, thread, wt_address_of(addr), bytes, size, &err),
               &err);
    say_bytes(side, bytes, size);
}

static void do_write_memory(struct side *side, const struct numbers *n)
{
    uint8_t bytes[256];
    uint64_t pc;
    struct wt_error err;
    const wt_thread thread = pick_thread(side, n->a, &pc);
    const size_t size = 1 + n->c % sizeof bytes;
    const uint64_t addr = SOAK_DATA + 0x8000 + n->b % 1024;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(n->e >> i % 56);
    if (!thread)
        return;
    say_status(side,
               wt_debugger_write_memory(side->d, thread, wt_address_of(addr), bytes, size, &err),
               &err);
    memset(bytes, 0, sizeof bytes);
    say_status(side,
               wt_debugger_read_memory(side->d, thread, wt_address_of(addr), bytes, size, &err),
               &err);
    say_bytes(side, bytes, size);
}

static void do_threads(struct side *side, const struct numbers *n)
{
    const struct wt_thread_info *list;
    size_t count = 0;
    struct wt_error err;
    char name[128];
    const enum wt_status status = wt_debugger_threads(side->d, &list, &count, &err);
    say_status(side, status, &err);
    for (size_t i = 0; !status && i < count; i++)
        fprintf(side->out,
                "%" PRIu32 " core %u wave %u lane %u enabled %d running %d pc %" PRIx64 "\n",
                list[i].id, list[i].core, list[i].wave_in_core, list[i].lane, list[i].enabled,
                list[i].running, list[i].pc);
    wt_debugger_thread_name(side->d, (wt_thread)(n->a % 64), name, sizeof name);
    fprintf(side->out, "%s; current %" PRIu32 "\n", name, wt_debugger_current_thread(side->d));
}

static void do_waves(struct side *side, const struct numbers *n)
{
    const struct wt_topology *t = wt_debugger_topology(side->d);
    for (uint32_t w = 0; w < t->waves; w++) {
        struct wt_wave_info info = {0};
        struct wt_error err;
        const wt_wave_id id =
            wt_debugger_wave_in(side->d, w / t->waves_per_core, w % t->waves_per_core);
        if (id != WT_NO_WAVE)
            say_status(side, wt_debugger_wave(side->d, id, &info, &err), &err);
        fprintf(side->out,
                "wave %" PRIu32 " active %d running %d pc %" PRIx64 " mask %" PRIx64 "\n", w,
                id != WT_NO_WAVE, info.running, info.pc, (uint64_t)info.mask);
    }
}

static void do_mode(struct side *side, const struct numbers *n)
{
    struct wt_error err;
    wt_debugger_set_thread_mode(side->d, (enum wt_thread_mode)(n->a % 3));
    say_status(side, wt_debugger_choose_lane(side->d, (unsigned)(n->b % 9), &err), &err);
}

/* Some threads go, some are stopped, one by one. */
static void do_nonstop(struct side *side, const struct numbers *n)
{
    struct wt_error err;
    uint64_t pc;
    wt_debugger_set_nonstop(side->d, true);
    for (unsigned i = 0; i < 6; i++) {
        const uint64_t bits = n->a >> (8 * i);
        const struct wt_resume one = {.thread = pick_thread(side, bits, &pc),
                                      .kind = bits & 0x80   ? WT_RESUME_STOP
                                              : bits & 0x40 ? WT_RESUME_STEP
                                                            : WT_RESUME_CONTINUE};
        if (one.thread)
            say_status(side, wt_debugger_run(side->d, WT_FORWARDS, &one, 1, &err), &err);
        for (unsigned k = 0; k < 4; k++)
            wt_debugger_pump(side->d, 1);
        say_events(side);
    }
    if (wt_debugger_running(side->d))
        say_status(side, wt_debugger_interrupt(side->d, &err), &err);
    say_events(side);
    wt_debugger_set_nonstop(side->d, false);
    if (wt_debugger_running(side->d))
        say_status(side, wt_debugger_interrupt(side->d, &err), &err);
    say_events(side);
}

static void set_flag(struct side *side, uint32_t value)
{
    struct wt_error err;
    uint64_t pc;
    const wt_thread thread = pick_thread(side, 0, &pc);
    if (thread)
        say_status(
            side,
            wt_debugger_write_memory(side->d, thread, wt_address_of(SOAK_FLAG), &value, 4, &err),
            &err);
}

static void do_reset(struct side *side, const struct numbers *n)
{
    struct wt_error err;
    say_status(side, wt_debugger_reset(side->d, &err), &err);
    say_events(side);
    set_flag(side, 0);
}

/* The program ends, or what is left of it waits for warps that have ended. */
static void do_end(struct side *side, const struct numbers *n)
{
    uint32_t status = 0;
    set_flag(side, 1);
    wt_debugger_remove_all_breakpoints(side->d);
    do_continue(side, n);
    do_continue(side, n);
    fprintf(side->out, "ended %d", wt_debugger_ended(side->d, &status));
    fprintf(side->out, " %" PRIu32 "\n", status);
    do_reset(side, n);
}

static void close_side(struct side *side)
{
    if (side->d)
        wt_debugger_close(side->d);
    wt_bus_close(side->bus);
    side->d = NULL;
    side->bus = NULL;
}

static void open_side(struct side *side)
{
    static const struct wt_target_services none;
    static const struct wt_bus_open_options how = {.timeout_ms = 60000};
    const struct wt_debugger_options options = {.threads = WT_THREADS_LANES};
    struct wt_error err;
    enum wt_status status = WT_OK;
    if (side->server) {
        status = wt_bus_open(soak_server_address(side->server), &how, &side->bus, NULL, &err);
    } else {
        const struct wt_bus_device registers = soak_device_registers(side->device);
        side->bus = wt_bus_local(&registers);
    }
    side->link = (struct wt_vortex_link){.bus = side->bus, .exit_addr = 0x88};
    side->target = (struct wt_target){.link = &side->link, .services = &none};
    if (!status)
        status = wt_debugger_open(&side->target, &wt_probe_vortex, &options, &side->d, &err);
    if (status) {
        fprintf(stderr, "soak: cannot open a debugger: %s\n", err.text);
        exit(1);
    }
    if (wt_debugger_running(side->d))
        wt_debugger_interrupt(side->d, &err);
    say_events(side);
}

/* The debugger goes away, and another one comes. */
static void do_reattach(struct side *side, const struct numbers *n)
{
    struct wt_error err;
    if (n->a % 2) {
        close_side(side);
        open_side(side);
    } else {
        say_status(side, wt_bus_reconnect(side->bus, &err), &err);
    }
    fprintf(side->out, "running %d\n", wt_debugger_running(side->d));
}

static const struct {
    const char *name;
    void (*run)(struct side *side, const struct numbers *n);
    unsigned weight;
} operations[] = {
    {"continue", do_continue, 12},
    {"step", do_step, 12},
    {"range step", do_range, 6},
    {"insert a breakpoint", do_insert, 10},
    {"remove a breakpoint", do_remove, 8},
    {"read registers", do_registers, 10},
    {"write a register", do_write_register, 6},
    {"read memory", do_read_memory, 10},
    {"write memory", do_write_memory, 6},
    {"list threads", do_threads, 8},
    {"look at warps", do_waves, 6},
    {"change the thread mode", do_mode, 3},
    {"non-stop", do_nonstop, 5},
    {"reset", do_reset, 3},
    {"end the program", do_end, 1},
    {"reattach", do_reattach, 3},
};
enum { KINDS = sizeof operations / sizeof *operations };

/* ---- one operation on all sides ---- */

static void begin_text(struct side *side)
{
    side->text = NULL;
    side->length = 0;
    side->out = open_memstream(&side->text, &side->length);
}

static void compare_states(struct soak *s)
{
    struct soak_state state[SIDES];
    soak_device_state(s->side[LOCAL].device, &state[LOCAL]);
    for (unsigned i = 1; i < SIDES; i++) {
        soak_server_state(s->side[i].server, true, &state[i]);
        if (state[i].hash != state[LOCAL].hash || state[i].time != state[LOCAL].time)
            die(s,
                "the device behind %s is at time %" PRIu64 ", hash %016" PRIx64
                ", the local one at %" PRIu64 ", %016" PRIx64,
                side_names[i], state[i].time, state[i].hash, state[LOCAL].time, state[LOCAL].hash);
    }
}

static void operate(struct soak *s)
{
    unsigned total = 0, kind = 0;
    for (unsigned i = 0; i < KINDS; i++)
        total += operations[i].weight;
    for (uint64_t left = below(s, total); left >= operations[kind].weight; kind++)
        left -= operations[kind].weight;
    const struct numbers n = {any(s), any(s), any(s), any(s)};
    s->operation = operations[kind].name;
    s->operations++;
    alarm(HANG_SECONDS);
    for (unsigned i = 0; i < SIDES; i++) {
        begin_text(&s->side[i]);
        operations[kind].run(&s->side[i], &n);
        fclose(s->side[i].out);
    }
    alarm(0);
    for (unsigned i = 1; i < SIDES; i++)
        if (s->side[i].length != s->side[LOCAL].length ||
            memcmp(s->side[i].text, s->side[LOCAL].text, s->side[LOCAL].length) != 0)
            die(s, "%s said\n%s\nbut the local one\n%s", side_names[i], s->side[i].text,
                s->side[LOCAL].text);
    for (unsigned i = 0; i < SIDES; i++)
        free(s->side[i].text);
    compare_states(s);
}

static void do_round(struct soak *s)
{
    static const unsigned slices[] = {1, 7, 40, 300};
    s->operation = "begin";
    s->shape = (struct soak_shape){.xlen = below(s, 2) ? 64 : 32,
                                   .cores = 1 + (unsigned)below(s, 3),
                                   .warps = 1 + (unsigned)below(s, 5),
                                   .threads = 1u << below(s, 4),
                                   .dm_clock = below(s, 3) ? 0 : 1 + (unsigned)below(s, 3),
                                   .ebreak_after = below(s, 3) == 0,
                                   .slice = slices[below(s, 4)],
                                   .seed = (unsigned)below(s, 6)};
    s->side[LOCAL].device = soak_device_new(&s->shape);
    for (unsigned i = 0; i < SIDES; i++) {
        if (s->side[i].server)
            soak_server_device(s->side[i].server, &s->shape);
        begin_text(&s->side[i]);
        open_side(&s->side[i]);
        do_reset(&s->side[i], NULL);
        fclose(s->side[i].out);
        free(s->side[i].text);
    }
    compare_states(s);
    for (unsigned i = 0; i < OPERATIONS; i++)
        operate(s);
    s->operation = "end";
    for (unsigned i = 0; i < SIDES; i++)
        close_side(&s->side[i]);
    compare_states(s);
    soak_device_free(s->side[LOCAL].device);
    s->side[LOCAL].device = NULL;
    s->rounds++;
}

/* ---- what is held between rounds ---- */

struct held {
    struct soak_state process[SIDES];
};

static void look_at_processes(struct soak *s, struct held *held)
{
    for (unsigned i = 1; i < SIDES; i++)
        soak_server_state(s->side[i].server, false, &held->process[i]);
    soak_device_state(NULL, &held->process[LOCAL]);
}

static void compare_processes(struct soak *s, const struct held *early, const struct held *late)
{
    for (unsigned i = 0; i < SIDES; i++) {
        const struct soak_state *a = &early->process[i], *b = &late->process[i];
        if (b->files != a->files)
            die(s, "the process of %s had %" PRIu64 " descriptors, and has %" PRIu64 " now",
                side_names[i], a->files, b->files);
        if (b->heap != a->heap)
            die(s, "the process of %s had %" PRIu64 " bytes of heap, and has %" PRIu64 " now",
                side_names[i], a->heap, b->heap);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    /* Freed blocks that a thread keeps for itself count as used: it shall keep none. */
    if (!getenv("GLIBC_TUNABLES")) {
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1);
        execv("/proc/self/exe", argv);
    }
    static struct soak s;
    const double length = argc > 1 ? atof(argv[1]) : 60;
    s.seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
    s.random = s.seed;
    printf("soak: %.0f seconds, seed %" PRIu64 "\n", length, s.seed);
    fflush(stdout);
    signal(SIGALRM, hangs);
    signal(SIGPIPE, SIG_IGN);
    s.side[1].server = soak_server_start(SOAK_TCP);
    s.side[2].server = soak_server_start(SOAK_JTAG);
    /* The first minute, or the first part of a short run. */
    const double first = length / 4 < 60 ? length / 4 : 60, begin = seconds();
    struct held early, late;
    do
        do_round(&s);
    while (seconds() - begin < first || s.rounds < 3);
    look_at_processes(&s, &early);
    do
        do_round(&s);
    while (seconds() - begin < length);
    look_at_processes(&s, &late);
    compare_processes(&s, &early, &late);
    for (unsigned i = 1; i < SIDES; i++)
        soak_server_stop(s.side[i].server);
    printf("soak: %" PRIu64 " rounds, %" PRIu64 " operations: the same over %s, %s and %s; heap "
           "%" PRIu64 ", %" PRIu64 " and %" PRIu64 " bytes from beginning to end\n",
           s.rounds, s.operations, side_names[0], side_names[1], side_names[2],
           late.process[0].heap, late.process[1].heap, late.process[2].heap);
    return 0;
}
