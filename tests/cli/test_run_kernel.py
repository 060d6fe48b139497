"""`wavetrap run` of a code object: its options, what is malformed, what the statuses tell."""
import random
import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT, run
from releases import BITCODE

CORPUS = ROOT / "tests" / "fuzz" / "corpus" / "code_object"
VADD = CORPUS / "vadd-19.co"
ONE, TWO, THREE = (struct.pack("<f", x) for x in (1, 2, 3))


def vadd(*more, a="pattern:1024=0000803f", b="pattern:1024=00000040", out="zeros:1024", n="256", program=VADD):
    return run("run", "--kernel=vadd", "--grid=256", *(f"--arg={x}" for x in (a, b, out, n)), *more, program)


@pytest.mark.parametrize("program", sorted(CORPUS.glob("vadd-*.co")))
def test_results_are_dumped_and_compared(tmp_path, program):
    done = vadd(f"--dump-arg=2:{tmp_path}/sum", program=program)
    assert done.returncode == 0 and (tmp_path / "sum").read_bytes() == THREE * 256
    assert vadd(f"--compare-arg=2:{tmp_path}/sum", program=program).returncode == 0
    (tmp_path / "other").write_bytes(THREE * 100 + TWO + THREE * 155)
    done = vadd(f"--compare-arg=2:{tmp_path}/other", program=program)
    assert done.returncode == 1 and "byte 402 is 0x40, not 0x00" in done.stderr
    (tmp_path / "short").write_bytes(THREE)
    done = vadd(f"--compare-arg=2:{tmp_path}/short", program=program)
    assert done.returncode == 1 and "has 1024 bytes" in done.stderr


def test_a_kernel_may_touch_so_much_memory():
    """Buffers of zeros take nothing until they are written."""
    zeros, ones = f"zeros:{4 << 20}", f"pattern:{4 << 20}=0000803f"
    many = ["--kernel=vadd", f"--grid={1 << 20}", *[f"--arg={x}" for x in (zeros, ones, zeros, 1 << 20)], VADD]
    assert run("run", "--memory=9M", *many).returncode == 0
    done = run("run", "--memory=6M", *many)
    assert done.returncode == 125
    assert "the program has touched 6 MiB of memory, all that it may have (--memory)" in done.stderr
    assert "global_store_dword at 0x" in done.stderr and "group (" in done.stderr
    # The address of code is the one that a disassembly of the file shows, not the one where it is loaded.
    assert re.search(r"^ +at 0x[0-9a-f]{1,6} <", done.stderr, re.M), done.stderr


def test_arguments_must_fit_the_memory():
    done = vadd("--memory=64K", a="pattern:1048576=01")
    assert done.returncode == 125 and "--memory" in done.stderr, done.stderr


def test_a_wrong_result_is_told_with_who_wrote_it(tmp_path):
    (tmp_path / "other").write_bytes(THREE * 100 + TWO + THREE * 155)
    for more in [], ["--schedule=random:5", "--block=32"], ["--gpu=gfx900:cu=1", "--schedule=rr:1"]:
        done = vadd(f"--compare-arg=2:{tmp_path}/other", *more)
        assert done.returncode == 1
        assert re.search(r"byte 402 is 0x40, not 0x00\n.*byte 402: written last by work-item \(100,0,0\), issue time \d+\n"
                         r"  lane (36|4) of device 0, dispatch 1, group \((1|3),0,0\), core \d, wave \d\n  at .*<vadd\+\d+>.*\n"
                         r"  global_store_dword .*\n  was 0x00000000, is 0x40400000\n$", done.stderr), done.stderr
    # What nobody wrote has no writer.
    (tmp_path / "other").write_bytes(THREE * 255 + TWO)
    done = vadd(f"--compare-arg=2:{tmp_path}/other", n="255")
    assert done.returncode == 1 and "byte 1023: the kernel has not written there" in done.stderr


@pytest.mark.parametrize("block,x,item,lanes", [("8,8", 5, "(5,7,0)", 8), ("3,5", 7, "(7,7,0)", 3), ("4,1", 2, "(2,7,0)", 1)])
def test_who_wrote_is_a_work_item(block, x, item, lanes):
    """The rows of a grid write the same; the last groups of each direction are smaller."""
    done = run("run", "--grid=8,8", f"--block={block}", "--gpu=gfx900:cu=1", "--schedule=rr:1000", *["--arg=pattern:32=0000803f"] * 2,
               "--arg=zeros:32", "--arg=8", f"--who-wrote=2:{4 * x}", VADD)
    assert done.returncode == 0 and f"bytes {4 * x} to {4 * x + 3}: written last by work-item {item}" in done.stderr, done.stderr
    assert ("lanes wrote there" in done.stderr) == (lanes > 1) and (lanes == 1 or f"; {lanes} lanes wrote there" in done.stderr)


