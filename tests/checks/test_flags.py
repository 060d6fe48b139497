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
