/* The same for one queue without an order, of OpenCL and Level Zero: loose_queue KERNELS bad|good
 * [CASE]... */
#include "cases.h"
#include "queues.h"

static queue_t q;
static buffer_t p, out;
static int zeros[N], here[N];

static void begin(void)
{
    q = new_loose_queue();
    p = new_buffer();
    out = new_buffer();
    copy_in(q, p, zeros, NONE);
    copy_in(q, out, zeros, NONE);
    finish(q);
}

static void end(void)
{
    int sum = 0;
    finish(q);
    copy_out(q, here, out, NONE);
    finish(q);
    for (int i = 0; i < N; i++)
        sum = sum * 3 + here[i];
    result(&sum, sizeof sum);
    free_buffer(p);
    free_buffer(out);
}

static void no_event(int bad)
{
    begin();
    const event_t done = put(q, p, 0, N, NONE);
    get(q, out, p, N, bad ? NONE : done);
    end();
}

static void no_barrier(int bad)
{
    begin();
    put(q, p, 0, N, NONE);
    if (!bad)
        barrier(q);
    get(q, out, p, N, NONE);
    end();
}

static void waits_for_another(int bad)
{
    begin();
    const event_t other = get(q, out, p, N, NONE);
    const event_t done = put(q, p, 0, N, other);
    fill(q, p, 7, bad ? other : done); /* BUG loose_fill */
    end();
}

static void chain(int bad)
{
    (void)bad;
    begin();
    event_t last = NONE;
    for (int k = 0; k < 3; k++)
        last = get(q, out, p, N, put(q, p, 0, N, last));
    end();
}

static void apart(int bad)
{
    (void)bad;
    begin();
    put(q, p, 0, N / 2, NONE);
    put(q, p, N / 2, N / 2, NONE);
    barrier(q);
    get(q, out, p, N, NONE);
    end();
}

CASES(CASE(no_event), CASE(no_barrier), CASE(waits_for_another), CASE(chain), CASE(apart))

int main(int argc, char **argv)
{
    set_up(argv[1]);
    run_cases(argc - 1, argv + 1);
    return 0;
}