def test_looking_for_who_wrote_changes_nothing():
    plain = vadd("--hash")
    asked = vadd("--hash", "--who-wrote=2:0,1024,count", "--who-wrote=0:4", "--who-read=0:4,4,count", "--who-read=2:4")
    assert plain.stderr in asked.stderr and "argument 0" in asked.stderr and "the kernel has not written there" in asked.stderr
    assert "64 lanes wrote there" in asked.stderr and "(4 instructions wrote there)" in asked.stderr
    assert "argument 0, bytes 4 to 7: read last by work-item (1,0,0)" in asked.stderr and "(1 instruction read there)" in asked.stderr
    assert asked.stderr.endswith("argument 2, bytes 4 to 7: the kernel has not read there\n")


def test_buffers_come_from_files_and_patterns(tmp_path):
    (tmp_path / "in").write_bytes(ONE * 256)
    vadd(f"--dump-arg=2:{tmp_path}/sum", a=f"file:{tmp_path}/in", b="iota:1024", n="i32:3")
    got = struct.unpack("<256f", (tmp_path / "sum").read_bytes())
    assert got == (1, 1, 1) + (0,) * 253  # 0, 1, 2 as bits are next to nothing; the others are beyond n


def test_only_kernel_needs_no_name(tmp_path):
    done = run("run", "--grid=1", "--arg=zeros:4", "--arg=zeros:4", "--arg=zeros:4", "--arg=1", VADD)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("options,words", [
    (["--kernel=nope", "--grid=1"], "there is no kernel 'nope'; there are: vadd"),
    (["--kernel=vadd"], "say by --grid"),
    (["--grid=0"], "'0' is not X, X,Y or X,Y,Z"), (["--grid=1,2,3,4"], "is not X"), (["--grid=4294967296"], "is not X"),
    (["--block=2000", "--grid=1"], "at most 1024"), (["--block=64,64", "--grid=64,64", *["--arg=zeros:4"] * 3, "--arg=1"], "4096 work-items"),
    (["--grid=1"], "takes 4 arguments; 0 --arg are given"),
    (["--grid=1", *["--arg=zeros:4"] * 4], "'zeros:4' is not a number"),
    *[([f"--who-wrote={text}", "--grid=1"], f"'{text}' is not ARGUMENT:OFFSET")
      for text in ["2", "2:", "x:0", "2:0,", "2:0,0", "2:0,4,4", "2:-1", "2:99999999999999999999"]],
    *[([f"--who-wrote={text}", "--grid=1", *["--arg=zeros:4"] * 3, "--arg=1"], words) for text, words in
      [("3:0", "argument 3 is not a buffer"), ("9:0", "argument 9 is not a buffer"), ("2:4", "argument 2 has 4 bytes"),
       ("2:0,5", "argument 2 has 4 bytes"), ("2:1", "argument 2 has 4 bytes"), ("2:2,18446744073709551615", "has 4 bytes")]],
    (["--grid=1", "--arg=5", *["--arg=zeros:4"] * 2, "--arg=1"], "'5' is not one of zeros:SIZE"),
    (["--grid=1", *["--arg=zeros:4"] * 3, "--arg=u8:1"], "has 4 bytes, not 1"),
    (["--grid=1", *["--arg=zeros:4"] * 3, "--arg=u32:4294967296"], "is not a number of 4 bytes"),
    (["--grid=1", *["--arg=zeros:4"] * 3, "--arg=i32:2147483648"], "is not a number of 4 bytes"),
    (["--grid=1", *["--arg=zeros:4"] * 3, "--arg=hex:12"], "has 4 bytes, not 1"),
    (["--grid=1", *["--arg=zeros:4"] * 3, "--arg=hex:1x"], "not a sequence of hexadecimal bytes"),
    (["--grid=1", *["--arg=zeros:9999999999"] * 3, "--arg=1"], "more than 1 GiB"),
    (["--grid=1", *["--arg=pattern:4"] * 3, "--arg=1"], "is not SIZE=HEXADECIMAL"),
    (["--grid=1", *["--arg=file:/nonexistent"] * 3, "--arg=1"], "/nonexistent: cannot open"),
    (["--grid=1", *["--arg=zeros:4"] * 3, "--arg=1", "--dump-arg=3:x"], "argument 3 is not a buffer"),
    (["--grid=1", *["--arg=zeros:4"] * 3, "--arg=1", "--dump-arg=9:x"], "argument 9 is not a buffer"),
    (["--dump-arg=x"], "'x' is not NUMBER:FILE"), (["--load=x@0"], "not for code objects"),
    (["--grid=1", *["--arg=zeros:4"] * 3, "--arg=1", "--dump=x@nothing:4"], "'nothing' is neither a number nor a symbol"),
    ([*["--trap-handler=x"] * 3], "there are two levels of trap handlers, not three"),
    (["--grid=1", *["--arg=zeros:4"] * 3, "--arg=1", "--trap-handler=/nonexistent"], "/nonexistent: cannot open"),
    (["--grid=1", *["--arg=zeros:4"] * 3, "--arg=1", f"--trap-handler={VADD}"], "is an ELF file; a trap handler is its code alone"),
    (["--grid=1", *["--arg=zeros:4"] * 3, "--arg=1", "--trap-handler=/dev/null"], "has 0 bytes"),
    (["--gpu=gfx900:cu=0"], "must be 1 to 304"), (["--gpu=gfx900:warps=2"], "an AMD GPU has no 'warps=2'"),
])
def test_bad_options_are_explained(options, words):
    done = run("run", *options, VADD)
    assert done.returncode == 125 and words in done.stderr, done.stderr


