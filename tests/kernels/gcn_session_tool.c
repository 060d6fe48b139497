/*
 * gcn_session_tool bare|full|recorded FILE KERNEL GRID BLOCK [ARG…]: a debugger's session of a
 * kernel, by commands on stdin, one a line; the answer to each is one line on stdout. bare: the
 * target has no service but that it can be let advance, as hardware would be. Waves are threads.
 *
 * gcn_session_tool process PID: the same of a program in its own process; it goes on when the
 * input ends. gcn_session_tool start WAVETRAP PROGRAM [ARGUMENT…]: starts it, with its output on
 * stderr; its kernels wait for the debugger.
 *
 *   break SYMBOL[+N]|0xADDR      delete 0xADDR      continue     step [THREAD]    reverse [THREAD]
 *   watch ADDR SIZE              reg NAME [LANE]    set NAME LANE VALUE           row NAME
 *   mem SPACE OFFSET SIZE [LANE] poke SPACE OFFSET HEX [LANE]    threads          thread N
 *   time   goto N   hash   restart   insn   topology   where
 *   pending LOCATION (a breakpoint wherever code of that name is, or will be)   modules   news
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "debug/core/going.h"
#include "debug/core/debugger.h"
#include "emulator/machine/machine.h"
#include "target/emulated.h"
#include "target/history.h"
#include "target/process.h"
#include "../pending.h"

struct tool {
    struct wt_emulated e;
    struct wt_process process;
    bool attached; /* to a process */
    struct wt_modules *modules;
    struct wt_debugger *d;
    wt_thread thread;
    struct pending *pending[8];
    size_t pending_count;
    unsigned changes, began, ended; /* news: of modules, of dispatches */
};

static void stop(const char *what, const struct wt_error *err)
{
    printf("error: %s: %s\n", what, err->text);
    exit(1);
}

/* Answers with the error, and is true, if there is one. */
static bool failed(enum wt_status status, const struct wt_error *err)
{
    if (status)
        printf("error: %s\n", err->text);
    return status != WT_OK;
}

static const char *reason_name(const struct wt_event *e)
{
    static const char *const name[] = {[WT_STOP_BREAKPOINT] = "breakpoint",
                                       [WT_STOP_WATCHPOINT] = "watchpoint",
                                       [WT_STOP_STEP] = "step",
                                       [WT_STOP_INTERRUPTED] = "interrupted",
                                       [WT_STOP_REQUESTED] = "requested",
                                       [WT_STOP_FAULT] = "fault",
                                       [WT_STOP_TRAP] = "trap",
                                       [WT_STOP_LOST] = "lost",
                                       [WT_STOP_HISTORY_BEGIN] = "begin",
                                       [WT_STOP_HISTORY_END] = "end"};
    return e->kind == WT_EVENT_EXITED ? "exited" : name[e->reason];
}

static void where(struct tool *t)
{
    struct wt_thread_position place;
    struct wt_error err;
    struct wt_wave wave;
    char text[160];
    if (!wt_debugger_thread_wave(t->d, t->thread, &wave) ||
        failed(wt_debugger_thread_position(t->d, t->thread, &place, &err), &err))
        return;
    wt_modules_describe(t->modules, 0, place.pc, text, sizeof text);
    printf(" thread %u id %" PRIx64 " group %u,%u,%u wave %u mask %016" PRIx64 " pc %" PRIx64 " %s",
           (unsigned)t->thread, wave.id, (unsigned)wave.group[0], (unsigned)wave.group[1],
           (unsigned)wave.group[2], (unsigned)wave.index, (uint64_t)place.active, place.pc, text);
}

/* As a client of a session takes its news. */
static void take_news(struct tool *t)
{
    struct wt_probe_event news;
    struct wt_error err;
    while (wt_debugger_next_news(t->d, &news)) {
        t->began += news.kind == WT_PROBE_DISPATCH_BEGAN;
        t->ended += news.kind == WT_PROBE_DISPATCH_ENDED;
        if (news.kind != WT_PROBE_MODULES_CHANGED)
            continue;
        t->changes++;
        if (wt_process_refresh(&t->process, &err))
            fprintf(stderr, "refresh: %s\n", err.text);
    }
}

