/* A host program of Vortex 3.0: FILE WORK [OTHER]. Prints what it sees; "wrong" where a call does
 * not give what it is to. With OTHER, the kernels of a second device, that one and the first work,
 * too. */
#define VORTEX_API 3
#include "runtime/vortex/vortex.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wrong;

static void gives(int line, const char *call, vx_result_t is, vx_result_t wanted)
{
    if (is == wanted)
        return;
    printf("wrong: line %d: %s is %s, not %s\n", line, call, vx_result_string(is),
           vx_result_string(wanted));
    wrong = 1;
}
#define GIVES(call, wanted) gives(__LINE__, #call, call, wanted)
#define WORKS(call) gives(__LINE__, #call, call, VX_SUCCESS)
#define IS(condition)                                                                              \
    do                                                                                             \
        if (!(condition) && (wrong = 1))                                                           \
            printf("wrong: line %d: %s\n", __LINE__, #condition);                                  \
    while (0)

enum { WIDTH = 16, HEIGHT = 6, COUNT = WIDTH * HEIGHT, SIZE = COUNT * 4 };

struct arguments {
    uint32_t factor, a, b, c;
};

static vx_device_h device;
static vx_queue_h queue;
static vx_module_h module;
static vx_buffer_h a, b, c;
static struct arguments arguments = {.factor = 3};
static uint32_t words[COUNT];

static uint32_t where(vx_buffer_h buffer)
{
    uint64_t address = 0;
    WORKS(vx_buffer_address(buffer, &address));
    return (uint32_t)address;
}

static void begin(const char *path, uint32_t number)
{
    const vx_queue_info_t info = {.struct_size = sizeof info,
                                  .priority = VX_QUEUE_PRIORITY_NORMAL,
                                  .flags = VX_QUEUE_PROFILING_ENABLE};
    uint32_t count = 0;
    WORKS(vx_device_count(&count));
    IS(count > number);
    WORKS(vx_device_open(number, &device));
    WORKS(vx_queue_create(device, &info, &queue));
    WORKS(vx_buffer_create(device, SIZE, VX_MEM_READ, &a));
    WORKS(vx_buffer_create(device, SIZE, VX_MEM_READ, &b));
    WORKS(vx_buffer_create(device, SIZE, VX_MEM_READ_WRITE, &c));
    arguments.a = where(a), arguments.b = where(b), arguments.c = where(c);
    WORKS(vx_module_load_file(device, path, &module));
    for (uint32_t i = 0; i < COUNT; i++)
        words[i] = i;
    WORKS(vx_enqueue_write(queue, a, 0, words, SIZE, 0, NULL, NULL));
    WORKS(vx_enqueue_write(queue, b, 0, words, SIZE, 0, NULL, NULL));
    WORKS(vx_queue_finish(queue, VX_TIMEOUT_INFINITE));
}

static void end(void)
{
    WORKS(vx_module_release(module));
    WORKS(vx_buffer_release(a));
    WORKS(vx_buffer_release(b));
    WORKS(vx_buffer_release(c));
    WORKS(vx_queue_release(queue));
    WORKS(vx_device_release(device));
}

/* A launch of a kernel by name, on the whole grid. */
static vx_launch_info_t launch_of(const char *name, vx_kernel_h *kernel)
{
    WORKS(vx_module_get_kernel(module, name, kernel));
    return (vx_launch_info_t){.struct_size = sizeof(vx_launch_info_t),
                              .kernel = *kernel,
                              .args_host = &arguments,
                              .args_size = sizeof arguments,
                              .ndim = 2,
                              .grid_dim = {4, 3},
                              .block_dim = {4, 2},
                              .lmem_size = 32,
                              .cluster_dim = {2, 1}};
}

static void launch(vx_queue_h on, const char *name, uint32_t count, const vx_event_h *events,
                   vx_event_h *done)
{
    vx_kernel_h kernel;
    const vx_launch_info_t info = launch_of(name, &kernel);
    WORKS(vx_enqueue_launch(on, &info, count, events, done));
    WORKS(vx_kernel_release(kernel)); /* the launch has it */
}

static void print_sum(void)
{
    uint64_t sum = 0;
    WORKS(vx_enqueue_read(queue, words, c, 0, SIZE, 0, NULL, NULL));
    WORKS(vx_queue_finish(queue, VX_TIMEOUT_INFINITE));
    for (uint32_t i = 0; i < COUNT; i++)
        sum += (i + 1) * words[i];
    printf("sum %llu\n", (unsigned long long)sum);
}

/* ---- works ---- */

static void compute(void)
{
    vx_event_h done;
    vx_profile_info_t t;
    uint64_t instructions;
    launch(queue, "add", 0, NULL, NULL);
    arguments.factor = 3;
    launch(queue, "main", 0, NULL, &done);
    arguments.factor = 99; /* the launch has its own */
    print_sum();
    WORKS(vx_event_get_profiling(done, &t));
    IS(t.queued_ns <= t.submit_ns && t.submit_ns <= t.start_ns && t.start_ns <= t.end_ns &&
       t.queued_ns);
    WORKS(vx_event_release(done));
    WORKS(vx_device_mpm_query(device, 0, 0xb02, UINT32_MAX, &instructions));
    IS(instructions > 0);
    uint64_t again = 0;
    uint32_t part, count = 1;
    WORKS(vx_device_query(device, VX_CAPS_NUM_CORES, &again));
    count = (uint32_t)again;
    again = 0;
    for (uint32_t core = 0; core < count; core++) { /* MPM_VALUE */
        WORKS(vx_dcr_read(device, 1, 1 << 22 | 2 << 16 | core, &part) ? VX_ERR_INTERNAL
                                                                      : VX_SUCCESS);
        again += part;
        WORKS(vx_dcr_read(device, 1, 1 << 22 | 34 << 16 | core, &part) ? VX_ERR_INTERNAL
                                                                       : VX_SUCCESS);
        IS(part == 0);
    }
    IS(again == instructions);
    IS(vx_dcr_read(device, 1, count, &part) != 0);
}

static void own(void)
{
    launch(queue, "own", 0, NULL, NULL);
    print_sum();
}

static void part(void)
{
    launch(queue, "part", 0, NULL, NULL);
    WORKS(vx_queue_finish(queue, VX_TIMEOUT_INFINITE));
    print_sum();
}

static void apart(void)
{
    launch(queue, "apart", 0, NULL, NULL);
    GIVES(vx_queue_finish(queue, VX_TIMEOUT_INFINITE), VX_SUCCESS);
}

static void beyond(void)
{
    launch(queue, "beyond", 0, NULL, NULL);
    WORKS(vx_queue_finish(queue, VX_TIMEOUT_INFINITE));
}

static void fail(void)
{
    vx_event_h done, later;
    launch(queue, "stray", 0, NULL, &done);
    WORKS(vx_enqueue_barrier(queue, 1, &done, &later));
    GIVES(vx_event_wait_value(done, 1, VX_TIMEOUT_INFINITE), VX_ERR_DEVICE_LOST);
    GIVES(vx_event_wait_value(later, 1, VX_TIMEOUT_INFINITE), VX_ERR_DEVICE_LOST);
    WORKS(vx_event_release(done));
    WORKS(vx_event_release(later));
    compute(); /* the device goes on */
}

static void wait_for_nobody(void)
{
    vx_event_h mine;
    WORKS(vx_event_create(device, &mine));
    WORKS(vx_enqueue_barrier(queue, 1, &mine, NULL));
    WORKS(vx_enqueue_read(queue, words, c, 0, SIZE, 0, NULL, NULL));
    GIVES(vx_event_wait_value(mine, 1, 1000000), VX_ERR_TIMEOUT);
    vx_queue_finish(queue, VX_TIMEOUT_INFINITE);
    puts("wrong: it came back");
}

static void *wait_too(void *event)
{
    WORKS(vx_event_wait_value(event, 1, VX_TIMEOUT_INFINITE));
    return NULL;
}

static void join_nobody(void)
{
    vx_event_h mine;
    pthread_t thread;
    WORKS(vx_event_create(device, &mine));
    pthread_create(&thread, NULL, wait_too, mine);
    pthread_join(thread, NULL);
    puts("wrong: it came back");
}

/* Two queues and two threads: each adds its part to a timeline that the other one waits for, so
 * that the kernels run in one order, whatever the schedule is. */
static vx_event_h turns;

static void *take_turns(void *odd)
{
    vx_queue_h mine;
    vx_event_h done;
    WORKS(vx_queue_create(device, NULL, &mine));
    for (uint64_t i = odd ? 1 : 0; i < 10; i += 2) {
        WORKS(vx_enqueue_wait_value(mine, turns, i, 0, NULL, NULL));
        launch(mine, odd ? "main" : "add", 0, NULL, NULL);
        WORKS(vx_enqueue_signal(mine, turns, i + 1, 0, NULL, &done));
    }
    WORKS(vx_event_wait_value(done, 1, VX_TIMEOUT_INFINITE));
    WORKS(vx_event_release(done));
    WORKS(vx_queue_release(mine));
    return NULL;
}

static void order(void)
{
    pthread_t thread[2];
    uint64_t value = 0;
    WORKS(vx_event_create(device, &turns));
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, take_turns, i ? &i : NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    WORKS(vx_event_get_value(turns, &value));
    IS(value == 10);
    WORKS(vx_event_release(turns));
    print_sum();
}

static bool main_sleeps(void)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    if (f)
        fclose(f);
    return state == 'S';
}