def test_memory_is_dumped(tmp_path):
    """By address, and by symbol: where the code lies, not where the code object says."""
    assert vadd(f"--dump={tmp_path}/sum@0x200004000:8", f"--dump={tmp_path}/code@vadd.kd:16").returncode == 0
    assert (tmp_path / "sum").read_bytes() == THREE * 2
    assert (tmp_path / "code").read_bytes()[:12] == struct.pack("<3I", 0, 0, 288)  # LDS, private memory, arguments of version 5


def test_options_of_kernels_are_for_code_objects(tmp_path):
    (tmp_path / "program.bin").write_bytes(bytes(16))
    done = run("run", "--kernel=a", tmp_path / "program.bin")
    assert done.returncode == 125 and "is not an AMD code object" in done.stderr
    done = run("run", "--gpu=gfx900", tmp_path / "program.bin")
    assert done.returncode == 125 and "runs code objects" in done.stderr


def test_an_access_out_of_bounds_is_reported():
    """Wave, work-group, lanes, address and instruction."""
    done = vadd(a="zeros:512")
    # 512 bytes: the rest of the page belongs to the buffer's mapping, so nothing is seen yet.
    assert done.returncode == 0
    done = run("run", "--kernel=vadd", "--grid=2560", "--arg=zeros:4096", "--arg=zeros:10240", "--arg=zeros:10240",
               "--arg=2560", VADD)
    assert done.returncode == 120
    for words in ("load of 4 bytes at 0x200001000: no memory is mapped there", "device 0, dispatch 1, group (16,0,0), core 0, wave 4", "lanes 0-63",
                  "<vadd+"):
        assert words in done.stderr


def test_a_store_names_the_lanes_that_did_it():
    done = run("run", "--kernel=vadd", "--grid=64", "--arg=zeros:256", "--arg=zeros:256", "--arg=zeros:4096", "--arg=64",
               "--block=64", VADD)
    assert done.returncode == 0
    done = run("run", "--kernel=vadd", "--grid=1040", "--arg=zeros:8192", "--arg=zeros:8192", "--arg=zeros:4096",
               "--arg=1030", VADD)
    assert done.returncode == 120 and "global_store_dword: store" in done.stderr and "lanes 0-5," in done.stderr


def test_limits_hash_and_statistics():
    done = vadd("--max-issues=10")
    assert done.returncode == 124 and "the limit of 10 issues is reached" in done.stderr and "device 0, dispatch 1, group (" in done.stderr
    done = vadd("--hash", "--stats")
    assert "state hash" in done.stderr and "issues in" in done.stderr
    assert vadd("--hash").stderr == vadd("--hash").stderr != vadd("--hash", n="255").stderr


