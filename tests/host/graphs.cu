// Graphs and captured streams as the documentation of CUDA describes them; each part prints a line.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

static void check(cudaError_t error, const char *call)
{
    if (error) {
        std::printf("%s: %s (%d)\n", call, cudaGetErrorString(error), error);
        std::exit(1);
    }
}
#define CHECK(call) check(call, #call)

static void say(const char *what, bool right)
{
    std::printf("%s %s\n", what, right ? "right" : "wrong");
}

enum { N = 64 };

__global__ void times_plus(int *x, int a, int b)
{
    x[threadIdx.x] = x[threadIdx.x] * a + b;
}
__global__ void combine(int *to, const int *from)
{
    to[threadIdx.x] = to[threadIdx.x] * 3 + from[threadIdx.x];
}

static void counted(void *n)
{
    ++*(int *)n;
}

// Two streams, by events into one capture and back; nothing runs before the launch, each launch does all.
static void fork_and_join()
{
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *x, *y, got[N], calls = 0;
    size_t nodes = 0, edges = 0;
    CHECK(cudaStreamCreate(&a)), CHECK(cudaStreamCreate(&b)), CHECK(cudaEventCreate(&fork)), CHECK(cudaEventCreate(&join));
    CHECK(cudaMalloc(&x, sizeof got)), CHECK(cudaMalloc(&y, sizeof got));
    CHECK(cudaMemset(x, 0, sizeof got)), CHECK(cudaMemset(y, 0, sizeof got));
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    int one = 5;
    times_plus<<<1, N, 0, a>>>(x, 2, one);      // the argument's value is taken now
    one = 1000;
    CHECK(cudaEventRecord(fork, a)), CHECK(cudaStreamWaitEvent(b, fork, 0));
    CHECK(cudaMemsetAsync(y, 1, sizeof got, b));
    CHECK(cudaLaunchHostFunc(b, counted, &calls));
    CHECK(cudaEventRecord(join, b));
    times_plus<<<1, N, 0, a>>>(x, 10, 1);
    CHECK(cudaStreamWaitEvent(a, join, 0));
    combine<<<1, N, 0, a>>>(x, y);
    CHECK(cudaMemcpyAsync(got, x, sizeof got, cudaMemcpyDeviceToHost, a));
    cudaStreamCaptureStatus status, other;
    CHECK(cudaStreamIsCapturing(a, &status)), CHECK(cudaStreamIsCapturing(b, &other));
    CHECK(cudaStreamEndCapture(a, &graph));
    bool right = status == cudaStreamCaptureStatusActive && other == status && !calls;
    CHECK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    right &= got[7] == 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes)), CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
    right &= nodes == 6 && edges == 6;
    CHECK(cudaStreamIsCapturing(b, &other));
    right &= other == cudaStreamCaptureStatusNone;
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));             // the executable is a copy
    int model = 0;
    for (int i = 1; i <= 3; i++) {
        CHECK(cudaGraphLaunch(exec, b)), CHECK(cudaStreamSynchronize(b));
        model = ((model * 2 + 5) * 10 + 1) * 3 + 0x01010101;
        right &= got[7] == model && got[N - 1] == model && calls == i;
    }
    CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaFree(x)), CHECK(cudaFree(y));
    CHECK(cudaStreamDestroy(a)), CHECK(cudaStreamDestroy(b)), CHECK(cudaEventDestroy(fork)), CHECK(cudaEventDestroy(join));
    say("fork and join", right);
}