static void *signal_when_main_sleeps(void *event)
{
    while (!main_sleeps())
        usleep(1000);
    WORKS(vx_event_signal(event, 1));
    return NULL;
}

/* A launch that begins when all else waits for it: a queue, another one, the program. */
static void line_up(void)
{
    vx_event_h gate, added;
    vx_queue_h other;
    pthread_t thread;
    WORKS(vx_event_create(device, &gate));
    WORKS(vx_queue_create(device, NULL, &other));
    launch(queue, "add", 1, &gate, &added);
    launch(other, "main", 1, &added, NULL);
    WORKS(vx_enqueue_read(other, words, c, 0, SIZE, 0, NULL, NULL));
    pthread_create(&thread, NULL, signal_when_main_sleeps, gate);
    WORKS(vx_queue_finish(other, VX_TIMEOUT_INFINITE));
    pthread_join(thread, NULL);
    WORKS(vx_event_release(gate));
    WORKS(vx_event_release(added));
    WORKS(vx_queue_release(other));
    print_sum();
}

/* A command waits for the program; another queue goes on; a wait for all of several. */
static void signals(void)
{
    const vx_queue_info_t high = {.struct_size = sizeof high, .priority = VX_QUEUE_PRIORITY_HIGH};
    vx_event_h gate, events[2];
    vx_queue_h other;
    uint64_t value = 7;
    uint32_t first = 1;
    WORKS(vx_event_create(device, &gate));
    WORKS(vx_event_signal(gate, 0));
    WORKS(vx_queue_create(device, &high, &other));
    WORKS(vx_enqueue_fill_buffer(queue, c, 0, SIZE, &first, sizeof first, 1, &gate, &events[0]));
    WORKS(vx_enqueue_read(other, words, c, 4, 4, 0, NULL, &events[1]));
    WORKS(vx_queue_flush(queue));
    WORKS(vx_queue_finish(other, VX_TIMEOUT_INFINITE));
    IS(words[0] == 0); /* the fill waits */
    GIVES(vx_queue_finish(queue, 1000), VX_ERR_TIMEOUT);
    GIVES(vx_event_wait_values(2, events, (uint64_t[]){1, 1}, 1000), VX_ERR_TIMEOUT);
    WORKS(vx_event_get_value(events[0], &value));
    IS(value == 0);
    WORKS(vx_event_signal(gate, 5));
    WORKS(vx_event_signal(gate, 3)); /* it never goes back */
    WORKS(vx_event_wait_values(2, events, (uint64_t[]){1, 1}, VX_TIMEOUT_INFINITE));
    WORKS(vx_event_get_value(gate, &value));
    IS(value == 5);
    WORKS(vx_event_retain(gate));
    WORKS(vx_event_release(gate));
    GIVES(vx_event_get_profiling(events[1], &(vx_profile_info_t){0}), VX_ERR_NOT_SUPPORTED);
    for (int i = 0; i < 2; i++)
        WORKS(vx_event_release(events[i]));
    WORKS(vx_event_release(gate));
    WORKS(vx_queue_retain(other));
    WORKS(vx_queue_release(other));
    WORKS(vx_queue_release(other));
    print_sum();
}