def test_a_malformed_object_is_refused(tmp_path):
    """Cut off anywhere, or with any byte changed: it runs, or there is a message; never a crash."""
    good = VADD.read_bytes()
    path = tmp_path / "k.co"
    for length in (20, 63, 64, 100, 500, 1000, 2000, 3000, len(good) - 1):
        path.write_bytes(good[:length])
        done = vadd(program=path)
        assert done.returncode == 125 and done.stderr.startswith("wavetrap run: "), (length, done)
    random.seed(1)
    for _ in range(60):
        bad = bytearray(good)
        for _ in range(random.randint(1, 4)):
            bad[random.randrange(len(bad))] = random.getrandbits(8)
        path.write_bytes(bad)
        done = vadd("--max-issues=10000", program=path)
        assert done.returncode in (0, *range(116, 126)), (done, bad.hex())


@pytest.mark.parametrize("at,value,words", [
    (4, 1, "not an ELF file of 64 bits"), (7, 0, "OS/ABI 0, not 64"), (8, 9, "ABI version 9"), (48, 0x33, "another GPU than gfx900"),
])
def test_the_header_is_checked(tmp_path, at, value, words):
    bad = bytearray(VADD.read_bytes())
    bad[at] = value
    (tmp_path / "k.co").write_bytes(bad)
    done = run("run", "--grid=1", tmp_path / "k.co")
    assert done.returncode == 125 and words in done.stderr, done.stderr


@pytest.mark.skipif(not shutil.which("clang-19"), reason="clang-19 is not installed")
@pytest.mark.parametrize("target,version,gpu", [*(("gfx900", version, "gfx900") for version in (4, 5, 6)), *(("gfx906", version, "gfx906") for version in (4, 5, 6)),
                                                *(("gfx90a", version, "gcn") for version in (4, 5, 6)), *(("gfx942", version, "gfx942") for version in (4, 5, 6)),
                                                ("gfx9-generic", 6, "gfx900"), ("gfx9-generic", 6, "gfx906"), ("gfx9-4-generic", 6, "gfx942")])