// Random graphs: nodes are made in one order, depend in another one; a model on the host. Each node changes the one number all work on, so that
// the order of a chain shows; nodes without an order between them change numbers of their own.
static void random_graphs()
{
    bool right = true;
    for (unsigned seed = 1; seed <= 20; seed++) {
        std::mt19937 random(seed);
        enum { CHAINS = 4, LONG = 8 };
        int *x, model[CHAINS], got[CHAINS][N], calls = 0;
        CHECK(cudaMalloc(&x, sizeof got)), CHECK(cudaMemset(x, 0, sizeof got));
        cudaGraph_t graph, child;
        CHECK(cudaGraphCreate(&graph, 0)), CHECK(cudaGraphCreate(&child, 0));
        std::vector<cudaGraphNode_t> node(CHAINS * LONG);
        std::vector<int> order(CHAINS * LONG), a(CHAINS * LONG), b(CHAINS * LONG), kind(CHAINS * LONG);
        for (int i = 0; i < CHAINS * LONG; i++)
            order[i] = i, a[i] = random() % 7, b[i] = random() % 100, kind[i] = random() % 5;
        std::shuffle(order.begin(), order.end(), random);
        int host_calls = 0;
        for (int i : order) {
            int *at = x + i / LONG * N;
            void *arguments[] = {&at, &a[i], &b[i]};
            const cudaKernelNodeParams kernel = {(void *)times_plus, dim3(1), dim3(N), 0, arguments, nullptr};
            const cudaMemsetParams fill = {at, 0, (unsigned)b[i], 4, N, 1};
            const cudaHostNodeParams host = {counted, &calls};
            if (kind[i] == 0)
                CHECK(cudaGraphAddMemsetNode(&node[i], graph, nullptr, 0, &fill));
            else if (kind[i] == 1)
                CHECK(cudaGraphAddHostNode(&node[i], graph, nullptr, 0, &host)), host_calls++;
            else if (kind[i] == 2) {
                cudaGraphNode_t inner;
                CHECK(cudaGraphAddKernelNode(&inner, child, nullptr, 0, &kernel));
                CHECK(cudaGraphAddChildGraphNode(&node[i], graph, nullptr, 0, child));
                CHECK(cudaGraphDestroyNode(inner));
            } else
                CHECK(cudaGraphAddKernelNode(&node[i], graph, nullptr, 0, &kernel));
        }
        for (int i = 0; i < CHAINS * LONG; i++)
            if (i % LONG)
                CHECK(cudaGraphAddDependencies(graph, &node[i - 1], &node[i], 1));
        cudaGraphExec_t exec;
        CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
        for (int round = 0; round < 2; round++)
            CHECK(cudaGraphLaunch(exec, nullptr));
        CHECK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
        for (int chain = 0; chain < CHAINS; chain++) {
            unsigned m = 0;
            for (int i = 0; i < 2 * LONG; i++) {
                const int k = chain * LONG + i % LONG;
                m = kind[k] == 0 ? b[k] : kind[k] == 1 ? m : m * a[k] + b[k];
            }
            model[chain] = m;
            for (int lane = 0; lane < N; lane++)
                right &= got[chain][lane] == model[chain];
        }
        right &= calls == 2 * host_calls;
        CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph)), CHECK(cudaGraphDestroy(child)), CHECK(cudaFree(x));
    }
    say("random graphs", right);
}

