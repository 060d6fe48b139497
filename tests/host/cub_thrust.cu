/* Debian's CUB and Thrust against the host's library: cub_thrust. One line for each algorithm. */
#include <cub/cub.cuh>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <vector>

static bool failed;

static void tell(const char *what, bool good)
{
    printf("%s: %s\n", what, good ? "right" : "wrong");
    failed |= !good;
}

static std::vector<int> numbers(int count, int below)
{
    std::vector<int> v(count);
    unsigned state = 12345;
    for (int &x : v) {
        state = state * 1664525 + 1013904223;
        x = (int)(state >> 8) % below - below / 2;
    }
    return v;
}

template <class T> static std::vector<T> host(const thrust::device_vector<T> &d)
{
    std::vector<T> h(d.size());
    thrust::copy(d.begin(), d.end(), h.begin());
    return h;
}

/* ---- Thrust ---- */

struct square {
    __host__ __device__ long operator()(int x) const
    {
        return (long)x * x;
    }
};

struct is_even {
    __host__ __device__ bool operator()(int x) const
    {
        return x % 2 == 0;
    }
};

static void sorts(const std::vector<int> &v)
{
    thrust::device_vector<int> d = v;
    std::vector<int> want = v;
    thrust::sort(d.begin(), d.end());
    std::sort(want.begin(), want.end());
    tell("sort", host(d) == want);
    thrust::sort(d.begin(), d.end(), thrust::greater<int>());
    std::reverse(want.begin(), want.end());
    tell("sort downwards", host(d) == want);

    std::vector<double> keys(v.begin(), v.end()), sorted = keys;
    std::vector<int> order(v.size());
    std::iota(order.begin(), order.end(), 0);
    thrust::device_vector<double> k = keys;
    thrust::device_vector<int> values = order;
    thrust::stable_sort_by_key(k.begin(), k.end(), values.begin());
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    std::sort(sorted.begin(), sorted.end());
    tell("stable_sort_by_key", host(k) == sorted && host(values) == order);
}

static void reductions(const std::vector<int> &v)
{
    const thrust::device_vector<int> d = v;
    tell("reduce", thrust::reduce(d.begin(), d.end()) == std::accumulate(v.begin(), v.end(), 0));
    long want = 0;
    for (int x : v)
        want += (long)x * x;
    tell("transform_reduce",
         thrust::transform_reduce(d.begin(), d.end(), square(), 0L, thrust::plus<long>()) == want);
    tell("max_element", thrust::max_element(d.begin(), d.end()) - d.begin() ==
                            std::max_element(v.begin(), v.end()) - v.begin());
    tell("count_if", thrust::count_if(d.begin(), d.end(), is_even()) ==
                         std::count_if(v.begin(), v.end(), is_even()));
}

static void scans(const std::vector<int> &v)
{
    thrust::device_vector<int> d = v;
    std::vector<int> want(v.size());
    thrust::inclusive_scan(d.begin(), d.end(), d.begin());
    std::partial_sum(v.begin(), v.end(), want.begin());
    tell("inclusive_scan", host(d) == want);
    d = v;
    thrust::exclusive_scan(d.begin(), d.end(), d.begin(), 7, thrust::plus<int>());
    std::exclusive_scan(v.begin(), v.end(), want.begin(), 7);
    tell("exclusive_scan", host(d) == want);
}

static void selections(const std::vector<int> &v)
{
    thrust::device_vector<int> d = v, out(v.size());
    std::vector<int> want = v;
    out.resize(thrust::copy_if(d.begin(), d.end(), out.begin(), is_even()) - out.begin());
    want.erase(std::remove_if(want.begin(), want.end(), [](int x) { return x % 2; }), want.end());
    tell("copy_if", host(out) == want);
    std::vector<int> parts = v;
    thrust::stable_partition(d.begin(), d.end(), is_even());
    std::stable_partition(parts.begin(), parts.end(), is_even());
    tell("stable_partition", host(d) == parts);

    std::vector<int> sorted = v;
    std::sort(sorted.begin(), sorted.end());
    thrust::device_vector<int> s = sorted;
    thrust::device_vector<int> places(v.size());
    const thrust::device_vector<int> wanted = v;
    thrust::lower_bound(s.begin(), s.end(), wanted.begin(), wanted.end(), places.begin());
    for (size_t i = 0; i < v.size(); i++)
        want.resize(v.size()), want[i] = (int)(std::lower_bound(sorted.begin(), sorted.end(), v[i]) - sorted.begin());
    tell("lower_bound", host(places) == want);

    std::map<int, int> sums;
    for (size_t i = 0; i < sorted.size(); i++)
        sums[sorted[i]] += (int)i;
    thrust::device_vector<int> keys(v.size()), totals(v.size());
    const auto ends = thrust::reduce_by_key(s.begin(), s.end(), thrust::counting_iterator<int>(0), keys.begin(), totals.begin());
    keys.resize(ends.first - keys.begin());
    totals.resize(ends.second - totals.begin());
    std::vector<int> a, b;
    for (const auto &one : sums)
        a.push_back(one.first), b.push_back(one.second);
    tell("reduce_by_key", host(keys) == a && host(totals) == b);
    s.erase(thrust::unique(s.begin(), s.end()), s.end());
    tell("unique", host(s) == a);

    std::vector<int> third, both;
    for (int x = -3000; x < 3000; x += 3)
        third.push_back(x);
    std::set_intersection(a.begin(), a.end(), third.begin(), third.end(), std::back_inserter(both));
    const thrust::device_vector<int> t = third;
    thrust::device_vector<int> common(a.size());
    common.erase(thrust::set_intersection(s.begin(), s.end(), t.begin(), t.end(), common.begin()), common.end());
    tell("set_intersection", host(common) == both);
}

