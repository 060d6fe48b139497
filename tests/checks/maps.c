/* The same for OpenCL's buffers that the host maps, or has given memory, and for copies of boxes:
 * maps KERNELS bad|good [CASE]... */
#include "both_sides.h"

static void own_memory_read(int bad)
{
    static int memory[MANY] __attribute__((aligned(4096)));
    buffer_t p = buffer_of(CL_MEM_USE_HOST_PTR, memory);
    int sum;
    begin();
    put(a, p, 0, MANY, NONE);
    if (!bad)
        unmap(a, p, map(a, p, CL_MAP_READ, CL_TRUE, NULL));
    sum = ((volatile int *)memory)[N - 1]; /* BUG own_load */
    end(bad ? 0 : sum);
    free_buffer(p);
}

static void mapped_too_early(int bad)
{
    buffer_t p = buffer_of(CL_MEM_ALLOC_HOST_PTR, NULL);
    event_t done;
    int sum;
    begin();
    put(a, p, 0, MANY, NONE);
    volatile int *at = map(a, p, CL_MAP_READ, CL_FALSE, &done);
    if (!bad)
        wait_for(done);
    sum = at[N - 1]; /* BUG mapped_load */
    unmap(a, p, (void *)at);
    end(bad ? 0 : sum);
    free_buffer(p);
}

static void used_after_unmap(int bad)
{
    buffer_t p = buffer_of(0, NULL), out = new_many();
    begin();
    put(a, p, 0, MANY, NONE);
    volatile int *at = map(a, p, CL_MAP_READ | CL_MAP_WRITE, CL_TRUE, NULL);
    if (!bad)
        at[3] = 3;
    unmap(a, p, (void *)at);
    get(a, out, p, MANY, NONE);
    if (bad)
        at[3] = 3; /* BUG late_store */
    end(3);
    free_buffer(p);
    free_buffer(out);
}

static void unmap_not_waited_for(int bad)
{
    buffer_t p = buffer_of(0, NULL), out = new_many();
    begin();
    put(a, p, 0, MANY, NONE);
    int *at = map(a, p, CL_MAP_WRITE, CL_TRUE, NULL);
    at[3] = 3;
    const event_t done = unmap(a, p, at);
    get(b, out, p, MANY, bad ? NONE : done);
    end(3);
    free_buffer(p);
    free_buffer(out);
}

static void rows_overlap(int bad)
{
    const size_t here[] = {0, 0, 0}, there[] = {MANY_BYTES / 2 - 16 * (size_t)bad, 0, 0},
                 rows[] = {32, 4, 1};
    buffer_t p = buffer_of(0, NULL), out = new_many();
    begin();
    put(a, p, 0, MANY / 2, NONE);
    /* clang-format off */
    clEnqueueCopyBufferRect(b, out, p, here, there, rows, 64, 0, 64, 0, 0, NULL, NULL); /* BUG rows */
    /* clang-format on */
    end(3);
    free_buffer(p);
    free_buffer(out);
}
static void written_while_mapped(int bad)
{
    buffer_t p = buffer_of(0, NULL), out = new_many();
    (void)bad;
    begin();
    put(a, p, 0, MANY, NONE);
    int *at = map(a, p, CL_MAP_WRITE_INVALIDATE_REGION, CL_TRUE, NULL), sum;
    for (int i = 0; i < MANY; i++)
        at[i] = 3 * i;
    get(b, out, p, MANY, unmap(a, p, at));
    at = map(b, out, CL_MAP_READ, CL_TRUE, NULL);
    sum = at[9] - at[8];
    unmap(b, out, at);
    end(sum);
    free_buffer(p);
    free_buffer(out);
}

CASES(CASE(own_memory_read), CASE(mapped_too_early), CASE(used_after_unmap),
      CASE(unmap_not_waited_for), CASE(rows_overlap), CASE(written_while_mapped))

int main(int argc, char **argv)
{
    set_up(argv[1]);
    run_cases(argc - 1, argv + 1);
    return 0;
}