// New arguments for a node, nodes that are switched off, a whole new graph of the same form, and one of another form.
static void changes()
{
    int *x, got[N], a = 1, b = 7;
    bool right = true;
    cudaGraph_t graph, second;
    cudaGraphNode_t kernel, fill, more;
    cudaGraphExec_t exec;
    CHECK(cudaMalloc(&x, sizeof got));
    CHECK(cudaGraphCreate(&graph, 0));
    const cudaMemsetParams zero = {x, 0, 0, 4, N, 1};
    void *arguments[] = {&x, &a, &b};
    cudaKernelNodeParams call = {(void *)times_plus, dim3(1), dim3(N), 0, arguments, nullptr}, seen;
    CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &call));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    const auto run = [&](int expected) {
        CHECK(cudaGraphLaunch(exec, cudaStreamPerThread));
        CHECK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
        right &= got[3] == expected;
    };
    run(7);
    b = 9;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &call));
    run(9);
    CHECK(cudaGraphKernelNodeGetParams(kernel, &seen));     // of the graph, which has not changed
    right &= seen.func == (void *)times_plus && *(int *)seen.kernelParams[2] == 7 && seen.blockDim.x == N;
    CHECK(cudaGraphNodeSetEnabled(exec, fill, 0));
    run(18);
    CHECK(cudaGraphNodeSetEnabled(exec, fill, 1));
    CHECK(cudaGraphClone(&second, graph));
    CHECK(cudaGraphNodeFindInClone(&more, kernel, second));
    b = 50;
    CHECK(cudaGraphKernelNodeSetParams(more, &call));
    cudaGraphExecUpdateResultInfo info;
    CHECK(cudaGraphExecUpdate(exec, second, &info));
    run(50);
    b = 60;
    CHECK(cudaGraphExecKernelNodeSetParams(exec, kernel, &call)); // still by the first graph's node
    run(60);
    CHECK(cudaGraphAddEmptyNode(&more, second, nullptr, 0));
    right &= cudaGraphExecUpdate(exec, second, &info) == cudaErrorGraphExecUpdateFailure && info.result == cudaGraphExecUpdateErrorTopologyChanged;
    run(60);
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph)), CHECK(cudaGraphDestroy(second)), CHECK(cudaFree(x));
    say("changes", right);
}

// A graph that is launched in a captured stream becomes a child.
static void launches_in_captures()
{
    int *x, got[N], a = 2, b = 1;
    cudaStream_t stream;
    cudaGraph_t inner, outer;
    cudaGraphNode_t node;
    cudaGraphExec_t exec, all;
    CHECK(cudaStreamCreate(&stream)), CHECK(cudaMalloc(&x, sizeof got)), CHECK(cudaMemset(x, 0, sizeof got));
    CHECK(cudaGraphCreate(&inner, 0));
    void *arguments[] = {&x, &a, &b};
    const cudaKernelNodeParams call = {(void *)times_plus, dim3(1), dim3(N), 0, arguments, nullptr};
    CHECK(cudaGraphAddKernelNode(&node, inner, nullptr, 0, &call));
    CHECK(cudaGraphInstantiate(&exec, inner, 0));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamEndCapture(stream, &outer));
    CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(inner));
    CHECK(cudaGraphInstantiate(&all, outer, 0)), CHECK(cudaGraphLaunch(all, stream)), CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost));
    cudaGraphNodeType type;
    size_t one = 1;
    CHECK(cudaGraphGetRootNodes(outer, &node, &one)), CHECK(cudaGraphNodeGetType(node, &type));
    say("launches in captures", got[0] == 7 && type == cudaGraphNodeTypeGraph && one == 1);
    CHECK(cudaGraphExecDestroy(all)), CHECK(cudaGraphDestroy(outer)), CHECK(cudaFree(x)), CHECK(cudaStreamDestroy(stream));
}

