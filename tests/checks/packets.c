/* Planted mistakes with the order of packets that a program writes itself, without HIP, and idioms
 * without one: packets KERNELS bad|good [CASE]... races.txt has the labels. */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "cases.h"

enum { N = 2048, BYTES = N * sizeof(int), LONG = 1 << 30 };
enum {
    BARRIER = 1 << HSA_PACKET_HEADER_BARRIER,
    TAKES = HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE,
    GIVES = HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
    GIVES_AGENT = HSA_FENCE_SCOPE_AGENT << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
    FENCES = TAKES | GIVES,
};
typedef hsa_signal_t event;
static const event NONE;
static hsa_agent_t gpu, cpu;
static hsa_amd_memory_pool_t gpu_pool, cpu_pool, argument_pool;
static uint64_t code_of_put, code_of_get, code_of_get_when;
static hsa_queue_t *a, *b;
static int *p, *q, *out, *both;
static struct {
    _Alignas(64) void *words[8];
} * arguments;
static unsigned launches;

static void works(hsa_status_t status)
{
    if (status != HSA_STATUS_SUCCESS) {
        printf("HSA's error %d\n", status);
        exit(3);
    }
}

/* ---- set-up ---- */

static hsa_status_t find_agents(hsa_agent_t agent, void *unused)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    *(type == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu) = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t find_pools(hsa_amd_memory_pool_t pool, void *of_gpu)
{
    hsa_amd_segment_t segment;
    uint32_t flags = 0;
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    if (segment != HSA_AMD_SEGMENT_GLOBAL)
        return HSA_STATUS_SUCCESS;
    if (of_gpu)
        gpu_pool = pool;
    else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
        argument_pool = cpu_pool = pool;
    return HSA_STATUS_SUCCESS;
}

static void *memory(hsa_amd_memory_pool_t pool, size_t size)
{
    void *made;
    works(hsa_amd_memory_pool_allocate(pool, size, 0, &made));
    works(hsa_amd_agents_allow_access(1, &gpu, NULL, made));
    return made;
}

static uint64_t kernel(hsa_executable_t executable, const char *name)
{
    hsa_executable_symbol_t symbol;
    uint64_t code;
    works(hsa_executable_get_symbol_by_name(executable, name, &gpu, &symbol));
    works(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &code));
    return code;
}

static void set_up(const char *path)
{
    hsa_code_object_reader_t reader;
    hsa_executable_t executable;
    works(hsa_init());
    works(hsa_iterate_agents(find_agents, NULL));
    works(hsa_amd_agent_iterate_memory_pools(gpu, find_pools, &gpu));
    works(hsa_amd_agent_iterate_memory_pools(cpu, find_pools, NULL));
    works(hsa_code_object_reader_create_from_file(open(path, O_RDONLY), &reader));
    works(hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                    &executable));
    works(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
    works(hsa_executable_freeze(executable, NULL));
    code_of_put = kernel(executable, "put.kd");
    code_of_get = kernel(executable, "get.kd");
    code_of_get_when = kernel(executable, "get_when.kd");
    works(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &a));
    works(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &b));
    arguments = memory(argument_pool, 256 * sizeof *arguments);
}

/* ---- packets ---- */

static event new_event(int value)
{
    event made;
    works(hsa_signal_create(value, 0, NULL, &made));
    return made;
}

/* Whether doorbells are rung as kernels do: by a store behind amd_signal_t's kind, without a call.
 */
static int by_store;

static void give(hsa_queue_t *on, const void *packet, unsigned header)
{
    const uint64_t number = hsa_queue_add_write_index_relaxed(on, 1);
    char *place = (char *)on->base_address + number % on->size * 64;
    memcpy(place + 4, (const char *)packet + 4, 60);
    __atomic_store_n((uint32_t *)place,
                     *(const uint16_t *)((const char *)packet + 2) << 16 | header,
                     __ATOMIC_RELEASE);
    if (by_store)
        __atomic_store_n(*(uint64_t **)((char *)on->doorbell_signal.handle + 8), number,
                         __ATOMIC_RELEASE);
    else
        hsa_signal_store_screlease(on->doorbell_signal, number); /* BUG doorbell */
}