static void set_pending(struct tool *t, const char *text)
{
    struct wt_error err;
    struct pending *p = calloc(1, sizeof *p);
    if (!p || t->pending_count == sizeof t->pending / sizeof t->pending[0])
        exit(1);
    *p = (struct pending){.debugger = t->d, .modules = t->modules, .errors = stderr};
    if (failed(pending_begin(p, text, &err), &err)) {
        free(p);
        return;
    }
    t->pending[t->pending_count++] = p;
    printf("%zu\n", p->count);
}

static void list_modules(struct tool *t)
{
    size_t count;
    const struct wt_module *list = wt_modules_list(t->modules, &count);
    printf("%zu", count);
    for (size_t i = 0; i < count; i++)
        printf(" %" PRIx64 ":%s", list[i].bias, list[i].name);
    printf("\n");
}

static void wait_for_event(struct tool *t)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    unsigned idle = 0;
    while (wt_debugger_running(t->d)) {
        idle = wt_debugger_pump(t->d, 1 << 16) ? 0 : idle + 1;
        take_news(t);
        if (idle && t->attached)
            nanosleep(&moment, NULL);
        if (idle > (t->attached ? 20000 : 1000)) {
            struct wt_error err;
            if (failed(wt_debugger_interrupt(t->d, &err), &err))
                return;
            idle = 0;
        }
    }
    const struct wt_event event = wt_debugger_next_event(t->d);
    if (event.kind == WT_EVENT_NONE) {
        printf("error: nothing happened\n");
        return;
    }
    printf("%s", reason_name(&event));
    if (t->attached)
        wt_process_refresh(&t->process, WT_IGNORED);
    if (event.kind == WT_EVENT_STOPPED && event.thread) {
        t->thread = event.thread;
        where(t);
    }
    if (event.reason == WT_STOP_WATCHPOINT)
        printf(" at %" PRIx64 " lanes %" PRIx64, event.addr.offset, (uint64_t)event.lanes);
    printf("%s%s\n", *event.text ? " | " : "", event.text);
    while (wt_debugger_next_event(t->d).kind != WT_EVENT_NONE)
        continue;
}

static void run(struct tool *t, bool back, enum wt_resume_kind kind)
{
    struct wt_resume list[2] = {{.thread = t->thread, .kind = kind}};
    struct wt_error err;
    if (kind == WT_RESUME_CONTINUE)
        list[0].thread = 0;
    if (failed(wt_debugger_run(t->d, back ? WT_BACKWARDS : WT_FORWARDS, list, 1, &err), &err))
        return;
    wait_for_event(t);
}

static bool find_register(struct tool *t, const char *name, unsigned *index)
{
    const struct wt_topology *topology = wt_debugger_topology(t->d);
    for (unsigned i = 0; i < topology->register_count; i++) {
        *index = i;
        if (strcmp(topology->registers[i].name, name) == 0)
            return true;
    }
    printf("error: no register %s\n", name);
    return false;
}

static void read_register(struct tool *t, const char *name, unsigned lane)
{
    unsigned index;
    uint8_t bytes[8] = {0};
    struct wt_error err;
    if (!find_register(t, name, &index) ||
        failed(wt_debugger_read_rows(t->d, t->thread, wt_lane_bit(lane), &index, 1, bytes, &err),
               &err))
        return;
    uint64_t value;
    memcpy(&value, bytes, 8);
    printf("%" PRIx64 "\n", value);
}

static void read_row(struct tool *t, const char *name)
{
    unsigned index;
    uint32_t row[64] = {0};
    struct wt_error err;
    if (!find_register(t, name, &index) ||
        (wt_debugger_read_rows(t->d, t->thread, wt_lanes_first(64), &index, 1, row, &err) !=
             WT_OK &&
         failed(wt_debugger_read_rows(t->d, t->thread, wt_lanes_first(32), &index, 1, row, &err),
                &err)))
        return;
    for (unsigned i = 0; i < 64; i++)
        printf("%x%s", (unsigned)row[i], i < 63 ? " " : "\n");
}

static void write_register(struct tool *t, const char *name, unsigned lane, uint64_t value)
{
    unsigned index;
    struct wt_error err;
    if (!find_register(t, name, &index) ||
        failed(wt_debugger_choose_lane(t->d, lane, &err), &err) ||
        failed(wt_debugger_write_number(t->d, t->thread, index, value, &err), &err))
        return;
    printf("ok\n");
}

