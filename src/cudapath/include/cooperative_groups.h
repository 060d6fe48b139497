/*
 * Cooperative groups of CUDA C++: names and meanings are those of NVIDIA's public documentation
 * ("CUDA C++ Programming Guide", "Cooperative Groups"), written anew over clang's functions for
 * warps. docs/cuda-cpp.md lists what is here.
 *
 * Every group knows its threads by a rank of 0 to size - 1. Groups within a warp are a mask of its
 * lanes, and all their operations are those of the warp with this mask.
 */
#ifndef WAVETRAP_COOPERATIVE_GROUPS_H
#define WAVETRAP_COOPERATIVE_GROUPS_H

#include <cuda_runtime.h>

#if defined __cplusplus && defined __CUDA__

#define WAVETRAP_CG static inline __attribute__((device, always_inline))
#define WAVETRAP_CG_MEMBER __attribute__((device, always_inline)) inline

namespace cooperative_groups
{
namespace wavetrap
{
WAVETRAP_CG unsigned lane()
{
    unsigned n;
    __asm__("mov.u32 %0, %%laneid;" : "=r"(n));
    return n;
}

/* The rank of a thread in its block. */
WAVETRAP_CG unsigned rank_in_block()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

WAVETRAP_CG unsigned threads_of_block()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

/* The lane of the member with this rank in a mask: its n-th set bit. */
WAVETRAP_CG unsigned lane_of(unsigned mask, unsigned rank)
{
    for (unsigned n = 0; n < rank; n++)
        mask &= mask - 1;
    return __ffs(mask) - 1;
}

/* The bits of `from` at the set bits of a mask, put together: a ballot by ranks. */
WAVETRAP_CG unsigned packed(unsigned mask, unsigned from)
{
    unsigned to = 0;
    for (unsigned n = 0; mask; n++, mask &= mask - 1)
        to |= (from & mask & -mask ? 1u : 0u) << n;
    return to;
}

/* A value as words, the rest of the last one zeros. */
template <class T> struct words_of {
    static_assert(__is_trivially_copyable(T), "a value that threads exchange is copied as bytes");
    unsigned word[(sizeof(T) + 3) / 4];

    WAVETRAP_CG_MEMBER explicit words_of(const T &value) : word{0}
    {
        __builtin_memcpy(word, &value, sizeof(T));
    }
    WAVETRAP_CG_MEMBER bool operator==(const words_of &other) const
    {
        bool same = true;
        for (unsigned i = 0; i < sizeof word / sizeof *word; i++)
            same &= word[i] == other.word[i];
        return same;
    }
};

/* The value of another lane. */
template <class T> WAVETRAP_CG T of_lane(unsigned mask, T value, unsigned lane)
{
    words_of<T> words(value);
    for (unsigned i = 0; i < sizeof words.word / sizeof *words.word; i++)
        words.word[i] = __shfl_sync(mask, words.word[i], lane);
    __builtin_memcpy(&value, words.word, sizeof(T));
    return value;
}

/* The lanes of a mask that have the same value. */
template <class T> WAVETRAP_CG unsigned lanes_like(unsigned mask, T value)
{
    unsigned like = 0;
    for (unsigned rest = mask; rest; rest &= rest - 1)
        if (words_of<T>(of_lane(mask, value, __ffs(rest) - 1)) == words_of<T>(value))
            like |= rest & -rest;
    return like;
}

/* Memory that the blocks of a grid share when all of them run at once: see docs/cuda.md. 0: they
 * need not. */
struct grid_memory {
    unsigned arrived, round;
};
WAVETRAP_CG volatile grid_memory *memory_of_grid()
{
    unsigned high, low;
    __asm__("mov.u32 %0, %%envreg1;" : "=r"(high));
    __asm__("mov.u32 %0, %%envreg2;" : "=r"(low));
    return (volatile grid_memory *)((unsigned long long)high << 32 | low);
}
} // namespace wavetrap

/* ---- groups of any kind ---- */

struct thread_block;
struct coalesced_group;
template <unsigned SIZE, class PARENT> struct thread_block_tile;

/* A group whose kind only the run knows: a block, or lanes of a warp. */
struct thread_group {
    unsigned mask; /* 0: the whole block */

