/* Barriers whose lines the oracle knows: each thread's sequence of barriers should be that of the
 * others of its group, as far as it does not leave the kernel before AT_END(). */
#ifndef BARRIERS_H
#define BARRIERS_H
#if defined __HIP__ || defined __CUDA__
#define BARRIER() __syncthreads()
#define AT_END() ((void)0)
#else
enum { BARRIER_THREADS = 256, BARRIER_ROUNDS = 64 };

/* Of the group's threads: which wait, at which line; which have come to the end. */
struct barrier_thread {
    int line[BARRIER_ROUNDS], rounds;
    bool waits, at_end;
};
static barrier_thread barrier_of[BARRIER_THREADS];
static pthread_mutex_t barrier_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t barrier_opens = PTHREAD_COND_INITIALIZER;
static int barrier_live, barrier_waiting;
static unsigned barrier_round;

static void barrier_open()
{
    barrier_waiting = 0;
    barrier_round++;
    pthread_cond_broadcast(&barrier_opens);
}

/* A thread is there until it ends. */
struct barrier_life {
    barrier_life()
    {
        pthread_mutex_lock(&barrier_lock);
        barrier_live++;
        pthread_mutex_unlock(&barrier_lock);
    }
    ~barrier_life()
    {
        pthread_mutex_lock(&barrier_lock);
        if (--barrier_live == barrier_waiting && barrier_waiting)
            barrier_open();
        pthread_mutex_unlock(&barrier_lock);
    }
};

static void barrier_at(int line)
{
    pthread_mutex_lock(&barrier_lock);
    barrier_thread *own = &barrier_of[threadIdx.x];
    const unsigned round = barrier_round;
    if (own->rounds < BARRIER_ROUNDS)
        own->line[own->rounds] = line;
    own->rounds++;
    if (++barrier_waiting == barrier_live)
        barrier_open();
    while (round == barrier_round)
        pthread_cond_wait(&barrier_opens, &barrier_lock);
    pthread_mutex_unlock(&barrier_lock);
}

/* Says which lines differ, of the first threads that differ, when the group has ended. */
static void barrier_judge(unsigned threads)
{
    for (unsigned a = 0; a < threads; a++)
        for (unsigned b = 0; b < threads; b++) {
            const barrier_thread *x = &barrier_of[a], *y = &barrier_of[b];
            const int both = x->rounds < y->rounds ? x->rounds : y->rounds;
            for (int i = 0; i < both; i++)
                if (x->line[i] != y->line[i]) {
                    fprintf(stderr, "different barriers: %d %d\n", x->line[i], y->line[i]);
                    return;
                }
            if (x->at_end && x->rounds < y->rounds) {
                fprintf(stderr, "missed barrier: %d\n", y->line[x->rounds]);
                return;
            }
        }
}
#define BARRIER() barrier_at(__LINE__)
#define AT_END() ((void)(barrier_of[threadIdx.x].at_end = true))
#undef LAUNCH
#define LAUNCH(kernel, grid, block, shared, stream, ...)                                           \
    do {                                                                                           \
        memset(barrier_of, 0, sizeof barrier_of);                                                  \
        host_launch(grid, block, shared, stream, [=] {                                             \
            const barrier_life life;                                                               \
            __syncthreads();                                                                       \
            kernel(__VA_ARGS__);                                                                   \
        });                                                                                        \
        barrier_judge(block);                                                                      \
    } while (0)
#endif
#endif
