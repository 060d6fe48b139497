"""Host programs on AMD's GPUs of several models: which one a program gets, several at once, their debugger and core files."""
import json
import pathlib
import itertools
import re
import signal
import struct
import subprocess

import pytest

import amd
from conftest import ISA, ROCM_6, code_object, compiled, environment, hip, wavetrap
from releases import BITCODE

HERE = pathlib.Path(__file__).resolve().parent
NAMES = {model: ISA[model] for model in amd.MODELS}
WITH_MATRICES = pytest.mark.parametrize("model", ["gfx908", "gfx90a"])


def program(*models):
    return compiled("models.hip", *(f"--offload-arch={model}" for model in models if model != "gfx900"), "-O0", name="models-" + "-".join(models), parts=False)


def both():
    return program("gfx900", "gfx906")


def debug(*words, status=0):
    done = wavetrap("debug", "--nx", "--batch", *words)
    assert done.returncode == status, done.stderr
    return done.stdout


def ask(commands, *words):
    mark = "=-=-="
    line = [word for command in commands for word in ("-ex", f"echo {mark}\\n", "-ex", command)]
    return debug(*line, "-ex", f"echo {mark}\\n", *words).split(mark + "\n")[1:-1]


def test_each_gpu_computes_with_its_own_code():
    done = hip(both(), gpus=["gfx900", "gfx906", "gfx906:cu=64"])
    assert done.stdout == "".join(f"{NAMES[m]}: 0 wrong\n" for m in ("gfx900", "gfx906", "gfx906")), done.stderr
    assert (done.stderr, done.returncode) == ("", 0)


def test_all_models_at_once():
    """The whole of each chip, too: a gfx908 has 120 compute units in eight engines, a gfx90a 104."""
    gpus = ["gfx900", "gfx908:cu=120", "gfx90a", "gfx906", "gfx90a:cu=104", "gfx908"]
    done = hip(program(*NAMES), gpus=gpus)
    assert done.stdout == "".join(f"{NAMES[m[:6]]}: 0 wrong\n" for m in gpus) and (done.stderr, done.returncode) == ("", 0), done.stderr
    done = hip(program(*NAMES))
    assert done.stdout == NAMES["gfx90a"] + ": 0 wrong\n" and done.stderr == "wavetrap: the program has code for gfx90a, gfx908, gfx906, gfx900: the GPU is a gfx90a (--gpu)\n"


@pytest.mark.skipif(not ROCM_6, reason="Debian 12's HIP knows no gfx942")
def test_a_gfx942_as_one_device_of_eight_dies_and_as_eight_devices():
    for gpus in (["gfx942:cu=304,xcc=8"], ["gfx942:cu=38"] * 8):
        done = hip(program("gfx942"), gpus=gpus)
        assert (done.stdout, done.stderr) == ("gfx942:sramecc+:xnack-: 0 wrong\n" * len(gpus), "")


def test_the_topology_has_the_dies_of_a_gfx942():
    """As the kernel's files say: the whole chip as one device of eight dies (SPX), and as eight devices of one (CPX)."""
    for gpus, words in ((["gfx942:cu=304,xcc=8"], ("1216", "32", "8")), (["gfx942:cu=38"] * 8, ("152", "4", "1"))):
        files = [f"/sys/devices/virtual/kfd/kfd/topology/nodes/{node + 1}/properties" for node in range(len(gpus))]
        done = wavetrap("exec", *(word for gpu in gpus for word in ("-g", gpu)), "cat", *files)
        assert list(zip(*(re.findall(rf"^{name} (\d+)$", done.stdout, re.M) for name in ("simd_count", "array_count", "num_xcc")))) == [words] * len(gpus), done.stdout + done.stderr


