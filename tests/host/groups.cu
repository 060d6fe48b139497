// Cooperative groups as clang compiles them: `groups` compares each with what the host finds.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

static void say(const char *what, bool right)
{
    std::printf("%s %s\n", what, right ? "right" : "wrong");
}

template <class T> struct shared_with_host {
    T *at = nullptr;
    explicit shared_with_host(size_t n)
    {
        if (cudaMallocManaged(&at, n * sizeof(T)))
            std::printf("no memory\n");
    }
    ~shared_with_host()
    {
        cudaFree(at);
    }
};

// ---- blocks ----

struct block_words {
    unsigned rank, size, index_x, group_y, sum;
};

__global__ void blocks(block_words *out)
{
    __shared__ unsigned total;
    const cg::thread_block block = cg::this_thread_block();
    if (block.thread_rank() == 0)
        total = 0;
    block.sync();
    atomicAdd(&total, block.thread_rank());
    cg::sync(block);
    const unsigned where = block.group_index().y * block.size() + block.thread_rank();
    out[where] = {block.thread_rank(), (unsigned)cg::group_size(block), block.thread_index().x,
                  block.group_index().y, total};
}

static bool test_blocks()
{
    const dim3 size(5, 3, 4);
    const unsigned threads = 60;
    shared_with_host<block_words> out(2 * threads);
    blocks<<<dim3(1, 2), size>>>(out.at);
    bool right = !cudaDeviceSynchronize();
    for (unsigned i = 0; i < 2 * threads; i++) {
        const block_words &w = out.at[i];
        right &= w.rank == i % threads && w.size == threads && w.index_x == i % 5 &&
                 w.group_y == i / threads && w.sum == threads * (threads - 1) / 2;
    }
    return right;
}

// ---- tiles ----

struct tile_words {
    unsigned rank, meta_rank, meta_size, up, down, exchanged, first, ballot, any, all, same;
    unsigned like, scanned, before, most;
    double sum;
};

template <unsigned SIZE> __global__ void tiles(tile_words *out)
{
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<SIZE>(block);
    const unsigned value = 100 + block.thread_rank() * 7 % 13;
    tile_words &w = out[block.thread_rank()];
    int same = 9;
    w.rank = tile.thread_rank();
    w.meta_rank = tile.meta_group_rank();
    w.meta_size = tile.meta_group_size();
    w.up = tile.shfl_up(value, 1);
    w.down = tile.shfl_down(value, 2);
    w.exchanged = tile.shfl_xor(value, SIZE / 2);
    w.first = tile.shfl(value, 0);
    w.ballot = tile.ballot(value % 2);
    w.any = tile.any(value == 112);
    w.all = tile.all(value >= 103);
    w.like = tile.match_any(value % 3);
    w.same = tile.match_all(7ull << 33, same) + same;
    tile.sync();
    w.sum = cg::reduce(tile, value / 2.0, cg::plus<double>());
    w.most = cg::reduce(tile, value, cg::greater<unsigned>());
    w.scanned = cg::inclusive_scan(tile, value);
    w.before = cg::exclusive_scan(tile, value, cg::bit_xor<unsigned>());
}

template <unsigned SIZE> static bool test_tiles()
{
    const unsigned threads = 64;
    shared_with_host<tile_words> out(threads);
    tiles<SIZE><<<1, threads>>>(out.at);
    bool right = !cudaDeviceSynchronize();
    unsigned value[threads];
    for (unsigned i = 0; i < threads; i++)
        value[i] = 100 + i * 7 % 13;
    for (unsigned i = 0; i < threads; i++) {
        const unsigned from = i / SIZE * SIZE, rank = i % SIZE;
        tile_words e = {};
        for (unsigned k = 0; k < SIZE; k++) {
            const unsigned v = value[from + k];
            e.ballot |= (v % 2) << k;
            e.any |= v == 112;
            e.like |= (unsigned)(v % 3 == value[i] % 3) << k;
            e.all += v >= 103;
            e.sum += v / 2.0;
            e.most = v > e.most ? v : e.most;
            e.scanned += k <= rank ? v : 0;
            e.before ^= k < rank ? v : 0;
        }
        const tile_words &w = out.at[i];
        right &= w.rank == rank && w.meta_rank == i / SIZE && w.meta_size == threads / SIZE &&
                 w.up == value[rank ? i - 1 : i] && w.down == value[rank + 2 < SIZE ? i + 2 : i] &&
                 w.exchanged == value[from + (rank ^ (SIZE / 2))] && w.first == value[from] &&
                 w.ballot == e.ballot && w.any == e.any && w.all == (e.all == SIZE) &&
                 w.like == e.like && w.same == (unsigned)((1ull << SIZE) - 1) + 1 &&
                 w.sum == e.sum && w.most == e.most && w.scanned == e.scanned &&
                 w.before == e.before;
    }
    return right;
}