/* Boxes, maps, copies, registers, batches. */
static void move(void)
{
    const vx_rect_info_t in = {.struct_size = sizeof in,
                               .buffer_origin = {4, 1},
                               .host_origin = {8, 2},
                               .region = {8, 3, 1},
                               .buffer_row_pitch = 4 * WIDTH,
                               .host_row_pitch = 4 * WIDTH};
    const vx_rect_info_t on = {.struct_size = sizeof on,
                               .buffer_origin = {0, 2},
                               .host_origin = {4, 1},
                               .region = {8, 2, 1},
                               .buffer_row_pitch = 4 * WIDTH,
                               .host_row_pitch = 4 * WIDTH};
    uint32_t back[COUNT] = {0}, register_value = 0, *mapped;
    vx_event_h done;
    vx_kernel_h kernel;
    WORKS(vx_enqueue_write_rect(queue, c, words, &in, 0, NULL, NULL));
    WORKS(vx_enqueue_copy_rect(queue, c, c, &on, 0, NULL, NULL));
    WORKS(vx_enqueue_read_rect(queue, back, c, &in, 0, NULL, NULL));
    WORKS(vx_enqueue_copy(queue, c, 0, b, 4, 8, 0, NULL, NULL));
    WORKS(vx_queue_finish(queue, VX_TIMEOUT_INFINITE));
    IS(back[2 * WIDTH + 2] == 2 * WIDTH + 2); /* row 1 of c, from row 2 of words */
    IS(back[3 * WIDTH + 2] == 2 * WIDTH + 3); /* row 2 of c is a copy of row 1 by one word */
    WORKS(vx_enqueue_map(queue, c, 0, 16, VX_MEM_READ_WRITE, 0, NULL, &done, (void **)&mapped));
    WORKS(vx_event_wait_value(done, 1, VX_TIMEOUT_INFINITE));
    IS(mapped[0] == 1 && mapped[1] == 2);
    mapped[0] = 1000;
    GIVES(vx_buffer_map(c, 0, 4, VX_MEM_READ, (void **)&mapped), VX_ERR_NOT_SUPPORTED);
    WORKS(vx_enqueue_unmap(queue, c, mapped, 0, NULL, NULL));
    WORKS(vx_queue_finish(queue, VX_TIMEOUT_INFINITE));
    WORKS(vx_buffer_map(c, 0, 4, VX_MEM_READ, (void **)&mapped));
    IS(mapped[0] == 1000);
    WORKS(vx_buffer_unmap(c, mapped));
    GIVES(vx_buffer_unmap(c, mapped), VX_ERR_INVALID_VALUE);
    /* registers by hand, and a launch without a kernel in one batch */
    WORKS(vx_module_get_kernel(module, "add", &kernel));
    uint64_t entry = 0;
    WORKS(vx_kernel_address(kernel, &entry));
    vx_launch_info_t info = launch_of("main", &kernel);
    info.kernel = NULL;
    const vx_command_t commands[] = {
        {.type = VX_COMMAND_DCR_WRITE, .data.dcr = {0x10, 0x80000000}},
        {.type = VX_COMMAND_DCR_WRITE, .data.dcr = {0x11, 0}},
        {.type = VX_COMMAND_DCR_WRITE, .data.dcr = {0x12, (uint32_t)entry}},
        {.type = VX_COMMAND_DCR_WRITE, .data.dcr = {0x13, (uint32_t)(entry >> 32)}},
        {.type = VX_COMMAND_LAUNCH, .data.launch = &info},
    };
    WORKS(vx_enqueue_commands(queue, commands, 5, 0, NULL, NULL));
    WORKS(vx_enqueue_dcr_read(queue, 0x12, &register_value, 0, NULL, NULL));
    WORKS(vx_enqueue_dcr_write(queue, 0x1c, 64, 0, NULL, NULL));
    WORKS(vx_queue_finish(queue, VX_TIMEOUT_INFINITE));
    IS(register_value == (uint32_t)entry);
    WORKS(vx_dcr_read(device, 0x1c, 0, &register_value));
    IS(register_value == 64);
    WORKS(vx_event_release(done));
    print_sum();
}