@pytest.mark.skipif(not ROCM_6, reason="Debian 12's HIP knows no gfx942")
@pytest.mark.parametrize("options", [(), ("--check=memory",), ("-g", "gfx942:atomics=pcie")])
def test_what_pcie_lacks_is_done_on_a_gfx942(tmp_path, options):
    """Hardware drops none. That the host's threads see a maximum of the system's scope in two steps is a warning; an addition is one of PCI Express's own."""
    source = HERE / "system_atomics.hip"
    found = tmp_path / "found"
    done = wavetrap("exec", "-g", "gfx942", *options, *[f"--report=json:{found}"] * (options == ("--check=memory",)),
                    compiled("system_atomics.hip", "--offload-arch=gfx942", "-O1", name="system_atomics-gfx942"))
    assert (done.stdout, done.returncode) == ("63 63 2021\n", 0), done.stderr
    if found.exists():
        line = next(n for n, text in enumerate(source.read_text().splitlines(), 1) if text.endswith("// of the system"))
        (one,) = [one for text in found.read_text().splitlines() if (one := json.loads(text))["kind"] == "finding"]
        assert (one["finding"], one["severity"], one["line"]) == ("lost-atomic", "warning", line), one


def test_a_gfx1030_beside_another_model():
    """It comes after gfx906 where the program has code for both, and before gfx900. Its compute units are in pairs."""
    all_, one = program("gfx900", "gfx906", "gfx1030"), program("gfx900", "gfx1030")
    assert hip(all_, gpus=["gfx1030", "gfx906", "gfx1030:cu=80"]).stdout == "".join(f"{name}: 0 wrong\n" for name in ("gfx1030", NAMES["gfx906"], "gfx1030"))
    for path, names, model in (all_, "gfx906, gfx1030, gfx900", "gfx906"), (one, "gfx1030, gfx900", "gfx1030"):
        done = hip(path)
        assert (done.stdout, done.stderr) == (f"{ISA[model]}: 0 wrong\n", f"wavetrap: the program has code for {names}: the GPU is a {model} (--gpu)\n")
    done = hip(one, gpus=["gfx1030:cu=3"])
    assert "cu=3: a gfx1030 has its compute units in pairs (work-group processors), so their number is even\n" in done.stderr


@pytest.mark.parametrize("gpu", ["gfx90a:cu=104", *(pytest.param(gpu, marks=pytest.mark.full) for gpu in ("gfx900:cu=64", "gfx906:cu=64", "gfx908:cu=120")),
                                 *([pytest.param("gfx942:cu=304,xcc=8", marks=pytest.mark.full)] if ROCM_6 else [])])
def test_a_launch_of_many_groups_on_the_whole_chip(gpu):
    """All 100,000 work-groups are executed."""
    model = gpu[:6]
    done = hip(compiled("models.hip", f"--offload-arch={model}", name=f"models-many-{model}"), "many", gpus=[gpu])
    assert (done.stdout, done.stderr) == (ISA[model] + ": 0 wrong\n", ""), done.stderr


def test_a_mask_of_compute_units_reaches_all_of_a_large_chip():
    """Four units above number 64, which no 64 bits hold: the groups of the stream run on these alone."""
    done = hip(compiled("cu_mask.hip", "--offload-arch=gfx908", name="cu_mask"), gpus=["gfx908:cu=120"])
    assert done.stdout == "4 compute units\n", done.stdout + done.stderr


def matrices(model, level="-O2"):
    return compiled("mfma.hip", "--offload-arch=" + model, level, name=f"mfma-{model}{level}", parts=False)


@WITH_MATRICES
def test_products_of_matrices(model):
    """Those of HIP's builtin functions are what the host computes; nothing of it is undefined, lost or too early. hipcc 17's -O0 drops the index of an element of a vector."""
    for level in ("-O1" if ROCM_6 else "-O0", "-O2"):
        done = wavetrap("exec", "--check=all", "-g", model, matrices(model, level))
        assert done.stdout == "singles: 0 wrong\nhalves: 0 wrong\n" and "0 errors, 0 warnings" in done.stderr, done.stderr