__global__ void nested(unsigned *out)
{
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const auto part = cg::tiled_partition<4>(warp);
    const cg::thread_group any = cg::tiled_partition(cg::this_thread_block(), 8);
    out[threadIdx.x] = part.meta_group_rank() * 1000 + part.meta_group_size() * 100 +
                       (unsigned)any.thread_rank() * 10 + (any.size() == 8);
    any.sync();
}

static bool test_nested()
{
    shared_with_host<unsigned> out(64);
    nested<<<1, 64>>>(out.at);
    bool right = !cudaDeviceSynchronize();
    for (unsigned i = 0; i < 64; i++)
        right &= out.at[i] == i % 32 / 4 * 1000 + 800 + i % 8 * 10 + 1;
    return right;
}

// ---- threads that have come to the same place ----

__global__ void coalesced(unsigned *counter, unsigned *out)
{
    const unsigned i = threadIdx.x;
    if (i % 3 == 1) {
        const cg::coalesced_group group = cg::coalesced_threads();
        unsigned first = 0;
        if (group.thread_rank() == 0) // one atomic for all of them
            first = atomicAdd(counter, group.num_threads());
        out[i] = group.shfl(first, 0) + (unsigned)group.thread_rank();
        out[64 + i] = group.ballot(i > 10) + (group.shfl_down(i, 1) << 16);
        const cg::coalesced_group half = cg::binary_partition(group, i > 12);
        out[128 + i] = (unsigned)(half.size() * 100 + half.thread_rank() * 10) +
                       half.meta_group_rank() * 2 + half.meta_group_size();
        const auto pair = cg::tiled_partition(group, 4);
        out[192 + i] = cg::reduce(pair, i, cg::plus<unsigned>());
    }
}

static bool test_coalesced()
{
    shared_with_host<unsigned> out(256), counter(1);
    counter.at[0] = 500;
    coalesced<<<1, 32>>>(counter.at, out.at);
    bool right = !cudaDeviceSynchronize() && counter.at[0] == 511; // 1, 4, ... 31
    for (unsigned i = 1, rank = 0; i < 32; i += 3, rank++) {
        unsigned part = 0;
        for (unsigned k = rank / 4 * 4; k < rank / 4 * 4 + 4 && k < 11; k++)
            part += 1 + 3 * k;
        const unsigned upper = i > 12, members = upper ? 7 : 4, half_rank = upper ? rank - 4 : rank;
        right &= out.at[i] == 500 + rank &&
                 out.at[64 + i] == 0x7f0 + ((i < 31 ? i + 3 : i) << 16) &&
                 out.at[128 + i] == members * 100 + half_rank * 10 + upper * 2 + 2 &&
                 out.at[192 + i] == part;
    }
    return right;
}

__global__ void labels(unsigned *out)
{
    const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const cg::coalesced_group like = cg::labeled_partition(tile, threadIdx.x % 5);
    out[threadIdx.x] = cg::reduce(like, threadIdx.x, cg::plus<unsigned>());
}

static bool test_labels()
{
    shared_with_host<unsigned> out(40); // the last warp has eight threads
    labels<<<1, 40>>>(out.at);
    bool right = !cudaDeviceSynchronize();
    for (unsigned i = 0; i < 32; i++) {
        unsigned sum = 0;
        for (unsigned k = i / 16 * 16; k < i / 16 * 16 + 16; k++)
            sum += k % 5 == i % 5 ? k : 0;
        right &= out.at[i] == sum;
    }
    return right;
}

