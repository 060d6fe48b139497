"""Flags that waves of a gfx900's group wait for, in LDS, for --check=race: the code of their loads and stores is that of plain ones."""
import re

import pytest

import checks


LOOKS = [("while (!LOOK) ;", False), ("if (!LOOK) return;", True), ("for (int i = 0; i < 2; i++) if (!__hip_atomic_load(&flag[i], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP)) return;", True)]


# make check has each look, and both levels of the compiler.
@pytest.mark.parametrize("look, found, level", [pytest.param(*look, level, marks=[] if n % 2 == k else pytest.mark.full) for n, look in enumerate(LOOKS) for k, level in enumerate(("-O2", "-O1"))])
def test_a_flag_in_lds_that_is_raised_at_the_first_look(tmp_path, look, found, level):
    """As on Vortex: the code says that the load is one of a loop that waits."""
    (tmp_path / "k.hip").write_text("""#include <hip/hip_runtime.h>
    #define LOOK __hip_atomic_load(&flag[0], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP)
    __global__ void k(int *data)
    {
        __shared__ int flag[2];
        if (threadIdx.x < 2)
            flag[threadIdx.x] = 0;
        __syncthreads();
        if (threadIdx.x == 64) {
            data[1] = 5;
            __hip_atomic_store(&flag[0], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
            __hip_atomic_store(&flag[1], 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
        }
        if (threadIdx.x == 0) {
            for (int i = 0; i < 64; i++)
                __builtin_amdgcn_s_sleep(1);
            WAIT
            data[0] = data[1];
        }
    }
    int main(void)
    {
        int *data, got[2] = {0, 0};
        (void)hipMalloc(&data, sizeof got);
        k<<<1, 128>>>(data);
        (void)hipMemcpy(got, data, sizeof got, hipMemcpyDeviceToHost);
        return hipFree(data) || got[0] != 5;
    }""".replace("WAIT", look))
    checks.run("hipcc", f"--offload-arch={checks.AMD}", level, "-g", "-w", "-x", "hip", tmp_path / "k.hip", "-o", tmp_path / "k")
    done = checks.run(checks.command_under_test(), "exec", "-g", checks.AMD, "--check=race", tmp_path / "k")
    assert ("error: race" in done.stderr) == found and done.returncode == (115 if found else 0), done.stderr


LOOPS = """#include <hip/hip_runtime.h>
#define RAISE { data[1] = 7; __threadfence(); *flag = 1; }
#define TAKE { __threadfence(); data[0] = data[1]; }
#define ROLES(raise, look) if (blockIdx.x == 0) { if (threadIdx.x == 0) raise } else if (threadIdx.x == 0) { look }
typedef volatile int word;
__global__ void w_plain(word *flag, int *data) { ROLES(RAISE, while (*flag == 0) ; TAKE) }
__global__ void w_bounded(word *flag, int *data) { ROLES(RAISE, int n = 0; while (*flag == 0 && n < 1000000) { n++; __builtin_amdgcn_s_sleep(1); } TAKE) }
__global__ void w_first_lane(word *flag, int *data) { ROLES(RAISE, while (__builtin_amdgcn_readfirstlane(*flag) == 0) ; TAKE) }
__global__ void w_first_lane_all(word *flag, int *data) { if (blockIdx.x == 0) { if (threadIdx.x == 0) RAISE } else { while (__builtin_amdgcn_readfirstlane(*flag) == 0) ; __threadfence(); if (threadIdx.x == 0) data[0] = data[1]; } }
__global__ void w_vote(word *flag, int *data) { if (blockIdx.x == 0) { if (threadIdx.x == 0) RAISE } else { while (!__any(*flag == 1)) ; __threadfence(); if (threadIdx.x == 0) data[0] = data[1]; } }
__global__ void w_back_off(word *flag, int *data) { ROLES(RAISE, int n = 1; while (*flag == 0) { for (int i = 0; i < n; i++) __builtin_amdgcn_s_sleep(1); n = n < 8 ? n * 2 : n; } TAKE) }
__global__ void w_for_break(word *flag, int *data) { ROLES(RAISE, int seen = 0; for (int i = 0; i < 100000; i++) { if (*flag) { seen = 1; break; } } if (seen) TAKE) }
__global__ void w_seen_often(word *flag, int *data) { ROLES(RAISE, int seen = 0; while (seen < 3) { if (*flag) seen++; } TAKE) }
__global__ void w_value(word *flag, int *data) { ROLES(RAISE, int v; do { v = *flag; v = v * 3 + 1; } while (v != 4); TAKE) }
__global__ void c_sum(word *flag, int *data) { ROLES({ *flag = 1; }, int s = 0; for (int i = 0; i < 4; i++) s += *flag; data[0] = s;) }
__global__ void c_branches(word *flag, int *data) { ROLES({ *flag = 1; }, int s = 0; for (int i = 0; i < data[1]; i++) if (*flag) s += i; data[0] = s;) }
__global__ void c_weighted(word *flag, int *data) { ROLES({ *flag = 1; }, float s = 0; for (int i = 0; i < data[1]; i++) s += *flag * 1.5f; data[0] = s;) }
__global__ void c_if_else(word *flag, int *data) { ROLES({ *flag = 1; }, int s = 0; for (int i = 0; i < data[1]; i++) { if (*flag) s += 2 * i; else s = s * 3 + data[2]; } data[0] = s;) }
__global__ void c_most(word *flag, int *data) { ROLES({ *flag = 1; }, int s = 0; for (int i = 0; i < data[1]; i++) s = max(s, (int)*flag + i); data[0] = s;) }
__global__ void c_all_lanes(word *flag, int *data) { if (blockIdx.x == 0) { if (threadIdx.x == 0) *flag = 1; } else { int s = 0; for (int i = 0; i < data[1]; i++) s += __builtin_amdgcn_readfirstlane(*flag); data[3 + threadIdx.x] = s; } }
int main()
{
    int *m, start[16384] = {};
    for (int i = 0; i < 64; i++) start[256 * i + 65] = 6;
    (void)hipMalloc(&m, sizeof start);
    (void)hipMemcpy(m, start, sizeof start, hipMemcpyHostToDevice);
    int n = 0;
#define RUN(k) k<<<2, 64>>>(m + 256 * n, m + 256 * n + 64), n++, (void)hipDeviceSynchronize();
    EACH
    return hipDeviceSynchronize() != hipSuccess;
}"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_loop_waits_where_what_it_loads_ends_it(tmp_path, level):
    """A volatile load beside a store is a warning in a loop that only counts (c_); where the loaded value decides when the loop ends (w_), it is a flag, also where the compiler has taken the first turn out of the loop."""
    names = re.findall(r"void ([wc]_\w+)", LOOPS)
    (tmp_path / "k.hip").write_text(LOOPS.replace("EACH", " ".join(f"RUN({name})" for name in names)))
    checks.run("hipcc", f"--offload-arch={checks.AMD}", level, "-g", "-w", "-x", "hip", tmp_path / "k.hip", "-o", tmp_path / "k")
    done = checks.run(checks.command_under_test(), "exec", "-g", checks.AMD, "--check=race", tmp_path / "k")
    # Not found: the compiler puts a block of it outside the loop, which looks like the loop's end.
    found = [name for name in names if name[0] == "c" and (level, name) != ("-O2", "c_if_else")]
    assert re.findall(r"warning: race .*\n  ([wc]_\w+) at ", done.stderr) == found and "checks: 0 errors" in done.stderr and done.returncode == 0, done.stderr
