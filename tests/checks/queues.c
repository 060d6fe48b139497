/* Planted mistakes with the order of commands in two queues, and idioms without one, for Vortex 3.0
 * and OpenCL (queues.h): queues [KERNELS] bad|good [CASE]... races.txt has the labels. */
#include "cases.h"
#include "queues.h"

static queue_t a, b;
static buffer_t p, q, out;
static int numbers[N], here[N], zeros[N];

static void begin(void)
{
    a = new_queue();
    b = new_queue();
    p = new_buffer();
    q = new_buffer();
    out = new_buffer();
    copy_in(a, p, zeros, NONE);
    copy_in(a, q, zeros, NONE);
    copy_in(a, out, zeros, NONE);
    finish(a);
    for (int i = 0; i < N; i++)
        numbers[i] = 7 * i;
}

static void end(int sum)
{
    finish(a);
    finish(b);
    copy_out(a, here, out, NONE);
    finish(a);
    for (int i = 0; i < N; i++)
        sum = sum * 3 + here[i];
    result(&sum, sizeof sum);
    free_buffer(p);
    free_buffer(q);
    free_buffer(out);
}

/* ---- kernels of two queues ---- */

static void no_wait_list(int bad)
{
    begin();
    const event_t done = put(a, p, 0, N, NONE);
    get(b, out, p, N, bad ? NONE : done);
    end(0);
}

static void event_of_an_earlier_one(int bad)
{
    begin();
    const event_t early = put(a, q, 0, N, NONE);
    const event_t done = put(a, p, 0, N, NONE);
    get(b, out, p, N, bad ? early : done);
    end(0);
}

static void overwritten_in_another(int bad)
{
    begin();
    const event_t done = get(a, out, p, N, NONE);
    put(b, p, 0, N, bad ? NONE : done);
    end(0);
}

static void one_too_many(int bad)
{
    begin();
    get(a, out, p, N / 2 + 4 * bad, NONE);
    put(b, p, N / 2, N / 2, NONE);
    end(0);
}

static void other_queue_finished(int bad)
{
    begin();
    put(a, p, 0, N, NONE);
    finish(bad ? b : a);
    get(b, out, p, N, NONE);
    end(0);
}

static void raised_too_early(int bad)
{
    begin();
    const event_t mine = own_event();
#ifdef LEVEL_ZERO_QUEUES /* Intel's runtime comes back from an immediate command when it is done   \
                          */
    put(a, p, 0, N, NONE);
    if (!bad)
        finish(a);
    raise_event(mine);
    get(b, out, p, N, mine);
#else
    get(b, out, p, N, mine);
    put(a, p, 0, N, NONE);
    if (!bad)
        finish(a);
    raise_event(mine);
#endif
    end(0);
}

/* ---- copies and fills ---- */

static void written_beside(int bad)
{
    begin();
    get(a, out, p, N, NONE);
    if (!bad)
        finish(a);
    copy_in(b, p, numbers, NONE); /* BUG beside_write */
    end(0);
}

static void read_too_early(int bad)
{
    int early[N] = {0};
    begin();
    const event_t done = put(a, p, 0, N, NONE);
    copy_out(b, early, p, bad ? NONE : done); /* BUG early_read */
    finish(b);
    end(bad ? 0 : early[5]);
}

static void filled_beside(int bad)
{
    begin();
    const event_t done = fill(a, p, 3, NONE); /* BUG beside_fill */
    get(b, out, p, N, bad ? NONE : done);
    end(0);
}

static void two_copies(int bad)
{
    begin();
    const event_t done = copy(a, q, p, NONE); /* BUG first_copy */
    copy(b, out, q, bad ? NONE : done);       /* BUG second_copy */
    end(0);
}

static void through_the_host(int bad)
{
    begin();
    put(a, p, 0, N, NONE);
    const event_t done = copy_out(a, here, p, NONE); /* BUG to_the_host */
    copy_in(b, q, here, bad ? NONE : done);          /* BUG from_the_host */
    end(0);
}

/* ---- idioms ---- */

static void fork_and_join(int bad)
{
    (void)bad;
    begin();
    event_t last = NONE;
    for (int k = 0; k < 3; k++) {
        const event_t first = put(a, p, 0, N, last);
        last = get(b, q, p, N, first);
        get(a, out, p, N, NONE);
    }
    end(0);
}

static void halves(int bad)
{
    (void)bad;
    begin();
    put(a, p, 0, N / 2, NONE);
    const event_t done = put(b, p, N / 2, N / 2, NONE);
    get(a, out, p, N, done);
    end(0);
}

static void read_by_both(int bad)
{
    (void)bad;
    begin();
    get(a, out, p, N, NONE);
    get(b, q, p, N, NONE);
    end(0);
}

static void seen_done(int bad)
{
    (void)bad;
    begin();
    const event_t done = put(a, p, 0, N, NONE);
    see_done(done);
    get(b, out, p, N, NONE);
    end(0);
}

static void waited_for(int bad)
{
    (void)bad;
    begin();
    wait_for(put(a, p, 0, N, NONE));
    copy_in(b, q, numbers, NONE);
    copy(b, out, p, NONE);
    end(0);
}

/* clang-format off */
CASES(CASE(no_wait_list), CASE(event_of_an_earlier_one), CASE(overwritten_in_another), CASE(one_too_many), CASE(other_queue_finished),
      CASE(raised_too_early), CASE(written_beside), CASE(read_too_early), CASE(filled_beside), CASE(two_copies), CASE(through_the_host), CASE(fork_and_join), CASE(halves),
      CASE(read_by_both), CASE(seen_done), CASE(waited_for))
/* clang-format on */

int main(int argc, char **argv)
{
    set_up(argv[1]);
    run_cases(argc - 1, argv + 1);
    return 0;
}