// What the documentation forbids, and its numbers.
static void refusals()
{
    int *x, bad = 0;
    cudaStream_t a, b, c;
    cudaEvent_t event, plain;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, second;
    CHECK(cudaStreamCreate(&a)), CHECK(cudaStreamCreate(&b)), CHECK(cudaStreamCreate(&c)), CHECK(cudaEventCreate(&event)), CHECK(cudaEventCreate(&plain));
    CHECK(cudaMalloc(&x, N * 4));
    CHECK(cudaEventRecord(plain, c));
#define IS(call, number)                                                                           \
    do {                                                                                           \
        const int got_ = (call);                                                                   \
        if (got_ != (number))                                                                      \
            std::printf("%s is %d, not %d\n", #call, got_, number), bad++;                        \
    } while (0)
    IS(cudaStreamEndCapture(a, &graph), 401);
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    IS(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal), 401);
    IS(cudaStreamSynchronize(a), 900);
    IS(cudaMemsetAsync(x, 0, 4, a), 901);
    IS(cudaStreamEndCapture(a, &graph), 901);
    IS(graph != nullptr, 0);
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    int *y;
    std::thread([&] { IS(cudaMalloc(&y, 4), 900); }).join();
    IS(cudaStreamEndCapture(a, &graph), 901);
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeThreadLocal));
    std::thread([&] { IS(cudaMalloc(&y, 4), 0); IS(cudaStreamEndCapture(a, &graph), 908); }).join();
    CHECK(cudaStreamEndCapture(a, &graph)), CHECK(cudaGraphDestroy(graph)), CHECK(cudaFree(y));
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    CHECK(cudaMalloc(&y, 4)), CHECK(cudaFree(y));
    CHECK(cudaEventRecord(event, a));
    IS(cudaEventQuery(event), 907);
    IS(cudaStreamEndCapture(a, &graph), 901);
    for (int other = 0; other < 2; other++) {               // its work is not joined; and its end is asked for in the wrong stream
        CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
        CHECK(cudaEventRecord(event, a));
        CHECK(cudaStreamWaitEvent(b, event, 0));
        CHECK(cudaMemsetAsync(x, 0, 4, b));
        if (other)
            IS(cudaStreamEndCapture(b, &graph), 903);
        IS(cudaStreamEndCapture(a, &graph), other ? 901 : 904);
    }
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    IS(cudaStreamWaitEvent(a, plain, 0), 905);
    IS(cudaStreamEndCapture(a, &graph), 901);
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed)), CHECK(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(event, a));
    IS(cudaStreamWaitEvent(b, event, 0), 902);
    IS(cudaStreamEndCapture(a, &graph), 901);
    IS(cudaStreamEndCapture(b, &graph), 901);
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    CHECK(cudaEventRecord(event, a));
    IS(cudaStreamWaitEvent(nullptr, event, 0), 906);
    IS(cudaStreamEndCapture(a, &graph), 901);
    IS(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed), 900);
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddEmptyNode(&first, graph, nullptr, 0)), CHECK(cudaGraphAddEmptyNode(&second, graph, &first, 1));
    IS(cudaGraphAddDependencies(graph, &first, &second, 1), 1);
    IS(cudaGraphAddDependencies(graph, &first, &first, 1), 1);
    CHECK(cudaGraphAddDependencies(graph, &second, &first, 1));
    IS(cudaGraphInstantiate(&exec, graph, 0), 1);          // a cycle
    CHECK(cudaGraphRemoveDependencies(graph, &second, &first, 1));
    CHECK(cudaGraphInstantiate(&exec, graph, 0)), CHECK(cudaGraphExecDestroy(exec));
    IS(cudaGraphLaunch(exec, nullptr), 1);                 // gone
    CHECK(cudaGraphDestroyNode(first));
    IS(cudaGraphDestroyNode(first), 1);
    CHECK(cudaGraphDestroy(graph));
    IS(cudaGraphDestroy(graph), 1);
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    CHECK(cudaMemsetAsync(x, 0, 4, a));
    CHECK(cudaStreamDestroy(a));                           // the capture goes with it
    CHECK(cudaFree(x)), CHECK(cudaStreamDestroy(b)), CHECK(cudaStreamDestroy(c)), CHECK(cudaEventDestroy(event)), CHECK(cudaEventDestroy(plain));
    cudaGetLastError();
    say("refusals", !bad);
}