static void launch(hsa_queue_t *on, uint64_t code, int count, unsigned header, event done)
{
    const hsa_kernel_dispatch_packet_t packet = {.setup = 1,
                                                 .workgroup_size_x = 64,
                                                 .workgroup_size_y = 1,
                                                 .workgroup_size_z = 1,
                                                 .grid_size_x = count,
                                                 .grid_size_y = 1,
                                                 .grid_size_z = 1,
                                                 .kernel_object = code,
                                                 .kernarg_address = &arguments[launches++],
                                                 .completion_signal = done};
    give(on, &packet, HSA_PACKET_TYPE_KERNEL_DISPATCH | header);
}

static void put(hsa_queue_t *on, int *to, int first, int count, unsigned header, event done)
{
    arguments[launches].words[0] = to;
    memcpy(&arguments[launches].words[1], &first, sizeof first);
    launch(on, code_of_put, count, header, done);
}

static void get(hsa_queue_t *on, int *to, const int *from, int count, unsigned header, event done)
{
    arguments[launches].words[0] = to;
    arguments[launches].words[1] = (void *)from;
    launch(on, code_of_get, count, header, done);
}

/* The kernel itself waits for an event: amd_signal_t, whose value is behind its kind. */
static void get_when(hsa_queue_t *on, int *to, const int *from, event e, event done)
{
    arguments[launches].words[0] = to;
    arguments[launches].words[1] = (void *)from;
    arguments[launches].words[2] = (char *)e.handle + 8;
    launch(on, code_of_get_when, N, FENCES, done);
}

static void barrier(hsa_queue_t *on, event first, event second, unsigned header, event done)
{
    const hsa_barrier_and_packet_t packet = {.dep_signal = {first, second},
                                             .completion_signal = done};
    give(on, &packet, HSA_PACKET_TYPE_BARRIER_AND | header);
}

static void await(event done)
{
    hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_EQ, 0, LONG, HSA_WAIT_STATE_BLOCKED);
}

static void finish(hsa_queue_t *on)
{
    const event done = new_event(1);
    barrier(on, NONE, NONE, BARRIER | FENCES, done);
    await(done);
    works(hsa_signal_destroy(done));
}

static void begin(void)
{
    p = memory(gpu_pool, BYTES);
    q = memory(gpu_pool, BYTES);
    out = memory(gpu_pool, BYTES);
    both = memory(cpu_pool, BYTES);
    works(hsa_amd_memory_fill(p, 0, N));
    works(hsa_amd_memory_fill(q, 0, N));
    works(hsa_amd_memory_fill(out, 0, N));
    memset(both, 0, BYTES);
    launches = 0;
}

static void end(int sum)
{
    static int here[N];
    finish(a);
    finish(b);
    works(hsa_memory_copy(here, out, BYTES));
    for (int i = 0; i < N; i++)
        sum = sum * 3 + here[i];
    result(&sum, sizeof sum);
    works(hsa_amd_memory_pool_free(p));
    works(hsa_amd_memory_pool_free(q));
    works(hsa_amd_memory_pool_free(out));
    works(hsa_amd_memory_pool_free(both));
}

/* ---- packets of one queue ---- */

static void no_barrier_bit(int bad)
{
    begin();
    put(a, p, 0, N, BARRIER | FENCES, NONE);
    get(a, out, p, N, (bad ? 0 : BARRIER) | FENCES, NONE);
    end(0);
}

static void nothing_released(int bad)
{
    begin();
    put(a, p, 0, N, BARRIER | TAKES | (bad ? 0 : GIVES_AGENT), NONE);
    get(a, out, p, N, BARRIER | TAKES, NONE);
    end(0);
}