/* Each device configuration register, written by hand and read back; then a launch of what they
 * say.
 */
static void registers(void)
{
    uint64_t entry = 0, threads = 0;
    uint32_t value;
    vx_kernel_h kernel;
    vx_buffer_h block;
    launch(queue, "add", 0, NULL, NULL);
    const vx_launch_info_t info = launch_of("main", &kernel);
    WORKS(vx_kernel_address(kernel, &entry));
    WORKS(vx_device_query(device, VX_CAPS_NUM_THREADS, &threads));
    WORKS(vx_buffer_create(device, sizeof arguments, VX_MEM_READ, &block));
    WORKS(vx_enqueue_write(queue, block, 0, &arguments, sizeof arguments, 0, NULL, NULL));
    const uint32_t x = info.block_dim[0], y = info.block_dim[1], n = (uint32_t)threads;
    const uint32_t is[][2] = {{0x10, 0x80000000},
                              {0x11, 0},
                              {0x12, (uint32_t)entry},
                              {0x13, (uint32_t)(entry >> 32)},
                              {0x14, where(block)},
                              {0x15, 0},
                              {0x16, x},
                              {0x17, y},
                              {0x18, 1},
                              {0x19, 4},
                              {0x1a, 3},
                              {0x1b, 1},
                              {0x1c, 32},
                              {0x1d, x * y},
                              {0x1e, n % x},
                              {0x1f, n / x % y},
                              {0x20, 0},
                              {0x21, 2},
                              {0x22, 1},
                              {0x23, 1}};
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        WORKS(vx_enqueue_dcr_write(queue, is[i][0], ~is[i][1], 0, NULL, NULL));
        WORKS(vx_enqueue_dcr_read(queue, is[i][0], &value, 0, NULL, NULL));
        WORKS(vx_enqueue_dcr_write(queue, is[i][0], is[i][1], 0, NULL, NULL));
        WORKS(vx_queue_finish(queue, VX_TIMEOUT_INFINITE));
        IS(value == ~is[i][1]);
        WORKS(vx_dcr_read(device, is[i][0], 0, &value) ? VX_ERR_INTERNAL : VX_SUCCESS);
        IS(value == is[i][1]);
        printf("register 0x%x\n", is[i][0]);
    }
    const vx_launch_info_t by_registers = {.struct_size = sizeof by_registers};
    WORKS(vx_enqueue_launch(queue, &by_registers, 0, NULL, NULL));
    print_sum();
    for (uint32_t number = 0; number < 2; number++) { /* these can be read only */
        IS(vx_dcr_write(device, number, 1) != 0);
        WORKS(vx_dcr_read(device, number, 2 << 16, &value) ? VX_ERR_INTERNAL : VX_SUCCESS);
        IS(!value == !number); /* no caches; some instructions */
        printf("register 0x%x\n", number);
    }
    WORKS(vx_kernel_release(kernel));
    WORKS(vx_buffer_release(block));
}