def test_versions_of_code_objects(tmp_path, target, version, gpu):
    """The size of a group as each version hands it over, from 5 on also whole groups and what is left; generic code of version 1 alone."""
    source, code = tmp_path / "k.cl", tmp_path / "k.co"
    source.write_text("""kernel void k(global uint *o) {
        uint g = __builtin_amdgcn_workgroup_id_x(), l = __builtin_amdgcn_workitem_id_x(), n = __builtin_amdgcn_workgroup_size_x();
        o[64 * g + l] = n * 1000 + g * 100 + l;
        #ifdef HIDDEN
        constant ushort *hidden = (constant ushort *)__builtin_amdgcn_implicitarg_ptr();
        o[64 * g + l] += hidden[0] * 10000000 + hidden[9] * 100000; // hidden_block_count_x, hidden_remainder_x
        #endif
        }""")
    compiler = "clang-22" if "9-4" in target else "clang-19"
    subprocess.run([compiler, "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", f"-mcode-object-version={version}", "-x", "cl", "-O1",
                    "-cl-std=CL2.0", "-w", "-nogpulib", *["-DHIDDEN"][:version > 4], source, "-o", code], check=True)
    want = [64000 + i // 64 * 100 + i % 64 + (version > 4) * 13200000 for i in range(96)]
    done = run("run", "-g", gpu, "--grid=96", "--arg=zeros:384", f"--dump-arg=0:{tmp_path}/out", code)
    assert done.returncode == 0, done.stderr
    assert struct.unpack("<96I", (tmp_path / "out").read_bytes()) == tuple(want)
    if target == "gfx9-generic":
        assert "it is for another GPU than gfx908 (e_flags 0x1000151, gfx9-generic): compile with -mcpu=gfx908" in run("run", "-g", "gfx908", "--grid=96", code).stderr
        changed = bytearray(code.read_bytes())
        changed[51] = 2
        code.write_bytes(changed)
        assert "its generic code is of version 2, and version 1 alone is known" in run("run", "-g", gpu, "--grid=96", code).stderr


# Recursion and an array in private memory, LDS, atomics, doubles, 64 bits, numbers of 16 bits.
SEVERAL = """
int fib(int n, volatile int *room) {
    int mine[8];
    for (int i = 0; i < 8; i++) mine[i] = n + i;
    room[0] += mine[n & 7];
    return n < 2 ? n : fib(n - 1, room) + fib(n - 2, room);
}
kernel void k(global int *out, global const float *in, int n, double d) {
    local long l[64];
    int t = __builtin_amdgcn_workitem_id_x(), g = __builtin_amdgcn_workgroup_id_x(), i = g * 64 + t;
    volatile int room[3] = {i, n, 2};
    l[t] = (long)i << 33 | t;
    __builtin_amdgcn_s_barrier();
    out[i] = fib(i % 7, room) + (int)(l[63 - t] >> 3) + room[0] + (int)(in[i] * 3.0f) + (int)(d * i / 3.0) + ((short)i * (short)n >> 1);
    __atomic_fetch_add(out + 256, i, __ATOMIC_SEQ_CST);
    __atomic_fetch_max(out + 257, i, __ATOMIC_RELAXED);
}"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", ["clang-19", "clang-22"])
def test_a_gfx942_computes_what_a_gfx90a_does(tmp_path, compiler, level):
    """Private memory by FLAT_SCRATCH and scratch instructions, work-items in one register, scopes of accesses; on several dies, too."""
    if not shutil.which(compiler):
        pytest.skip(f"left out: {compiler} (not installed)")
    (tmp_path / "k.cl").write_text(SEVERAL)
    found = {}
    for gpu in ("gfx90a", "gfx942"):
        subprocess.run([compiler, "-target", "amdgcn-amd-amdhsa", f"-mcpu={gpu}", "-x", "cl", "-cl-std=CL2.0", "-nogpulib", level, "-w", tmp_path / "k.cl",
                        "-o", tmp_path / "k.co"], check=True)
        done = run("run", "-g", gpu, "--grid=256", "--arg=zeros:1088", "--arg=pattern:1024=0000803f", "--arg=5", "--arg=f64:1.5",
                   "--check=memory,init,hazard", f"--dump-arg=0:{tmp_path}/out", tmp_path / "k.co")
        assert done.returncode == 0, done.stderr
        found[gpu] = struct.unpack("<272I", (tmp_path / "out").read_bytes())
    assert found["gfx942"] == found["gfx90a"] and found["gfx942"][256:258] == (sum(range(256)), 255)


@pytest.mark.skipif(not shutil.which("clang-19"), reason="clang-19 is not installed")
@pytest.mark.parametrize("lanes", ["32", "64"])
def test_kernels_on_a_gfx1030(tmp_path, lanes):
    """Both sizes of waves compute what Collatz's rule says, under checks that find nothing."""
    subprocess.run(["clang-22", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1030", *["-mwavefrontsize64"][: lanes == "64"], "-mcode-object-version=5", "-x", "cl", "-O2", "-g",
                    f"--rocm-device-lib-path={BITCODE}", ROOT / "examples/opencl/collatz.cl", "-o", tmp_path / "k.co"], check=True)
    arguments = ["-g", "gfx1030", "--grid", "256", "--block", "64", "--arg", "zeros:1024", "--arg", "zeros:16", "--dump-arg", f"0:{tmp_path}/steps", tmp_path / "k.co"]
    done = run("run", "--check=memory,race,init,sync,hazard", *arguments)
    assert done.returncode == 0 and "0 errors, 0 warnings" in done.stderr, done.stderr
    steps = struct.unpack("<256I", (tmp_path / "steps").read_bytes())
    def collatz(n):
        return 0 if n == 1 else 1 + collatz(3 * n + 1 if n % 2 else n // 2)
    assert list(steps) == [collatz(n) for n in range(1, 257)]


@pytest.mark.skipif(not shutil.which("clang-19"), reason="clang-19 is not installed")
@pytest.mark.parametrize("lanes", [32, 64])
def test_addresses_of_the_lanes_numbers_are_checked(tmp_path, lanes):
    """global_load_dword_addtid and its store: what is outside, who else is there and whether it was written, by each lane's address."""
    (tmp_path / "k.cl").write_text("""kernel void k(global int *a, global int *o, long first, int undefined) {
        int v, w;
        __asm__ volatile("global_load_dword_addtid %0, %1 offset:16\\n s_waitcnt vmcnt(0)" : "=v"(v) : "s"((long)a + first) : "memory");
        if (undefined)
            __asm__ volatile("global_store_dword_addtid v40, %0" : : "s"(o) : "memory", "v40");
        else
            __asm__ volatile("global_store_dword_addtid %0, %1" : : "v"(v), "s"(o) : "memory");
        __asm__ volatile("s_waitcnt_vscnt null, 0\\n global_load_dword_addtid %0, %1\\n s_waitcnt vmcnt(0)" : "=v"(w) : "s"(o) : "memory");
        if (w == 999)
            o[0] = 1;
    }""")
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1030", *["-mwavefrontsize64"][: lanes == 64], "-mcode-object-version=5", "-x", "cl", "-O2", "-nogpulib", "-w",
                    tmp_path / "k.cl", "-o", tmp_path / "k.co"], check=True)
    for block, first, undefined, wanted in ((lanes, 0, 0, None), (lanes, 1000, 0, ("out-of-bounds", rf"lanes 2-{lanes - 1}, .*\n.*global_load_dword_addtid")),
                                            (2 * lanes, 0, 0, ("race store", rf"wave 1, lanes 0-{lanes - 1}, .*\n.*global_store_dword_addtid")), (lanes, 0, 1, ("undefined-branch", "nothing has written the register"))):
        done = run("run", "-g", "gfx1030", "--check=memory,race,init", f"--grid={block}", f"--block={block}", "--arg=iota:1024", "--arg=zeros:1024", f"--arg={first}", f"--arg={undefined}",
                   f"--dump-arg=1:{tmp_path}/o", tmp_path / "k.co")
        if not wanted:
            assert done.returncode == 0 and "0 errors, 0 warnings" in done.stderr, done.stderr
            assert struct.unpack("<256I", (tmp_path / "o").read_bytes()) == (*range(4, 4 + lanes), *[0] * (256 - lanes))
        else:
            assert wanted[0] in done.stderr and re.search(wanted[1], done.stderr), done.stderr


