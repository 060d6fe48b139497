/* `wavetrap-explore-mpi`: `wavetrap explore` with its runs shared out over the ranks of an MPI job.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/explore.h"

/* Rank 0 is the manager, the others are workers. The context is a number of workers that still wait
 * for runs: of the manager all, of a worker itself. Before the reason in a worker's message is its
 * host's name. Errors of MPI end the job: its default. */
enum { MANAGER, TAG = 0 };

/* Waits for a message of @p from; MPI_Probe would keep a CPU busy. */
static void await(int from, MPI_Status *status)
{
    for (int came = 0; !came;) {
        MPI_Iprobe(from, TAG, MPI_COMM_WORLD, &came, status);
        if (!came)
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

static uint64_t ask(void *context, const char *message)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "", *whole = NULL;
    uint64_t run = EXPLORE_NO_RUN;
    int length = 0;
    MPI_Get_processor_name(host, &length);
    if (*message == '!' && asprintf(&whole, "!on %s: %s", host, message + 1) > 0)
        message = whole;
    MPI_Send(message, (int)strlen(message), MPI_CHAR, MANAGER, TAG, MPI_COMM_WORLD);
    await(MANAGER, MPI_STATUS_IGNORE);
    MPI_Recv(&run, 1, MPI_UINT64_T, MANAGER, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(whole);
    *(unsigned *)context = run != EXPLORE_NO_RUN;
    return run;
}

static char *listen_to_workers(void *context, unsigned *worker)
{
    MPI_Status from;
    int length;
    await(MPI_ANY_SOURCE, &from);
    MPI_Get_count(&from, MPI_CHAR, &length);
    char *message = calloc(1, (size_t)length + 1);
    *worker = (unsigned)from.MPI_SOURCE;
    if (message)
        MPI_Recv(message, length, MPI_CHAR, from.MPI_SOURCE, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return message;
}

static void answer(void *context, unsigned worker, uint64_t run)
{
    MPI_Send(&run, 1, MPI_UINT64_T, (int)worker, TAG, MPI_COMM_WORLD);
    *(unsigned *)context -= run == EXPLORE_NO_RUN;
}

int main(int argc, char **argv)
{
    int rank, size;
    if (MPI_Init(&argc, &argv))
        return WT_EXIT_FAILED;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    unsigned at_work = rank ? 1 : (unsigned)size - 1;
    const struct explore_share share = {.context = &at_work,
                                        .workers = rank ? 0 : at_work,
                                        .ask = ask,
                                        .listen = listen_to_workers,
                                        .answer = answer};
    /* A mistake in the command line is reported once. */
    bool failed =
        rank && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr));
    int status = failed ? WT_EXIT_FAILED : explore_shared(argc, argv, size > 1 ? &share : NULL);
    if ((fflush(stdout) || ferror(stdout)) && !status)
        status = WT_EXIT_FAILED;
    /* Where one of them could not begin or go on, the others learn it. MPI_Abort is no way to tell
     * them: mpirun of Open MPI 4 may wait for ever after it. */
    while (at_work && rank)
        ask(&at_work, "!its command line or its output is refused");
    while (at_work) {
        unsigned worker;
        free(listen_to_workers(&at_work, &worker));
        answer(&at_work, worker, EXPLORE_NO_RUN);
    }
    MPI_Finalize();
    return rank ? 0 : status;
}