@WITH_MATRICES
def test_profile_of_products(model, tmp_path):
    """One wave's: two blocks of 32 x 32 x 1, 24 times; one of 16 x 16 x 16. All lanes take part."""
    done = wavetrap("exec", f"--profile=json:{tmp_path}/o", "--profile", "-g", model, matrices(model))
    lines = {one["line"]: one for one in map(json.loads, (tmp_path / "o").read_text().splitlines()) if one.get("products") and "pc" not in one}
    assert [one["products"] for _, one in sorted(lines.items())] == [24 * 2 * 32 * 32, 16 ** 3]
    assert "bytes      products  line" in done.stderr and re.search(rf" 49152  mfma.hip:{line_of('product')} ", done.stderr), done.stderr


def line_of(mark):
    lines = (pathlib.Path(__file__).parent / "mfma.hip").read_text().splitlines()
    return next(n + 1 for n, line in enumerate(lines) if line.endswith(f"// {mark}"))


@WITH_MATRICES
def test_a_debugger_shows_accumulation_registers(model):
    """Values, by their names and as a file of their own; they can be changed. Optimised code for gfx90a has the sums in VGPRs."""
    of = ["-g", model, matrices(model, "-O2" if model == "gfx908" else "-O0")]
    said = ask([f"break mfma.hip:{line_of('result')}", "run", "print $a0", "print sum[1]", "info registers a1", "info registers agpr", "set var $a1 = 77", "print $a1"], *of)
    assert "multiply (" in said[1] and re.match(r"\$1 = \d+\n", said[2])
    value = re.match(r"a1 +0x([0-9a-f]+) ", said[4])[1]
    assert said[5].splitlines()[1] == said[4].splitlines()[0] and len(said[5].splitlines()) >= 32
    assert int(value, 16) and said[7].endswith(" = 77\n")
    assert re.search("the wave has no register a255: it has 42 SGPRs, 32 VGPRs and 32 accumulation registers" if model == "gfx908" else
                     r"the wave has no register a255: it has \d+ SGPRs, 64 VGPRs and 64 accumulation registers", wavetrap(
        "debug", "--nx", "--batch", "-ex", f"break mfma.hip:{line_of('result')}", "-ex", "run", "-ex", "print $a255", *of).stderr)


@WITH_MATRICES
def test_the_past_of_accumulation_registers(model, tmp_path):
    """Their origins go through each product to the loads; backwards, they have what they had; a core file keeps them."""
    core = tmp_path / "core"
    said = ask([f"break mfma.hip:{line_of('result')}", "run", "print $a1", "where-from $a1", f"generate-core-file {core}", "delete", f"break mfma.hip:{line_of('product')}",
                "reverse-continue", "print $a1", "disassemble"], "-g", model, matrices(model, "-O0"))
    value = said[2].split(" = ")[1]
    assert said[3].count("v_mfma_f32_32x32x1f32") >= 2 and "global_load_dword" in said[3] or "flat_load_dword" in said[3], said[3]
    assert "mfma.hip" in said[7] and said[8].split(" = ")[1] != value
    kept = ask(["print $a1", "info registers a1", "backtrace"], "--core", core)
    assert kept[0] == "$1 = " + value and "multiply (" in kept[2]


SPILL = """kernel void spill(global int *out, global const int *in)
{
    int i = get_global_id(0), v[280];
#pragma unroll
    for (int k = 0; k < 280; k++)
        v[k] = in[i + k * 7 & 1023] * (k + 1);
#pragma unroll
    for (int k = 0; k < 280; k++)
        out[i * 280 + k] = v[k] + v[(k * 37 + 11) % 280];
}
"""