static void nothing_acquired(int bad)
{
    begin();
    put(a, p, 0, N, BARRIER | FENCES, NONE);
    get(a, out, p, N, BARRIER | (bad ? GIVES : FENCES), NONE);
    end(0);
}

static void overwritten(int bad)
{
    begin();
    get(a, out, p, N, BARRIER | FENCES, NONE);
    put(a, p, 0, N, (bad ? 0 : BARRIER) | FENCES, NONE);
    end(0);
}

/* ---- packets of two queues ---- */

static void no_dependency(int bad)
{
    const event done = new_event(1);
    begin();
    put(a, p, 0, N, FENCES, done);
    barrier(b, bad ? NONE : done, NONE, FENCES, NONE);
    get(b, out, p, N, FENCES, NONE);
    end(0);
}

static void wrong_dependency(int bad)
{
    const event early = new_event(1), done = new_event(1);
    begin();
    put(a, q, 0, N, FENCES, early);
    put(a, p, 0, N, FENCES, done);
    barrier(b, bad ? early : done, NONE, FENCES, NONE);
    get(b, out, p, N, FENCES, NONE);
    end(0);
}

static void other_queue_finished(int bad)
{
    begin();
    put(a, p, 0, N, FENCES, NONE);
    finish(bad ? b : a);
    get(b, out, p, N, FENCES, NONE);
    end(0);
}

static void raised_too_early(int bad)
{
    const event mine = new_event(1);
    begin();
    barrier(b, mine, NONE, FENCES, NONE);
    get(b, out, p, N, FENCES, NONE);
    put(a, p, 0, N, FENCES, NONE);
    if (!bad)
        finish(a);
    hsa_signal_subtract_screlease(mine, 1);
    end(0);
}

static void wrong_signal_in_the_kernel(int bad)
{
    const event early = new_event(1), done = new_event(1);
    begin();
    put(a, q, 0, N, FENCES, early);
    put(a, p, 0, N, FENCES, done);
    get_when(b, out, p, bad ? early : done, NONE);
    end(0);
}

/* ---- the host ---- */

static void queue_made_meanwhile(int bad)
{
    const event done = new_event(1);
    hsa_queue_t *other;
    begin();
    put(a, both, 0, N, FENCES, done);
    if (!bad)
        await(done);
    works(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX,
                           &other));
    const int first = both[6]; /* BUG queue_load */
    end(bad ? 0 : first);
    works(hsa_queue_destroy(other));
}

static void box_copied_meanwhile(int bad)
{
    const event done = new_event(1), copied = new_event(1);
    hsa_pitched_ptr_t to = {q, 64, 256}, from = {out, 64, 256};
    const hsa_dim3_t at = {0}, size = {16, 4, 1};
    begin();
    to.base = q;
    from.base = out;
    put(a, both, 0, N, FENCES, done);
    if (!bad)
        await(done);
    works(hsa_amd_memory_async_copy_rect(&to, &at, &from, &at, &size, gpu, hsaDeviceToDevice, 0,
                                         NULL, copied));
    const int first = both[8]; /* BUG box_load */
    await(copied);
    end(bad ? 0 : first);
}

static void read_too_early(int bad)
{
    const event done = new_event(1);
    begin();
    put(a, both, 0, N, FENCES, done);
    if (!bad)
        await(done);
    const int first = both[5]; /* BUG early_load */
    end(bad ? 0 : first);
}

static void other_signal(int bad)
{
    const event early = new_event(1), done = new_event(1);
    begin();
    put(a, q, 0, N, FENCES, early);
    put(a, both, 0, N, FENCES, done);
    await(bad ? early : done);
    const int first = both[N - 1]; /* BUG other_load */
    end(bad ? 0 : first);
}

static void released_to_the_agent(int bad)
{
    const event done = new_event(1);
    begin();
    put(a, both, 0, N, TAKES | (bad ? GIVES_AGENT : GIVES), done);
    await(done);
    const int first = both[7]; /* BUG agent_load */
    end(bad ? 0 : first);
}