// Memory of nodes: one address for all launches, there from its node to the one that frees it, or until the program does.
static void memory_of_nodes()
{
    cudaGraph_t graph, second;
    cudaGraphExec_t exec, other;
    cudaGraphNode_t made, filled, run, copied, freed;
    cudaMemAllocNodeParams memory = {}, read = {};
    int got[N], right = 0;
    unsigned long long used = 1, high = 0;
    void *address;
    CHECK(cudaGraphCreate(&graph, 0));
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location.type = cudaMemLocationTypeDevice;
    right += cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &memory) == cudaErrorInvalidValue; // of no bytes
    memory.bytesize = sizeof got;
    CHECK(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &memory));
    int *x = (int *)memory.dptr, a = 3, b = 4;
    right += x && cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess; // it is not there yet
    cudaMemsetParams fill = {};
    fill.dst = x, fill.value = 5, fill.elementSize = 4, fill.width = N, fill.height = 1;
    CHECK(cudaGraphAddMemsetNode(&filled, graph, &made, 1, &fill));
    void *arguments[] = {&x, &a, &b};
    cudaKernelNodeParams kernel = {(void *)times_plus, dim3(1), dim3(N), 0, arguments, nullptr};
    CHECK(cudaGraphAddKernelNode(&run, graph, &filled, 1, &kernel));
    CHECK(cudaGraphAddMemcpyNode1D(&copied, graph, &run, 1, got, x, sizeof got, cudaMemcpyDeviceToHost));
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    right += cudaGraphInstantiateWithFlags(&other, graph, 0) == cudaErrorNotSupported; // one at a time
    right += cudaGraphClone(&second, graph) == cudaErrorNotSupported && cudaGraphDestroyNode(copied) == cudaErrorNotSupported;
    CHECK(cudaGraphLaunch(exec, 0));
    right += std::count(got, got + N, 19) == N;
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    right += used == sizeof got;
    right += cudaGraphLaunch(exec, 0) == cudaErrorInvalidValue; // what the first one left is there
    CHECK(cudaMemcpy(got, x, sizeof got, cudaMemcpyDeviceToHost)), CHECK(cudaFree(x)), CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaFree(x)), CHECK(cudaGraphExecDestroy(exec));
    // The same with a node that frees.
    CHECK(cudaGraphAddMemFreeNode(&freed, graph, &copied, 1, x));
    right += cudaGraphAddMemFreeNode(&filled, graph, &copied, 1, x) == cudaErrorInvalidValue;
    CHECK(cudaGraphMemAllocNodeGetParams(made, &read)), CHECK(cudaGraphMemFreeNodeGetParams(freed, &address));
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(freed, &type));
    right += read.dptr == x && read.bytesize == sizeof got && address == x && type == cudaGraphNodeTypeMemFree;
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 3; i++) {
        std::fill(got, got + N, 0);
        CHECK(cudaGraphLaunch(exec, 0));
        right += std::count(got, got + N, 19) == N;
    }
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
    right += used == 0 && high == sizeof got;
    CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph));
    // A captured stream: allocations become nodes; what a launch leaves is freed by the next one, if that is asked for.
    cudaStream_t stream;
    int *left, *gone;
    CHECK(cudaStreamCreate(&stream)), CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&left, sizeof got, stream)), CHECK(cudaMallocAsync(&gone, sizeof got, stream));
    CHECK(cudaMemsetAsync(left, 0, sizeof got, stream)), CHECK(cudaMemsetAsync(gone, 1, sizeof got, stream));
    combine<<<1, N, 0, stream>>>(left, gone);
    CHECK(cudaFreeAsync(gone, stream)), CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    CHECK(cudaGraphLaunch(exec, stream)), CHECK(cudaGraphLaunch(exec, stream)), CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, left, sizeof got, cudaMemcpyDeviceToHost));
    right += std::count(got, got + N, 0x01010101) == N && left != gone;
    CHECK(cudaGraphExecDestroy(exec)), CHECK(cudaGraphDestroy(graph));
    CHECK(cudaMemcpy(got, left, sizeof got, cudaMemcpyDeviceToHost)), CHECK(cudaFreeAsync(left, stream)); // it outlives its graph
    right += cudaFree(left) == cudaErrorInvalidValue && cudaFree(gone) == cudaErrorInvalidValue;
    cudaGetLastError();
    say("memory of nodes", right == 15);
    if (right != 15)
        std::printf("%d of 15\n", right);
}

int main()
{
    fork_and_join();
    random_graphs();
    changes();
    launches_in_captures();
    refusals();
    memory_of_nodes();
}
