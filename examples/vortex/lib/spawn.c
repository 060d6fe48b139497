/*
 * Launching: main() hands a job to all cores, each core's warp 0 brings its warps and lanes to work
 * (vx_run_core in start.S), and main() waits for all of them.
 *
 * Cores meet in memory. A core that has nothing to do polls job.generation; there is no instruction
 * for it to sleep with. It needs memory that is coherent between cores, and atomic adds.
 */
#include "vortex.h"

#include <stdbool.h>

/** What all cores are to do next. In .data, since other cores look before core 0 clears .bss. */
static struct {
    volatile uint32_t generation; /**< counts launches; a change is the signal to begin */
    volatile bool ended;          /**< no more jobs: the core may stop */
    void (*volatile kernel)(void *);
    void *volatile arg;
    uint32_t finished; /**< cores other than core 0 that have done it */
} job __attribute__((section(".data")));

uintptr_t vx_startup_argument;

void vx_run_core(void);
void vx_run_job(void);
__attribute__((noreturn)) void vx_worker(void), vx_end_worker(void);
void vx_release_workers(void);

/** In every lane of every warp: start.S calls it. */
void vx_run_job(void)
{
    job.kernel(job.arg);
}

/** Signals to the other cores that something has changed. */
static void signal_cores(void)
{
    vx_fence();
    job.generation = job.generation + 1;
}

void vx_launch(void (*kernel)(void *), void *arg)
{
    job.kernel = kernel;
    job.arg = arg;
    job.finished = 0;
    signal_cores();
    vx_run_core();
    while (__atomic_load_n(&job.finished, __ATOMIC_ACQUIRE) != vx_cores() - 1)
        ;
}

/** Warp 0 of every core but core 0, from reset on. */
void vx_worker(void)
{
    for (uint32_t seen = 0;;) {
        uint32_t generation = job.generation;
        if (generation == seen)
            continue;
        seen = generation;
        vx_fence();
        if (job.ended)
            vx_end_worker();
        vx_run_core();
        vx_fence();
        vx_atomic_add(&job.finished, 1);
    }
}

/** At the end of the program. */
void vx_release_workers(void)
{
    job.ended = true;
    signal_cores();
}

void *vx_argument(void)
{
    return (void *)vx_startup_argument;
}

struct range {
    size_t n;
    void (*body)(void *, size_t);
    void *arg;
};

/*
 * Neighbouring lanes take neighbouring elements. The loop is the same for all lanes of a warp; only
 * in the last round some lanes may have nothing to do.
 */
static void run_range(void *p)
{
    const struct range *range = p;
    size_t lanes = vx_lanes();
    size_t stride = (size_t)vx_cores() * vx_warps() * lanes;
    size_t first = ((size_t)vx_core() * vx_warps() + vx_warp()) * lanes;
    for (; first < range->n; first += stride) {
        size_t i = first + vx_lane();
        VX_IF (i < range->n)
            range->body(range->arg, i);
        VX_END
    }
}

void vx_parallel(size_t n, void (*body)(void *, size_t), void *arg)
{
    struct range range = {n, body, arg};
    vx_launch(run_range, &range);
}

void vx_serial(void (*function)(void *), void *arg)
{
    unsigned lanes = vx_lanes();
    for (unsigned lane = 0; lane < lanes; lane++) {
        VX_IF (vx_lane() == lane)
            function(arg);
        VX_END
    }
}

/** At the end of the program, instead of a job. The last core leaves the job as it was when it was
 * loaded: a host may launch the program again without loading it. */
void vx_end_worker(void)
{
    vx_fence(); /* it has read the job, which the last core changes */
    if ((vx_atomic_add(&job.finished, 1) + 1) % (vx_cores() - 1) == 0) {
        vx_fence();
        job.ended = false;
        job.generation = 0;
    }
    __asm__ volatile(".insn r 0x0b, 0, 0, x0, x0, x0"); /* tmc 0: the warp ends */
    __builtin_unreachable();
}