static bool find_space(struct tool *t, const char *name, uint32_t *space)
{
    const struct wt_topology *topology = wt_debugger_topology(t->d);
    for (*space = 0; *space < topology->space_count; ++*space)
        if (strcmp(topology->spaces[*space].name, name) == 0)
            return true;
    printf("error: no space %s\n", name);
    return false;
}

static void read_memory(struct tool *t, const char *space, uint64_t offset, size_t size,
                        unsigned lane)
{
    struct wt_address addr = {.offset = offset};
    uint8_t bytes[256];
    struct wt_error err;
    if (size > sizeof bytes || !find_space(t, space, &addr.space) ||
        failed(wt_debugger_choose_lane(t->d, lane, &err), &err) ||
        failed(wt_debugger_read_memory(t->d, t->thread, addr, bytes, size, &err), &err))
        return;
    for (size_t i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}

static void write_memory(struct tool *t, const char *space, uint64_t offset, const char *hex,
                         unsigned lane)
{
    struct wt_address addr = {.offset = offset};
    uint8_t bytes[64];
    size_t size = 0;
    struct wt_error err;
    for (; size < sizeof bytes && sscanf(hex + 2 * size, "%2hhx", &bytes[size]) == 1; size++)
        continue;
    if (!find_space(t, space, &addr.space) ||
        failed(wt_debugger_choose_lane(t->d, lane, &err), &err) ||
        failed(wt_debugger_write_memory(t->d, t->thread, addr, bytes, size, &err), &err))
        return;
    printf("ok\n");
}

static void list_threads(struct tool *t)
{
    const struct wt_thread_info *list;
    size_t count;
    struct wt_error err;
    if (failed(wt_debugger_threads(t->d, &list, &count, &err), &err))
        return;
    printf("%zu", count);
    for (size_t i = 0; i < count; i++)
        printf(" %u:%" PRIx64, (unsigned)list[i].id, list[i].pc);
    printf("\n");
}

static void show_instruction(struct tool *t)
{
    static const char *const kind[] = {"plain",   "call", "return", "branch",
                                       "barrier", "trap", "end"};
    struct wt_thread_position place;
    struct wt_instruction in;
    struct wt_error err;
    if (failed(wt_debugger_thread_position(t->d, t->thread, &place, &err), &err) ||
        failed(wt_debugger_instruction(t->d, t->thread, place.pc, &in, &err), &err))
        return;
    printf("%u %s\n", in.length, kind[in.kind]);
}

static bool find_address(struct tool *t, const char *text, uint64_t *addr)
{
    char name[128];
    const char *plus = strchr(text, '+');
    const size_t length = plus ? (size_t)(plus - text) : strlen(text);
    if (*text >= '0' && *text <= '9') {
        *addr = strtoull(text, NULL, 0);
        return true;
    }
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    if (!wt_modules_address(t->modules, 0, name, addr)) {
        printf("error: no symbol %s\n", name);
        return false;
    }
    *addr += plus ? strtoull(plus + 1, NULL, 0) : 0;
    return true;
}

static void set_breakpoint(struct tool *t, const char *where, bool in)
{
    uint64_t addr;
    struct wt_error err;
    if (!find_address(t, where, &addr) ||
        failed(in ? wt_debugger_insert_breakpoint(t->d, addr, NULL, 0, NULL, 0, &err)
                  : wt_debugger_remove_breakpoint(t->d, addr, &err),
               &err))
        return;
    printf("%" PRIx64 "\n", addr);
}

/* A breakpoint for lanes in which two registers have these values. */
static void set_conditional(struct tool *t, const char *where, char **word, const uint64_t *number)
{
    struct wt_expr *expr = wt_expr_new();
    unsigned first, second;
    uint64_t addr;
    struct wt_error err;
    if (expr && find_address(t, where, &addr) && find_register(t, word[2], &first) &&
        find_register(t, word[4], &second)) {
        const wt_expr_vector a = wt_expr_temporary(expr, 0), b = wt_expr_temporary(expr, 1);
        wt_expr_add(expr, WT_EXPR_EQUAL, 0, a, wt_expr_register(expr, first),
                    wt_expr_constant(expr, number[3]));
        wt_expr_add(expr, WT_EXPR_EQUAL, 0, b, wt_expr_register(expr, second),
                    wt_expr_constant(expr, number[5]));
        wt_expr_add(expr, WT_EXPR_AND, 0, a, a, b);
        wt_expr_add(expr, WT_EXPR_END, 0, a, a, a);
        if (!failed(wt_expr_finish(expr, &err), &err) &&
            !failed(wt_debugger_insert_breakpoint(t->d, addr, &expr, 1, NULL, 0, &err), &err))
            printf("%" PRIx64 "\n", addr);
    }
    wt_expr_free(expr);
}

static void set_watchpoint(struct tool *t, uint64_t addr, uint64_t size)
{
    struct wt_error err;
    const struct wt_watchpoint_request request = {
        .kind = WT_WATCHPOINT_WRITE, .addr = {0, addr}, .size = size, .thread = t->thread};
    if (!failed(wt_debugger_insert_watchpoint(t->d, &request, &err), &err))
        printf("ok\n");
}

static void travel(struct tool *t, uint64_t time)
{
    struct wt_error err;
    if (failed(wt_debugger_goto(t->d, time, &err), &err))
        return;
    t->thread = wt_debugger_current_thread(t->d);
    printf("at %" PRIu64, t->e.machine->time);
    if (t->thread)
        where(t);
    printf("\n");
}

static void obey(struct tool *t, char *line)
{
    char *word[6] = {0};
    unsigned n = 0;
    struct wt_error err;
    for (char *w = strtok(line, " \n"); w && n < 6; w = strtok(NULL, " \n"))
        word[n++] = w;
    uint64_t number[6] = {0};
    for (unsigned i = 0; i < n; i++)
        number[i] = strtoull(word[i], NULL, 0);
    if (!n)
        printf("error: no command\n");
    else if (!strcmp(word[0], "break") || !strcmp(word[0], "delete"))
        set_breakpoint(t, word[1], word[0][0] == 'b');
    else if (!strcmp(word[0], "break-if")) /* PLACE REGISTER VALUE REGISTER VALUE */
        set_conditional(t, word[1], word, number);
    else if (!strcmp(word[0], "watch"))
        set_watchpoint(t, number[1], number[2]);
    else if (!strcmp(word[0], "continue"))
        run(t, false, WT_RESUME_CONTINUE);
    else if (!strcmp(word[0], "step"))
        run(t, false, WT_RESUME_STEP);
    else if (!strcmp(word[0], "reverse-step"))
        run(t, true, WT_RESUME_STEP);
    else if (!strcmp(word[0], "reverse"))
        run(t, true, WT_RESUME_CONTINUE);
    else if (!strcmp(word[0], "reg"))
        read_register(t, word[1], (unsigned)number[2]);
    else if (!strcmp(word[0], "row"))
        read_row(t, word[1]);
    else if (!strcmp(word[0], "set"))
        write_register(t, word[1], (unsigned)number[2], number[3]);
    else if (!strcmp(word[0], "mem"))
        read_memory(t, word[1], number[2], number[3], (unsigned)number[4]);
    else if (!strcmp(word[0], "poke"))
        write_memory(t, word[1], number[2], word[3], (unsigned)number[4]);
    else if (!strcmp(word[0], "threads"))
        list_threads(t);
    else if (!strcmp(word[0], "thread"))
        t->thread = (wt_thread)number[1], printf("ok\n");
    else if (!strcmp(word[0], "insn"))
        show_instruction(t);
    else if (!strcmp(word[0], "where"))
        printf("at"), where(t), printf("\n");
    else if (!strcmp(word[0], "time"))
        printf("%" PRIu64 "\n", t->attached ? 0 : t->e.machine->time);
    else if (!strcmp(word[0], "goto"))
        travel(t, number[1]);
    else if (!strcmp(word[0], "pending"))
        set_pending(t, word[1]);
    else if (!strcmp(word[0], "modules"))
        list_modules(t);
    else if (!strcmp(word[0], "news"))
        printf("%u %u %u\n", t->changes, t->began, t->ended);
    else if (!strcmp(word[0], "hash")) {
        uint64_t hash;
        if (!failed(wt_debugger_hash(t->d, &hash, &err), &err))
            printf("%016" PRIx64 "\n", hash);
    } else if (!strcmp(word[0], "restart")) {
        if (!failed(wt_debugger_restart(t->d, &err), &err)) {
            t->thread = wt_debugger_current_thread(t->d);
            printf("ok\n");
        }
    } else
        printf("error: no command %s\n", word[0]);
}

static void open_kernel(struct tool *t, const struct wt_emulated_options *options, char **argv)
{
    struct wt_error err;
    if (wt_emulated_open(&t->e, options, argv[2], &err))
        stop("open", &err);
    if (wt_emulated_debug(&t->e, NULL, NULL, &err))
        stop("debug", &err);
    t->d = t->e.debugger;
    t->modules = t->e.modules;
}

/* Kernels that run when a debugger comes are stopped, as by GDB. */
static void stop_what_runs(struct tool *t)
{
    struct wt_error err;
    if (wt_debugger_running(t->d) && wt_debugger_interrupt(t->d, &err) != WT_OK)
        stop("interrupt", &err);
    while (wt_debugger_running(t->d))
        wt_debugger_pump(t->d, 1 << 16);
    take_news(t);
    while (wt_debugger_next_event(t->d).kind != WT_EVENT_NONE)
        continue;
}

static void open_process(struct tool *t, int pid)
{
    const struct wt_debugger_options options = {.threads = WT_THREADS_WAVES};
    const struct wt_process_place place = {.pid = pid};
    struct wt_error err;
    if (wt_process_open(&t->process, wt_family_of_host_programs(), &place, &options, 0, &err))
        stop("process", &err);
    t->attached = true;
    t->d = t->process.debugger;
    t->modules = t->process.modules;
    stop_what_runs(t);
}

/* As `wavetrap debug PROGRAM` does. */
static void start_process(struct tool *t, char **argv)
{
    char *words[64] = {argv[2], "exec"};
    struct wt_error err;
    const struct wt_family *family = NULL;
    int status;
    for (unsigned i = 3; argv[i] && i < 62; i++)
        words[i - 1] = argv[i];
    const int self = getpid(), pid = fork();
    if (pid == 0) {
        const int none = open("/dev/null", O_RDONLY);
        dup2(none, 0);
        dup2(2, 1);
        char held[32];
        snprintf(held, sizeof held, "%d:%d", (int)getpid(), self);
        setenv("WAVETRAP_HELD", held, 1);
        execv(words[0], words);
        _exit(127);
    }
    struct wt_process_place place = {.pid = pid};
    for (unsigned tries = 0; !family && tries < 60; tries++) {
        if (wt_process_wait(&place, 1000, &family, &err))
            stop("wait", &err);
        if (waitpid(pid, &status, WNOHANG) == pid) {
            printf("error: the program has ended, %d\n", status);
            exit(1);
        }
    }
    open_process(t, pid);
}

int main(int argc, char **argv)
{
    struct tool t = {.attached = false};
    if (argc < 3)
        return 2;
    const bool bare = !strcmp(argv[1], "bare"), recorded = !strcmp(argv[1], "recorded");
    struct wt_emulated_options options = {
        .kernel = {.given = true, .name = argv[3], .grid_given = true, .block_given = true},
        .hw_only = bare,
        .threads = WT_THREADS_WAVES,
        .history_memory = recorded ? (uint64_t)256 << 20 : 0};
    for (unsigned i = 0; i < 3; i++)
        options.kernel.grid[i] = options.kernel.block[i] = 1;
    if (!strcmp(argv[1], "process")) {
        open_process(&t, atoi(argv[2]));
    } else if (!strcmp(argv[1], "start")) {
        start_process(&t, argv);
    } else {
        if (argc < 6)
            return 2;
        options.argument = (const char **)argv + 6;
        options.argument_count = (size_t)argc - 6;
        sscanf(argv[4], "%u,%u,%u", &options.kernel.grid[0], &options.kernel.grid[1],
               &options.kernel.grid[2]);
        sscanf(argv[5], "%u,%u,%u", &options.kernel.block[0], &options.kernel.block[1],
               &options.kernel.block[2]);
        open_kernel(&t, &options, argv);
    }
    t.thread = wt_debugger_current_thread(t.d);
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        obey(&t, line);
        fflush(stdout);
    }
    for (size_t i = 0; i < t.pending_count; i++) {
        pending_end(t.pending[i]);
        free(t.pending[i]);
    }
    if (t.attached) {
        wt_process_close(&t.process);
        return 0;
    }
    wt_debugger_close(t.d);
    wt_emulated_close(&t.e);
    return 0;
}