@WITH_MATRICES
@pytest.mark.parametrize("level", [pytest.param("-O0", marks=pytest.mark.full), "-O3"])
def test_registers_are_spilled_to_accumulation_registers(tmp_path, level, model):
    """What clang does where more than 256 values live: they are right, no check has a finding, and origins go through them to the loads."""
    source, program, out = (tmp_path / name for name in ("spill.cl", "spill.co", "out"))
    source.write_text(SPILL)
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", f"-mcpu={model}", "-x", "cl", "-cl-std=CL2.0", level, "-g", "-mcode-object-version=4",
                    f"--rocm-device-lib-path={BITCODE}", source, "-o", program], check=True)
    code = subprocess.run(["llvm-objdump-19", "-d", program], check=True, capture_output=True, text=True).stdout
    assert len(re.findall(r"\ba\[?\d", code)) > 50
    launch = ["-g", model, "--kernel=spill", "--grid=64", "--block=64", "--arg=zeros:71680", "--arg=iota:4096"]
    done = wavetrap("run", "--check=init,hazard", *launch, f"--dump-arg=0:{out}", program)
    assert done.returncode == 0 and "0 errors, 0 warnings" in done.stderr, done.stderr
    value = lambda i, k: (i + k * 7 & 1023) * (k + 1)
    assert struct.unpack("<17920i", out.read_bytes()) == tuple(value(i, k) + value(i, (k * 37 + 11) % 280) for i in range(64) for k in range(280))
    if level == "-O0":
        return  # the values live in private memory: accumulation registers have masks and addresses
    to, of = 0x200000000, 0x200013000
    asked = range(0, 280, 9)
    said = ask(["break spill.cl:10", "run", *(f"where-from *(int *){to + 4 * k}" for k in asked)], *launch, program)
    for k, one in zip(asked, said[2:]):
        assert {int(at, 16) for at in re.findall(r"memory: 4 bytes at (0x\w+), which no instruction", one)} == {of + 4 * (n * 7 & 1023) for n in (k, (k * 37 + 11) % 280)}, one
    assert len(re.findall(r"v_accvgpr_read_b32 \w+, (a\d+)\n(?:.*\n)*?.*v_accvgpr_write_b32 \1,| a\[?\d", "".join(said))) > 3


IDS = """kernel void ids(global int *out, int a, int b)
{
    local int all[4 * 2 * 3];
    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2), me = x + 4 * (y + 2 * z);
    all[me] = a * x + b * y + 7 * z + 1000 * get_group_id(2);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0) + 8 * (get_global_id(1) + 4 * get_global_id(2))] = all[me ^ 1];
}
"""


def without_loads(program):
    """Ends the kernel in each word of its first 256 bytes, which load the arguments where none are in registers: other waves begin at its second entry."""
    said = subprocess.run(["readelf", "-SsW", program], capture_output=True, text=True, check=True).stdout
    at, offset = (int(n, 16) for n in re.search(r"\.text +PROGBITS +(\w+) (\w+)", said).groups())
    place = int(re.search(r"(\w{16}) .* FUNC .* ids$", said, re.M)[1], 16) - at + offset
    data = bytearray(program.read_bytes())
    assert data[place:place + 256].count(struct.pack("<I", 0xbf800000)) > 20, "no padding of s_nop before a second entry"
    data[place:place + 256] = 64 * struct.pack("<I", 0xbf810000)    # s_endpgm
    program.write_bytes(data)