def test_dies_of_a_gfx942(tmp_path):
    """Of 100,000 work-groups number n is on die n modulo xcc, as XCC_ID says, and each of 304 compute units has some, 38 a die; numbers that do not fit are refused."""
    (tmp_path / "k.cl").write_text("""kernel void k(global uint *o) {
        uint x, unit;
        __asm__ volatile("s_getreg_b32 %0, hwreg(HW_REG_XCC_ID, 0, 32)\\n s_getreg_b32 %1, hwreg(HW_REG_HW_ID, 8, 8)" : "=s"(x), "=s"(unit));
        if (__builtin_amdgcn_workitem_id_x() == 0) o[__builtin_amdgcn_workgroup_id_x()] = x << 8 | unit;
    }""")
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-x", "cl", "-O1", "-nogpulib", "-w", tmp_path / "k.cl", "-o", tmp_path / "k.co"], check=True)
    for dies, groups in ((1, 1000), (2, 1000), (8, 100000)):
        done = run("run", "-g", f"gfx942:cu=304,xcc={dies}", f"--grid={64 * groups}", f"--arg=zeros:{4 * groups}", f"--dump-arg=0:{tmp_path}/out", tmp_path / "k.co")
        assert done.returncode == 0, done.stderr
        words = struct.unpack(f"<{groups}I", (tmp_path / "out").read_bytes())
        assert [word >> 8 for word in words] == [n % dies for n in range(groups)]
        units = [sum(unit >> 8 == die for unit in set(words)) for die in range(dies)]
        assert dies < 8 or units == [38] * 8, units    # HW_ID has numbers for a die's units
    for gpu, words in (("gfx942:cu=5,xcc=2", "a gfx942 has 8 dies at most, with as many compute units each"), ("gfx90a:xcc=2", "a gfx90a has 1 dies at most")):
        done = run("run", "-g", gpu, "--grid=64", "--arg=zeros:4", tmp_path / "k.co")
        assert done.returncode == 125 and words in done.stderr


