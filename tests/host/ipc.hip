/* ipc: a process hands memory of its GPU to its child, which was forked before either had a GPU. Kernels of both work on it,
 * one after the other, and so do copies. It prints "right". */
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static const int N = 5000;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        const hipError_t error_ = (x);                                                             \
        if (error_ != hipSuccess) {                                                                \
            printf("%s, line %d: %s: %s\n", side, __LINE__, #x, hipGetErrorString(error_));        \
            fflush(stdout);                                                                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define WANT(x)                                                                                    \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            printf("%s, line %d: not so: %s\n", side, __LINE__, #x);                               \
            fflush(stdout);                                                                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static const char *side = "parent";

__global__ void add(int *p, int k, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&p[i], k * i);
}

static void run(int *p, int k)
{
    add<<<(N + 255) / 256, 256>>>(p, k, N);
    CHECK(hipDeviceSynchronize());
}

static void tell(int fd, const void *what, size_t size)
{
    WANT(write(fd, what, size) == (ssize_t)size);
}

static void hear(int fd, void *what, size_t size)
{
    WANT(read(fd, what, size) == (ssize_t)size);
}

/* Twice: what was closed can be opened again. */
static int child(int from, int to)
{
    side = "child";
    hipIpcMemHandle_t handles[2];
    char go = 0;
    for (int round = 0; round < 2; round++) {
        int *p[2];
        hear(from, handles, sizeof handles);
        for (int i = 0; i < 2; i++) {
            CHECK(hipIpcOpenMemHandle((void **)&p[i], handles[i], hipIpcMemLazyEnablePeerAccess));
            run(p[i], 10);
        }
        tell(to, &go, 1);
        hear(from, &go, 1); /* the parent has added more */
        std::vector<int> host(N);
        for (int i = 0; i < 2; i++) {
            CHECK(hipMemcpy(host.data(), p[i], N * sizeof(int), hipMemcpyDeviceToHost));
            for (int k = 0; k < N; k++)
                WANT(host[k] == k * (111 * (round + 1) + i));
            CHECK(hipIpcCloseMemHandle(p[i]));
        }
        tell(to, &go, 1);
    }
    return 0;
}

int main()
{
    int down[2], up[2];
    char go = 0;
    WANT(!pipe(down) && !pipe(up));
    const pid_t pid = fork();
    if (pid == 0)
        return child(down[0], up[1]);
    int *p[2];
    CHECK(hipMalloc(&p[0], N * sizeof(int)));       /* a part of a larger allocation of the runtime's */
    CHECK(hipMalloc(&p[1], (4 << 20) + N));
    for (int i = 0; i < 2; i++) {
        CHECK(hipMemset(p[i], 0, N * sizeof(int)));
        run(p[i], i);
    }
    for (int round = 0; round < 2; round++) {
        hipIpcMemHandle_t handles[2];
        for (int i = 0; i < 2; i++) {
            run(p[i], 1);
            CHECK(hipIpcGetMemHandle(&handles[i], p[i]));
        }
        tell(down[1], handles, sizeof handles);
        hear(up[0], &go, 1);
        for (int i = 0; i < 2; i++)
            run(p[i], 100);
        tell(down[1], &go, 1);
        hear(up[0], &go, 1);
    }
    int status;
    WANT(waitpid(pid, &status, 0) == pid && status == 0);
    for (int i = 0; i < 2; i++)
        CHECK(hipFree(p[i]));
    puts("right");
    return 0;
}