@pytest.mark.parametrize("options", [[], ["-mllvm", "-amdgpu-kernarg-preload-count=4"], ["-mtgsplit"]], ids=["loads", "preloaded", "split"])
@pytest.mark.parametrize("model", ["gfx90a", "gfx942"])
def test_how_waves_start(tmp_path, model, options):
    """Coordinates of three dimensions in one register; arguments in scalar registers, behind code that would load them. A group whose waves may be on
    several compute units cannot have LDS."""
    source, program, out = (tmp_path / name for name in ("ids.cl", "ids.co", "out"))
    source.write_text(IDS)
    subprocess.run(["clang-22", "-target", "amdgcn-amd-amdhsa", f"-mcpu={model}", "-x", "cl", "-cl-std=CL2.0", "-O2", "-mcode-object-version=4", *options,
                    f"--rocm-device-lib-path={amd.bitcode(model)}", source, "-o", program], check=True)
    if "-mllvm" in options:
        without_loads(program)
    done = wavetrap("run", "-g", model, "--check=init,hazard", "--kernel=ids", "--grid=8,4,6", "--block=4,2,3", "--arg=zeros:768", "--arg=i32:100", "--arg=i32:-3", f"--dump-arg=0:{out}", program)
    if options == ["-mtgsplit"]:
        assert done.returncode and "on different compute units (TG_SPLIT), and it asks for 96 bytes of LDS" in done.stderr, done.stderr
        return
    assert done.returncode == 0 and "0 errors, 0 warnings" in done.stderr, done.stderr
    assert struct.unpack("<192i", out.read_bytes()) == tuple(100 * (x % 4 ^ 1) - 3 * (y % 2) + 7 * (z % 3) + 1000 * (z // 3) for z in range(6) for y in range(4) for x in range(8))


LAST = """.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
.text
.globl last
.p2align 8
.type last,@function
last:
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_lshlrev_b32 v163, 2, v0
v_accvgpr_write_b32 a255, v0
s_movk_i32 s7, 0x1234
s_waitcnt lgkmcnt(0)
global_store_dword v163, a255, s[4:5]
s_endpgm
.size last, . - last
.section .rodata
.p2align 6
.amdhsa_kernel last
.amdhsa_next_free_vgpr 420
.amdhsa_accum_offset 164
.amdhsa_next_free_sgpr 16
.amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - {.name: last, .symbol: last.kd, .kernarg_segment_size: 8, .kernarg_segment_align: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0, .wavefront_size: 64,
     .sgpr_count: 22, .vgpr_count: 420, .max_flat_workgroup_size: 64, .args: [{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}]}
...
.end_amdgpu_metadata
"""


def test_all_accumulation_registers_behind_some_vector_registers(tmp_path):
    """164 VGPRs and 256 accumulation registers take 424 rows: four have no name. Debuggers find what lies behind them."""
    source, program, out = (tmp_path / name for name in ("last.s", "last", "out"))
    source.write_text(LAST)
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx90a", "-g", source, "-o", program], check=True)
    done = wavetrap("run", "--grid=64", "--block=64", "--arg=zeros:256", f"--dump-arg=0:{out}", program)
    assert done.returncode == 0 and struct.unpack("<64i", out.read_bytes()) == tuple(range(64)), done.stderr
    said = ask(["break last", "run", "stepi 4", "print $a255@5", "print $v163@5", "print/x $s7", "continue"], "--grid=64", "--block=64", "--arg=zeros:256", program)
    assert [one.split(" = ")[-1].strip() for one in said[3:6]] == ["5", "20", "0x1234"], said


def open_cl(folder, text, model, version=19):
    """A code object of OpenCL C, which clang of that version makes for the model."""
    source = folder / "program.cl"
    source.write_text(text)
    subprocess.run([f"clang-{version}", "-target", "amdgcn-amd-amdhsa", f"-mcpu={model}", "-x", "cl", "-cl-std=CL2.0", "-O2", "-g", "-mcode-object-version=4",
                    f"--rocm-device-lib-path={BITCODE}", source, "-o", source.with_suffix(".co")], check=True)
    return source.with_suffix(".co")


MASKED = """kernel void masked(global int *out, global const int *in, int count)
{
    local int staged[256];
    int me = get_local_id(0), some = me % 3 != 1 && me < count;
    __amdgpu_buffer_rsrc_t from = __builtin_amdgcn_make_buffer_rsrc((global void *)in, 0, 4 * count, 0x27000);
    __amdgpu_buffer_rsrc_t to = __builtin_amdgcn_make_buffer_rsrc(out, 0, 4 * count, 0x27000);
    uint at = some ? 4 * me : 0x80000000;
    int value = __builtin_amdgcn_raw_buffer_load_b32(from, at, 0, 0);
    __builtin_amdgcn_raw_ptr_buffer_load_lds(from, staged + me / 64 * 64, 4, at, 0, 0, 0);
    BARRIER;
    __builtin_amdgcn_raw_buffer_store_b32(value + 1000 * staged[me ^ 64], to, at, 0, 0);
    __builtin_amdgcn_raw_ptr_buffer_atomic_add_i32(1 << 24, to, at, 0, 0);
}
"""


@pytest.mark.parametrize("model", [pytest.param("gfx900", marks=pytest.mark.full), "gfx90a"])
@pytest.mark.parametrize("barrier", ["barrier(CLK_LOCAL_MEM_FENCE)", ""], ids=["barrier", "no barrier"])
def test_buffers_mask_lanes_and_load_to_lds(tmp_path, model, barrier):
    """Lanes that are masked off by an offset of 0x80000000 load 0 and store nothing, in LDS too; that is no finding. What a wave loads to LDS others have
    after a barrier; without one it is a race."""
    program, out = open_cl(tmp_path, MASKED.replace("BARRIER", barrier), model, 22), tmp_path / "out"
    done = wavetrap("run", "-g", model, "--check=memory,race,init,hazard", "--schedule=random:3", "--grid=256", "--block=256", "--arg=iota:1024", "--arg=iota:1024",
                    "--arg=i32:200", f"--dump-arg=0:{out}", program)
    if not barrier:
        assert done.returncode and re.search("error: .*race", done.stderr) and "race" in done.stderr, done.stderr
        return
    assert done.returncode == 0 and "0 errors, 0 warnings" in done.stderr, done.stderr
    some = [i % 3 != 1 and i < 200 for i in range(256)]
    assert struct.unpack("<256i", out.read_bytes()) == tuple(i + 1000 * (i ^ 64) * some[i ^ 64] + (1 << 24) if some[i] else i for i in range(256))


SCAN = """kernel void scan(global int *out, global const int *in, global atomic_int *state)
{
    local int part[64], sum;
    int i = get_local_id(0), group = get_group_id(0), before = 0;
    part[i] = in[get_global_id(0)] & 1023;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < 64; step *= 2) {
        int other = i >= step ? part[i - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[i] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0) {
        atomic_store_explicit(&state[group], part[63] << 2 | 1, memory_order_release, memory_scope_device);
        for (int one = group - 1, seen = 0; one >= 0 && !(seen & 2); one--) {
            while (!((seen = atomic_load_explicit(&state[one], memory_order_acquire, memory_scope_device)) & 3))
                ;
            before += seen >> 2;
        }
        atomic_store_explicit(&state[group], (before + part[63]) << 2 | 2, memory_order_release, memory_scope_device);
        sum = before;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum + part[i];
}
"""


@pytest.mark.parametrize("model", [pytest.param("gfx900", marks=pytest.mark.full), "gfx90a"])
def test_groups_that_wait_for_earlier_ones_end(tmp_path, model):
    """A scan in one pass looks back at the sums of 511 groups before, of which a GPU has 40 or 160 at once: it ends under every schedule."""
    program, out, choices = open_cl(tmp_path, SCAN, model), tmp_path / "out", tmp_path / "choices"
    sums = tuple(itertools.accumulate(i & 1023 for i in range(32768)))
    for schedule, units in (("rr:64", 4), ("rr:1", 1), ("rr:1000000", 4), ("lockstep", 4), ("random:1", 4), ("random:2", 1), (f"file:{choices}", 1)):
        done = wavetrap("run", "-g", f"{model}:cu={units}", f"--schedule={schedule}", *([f"--write-schedule={choices}"] if schedule == "random:2" else []), "--grid=32768",
                        "--block=64", "--arg=zeros:131072", "--arg=iota:131072", "--arg=zeros:2048", f"--dump-arg=0:{out}", program)
        assert done.returncode == 0 and struct.unpack("<32768i", out.read_bytes()) == sums, (schedule, done.stderr)


def test_a_program_gets_the_newest_model_for_which_it_has_code():
    done = hip(both())
    assert done.stdout == NAMES["gfx906"] + ": 0 wrong\n"
    assert done.stderr == "wavetrap: the program has code for gfx906, gfx900: the GPU is a gfx906 (--gpu)\n"
    assert "kernel (and" in (stats := wavetrap("exec", "--stats", both()).stderr) and "launched on the emulated gfx906, " in stats
    done = hip(both(), gpus=["gfx900"])
    assert (done.stdout, done.stderr) == (NAMES["gfx900"] + ": 0 wrong\n", "")


def test_code_for_another_model_is_named(tmp_path):
    """Of a host program the features count, too; the message has the flag that runs it, where there is one."""
    path, data, target = tmp_path / "program", both().read_bytes(), b"hipv4-amdgcn-amd-amdhsa--"
    for old, new, gpu, said in (
            (b"gfx906", b"gfx902", "gfx906", "it holds code for gfx900, gfx902, not for gfx906: compile with --offload-arch=gfx906, or run "
             "it with -g gfx900\n"),):
        path.write_bytes(data.replace(target + old, target + new))
        path.chmod(0o755)
        done = hip(path, gpus=[gpu])
        assert done.stderr.startswith(f"wavetrap: {path}: {said}"), done.stderr
        assert done.returncode == (0 if ROCM_6 else -signal.SIGABRT)    # the runtime's own answer


@pytest.mark.parametrize("compiler", [pytest.param("clang++-19", marks=pytest.mark.full), "clang++-22"])
def test_compressed_code_is_executed(tmp_path, compiler):
    """HIP 5.2 cannot read it: it is unpacked before. The GPU and refusals are those of what is in it."""
    folder = wavetrap("hip-path", env={**environment(), "XDG_CACHE_HOME": str(tmp_path)}).stdout.strip()
    program = tmp_path / "program"
    subprocess.run([compiler, f"--config={folder}/hip.cfg", "-w", "-x", "hip", "--offload-arch=gfx900", "--offload-arch=gfx906", "--offload-compress", "-O1", HERE / "models.hip",
                    "-o", program, "-x", "none", "-lamdhip64"], check=True, capture_output=True)
    assert b"CCOB" in program.read_bytes() and b"gfx906" not in program.read_bytes()
    done = hip(program)
    assert (done.stdout, done.returncode) == (NAMES["gfx906"] + ": 0 wrong\n", 0), done.stderr
    assert done.stderr == "wavetrap: the program has code for gfx906, gfx900: the GPU is a gfx906 (--gpu)\n"
    done = hip(program, gpus=["gfx900"])
    assert (done.stdout, done.stderr) == (NAMES["gfx900"] + ": 0 wrong\n", "")
    said = ask(["break weigh", "run", "disassemble"], "-g", "gfx906", program)
    assert "v_dot4_i32_i8" in said[2], said
    data = program.read_bytes()
    at = data.index(b"CCOB")
    program.write_bytes(data[:at + 60] + bytes(400) + data[at + 460:])
    assert f"wavetrap: {program}: its code for GPUs is compressed, and damaged\n" in hip(program, gpus=["gfx906"]).stderr


def test_rocm_variable_of_the_version_chooses_the_model():
    def run(version, *gpus):
        return wavetrap("exec", *gpus, program(*NAMES, "gfx1030"), env={**environment(), "HSA_OVERRIDE_GFX_VERSION": version})
    for version, model in ("9.0.0", "gfx900"), ("9.0.6", "gfx906"), ("9.0.10", "gfx90a"), ("10.3.0", "gfx1030"):
        for gpu in [], ["-g", model]:
            done = run(version, *gpu)
            assert (done.stdout, done.stderr) == (ISA[model] + ": 0 wrong\n", ""), done.stderr
    assert ("wavetrap: HSA_OVERRIDE_GFX_VERSION is that of a gfx906, and the emulated GPU is a gfx900, which does not execute its code: -g gfx906, or unset it\n"
            in run("9.0.6", "-g", "gfx900").stderr)
    for version in "9.4.0", "10.1.0", "9.0", "9.0.6x", "gfx906":
        assert (f"wavetrap: HSA_OVERRIDE_GFX_VERSION={version}: no GPU of that version is emulated: 'wavetrap info --models' lists them\n"
                in run(version).stderr)


@pytest.mark.parametrize("model", ["gfx1032", "gfx1036", *(pytest.param(f"gfx103{n}", marks=pytest.mark.full) for n in (1, 3, 4, 5))])
def test_another_rdna_2_executes_code_for_the_first(model):
    """Debian's libraries have code for gfx1030 alone: owners of other cards set ROCm's variable of the version. HIP sees a gfx1030 then."""
    done = wavetrap("exec", "-g", model, program("gfx1030"), env={**environment(), "HSA_OVERRIDE_GFX_VERSION": "10.3.0"})
    assert (done.stdout, done.stderr) == ("gfx1030: 0 wrong\n", "")


@pytest.mark.parametrize("target", ["gfx1034", "gfx1036", "gfx10-3-generic"])
def test_a_code_object_of_a_small_or_of_any_rdna_2(tmp_path, target):
    """A gfx1036 has one pair of compute units: `run` takes as many. Generic code runs on the first of its models, or on one that is asked for."""
    source = tmp_path / "k.cl"
    source.write_text("kernel void k(global int *p) { p[get_local_id(0)] = 7 * get_local_id(0); }\n")
    subprocess.run(["clang-22", "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-mcode-object-version=6", "-x", "cl", "-cl-std=CL2.0", "-nogpulib", "-O1",
                    "-Dget_local_id(n)=__builtin_amdgcn_workitem_id_x()", source, "-o", tmp_path / "k.co"], check=True)
    for gpu in [], ["-g", target if target in ("gfx1034", "gfx1036") else "gfx1032"]:
        done = wavetrap("run", *gpu, "--kernel=k", "--grid=64", "--block=64", "--arg=zeros:256", f"--dump-arg=0:{tmp_path}/out", tmp_path / "k.co")
        assert done.returncode == 0, done.stderr
        assert struct.unpack("<64i", (tmp_path / "out").read_bytes()) == tuple(range(0, 448, 7))


def test_a_code_object_runs_on_its_model(tmp_path):
    co = code_object(both(), "gfx906")
    arguments = ["--kernel=_Z5weighPKiS0_Pii", "--grid=64", "--block=64", "--arg=zeros:256", "--arg=zeros:256", "--arg=zeros:256", "--arg=i32:3"]
    for model in ([], ["-g", "gfx906"]):
        assert wavetrap("run", *model, *arguments, co).returncode == 0
    refused = wavetrap("run", "-g", "gfx900", *arguments, co)
    assert "it is for another GPU than gfx900 (e_flags 0x52f, gfx906): compile with -mcpu=gfx900" in refused.stderr
    assert "  runs on: gfx906\n" in wavetrap("info", co).stdout


def test_a_debugger_of_several_models():
    """Each wave's code is disassembled as that of its GPU; they differ in waves of a SIMD and in files of registers."""
    stop = ["continue", "disassemble", "info registers agpr"]
    said = ask(["break weigh if blockIdx.x == 0", "run", *stop[1:2], *stop, *stop, "delete", "continue"], "-g", "gfx900", "-g", "gfx90a:cu=104", "-g", "gfx906", program(*NAMES))
    assert "[device 0," in said[1] and "s_endpgm" in said[2] and "v_dot4_i32_i8" not in said[2]
    assert "[device 1," in said[3] and "v_dot4_i32_i8" not in said[4] and "\na1 " in said[5]
    assert "[device 2," in said[6] and "v_dot4_i32_i8" in said[7] and all("<unavailable>" in line for line in said[8].splitlines())
    assert said[-1].endswith(f"{NAMES['gfx906']}: 0 wrong\n[Program exited normally]\n")


def test_a_core_file_keeps_the_model(tmp_path):
    core = tmp_path / "core"
    done = wavetrap("exec", f"--core-on-fault={core}", "-g", "gfx906", both(), "stray")
    assert done.returncode == -signal.SIGABRT and "store of 4 bytes at 0x123456" in done.stderr, done.stderr
    said = ask(["backtrace", "disassemble", "print i"], "--core", core)
    assert "weigh (" in said[0] and "v_dot4_i32_i8" in said[1] and re.match(r"\$1 = \d+\n", said[2])


def test_checks_follow_the_model():
    """Code with instructions of its own has no finding; a stray store is found."""
    done = wavetrap("exec", "--check=all", "-g", "gfx906", both())
    assert done.returncode == 0 and "0 errors" in done.stderr, done.stderr
    done = wavetrap("exec", "--check=memory", "-g", "gfx906", both(), "stray")
    assert "error: out-of-bounds store of 4 bytes\n" in done.stderr and done.stderr.count("error: ") == 1, done.stderr
