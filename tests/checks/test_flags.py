"""Flags that waves of a gfx900's group wait for, in LDS, for --check=race: the code of their loads and stores is that of plain ones."""
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


COUNTS = """#include <hip/hip_runtime.h>
// wait
__global__ void waits(volatile int *flag, int *data) { if (blockIdx.x == 0) { if (threadIdx.x == 0) RAISE } else if (threadIdx.x == 0) { while (*flag == 0) ; TAKE } }
__global__ void bounded(volatile int *flag, int *data) { if (blockIdx.x == 0) { if (threadIdx.x == 0) RAISE } else if (threadIdx.x == 0) { int n = 0; while (*flag == 0 && n < 1000000) { n++; __builtin_amdgcn_s_sleep(1); } TAKE } }
// only counts
__global__ void counts(volatile int *flag, int *data) { if (blockIdx.x == 0) { if (threadIdx.x == 0) *flag = 1; } else if (threadIdx.x == 0) { int s = 0; for (int i = 0; i < 4; i++) s += *flag; data[0] = s; } }
__global__ void branches(volatile int *flag, int *data) { if (blockIdx.x == 0) { if (threadIdx.x == 0) *flag = 1; } else if (threadIdx.x == 0) { int s = 0; for (int i = 0; i < data[1]; i++) if (*flag) s += i; data[0] = s; } }
int main(int argc, char **argv)
{
    int *m, start[32] = {};
    start[17] = 4;
    (void)hipMalloc(&m, sizeof start);
    (void)hipMemcpy(m, start, sizeof start, hipMemcpyHostToDevice);
    KERNEL<<<2, 64>>>(m, m + 16);
    return hipDeviceSynchronize() != hipSuccess;
}""".replace("RAISE", "{ data[1] = 7; __threadfence(); *flag = 1; }").replace("TAKE", "__threadfence(); data[0] = data[1];")


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_loop_waits_where_what_it_loads_ends_it(tmp_path, level):
    """A volatile load beside a store is a warning in a loop that only counts; where the loaded value decides when the loop ends, it is a flag, also where the compiler has taken the first turn out of the loop."""
    (tmp_path / "k.hip").write_text(COUNTS.replace("KERNEL<<<2, 64>>>(m, m + 16);", " else ".join(
        f"if (argv[1][0] == '{name[0]}' && argv[1][1] == '{name[1]}') {name}<<<2, 64>>>(m, m + 16);" for name in ("waits", "bounded", "counts", "branches"))))
    checks.run("hipcc", f"--offload-arch={checks.AMD}", level, "-g", "-w", "-x", "hip", tmp_path / "k.hip", "-o", tmp_path / "k")
    for name, found in (("waits", 0), ("bounded", 0), ("counts", 1), ("branches", 1)):
        done = checks.run(checks.command_under_test(), "exec", "-g", checks.AMD, "--check=race", tmp_path / "k", name)
        assert done.stderr.count("warning: race") == found and "checks: 0 errors" in done.stderr and done.returncode == 0, (name, done.stderr)