    WAVETRAP_CG_MEMBER explicit thread_group(unsigned lanes) : mask(lanes)
    {
    }
    WAVETRAP_CG_MEMBER unsigned num_threads() const
    {
        return mask ? (unsigned)__popc(mask) : wavetrap::threads_of_block();
    }
    WAVETRAP_CG_MEMBER unsigned long long size() const
    {
        return num_threads();
    }
    WAVETRAP_CG_MEMBER unsigned long long thread_rank() const
    {
        return mask ? (unsigned)__popc(mask & ((1u << wavetrap::lane()) - 1))
                    : wavetrap::rank_in_block();
    }
    WAVETRAP_CG_MEMBER void sync() const
    {
        if (mask)
            __syncwarp(mask);
        else
            __syncthreads();
    }
    WAVETRAP_CG_MEMBER bool is_valid() const
    {
        return true;
    }
};

/* ---- a block ---- */

struct thread_block : thread_group {
    WAVETRAP_CG_MEMBER thread_block() : thread_group(0u)
    {
    }
    static WAVETRAP_CG_MEMBER void sync()
    {
        __syncthreads();
    }
    static WAVETRAP_CG_MEMBER unsigned thread_rank()
    {
        return wavetrap::rank_in_block();
    }
    static WAVETRAP_CG_MEMBER unsigned num_threads()
    {
        return wavetrap::threads_of_block();
    }
    static WAVETRAP_CG_MEMBER unsigned size()
    {
        return num_threads();
    }
    static WAVETRAP_CG_MEMBER dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static WAVETRAP_CG_MEMBER dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static WAVETRAP_CG_MEMBER dim3 dim_threads()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    static WAVETRAP_CG_MEMBER dim3 group_dim()
    {
        return dim_threads();
    }
};

WAVETRAP_CG thread_block this_thread_block()
{
    return thread_block();
}

/* ---- a grid ---- */

struct grid_group {
    WAVETRAP_CG_MEMBER bool is_valid() const
    {
        return wavetrap::memory_of_grid() != nullptr;
    }
    /* Waits for all threads of the grid. A grid that was not launched as cooperative ends here. */
    WAVETRAP_CG_MEMBER void sync() const
    {
        volatile wavetrap::grid_memory *m = wavetrap::memory_of_grid();
        if (!m)
            __assertfail("this_grid().is_valid(), by cudaLaunchCooperativeKernel", __FILE__,
                         __LINE__, "grid_group::sync", 1);
        __syncthreads();
        if (wavetrap::rank_in_block() == 0) {
            const unsigned round = m->round;
            __threadfence();
            if (atomicAdd((unsigned *)&m->arrived, 1u) == (unsigned)num_blocks() - 1) {
                m->arrived = 0;
                __threadfence();
                m->round = round + 1;
            } else {
                while (m->round == round)
                    ;
            }
            __threadfence();
        }
        __syncthreads();
    }
    static WAVETRAP_CG_MEMBER unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static WAVETRAP_CG_MEMBER unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static WAVETRAP_CG_MEMBER unsigned long long num_threads()
    {
        return num_blocks() * wavetrap::threads_of_block();
    }
    static WAVETRAP_CG_MEMBER unsigned long long size()
    {
        return num_threads();
    }
    static WAVETRAP_CG_MEMBER unsigned long long thread_rank()
    {
        return block_rank() * wavetrap::threads_of_block() + wavetrap::rank_in_block();
    }
    static WAVETRAP_CG_MEMBER dim3 block_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static WAVETRAP_CG_MEMBER dim3 dim_blocks()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    static WAVETRAP_CG_MEMBER dim3 group_dim()
    {
        return dim_blocks();
    }
};

WAVETRAP_CG grid_group this_grid()
{
    return grid_group();
}

/* ---- lanes of a warp ---- */

namespace wavetrap
{
/* Members of tiles and coalesced groups; ranks are those of GROUP. */
template <class GROUP> struct lanes : thread_group {
    WAVETRAP_CG_MEMBER explicit lanes(unsigned which) : thread_group(which)
    {
    }
    template <class T> WAVETRAP_CG_MEMBER T shfl(T value, unsigned rank) const
    {
        return of_lane(mask, value, group().lane_with(rank % group().num_threads()));
    }
    template <class T> WAVETRAP_CG_MEMBER T shfl_up(T value, unsigned by) const
    {
        const unsigned own = (unsigned)thread_rank();
        return of_lane(mask, value, group().lane_with(own < by ? own : own - by));
    }
    template <class T> WAVETRAP_CG_MEMBER T shfl_down(T value, unsigned by) const
    {
        const unsigned own = (unsigned)thread_rank(), count = group().num_threads();
        return of_lane(mask, value, group().lane_with(by < count - own ? own + by : own));
    }
    WAVETRAP_CG_MEMBER int any(int predicate) const
    {
        return (__ballot_sync(mask, predicate) & mask) != 0;
    }
    WAVETRAP_CG_MEMBER int all(int predicate) const
    {
        return (__ballot_sync(mask, predicate) & mask) == mask;
    }
    /* One bit for each rank. */
    WAVETRAP_CG_MEMBER unsigned ballot(int predicate) const
    {
        return packed(mask, __ballot_sync(mask, predicate));
    }
    template <class T> WAVETRAP_CG_MEMBER unsigned match_any(T value) const
    {
        return packed(mask, lanes_like(mask, value));
    }
    template <class T> WAVETRAP_CG_MEMBER unsigned match_all(T value, int &same) const
    {
        same = lanes_like(mask, value) == mask;
        same = all(same);
        return same ? packed(mask, mask) : 0;
    }

  private:
    WAVETRAP_CG_MEMBER const GROUP &group() const
    {
        return *static_cast<const GROUP *>(this);
    }
};
} // namespace wavetrap

/* SIZE lanes that follow each other, of a warp. */
template <unsigned SIZE, class PARENT = void>
struct thread_block_tile : wavetrap::lanes<thread_block_tile<SIZE, PARENT>> {
    static_assert(SIZE >= 1 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads; wavetrap has none of several warps");
    typedef wavetrap::lanes<thread_block_tile<SIZE, PARENT>> base;

    WAVETRAP_CG_MEMBER thread_block_tile()
        : base((SIZE == 32 ? ~0u : (1u << SIZE % 32) - 1) << (wavetrap::lane() & ~(SIZE - 1)))
    {
    }
    /* Of a block or of a tile: a tile that does not know of what it is one. */
    template <class OTHER>
    WAVETRAP_CG_MEMBER thread_block_tile(const thread_block_tile<SIZE, OTHER> &)
        : thread_block_tile()
    {
    }
    static WAVETRAP_CG_MEMBER unsigned thread_rank()
    {
        return wavetrap::lane() % SIZE;
    }
    static constexpr __attribute__((host)) __attribute__((device)) unsigned num_threads()
    {
        return SIZE;
    }
    static constexpr __attribute__((host)) __attribute__((device)) unsigned size()
    {
        return SIZE;
    }
    WAVETRAP_CG_MEMBER unsigned lane_with(unsigned rank) const
    {
        return (wavetrap::lane() & ~(SIZE - 1)) + rank;
    }
    template <class T> WAVETRAP_CG_MEMBER T shfl_xor(T value, unsigned with) const
    {
        const unsigned rank = thread_rank() ^ with;
        return wavetrap::of_lane(base::mask, value, lane_with(rank < SIZE ? rank : thread_rank()));
    }
    /* The rank of the tile in its block, and how many tiles that has. */
    WAVETRAP_CG_MEMBER unsigned meta_group_rank() const
    {
        return wavetrap::rank_in_block() / SIZE;
    }
    WAVETRAP_CG_MEMBER unsigned meta_group_size() const
    {
        return (wavetrap::threads_of_block() + SIZE - 1) / SIZE;
    }
};

/* A tile of a tile: ranks of tiles count within the larger one. */
template <unsigned SIZE, unsigned WHOLE, class PARENT>
struct thread_block_tile<SIZE, thread_block_tile<WHOLE, PARENT>> : thread_block_tile<SIZE, void> {
    WAVETRAP_CG_MEMBER unsigned meta_group_rank() const
    {
        return wavetrap::lane() % WHOLE / SIZE;
    }
    WAVETRAP_CG_MEMBER unsigned meta_group_size() const
    {
        return WHOLE / SIZE;
    }
};

/* Any lanes of a warp. */
struct coalesced_group : wavetrap::lanes<coalesced_group> {
    WAVETRAP_CG_MEMBER explicit coalesced_group(unsigned which, unsigned rank = 0,
                                                unsigned count = 1)
        : wavetrap::lanes<coalesced_group>(which), meta_rank(rank), meta_size(count)
    {
    }
    WAVETRAP_CG_MEMBER unsigned lane_with(unsigned rank) const
    {
        return wavetrap::lane_of(mask, rank);
    }
    WAVETRAP_CG_MEMBER unsigned meta_group_rank() const
    {
        return meta_rank;
    }
    WAVETRAP_CG_MEMBER unsigned meta_group_size() const
    {
        return meta_size;
    }