MATRICES = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef float f4 __attribute__((ext_vector_type(4)));
typedef half h4 __attribute__((ext_vector_type(4)));
typedef half h8 __attribute__((ext_vector_type(8)));
typedef float f2 __attribute__((ext_vector_type(2)));
typedef int i4 __attribute__((ext_vector_type(4)));
kernel void k(global float *o, global const float *in) {
    int t = __builtin_amdgcn_workitem_id_x();
    h4 a, b;
    h8 w;
    for (int i = 0; i < 4; i++) a[i] = in[t + i], b[i] = in[t + 2 * i];
    for (int i = 0; i < 8; i++) w[i] = in[t + i];
    f4 c = 0;
    i4 n = 3;
    long l = (long)(t * 0x01020304) << 32 | 0x38393a3b;
    c = __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0);
    c = __builtin_amdgcn_mfma_f32_4x4x1f32(c[1], c[2], c, 0, 0, 0);
    c = __builtin_amdgcn_mfma_f32_16x16x32_fp8_bf8(l, l, c, 0, 0, 0);
    c = __builtin_amdgcn_smfmac_f32_16x16x32_f16(a, w, c, t, 0, 1);
    f2 x = {c[0], c[1]};
    c = __builtin_amdgcn_mfma_f32_16x16x8_xf32(x, x, c, 0, 0, 0);
    n = __builtin_amdgcn_mfma_i32_16x16x32_i8(l, l, n, 0, 0, 0);
    int p = __builtin_amdgcn_cvt_pk_fp8_f32(c[0], c[1], t, true);
    for (int i = 0; i < 4; i++) o[64 * i + t] = c[i] + n[i] + __builtin_amdgcn_cvt_f32_fp8(p, 2);
}"""


def test_products_that_clang_compiles_for_a_gfx942(tmp_path):
    """No finding of hazard, init and memory, and the same numbers by each compiler."""
    (tmp_path / "k.cl").write_text(MATRICES)
    results = set()
    for compiler in filter(shutil.which, ("clang-19", "clang-22")):
        subprocess.run([compiler, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-x", "cl", "-cl-std=CL2.0", "-O2", "-nogpulib", "-w", tmp_path / "k.cl", "-o", tmp_path / "k.co"], check=True)
        done = run("run", "-g", "gfx942", "--grid=64", "--arg=zeros:1024", "--arg=pattern:4096=0000803f0000c03f", "--check=hazard,init,memory",
                   f"--dump-arg=0:{tmp_path}/out", tmp_path / "k.co")
        assert done.returncode == 0 and "0 errors, 0 warnings" in done.stderr, done.stderr
        results.add((tmp_path / "out").read_bytes())
    assert len(results) == 1 and set(results) != {bytes(1024)}


@pytest.mark.skipif(not shutil.which("clang-19"), reason="clang-19 is not installed")
def test_an_instruction_that_is_not_executed_is_named(tmp_path):
    source = Path(tmp_path / "k.cl")
    source.write_text('kernel void k(global uint *o) { o[0] = 1; __asm__ volatile("v_screen_partition_4se_b32 v0, v1"); }')
    subprocess.run(["clang-19", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-O1", "-nogpulib", source, "-o",
                    tmp_path / "k.co"], check=True)
    done = run("run", "--grid=1", "--arg=zeros:4", tmp_path / "k.co")
    assert done.returncode == 116 and "v_screen_partition_4se_b32" in done.stderr and "is not executed by this emulator" in done.stderr


# ---- wavetrap trace ----

ARGUMENTS = ["--kernel=vadd", "--grid=100", "--arg=pattern:4096=0000803f", "--arg=pattern:4096=00000040", "--arg=zeros:4096",
             "--arg=70"]
LINE = re.compile(r" *(\d+) core (\d+) wave (\d+) (0x[0-9a-f]{16}) ([0-9a-f]{8}): ([0-9a-f]{8})(?: ([0-9a-f]{8})| {9}) (.*?)(?:  # (.*))?")


@pytest.mark.parametrize("schedule", ["rr:64", "lockstep", "random:3"])
def test_every_issue_is_traced(tmp_path, schedule):
    """A line for each; the states are those of a run that is not traced."""
    traced = run("trace", *ARGUMENTS, f"--schedule={schedule}", "--hash", f"--output={tmp_path}/trace", VADD)
    assert traced.returncode == 0
    assert traced.stderr == run("run", *ARGUMENTS, f"--schedule={schedule}", "--hash", VADD).stderr
    lines = [LINE.fullmatch(l) for l in (tmp_path / "trace").read_text().splitlines()]
    issues = int(re.search(r"after (\d+) issues", traced.stderr).group(1))
    assert all(lines) and [int(l[1]) for l in lines] == list(range(issues))


def test_what_an_instruction_did_is_shown():
    """EXEC before it, scalar and vector registers after it."""
    text = run("trace", *ARGUMENTS, "--core=1", VADD).stdout
    by_name = {LINE.fullmatch(l)[8].split()[0]: LINE.fullmatch(l) for l in text.splitlines()}
    assert {l[2] for l in by_name.values()} == {"1"}
    assert by_name["s_and_saveexec_b64"][4] == "0x0000000fffffffff" and "exec=0x3f" in by_name["s_and_saveexec_b64"][9]
    assert by_name["v_add_f32_e32"][4] == "0x000000000000003f" and "=0x40400000" in by_name["v_add_f32_e32"][9]
    assert "[0]=0x40,[1]=0x41,[2]=0x42,[3]=0x43,… (36 lanes)" in text
    assert by_name["s_endpgm"][9] is None


@pytest.mark.parametrize("options,times", [(["--from=3", "--to=5"], [3, 4, 5]), (["--warp=7"], []), (["--range=0..1"], []),
                                           (["--range=vadd", "--to=1"], [0, 1])])
def test_only_what_is_wanted_is_traced(options, times):
    text = run("trace", *ARGUMENTS, *options, VADD).stdout
    assert [int(LINE.fullmatch(l)[1]) for l in text.splitlines()] == times


def test_functions_are_named_in_the_trace():
    assert "<vadd+0>: " in run("trace", *ARGUMENTS, "--symbols", "--to=0", VADD).stdout


def test_a_mistake_ends_a_trace_as_it_ends_a_run():
    wrong = [*ARGUMENTS[:-3], "--arg=zeros:4", "--arg=zeros:4", "--arg=9999", "--grid=9999"]
    traced, plain = (run(command, *wrong, VADD) for command in ("trace", "run"))
    assert traced.returncode == plain.returncode == 120 and traced.stderr == plain.stderr
    assert run("trace", *ARGUMENTS, "--range=nope", VADD).returncode == 125


# ---- a recorded kernel ----

def test_the_recording_is_searched_for_any_address():
    """By number, by an argument's buffer, by symbol: the same search; what only the loader wrote has no writer."""
    done = vadd("--who-wrote=2:4,8", "--who-wrote=0x200004004,8", "--who-wrote=vadd.kd,4")
    argument, number, symbol = re.split(r"^wavetrap: ", done.stderr, flags=re.M)[1:]
    assert argument.startswith("argument 2, bytes 4 to 11: written last by work-item (2,0,0)")
    assert number.startswith("0x200004004 (0x200004004), 8 bytes: written last by work-item (2,0,0)")
    assert argument.splitlines()[1:] == number.splitlines()[1:]
    assert re.fullmatch(r"vadd\.kd \(0x10000\w+\), 4 bytes: the program has not written there\n", symbol), symbol


