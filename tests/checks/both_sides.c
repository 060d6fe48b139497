/* Planted mistakes with memory that the host and the GPU use at one address, and idioms: OpenCL's
 * shared virtual memory, Level Zero's memory of the host and shared memory: both_sides KERNELS
 * bad|good [CASE]... races.txt has the labels. */
#include "both_sides.h"

static void read_too_early(int bad)
{
    int *p = new_memory(0), sum;
    begin();
    put_at(a, p);
    if (!bad)
        finish(a);
    sum = ((volatile int *)p)[N - 1]; /* BUG early_load */
    end(bad ? 0 : sum);
    free_memory(p);
}

static void other_queue_finished(int bad)
{
    int *p = new_memory(1), sum;
    begin();
    put_at(a, p);
    finish(bad ? b : a);
    sum = ((volatile int *)p)[N - 1]; /* BUG other_load */
    end(bad ? 0 : sum);
    free_memory(p);
}

static void overwritten_too_early(int bad)
{
    int *p = new_memory(1);
    buffer_t out = new_many();
    begin();
    p[5] = 5;
    const event_t done = get_at(a, out, p);
    if (!bad)
        wait_for(done);
    p[5] = 6; /* BUG early_store */
    end(p[5]);
    free_memory(p);
    free_buffer(out);
}

static void waits_and_reads(int bad)
{
    int *p = new_memory(0), sum = 0;
    buffer_t out = new_many();
    (void)bad;
    begin();
    for (int k = 0; k < 3; k++) {
        p[k] = k;
        get_at(a, out, p);
        wait_for(put_at(a, p));
        sum = sum * 3 + p[k + 1];
    }
    end(sum);
    free_memory(p);
    free_buffer(out);
}

static void read_by_both(int bad)
{
    int *p = new_memory(1);
    buffer_t out = new_many();
    (void)bad;
    begin();
    p[7] = 7;
    get_at(a, out, p);
    end(p[7]);
    free_memory(p);
    free_buffer(out);
}

CASES(CASE(read_too_early), CASE(other_queue_finished), CASE(overwritten_too_early),
      CASE(waits_and_reads), CASE(read_by_both))

int main(int argc, char **argv)
{
    set_up(argv[1]);
    run_cases(argc - 1, argv + 1);
    return 0;
}