static void source_overwritten(int bad)
{
    const event done = new_event(1);
    begin();
    get(a, out, both, N, FENCES, done);
    if (!bad)
        await(done);
    both[9] = bad; /* BUG early_store */
    end(0);
}

/* ---- copies ---- */

static void copy(void *to, const void *from, event before, event done)
{
    const event *first = before.handle ? &before : NULL;
    /* BUG async_copy */
    works(hsa_amd_memory_async_copy(to, gpu, from, gpu, BYTES, before.handle != 0, first, done));
}

static void copied_too_early(int bad)
{
    const event put_done = new_event(1), done = new_event(1);
    begin();
    put(a, p, 0, N, FENCES, put_done);
    copy(q, p, bad ? NONE : put_done, done);
    await(done);
    end(0);
}

static void box_copied_too_early(int bad)
{
    const event put_done = new_event(1), done = new_event(1);
    const hsa_dim3_t at = {0}, size = {16, 4, 2};
    begin();
    const hsa_pitched_ptr_t to = {q, 64, 256}, from = {p, 64, 256};
    put(a, p, 0, N, FENCES, put_done);
    /* BUG box_copy */
    works(hsa_amd_memory_async_copy_rect(&to, &at, &from, &at, &size, gpu, hsaDeviceToDevice, !bad,
                                         bad ? NULL : &put_done, done));
    await(done);
    end(0);
}

/* Between the rows of a box, which nobody copies. */
static void beside_a_box(int bad)
{
    const event done = new_event(1);
    const hsa_dim3_t at = {0}, size = {16, 4, 1};
    begin();
    const hsa_pitched_ptr_t to = {q, BYTES / 4, BYTES}, from = {p, BYTES / 4, BYTES};
    works(hsa_amd_memory_async_copy_rect(&to, &at, &from, &at, &size, gpu, hsaDeviceToDevice, 0,
                                         NULL, done));
    put(a, q, 64, 64, FENCES, NONE);
    await(done);
    end(0);
}

static void copy_not_waited_for(int bad)
{
    const event done = new_event(1);
    begin();
    copy(p, q, NONE, done);
    barrier(a, bad ? NONE : done, NONE, FENCES, NONE);
    get(a, out, p, N, FENCES, NONE);
    await(done);
    end(0);
}

static void copied_by_the_host(int bad)
{
    static int here[N];
    const event done = new_event(1);
    begin();
    put(a, p, 0, N, FENCES, done);
    if (!bad)
        await(done);
    works(hsa_memory_copy(here, p, BYTES)); /* BUG host_copy */
    end(bad ? 0 : here[3]);
}

static void filled_beside(int bad)
{
    begin();
    get(a, out, p, N, FENCES, NONE);
    if (!bad)
        finish(a);
    works(hsa_amd_memory_fill(p, 0, N)); /* BUG beside_fill */
    end(0);
}

/* ---- idioms ---- */

static void released_by_a_later_packet(int bad)
{
    begin();
    put(a, p, 0, N, BARRIER | TAKES, NONE);
    barrier(a, NONE, NONE, BARRIER | FENCES, NONE);
    get(a, out, p, N, BARRIER, NONE);
    end(0);
}

static void halves(int bad)
{
    begin();
    by_store = 1;
    put(a, p, 0, N / 2, FENCES, NONE);
    put(a, p, N / 2, N / 2, FENCES, NONE);
    get(a, out, p, N, BARRIER | FENCES, NONE);
    by_store = 0;
    end(0);
}

static void waits_in_the_kernel(int bad)
{
    const event done = new_event(2), all = new_event(1);
    begin();
    put(a, p, 0, N / 2, FENCES, done);
    put(a, p, N / 2, N / 2, FENCES, done);
    get_when(b, out, p, done, all);
    barrier(a, all, NONE, FENCES, NONE);
    put(a, p, 0, N, FENCES, NONE);
    end(0);
}