@pytest.mark.parametrize("schedule", ["rr:1", "rr:64", "lockstep", "random:9"])
def test_the_state_after_a_search_is_that_of_the_end(tmp_path, schedule):
    """A search goes back in the recorded run: what is written and compared after it is the end's."""
    (tmp_path / "wrong").write_bytes(THREE * 7 + TWO + THREE * 248)
    more = [f"--schedule={schedule}", "--hash"]
    plain = vadd(*more, f"--dump-arg=2:{tmp_path}/plain")
    asked = vadd(*more, f"--dump-arg=2:{tmp_path}/asked", "--who-wrote=2:0", "--who-wrote=2:1020", f"--compare-arg=2:{tmp_path}/wrong",
                 f"--compare-arg=2:{tmp_path}/wrong")
    assert plain.returncode == 0 and asked.returncode == 1
    assert plain.stderr.strip() in asked.stderr
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "asked").read_bytes() == THREE * 256
    wrong = asked.stderr[asked.stderr.index("is not as"):]
    assert len(re.findall(r"byte 30 is 0x40, not 0x00|byte 30: written last by work-item \(7,0,0\)", wrong)) == 4, asked.stderr


def test_a_mistake_after_a_write_leaves_the_writer_to_be_found():
    done = run("run", "--kernel=vadd", "--grid=1040", "--arg=zeros:8192", "--arg=zeros:8192", "--arg=zeros:4096", "--arg=1030",
               "--who-wrote=2:0", "--hash", VADD)
    assert done.returncode == 120 and "byte 0 to 3: written last by work-item (0,0,0)" in done.stderr.replace("bytes", "byte")


@pytest.mark.parametrize("command", ["gdb", "serve", "dm"])
def test_there_is_no_debugger_for_kernels_yet(command):
    done = run(command, VADD)
    assert done.returncode == 125 and "GDB's protocol does not reach GPUs that run code objects" in done.stderr


def test_what_cannot_be_is_said_before_the_kernel_runs(tmp_path):
    for options, words in ((["--dump-arg=2:/nonexistent/x"], "--dump-arg: /nonexistent/x: cannot create"),
                           (["--compare-arg=2:/nonexistent"], "--compare-arg: /nonexistent: cannot open"),
                           (["--gpu=vortex"], "--gpu=vortex runs programs for RISC-V"),
                           (["--gpu=gfx900:cu=1,cu=2"], "'cu' is given twice"),
                           (["-g", "gfx900:cu=1", "-g", "gfx900:cu=2"], "'cu' is given twice"),
                           (["-g", "gfx900", "-g", "vortex"], "gfx900 and vortex: one GPU runs the program")):
        done = vadd("--stats", *options)
        assert done.returncode == 125 and words in done.stderr and " issues in " not in done.stderr, done.stderr