/* ---- CUB ---- */

template <class F> static void twice(F f)
{
    size_t bytes = 0;
    f(nullptr, bytes);
    thrust::device_vector<char> room(bytes);
    f(thrust::raw_pointer_cast(room.data()), bytes);
}

static void devices(const std::vector<int> &v)
{
    const int n = (int)v.size();
    const thrust::device_vector<int> d = v;
    const int *in = thrust::raw_pointer_cast(d.data());
    thrust::device_vector<int> out(64), counts(n), lengths(n), runs(1);
    int *to = thrust::raw_pointer_cast(out.data());
    twice([&](void *room, size_t &bytes) {
        cub::DeviceHistogram::HistogramEven(room, bytes, in, to, 65, -4096, 4096, n);
    });
    std::vector<int> bins(64);
    for (int x : v)
        bins[(x + 4096) / 128]++;
    tell("DeviceHistogram", host(out) == bins);

    std::vector<int> few(v);
    for (int &x : few)
        x = x > 0;
    const thrust::device_vector<int> f = few;
    twice([&](void *room, size_t &bytes) {
        cub::DeviceRunLengthEncode::Encode(room, bytes, thrust::raw_pointer_cast(f.data()), thrust::raw_pointer_cast(counts.data()),
                                           thrust::raw_pointer_cast(lengths.data()), thrust::raw_pointer_cast(runs.data()), n);
    });
    std::vector<int> want;
    for (int i = 0; i < n; i++)
        if (i && few[i] == few[i - 1])
            want.back()++;
        else
            want.push_back(1);
    lengths.resize(runs[0]);
    tell("DeviceRunLengthEncode", host(lengths) == want);

    std::vector<int> offsets, sums;
    for (int at = 0; at <= n; at += at % 7 * 13 + 5)
        offsets.push_back(at);
    for (size_t i = 0; i + 1 < offsets.size(); i++)
        sums.push_back(std::accumulate(v.begin() + offsets[i], v.begin() + offsets[i + 1], 0));
    const thrust::device_vector<int> o = offsets;
    thrust::device_vector<int> segments(sums.size());
    twice([&](void *room, size_t &bytes) {
        cub::DeviceSegmentedReduce::Sum(room, bytes, in, thrust::raw_pointer_cast(segments.data()), (int)sums.size(),
                                        thrust::raw_pointer_cast(o.data()), thrust::raw_pointer_cast(o.data()) + 1);
    });
    tell("DeviceSegmentedReduce", host(segments) == sums);
}

enum { THREADS = 128, ITEMS = 4 };

/* Each block sorts its items, and scans them; each warp has its largest. */
__global__ void blocks(const int *in, int *sorted, int *scanned, int *largest)
{
    typedef cub::BlockRadixSort<int, THREADS, ITEMS> Sort;
    typedef cub::BlockScan<int, THREADS> Scan;
    typedef cub::WarpReduce<int> Warp;
    __shared__ union {
        Sort::TempStorage sort;
        Scan::TempStorage scan;
        Warp::TempStorage warp[THREADS / 32];
    } room;
    const int first = (blockIdx.x * THREADS + threadIdx.x) * ITEMS;
    int mine[ITEMS];
    for (int i = 0; i < ITEMS; i++)
        mine[i] = in[first + i];
    Sort(room.sort).Sort(mine);
    for (int i = 0; i < ITEMS; i++)
        sorted[first + i] = mine[i];
    __syncthreads();
    const int most = Warp(room.warp[threadIdx.x / 32]).Reduce(mine[ITEMS - 1], cub::Max());
    if (threadIdx.x % 32 == 0)
        largest[(blockIdx.x * THREADS + threadIdx.x) / 32] = most;
    __syncthreads();
    Scan(room.scan).InclusiveSum(mine, mine);
    for (int i = 0; i < ITEMS; i++)
        scanned[first + i] = mine[i];
}

static void in_blocks(const std::vector<int> &v)
{
    const int size = THREADS * ITEMS, n = (int)v.size() / size * size;
    const thrust::device_vector<int> d = v;
    thrust::device_vector<int> sorted(n), scanned(n), largest(n / ITEMS / 32);
    blocks<<<n / size, THREADS>>>(thrust::raw_pointer_cast(d.data()), thrust::raw_pointer_cast(sorted.data()),
                                  thrust::raw_pointer_cast(scanned.data()), thrust::raw_pointer_cast(largest.data()));
    std::vector<int> a(v.begin(), v.begin() + n), b(n), c;
    for (int i = 0; i < n; i += size) {
        std::sort(a.begin() + i, a.begin() + i + size);
        std::partial_sum(a.begin() + i, a.begin() + i + size, b.begin() + i);
    }
    for (int i = 0; i < n; i += 32 * ITEMS)
        c.push_back(a[i + 32 * ITEMS - 1]);
    tell("BlockRadixSort", host(sorted) == a);
    tell("BlockScan", host(scanned) == b);
    tell("WarpReduce", host(largest) == c);
}

int main()
{
    const std::vector<int> v = numbers(10007, 8192);
    sorts(v);
    reductions(v);
    scans(v);
    selections(v);
    devices(v);
    in_blocks(v);
    return failed;
}