/* Objects live as long as a holder, or a command that uses them. */
static void lives(void)
{
    vx_event_h gate;
    vx_buffer_h own;
    vx_kernel_h kernel;
    uint32_t x, y, z, grid[2], block[2];
    uint64_t before, after, caps;
    WORKS(vx_device_memory_info(device, NULL, &before));
    WORKS(vx_event_create(device, &gate));
    WORKS(vx_buffer_create(device, SIZE, VX_MEM_READ, &own));
    WORKS(vx_enqueue_write(queue, own, 0, words, SIZE, 1, &gate, NULL));
    WORKS(vx_enqueue_copy(queue, c, 0, own, 0, SIZE, 0, NULL, NULL));
    WORKS(vx_buffer_release(own));
    GIVES(vx_buffer_release(own), VX_ERR_INVALID_HANDLE);
    WORKS(vx_event_signal(gate, 1));
    WORKS(vx_event_release(gate));
    print_sum();
    WORKS(vx_device_memory_info(device, NULL, &after));
    IS(before == after);
    WORKS(vx_module_get_kernel(module, "add", &kernel));
    WORKS(vx_kernel_retain(kernel));
    WORKS(vx_kernel_release(kernel));
    WORKS(vx_kernel_get_max_block_size(kernel, &x, &y, &z));
    IS(x == 4 && y == 4 && z == 1);
    WORKS(vx_kernel_release(kernel));
    WORKS(vx_module_retain(module));
    WORKS(vx_module_release(module));
    WORKS(vx_buffer_retain(c));
    WORKS(vx_buffer_release(c));
    WORKS(vx_device_retain(device));
    WORKS(vx_device_release(device));
    WORKS(vx_device_max_occupancy_grid(device, 2, (uint32_t[]){9, 9}, grid, block));
    IS(grid[0] == 3 && grid[1] == 3 && block[0] == 4 && block[1] == 4);
    WORKS(vx_device_max_occupancy_grid(device, 1, (uint32_t[]){33}, grid, block));
    IS(grid[0] == 3 && block[0] == 16);
    WORKS(vx_device_query(device, VX_CAPS_NUM_CLUSTERS, &caps));
    IS(caps == 1);
    WORKS(vx_device_query(device, VX_CAPS_VM_SUPPORT, &caps));
    WORKS(vx_buffer_access(c, 0, SIZE, VX_MEM_READ_WRITE));
    WORKS(vx_buffer_reserve(device, 0x70000000, 64, VX_MEM_READ, &own));
    WORKS(vx_buffer_release(own));
    WORKS(vx_device_dump_perf(device, stdout));
    /* the legacy half, by 3.0's parameters */
    WORKS(vx_check_occupancy(device, 16, 0) ? VX_ERR_INTERNAL : VX_SUCCESS);
    WORKS(vx_check_occupancy(device, 4, 16384) ? VX_ERR_INTERNAL
                                               : VX_SUCCESS); /* few CTAs of a core */
    WORKS(vx_check_occupancy(device, 16, 16385) == -1 ? VX_SUCCESS : VX_ERR_INTERNAL);
    WORKS(vx_mpm_query(device, 1, 0xb00, 0, &caps) ? VX_ERR_INTERNAL : VX_SUCCESS);
    WORKS(vx_max_occupancy_grid(device, 1, (uint32_t[]){9}, grid, block) ? VX_ERR_INTERNAL
                                                                         : VX_SUCCESS);
}

static void work_on_second(const char *path, void (*work)(void))
{
    vx_device_h first = device;
    vx_queue_h queue_of_first = queue;
    vx_module_h module_of_first = module;
    vx_buffer_h buffers[] = {a, b, c};
    begin(path, 1);
    work();
    end();
    device = first, queue = queue_of_first, module = module_of_first;
    a = buffers[0], b = buffers[1], c = buffers[2];
    work();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*work)(void);
    } works[] = {{"compute", compute},  {"fail", fail},          {"nobody", wait_for_nobody},
                 {"join", join_nobody}, {"order", order},        {"signals", signals},
                 {"move", move},        {"lives", lives},        {"own", own},
                 {"beyond", beyond},    {"part", part},          {"apart", apart},
                 {"line", line_up},     {"registers", registers}};
    if (argc < 3)
        return 2;
    setbuf(stdout, NULL);
    begin(argv[1], 0);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (!strcmp(works[i].name, argv[2])) {
            works[i].work();
            if (argc > 3)
                work_on_second(argv[3], works[i].work);
        }
    end();
    return wrong;
}