__global__ void copies(const int *from, int *to)
{
    __shared__ int part[100];
    const cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, part, from, sizeof part);
    cg::wait(block);
    for (unsigned i = block.thread_rank(); i < 100; i += block.size())
        to[i] = part[99 - i];
}

static bool test_copies()
{
    shared_with_host<int> from(100), to(100);
    for (int i = 0; i < 100; i++)
        from.at[i] = i * i;
    copies<<<1, 48>>>(from.at, to.at);
    bool right = !cudaDeviceSynchronize();
    for (int i = 0; i < 100; i++)
        right &= to.at[i] == (99 - i) * (99 - i);
    return right;
}

// ---- all blocks of a grid ----

/* Each round adds the neighbour's value of the round before: without a barrier of all blocks it
 * mixes rounds. */
__global__ void rounds(unsigned *a, unsigned *b, unsigned count, unsigned *valid)
{
    const cg::grid_group grid = cg::this_grid();
    const unsigned i = (unsigned)grid.thread_rank(), n = (unsigned)grid.size();
    for (unsigned r = 0; r < count; r++) {
        b[i] = a[i] + a[(i + n / 2 + 1) % n] + 1;
        grid.sync();
        a[i] = b[i] ^ b[(i + 1) % n];
        grid.sync();
    }
    if (i == 0)
        *valid = grid.is_valid() * 100 + (unsigned)grid.num_blocks();
}

static bool test_grid()
{
    const unsigned blocks = 6, threads = 64, n = blocks * threads;
    unsigned count = 9;
    shared_with_host<unsigned> a(n), b(n), valid(1);
    std::vector<unsigned> x(n), y(n);
    for (unsigned i = 0; i < n; i++)
        a.at[i] = x[i] = i * i;
    for (unsigned r = 0; r < count; r++) {
        for (unsigned i = 0; i < n; i++)
            y[i] = x[i] + x[(i + n / 2 + 1) % n] + 1;
        for (unsigned i = 0; i < n; i++)
            x[i] = y[i] ^ y[(i + 1) % n];
    }
    void *arguments[] = {&a.at, &b.at, &count, &valid.at};
    bool right = !cudaLaunchCooperativeKernel(rounds, dim3(2, 3), threads, arguments) &&
                 !cudaDeviceSynchronize() && *valid.at == 106;
    for (unsigned i = 0; i < n; i++)
        right &= a.at[i] == x[i];
    // as many as fit, and one more
    int fit = 0, device = 0, sms = 0, offered = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaDeviceGetAttribute(&offered, cudaDevAttrCooperativeLaunch, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, rounds, 64, 0);
    count = 0;
    right &= offered && fit == 32 &&
             !cudaLaunchCooperativeKernel(rounds, fit * sms, 64, arguments) &&
             cudaLaunchCooperativeKernel(rounds, fit * sms + 1, 64, arguments) ==
                 cudaErrorCooperativeLaunchTooLarge &&
             cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge;
    // an ordinary launch has no barrier
    rounds<<<1, 1>>>(a.at, b.at, 0, valid.at);
    right &= !cudaDeviceSynchronize() && *valid.at == 1;
    return right;
}

static bool test_no_barrier()
{
    shared_with_host<unsigned> a(8), b(8), valid(1);
    rounds<<<2, 4>>>(a.at, b.at, 1, valid.at);
    return cudaDeviceSynchronize() == cudaErrorAssert;
}

int main()
{
    say("blocks", test_blocks());
    say("tiles of 32", test_tiles<32>());
    say("tiles of 16", test_tiles<16>());
    say("tiles of 4", test_tiles<4>());
    say("nested tiles", test_nested());
    say("coalesced", test_coalesced());
    say("labels", test_labels());
    say("copies", test_copies());
    say("grid", test_grid());
    say("no barrier", test_no_barrier()); // the last one: its kernel fails
}
