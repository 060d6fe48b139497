// rocPRIM's algorithms for a whole device: a library of kernels that people use, and did not write for us.
#include <hip/hip_runtime.h>
#include <rocprim/rocprim.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        hipError_t error = (call);                                                                 \
        if (error != hipSuccess) {                                                                 \
            printf("line %d: %s\n", __LINE__, hipGetErrorName(error));                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

typedef std::vector<unsigned> words;
static const size_t n = 200003;
static unsigned *in, *out, *keys, *count;

// Each algorithm is called twice: to learn how much memory it needs, and to be run.
template <typename F> static words run(F algorithm, size_t results)
{
    size_t bytes = 0;
    void *memory;
    words w(results);
    CHECK(algorithm(nullptr, bytes));
    CHECK(hipMalloc(&memory, bytes));
    CHECK(algorithm(memory, bytes));
    CHECK(hipMemcpy(w.data(), out, results * 4, hipMemcpyDeviceToHost));
    CHECK(hipFree(memory));
    return w;
}

static void say(const char *what, bool right)
{
    printf("%s: %s\n", what, right ? "right" : "wrong");
}

int main()
{
    std::mt19937 random(1);
    words h(n), k(n), sums(n), sorted, kept, by_key((n + 6) / 7);
    for (size_t i = 0; i < n; i++) {
        h[i] = (unsigned)random();
        k[i] = (unsigned)i / 7;
        by_key[i / 7] += h[i];
        if (h[i] % 3 == 0)
            kept.push_back(h[i]);
    }
    for (unsigned **p : {&in, &out, &keys, &count})
        CHECK(hipMalloc(p, n * 4));
    CHECK(hipMemcpy(in, h.data(), n * 4, hipMemcpyHostToDevice));
    CHECK(hipMemcpy(keys, k.data(), n * 4, hipMemcpyHostToDevice));
    sorted = h;
    std::sort(sorted.begin(), sorted.end());
    std::partial_sum(h.begin(), h.end(), sums.begin());

    say("radix sort", run([](void *m, size_t &b) { return rocprim::radix_sort_keys(m, b, in, out, n); }, n) == sorted);
    std::reverse(sorted.begin(), sorted.end());
    say("merge sort", run([](void *m, size_t &b) {
            return rocprim::merge_sort(m, b, in, out, n, rocprim::greater<unsigned>());
        }, n) == sorted);
    say("scan", run([](void *m, size_t &b) {
            return rocprim::inclusive_scan(m, b, in, out, n, rocprim::plus<unsigned>());
        }, n) == sums);
    say("reduce", run([](void *m, size_t &b) {
            return rocprim::reduce(m, b, in, out, 0u, n, rocprim::maximum<unsigned>());
        }, 1)[0] == sorted[0]);
    say("select", run([](void *m, size_t &b) {
            return rocprim::select(m, b, in, out, count, n, [] __device__(unsigned x) { return x % 3 == 0; });
        }, kept.size()) == kept);
    say("reduce by key", run([](void *m, size_t &b) {
            return rocprim::reduce_by_key(m, b, keys, in, n, count, out, count + n - 1);
        }, by_key.size()) == by_key);
}