  private:
    unsigned meta_rank, meta_size;
};

WAVETRAP_CG coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* ---- parts of groups ---- */

template <unsigned SIZE>
WAVETRAP_CG thread_block_tile<SIZE, thread_block> tiled_partition(const thread_block &)
{
    return thread_block_tile<SIZE, thread_block>();
}

template <unsigned SIZE, unsigned WHOLE, class PARENT>
WAVETRAP_CG thread_block_tile<SIZE, thread_block_tile<WHOLE, PARENT>>
tiled_partition(const thread_block_tile<WHOLE, PARENT> &)
{
    static_assert(SIZE <= WHOLE, "a tile of a tile is not larger");
    return thread_block_tile<SIZE, thread_block_tile<WHOLE, PARENT>>();
}

/* Parts of `size` members each, the last one of the rest. */
WAVETRAP_CG coalesced_group tiled_partition(const coalesced_group &whole, unsigned size)
{
    const unsigned rank = (unsigned)whole.thread_rank(), first = rank / size * size;
    unsigned part = 0;
    for (unsigned n = first; n < first + size && n < whole.num_threads(); n++)
        part |= 1u << whole.lane_with(n);
    return coalesced_group(part, rank / size, (whole.num_threads() + size - 1) / size);
}

template <unsigned SIZE> WAVETRAP_CG coalesced_group tiled_partition(const coalesced_group &whole)
{
    return tiled_partition(whole, SIZE);
}

/* Of a block: parts of at most a warp. */
WAVETRAP_CG thread_group tiled_partition(const thread_group &whole, unsigned size)
{
    if (whole.mask)
        return tiled_partition(coalesced_group(whole.mask), size);
    const unsigned first = wavetrap::lane() & ~(size - 1);
    return thread_group((size >= 32 ? ~0u : (1u << size % 32) - 1) << first);
}

/* The members that have the same label. */
template <class GROUP, class LABEL>
WAVETRAP_CG coalesced_group labeled_partition(const GROUP &whole, LABEL label)
{
    const unsigned own = wavetrap::lanes_like(whole.mask, label);
    unsigned rank = 0, count = 0;
    for (unsigned rest = whole.mask; rest; count++) { /* labels in the order of their first lanes */
        const unsigned first = __ffs(rest) - 1;
        const unsigned like = wavetrap::of_lane(whole.mask, own, first);
        rank = like == own ? count : rank;
        rest &= ~like;
    }
    return coalesced_group(own, rank, count);
}

/* The members for which the predicate is the same. */
template <class GROUP>
WAVETRAP_CG coalesced_group binary_partition(const GROUP &whole, bool predicate)
{
    return labeled_partition(whole, (unsigned)predicate);
}

/* ---- the same as functions ---- */

template <class GROUP> WAVETRAP_CG void sync(const GROUP &group)
{
    group.sync();
}
template <class GROUP> WAVETRAP_CG unsigned long long thread_rank(const GROUP &group)
{
    return group.thread_rank();
}
template <class GROUP> WAVETRAP_CG unsigned long long group_size(const GROUP &group)
{
    return group.size();
}

/* The first member alone calls a function; all get its result. */
template <class GROUP, class FUNCTION>
WAVETRAP_CG void invoke_one(const GROUP &group, FUNCTION function)
{
    if (group.thread_rank() == 0)
        function();
}
} // namespace cooperative_groups

#endif

#endif
