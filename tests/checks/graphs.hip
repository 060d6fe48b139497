/* Launches of HIP's graphs beside other streams: graphs CASE. A captured graph has two
 * kernels, the second one of which loads what the first one has stored. */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, WORDS = 2 * N };

__global__ void put(int *p, int by)
{
    p[threadIdx.x] = by + threadIdx.x; /* A */
}

__global__ void add(int *p)
{
    p[N + threadIdx.x] += p[N - 1 - threadIdx.x];
}

__global__ void get(int *p, int *q)
{
    q[threadIdx.x] = p[threadIdx.x]; /* B */
}

static void need(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "%s failed\n", what);
        exit(3);
    }
}

static hipGraphExec_t captured(hipStream_t stream, int *p)
{
    hipGraph_t graph;
    hipGraphExec_t made;
    need(!hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), "the capture");
    put<<<1, N, 0, stream>>>(p, 3);
    add<<<1, N, 0, stream>>>(p);
    need(!hipStreamEndCapture(stream, &graph), "its end");
    need(!hipGraphInstantiate(&made, graph, NULL, NULL, 0), "the graph");
    return made;
}

int main(int argc, char **argv)
{
    const char *name = argv[1];
    hipStream_t a, b;
    hipEvent_t event;
    int *p, *q, here[N];
    need(argc == 2 && !hipMalloc(&p, WORDS * sizeof *p) && !hipMalloc(&q, N * sizeof *q), "memory");
    need(!hipMemset(p, 0, WORDS * sizeof *p) && !hipDeviceSynchronize(), "zeros");
    need(!hipStreamCreateWithFlags(&a, hipStreamNonBlocking) &&
             !hipStreamCreateWithFlags(&b, hipStreamNonBlocking) && !hipEventCreate(&event),
         "the streams");
    hipGraphExec_t graph = captured(a, p);
    need(!hipGraphLaunch(graph, a), "the launch");
    if (strcmp(name, "in_one_stream") == 0)
        get<<<1, N, 0, a>>>(p, q);
    else if (strcmp(name, "event") == 0)
        need(!hipEventRecord(event, a) && !hipStreamWaitEvent(b, event, 0), "the event");
    else if (strcmp(name, "waited_for") == 0)
        need(!hipStreamSynchronize(a), "the wait");
    else if (strcmp(name, "twice") == 0) /* which have an order */
        need(!hipGraphLaunch(graph, b), "the second launch");
    else if (strcmp(name, "event_of_before") == 0)
        need(!hipStreamWaitEvent(b, event, 0), "the event");
    if (strcmp(name, "in_one_stream") != 0)
        get<<<1, N, 0, b>>>(p, q);
    need(!hipStreamSynchronize(a) && !hipStreamSynchronize(b) &&
             !hipMemcpy(here, q, sizeof here, hipMemcpyDeviceToHost),
         "the end");
    printf("%d\n", here[5]);
    return 0;
}