static void counted_signal(int bad)
{
    const event done = new_event(2);
    begin();
    put(a, p, 0, N / 2, FENCES, done);
    put(b, p, N / 2, N / 2, FENCES, done);
    barrier(b, done, NONE, FENCES, NONE);
    get(b, out, p, N, FENCES, NONE);
    end(0);
}

static void to_and_fro(int bad)
{
    event before = NONE;
    begin();
    for (int k = 0; k < 4; k++) {
        const event there = new_event(1), back = new_event(1);
        barrier(a, before, NONE, FENCES, NONE);
        put(a, p, 0, N, FENCES, there);
        barrier(b, there, NONE, FENCES, NONE);
        get(b, out, p, N, FENCES, back);
        before = back;
    }
    end(0);
}

static void asks_until_done(int bad)
{
    const event done = new_event(1);
    begin();
    put(a, both, 0, N, FENCES, done);
    while (hsa_signal_load_scacquire(done))
        usleep(100);
    end(both[3]);
}

static _Atomic int seen;

static bool handle(hsa_signal_value_t value, void *sum)
{
    *(int *)sum = both[4];
    seen = 1;
    return false;
}

static void told_by_a_handler(int bad)
{
    const event done = new_event(1);
    int sum = 0;
    seen = 0;
    begin();
    works(hsa_amd_signal_async_handler(done, HSA_SIGNAL_CONDITION_EQ, 0, handle, &sum));
    put(a, both, 0, N, FENCES, done);
    while (!seen)
        usleep(100);
    end(sum);
}

static void any_of_two(int bad)
{
    event done[] = {new_event(1), new_event(1)};
    hsa_signal_condition_t until[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ};
    hsa_signal_value_t zeros[2] = {0}, value;
    begin();
    barrier(b, done[0], NONE, FENCES, done[1]);
    put(a, both, 0, N, FENCES, done[0]);
    hsa_amd_signal_wait_any(2, done, until, zeros, LONG, HSA_WAIT_STATE_BLOCKED, &value);
    end(both[8]);
}

static void copies_in_turn(int bad)
{
    const event first = new_event(1), done = new_event(1);
    begin();
    copy(q, p, NONE, first);
    copy(both, q, first, done);
    await(done);
    end(both[2]);
}

static void memory_again(int bad)
{
    begin();
    put(a, p, 0, N, FENCES, NONE);
    end(0);
    begin();
    get(a, out, p, N, FENCES, NONE);
    finish(a);
    end(0);
}

CASES(CASE(no_barrier_bit), CASE(nothing_released), CASE(nothing_acquired), CASE(overwritten),
      CASE(no_dependency), CASE(wrong_dependency), CASE(other_queue_finished),
      CASE(raised_too_early), CASE(wrong_signal_in_the_kernel), CASE(queue_made_meanwhile),
      CASE(box_copied_meanwhile), CASE(read_too_early), CASE(other_signal),
      CASE(released_to_the_agent), CASE(source_overwritten), CASE(copied_too_early),
      CASE(box_copied_too_early), CASE(copy_not_waited_for), CASE(copied_by_the_host),
      CASE(filled_beside), CASE(released_by_a_later_packet), CASE(halves),
      CASE(waits_in_the_kernel), CASE(counted_signal), CASE(to_and_fro), CASE(asks_until_done),
      CASE(told_by_a_handler), CASE(beside_a_box), CASE(any_of_two), CASE(copies_in_turn),
      CASE(memory_again))

/* ROUNDS: so many times the program opens the GPU, and closes it. */
int main(int argc, char **argv)
{
    const char *const rounds = getenv("ROUNDS");
    for (int i = rounds ? atoi(rounds) : 1; i; i--) {
        set_up(argv[1]);
        run_cases(argc - 1, argv + 1);
        works(hsa_queue_destroy(a));
        works(hsa_queue_destroy(b));
        works(hsa_shut_down());
    }
    return 0;
}
