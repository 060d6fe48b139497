"""Kernels that only a GPU can run: private memory and its place, operations of a wave's lanes, device libraries."""
import math
import random
import re
import struct
import subprocess

import pytest

from numbers_f16 import f16_add, f16_fma, f16_mul, f16_value
from test_gcn_kernels import BITCODE, COMPILERS, SOURCE, WAVETRAP, compile_, words


@pytest.fixture(scope="session")
def build(tmp_path_factory):
    out = tmp_path_factory.mktemp("device")

    def build(file, compiler=COMPILERS[0], level="-O2", *more):
        path = out / f"{file}-{compiler}{level}{''.join(more)}.co"
        if not path.exists():
            compile_(compiler, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-cl-std=CL2.0", level, "-g", "-w",
                     *more, f"--rocm-device-lib-path={BITCODE}", SOURCE / "device" / f"{file}.cl", "-o", path)
        return path
    return build


def run(path, kernel, folder, grid, block, *arguments, status=0, more=()):
    """Arguments are the buffers' contents; what they hold afterwards is the answer."""
    command = [WAVETRAP, "run", f"--kernel={kernel}", f"--grid={grid}", f"--block={block}", *more]
    for i, a in enumerate(arguments):
        (folder / f"in{i}").write_bytes(a)
        command += [f"--arg=file:{folder}/in{i}", f"--dump-arg={i}:{folder}/out{i}"]
    done = subprocess.run([*command, path], capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stderr
    return done.stderr if status else [(folder / f"out{i}").read_bytes() for i in range(len(arguments))]


def u32(data):
    return struct.unpack(f"<{len(data) // 4}I", data)


def u64(data):
    return struct.unpack(f"<{len(data) // 8}Q", data)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_private_memory_lies_where_the_formula_says(build, tmp_path, compiler, level):
    """Apertures; A's words of all 64 lanes at FLAT_SCRATCH + X / 4 * 4 * 64 + lane * 4."""
    out, memory = run(build("private", compiler, level, "-DSIZE=16"), "apertures", tmp_path, 64, 64, bytes(8 * 70), bytes(512))
    base, limit, shared, shared_limit, scratch, address, *sums = u64(out)
    assert (base, limit) == (0x2000000000000, 0x20000ffffffff)
    assert (shared, shared_limit) == (0x1000000000000, 0x10000ffffffff)
    assert 0 <= address - base < 65536 and scratch >= 0x400000000000
    words_ = u32(memory)
    for lane in range(64):
        a = 0x12345678deadbeaf + lane
        assert (words_[lane], words_[64 + lane]) == (a & 0xffffffff, a >> 32)
        assert sums[lane] == a + address  # all lanes see it at the same address


def private_size(path, kernel):
    note = subprocess.run(["llvm-readelf-19", "--notes", path], capture_output=True, text=True, check=True).stdout
    part = note.split(f".name:           {kernel}\n")[1]
    return int(part.split(".private_segment_fixed_size:")[1].split()[0])


def test_waves_have_their_own_scratch(build, tmp_path):
    """Ten waves of a group: FLAT_SCRATCH is private_segment_fixed_size * 64 apart; 4016 bytes give 0x3ec00."""
    size, path = None, None
    for count in range(980, 1010):  # how much the compiler adds is its own affair
        path = build("private", COMPILERS[0], "-O2", f"-DSIZE={count}")
        size = private_size(path, "waves")
        if size >= 4016:
            break
    assert size == 4016
    out, = run(path, "waves", tmp_path, 640, 640, words(256, 1), bytes(160))[1:]
    scratch = u64(out)[::2]
    assert [b - a for a, b in zip(scratch, scratch[1:])] == [0x3ec00] * 9


def explained(path, tmp_path, address, *options, status=0):
    (tmp_path / "in").write_bytes(words(256, 1))
    done = subprocess.run([WAVETRAP, "explain-address", "--kernel=waves", "--grid=640", "--block=640",
                           f"--arg=file:{tmp_path}/in", "--arg=zeros:160", *options, path, hex(address)],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stderr
    return done.stdout if not status else done.stderr


def test_addresses_are_explained(build, tmp_path):
    """Each term, and what is there: in private memory what the lane has stored."""
    path = build("private", COMPILERS[0], "-O2", "-DSIZE=64")
    size = private_size(path, "waves")
    values = u32(words(256, 1))
    # The first wave has filled its array when the others have, too: look for the array by its contents.
    text = explained(path, tmp_path, 0x2000000000008, "--at=2000", "--wave=3", "--lane=5")
    terms = {line[24:].split(":")[0]: int(line[4:22], 16) for line in text.splitlines()[2:-1]}
    per_wave = (size * 64 + 1023) // 1024 * 1024
    assert "private, aperture 0x2000000000000 .. 0x20000ffffffff" in text
    assert terms["X = address - src_private_base"] == 8 and terms["FLAT_SCRATCH"] == 0x400000000000 + 3 * per_wave
    assert terms["X / 4 * 4 * 64"] == 512 and terms["lane * 4"] == 20 and terms["X mod 4"] == 0
    landing = int(re.search(r"= +(0x[0-9a-f]+)  in memory", text).group(1), 16)
    assert landing == 0x400000000000 + 3 * per_wave + 512 + 20
    seen = {int(re.search(r"holds (0x[0-9a-f]+)", explained(path, tmp_path, 0x2000000000000 + x, "--at=2000")).group(1), 16)
            for x in range(0, 64, 4)}
    assert len(seen & {(values[i] ** 2 + i) & 0xffffffff for i in range(64)}) > 10
    text = explained(path, tmp_path, 0x1000000000010)
    assert "local, aperture 0x1000000000000 .. 0x10000ffffffff" in text and "there is nothing" in text
    text = explained(path, tmp_path, 0x200000000)
    assert "global" in text and f"holds 0x{values[0]:08x}" in text
    assert "there is nothing" in explained(path, tmp_path, 0x123456789000)


@pytest.mark.parametrize("options,said", [(["--wave=11"], "no wave 11 runs at issue time 0; there are: 0 1 2 3 4 5 6 7 8 9"),
                                          (["--at=99999999"], "the kernel has ended"), (["--lane=64"], "lanes 0 to 63"),
                                          (["--wave=x"], "'x' is not a number")])
def test_what_cannot_be_explained(build, tmp_path, options, said):
    path = build("private", COMPILERS[0], "-O2", "-DSIZE=64")
    assert said in explained(path, tmp_path, 0, *options, status=125)


VALUES = [random.Random(i).getrandbits(32) for i in range(128)]
PACKED = struct.pack("<128I", *VALUES)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_masks_and_lanes(build, tmp_path, compiler):
    out, = run(build("lanes", compiler), "ballots", tmp_path, 128, 128, PACKED, bytes(4096))[1:]
    got = u64(out)
    for i in range(128):
        wave = VALUES[i // 64 * 64:i // 64 * 64 + 64]
        assert got[4 * i] == sum((v & 3 == 0) << l for l, v in enumerate(wave))
        assert got[4 * i + 1:4 * i + 4] == (wave[0], i % 64, wave[17])


@pytest.mark.parametrize("compiler", COMPILERS)
def test_moves_between_lanes(build, tmp_path, compiler):
    out, = run(build("lanes", compiler), "moves", tmp_path, 64, 64, PACKED[:256], bytes(2048))[1:]
    got = u32(out)
    for l, x in enumerate(VALUES[:64]):
        inverse = pow(5, -1, 64)
        data = (x << 32 | x ^ 0xffffffff).to_bytes(8, "little")
        # update_dpp: a row that is masked off keeps the old value
        mirrored = VALUES[l & ~7 | 7 - (l & 7)] if 0xa >> l // 16 & 1 else 77
        want = [VALUES[x % 64], VALUES[l ^ 1], VALUES[l - 1] if l % 16 else 0, mirrored, VALUES[l & ~3 | 3 - (l & 3)],
                VALUES[l * inverse % 64], (x << 32 | x ^ 0xffffffff) >> 7 & 0xffffffff,
                int.from_bytes(bytes([255, 0, data[2], data[7]]), "little")]
        assert list(got[8 * l:8 * l + 8]) == want, l


@pytest.mark.parametrize("compiler", COMPILERS)
def test_sub_group_and_work_group_functions(build, tmp_path, compiler):
    out, = run(build("lanes", compiler), "groups", tmp_path, 128, 128, PACKED, bytes(2048))[1:]
    got = u32(out)
    for i in range(128):
        wave = VALUES[i // 64 * 64:i // 64 * 64 + 64]
        assert got[4 * i] == sum(wave) & 0xffffffff and got[4 * i + 1] == max(wave[:i % 64 + 1])
        assert got[4 * i + 2] == wave[5] and got[4 * i + 3] == sum(v & 0xffff for v in VALUES)


FUNCTIONS = [(lambda x: math.exp(x), 3), (lambda x: math.log(abs(x) + 0.001), 3), (math.sin, 4), (None, 4),
             (lambda x: abs(x) ** 1.7, 16), (lambda x: math.sqrt(abs(x)), 3), (lambda x: math.atan2(x, 2), 6), (math.tanh, 5)]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("kernel,kind", [("math", "f"), ("math64", "d")])
def test_device_libraries(build, tmp_path, compiler, kernel, kind):
    """OpenCL's functions within the units of the last place that its standard allows."""
    size, bits = (4, 24) if kind == "f" else (8, 53)
    rounded = lambda x: struct.unpack("<" + kind, struct.pack("<" + kind, x))[0]
    xs = [rounded(random.Random(i).uniform(-9, 9)) for i in range(64)]
    out, = run(build("lanes", compiler), kernel, tmp_path, 64, 64, struct.pack(f"<64{kind}", *xs), bytes(512 * size))[1:]
    got = struct.unpack(f"<512{kind}", out)
    for i, x in enumerate(xs):
        for k, (function, most) in enumerate(FUNCTIONS):
            if k == 1:
                true = math.log(rounded(rounded(abs(x)) + rounded(0.001)))
            elif k == 4:
                true = abs(x) ** rounded(1.7)
            else:
                true = function(x) if function else math.cos(rounded(x * (100.0 if kind == "f" else 1e9)))
            unit = 2.0 ** (math.frexp(true)[1] - bits)
            assert abs(got[8 * i + k] - true) <= (most + 1) * unit, (k, x, got[8 * i + k], true)


def test_packed_halves(build, tmp_path):
    a, b = words(64, 5), words(64, 6)
    # Exponents of moderate size.
    a, b = (bytes(v & 0x83 | 0x3c if i % 2 else v for i, v in enumerate(x)) for x in (a, b))
    out = run(build("lanes"), "halves", tmp_path, 64, 64, a, b, bytes(1024))[2]
    pairs = lambda data: struct.unpack(f"<{len(data) // 2}H", data)
    x, y, got = pairs(a), pairs(b), pairs(out)
    for i in range(64):
        for k in range(2):
            p, q = x[2 * i + k], y[2 * i + k]
            assert got[8 * i + k] == f16_add(p, q) and got[8 * i + 2 + k] == f16_mul(p, q)
            assert got[8 * i + 4 + k] == f16_fma(p, q, p)
        assert got[8 * i + 6] == f16_add(x[2 * i], y[2 * i + 1] ^ 0x8000)
        assert got[8 * i + 7] == (0x3c00 if f16_value(x[2 * i + 1]) < f16_value(y[2 * i]) else 0x4000)


# ---- mistakes ----


def test_a_trap_is_reported(build, tmp_path):
    data = struct.pack("<128I", *([0] * 70 + [7] + [0] * 57))
    said = run(build("lanes"), "trap", tmp_path, 128, 64, data, status=122)
    assert "s_trap 2" in said and "gave up" in said and "group (1,0,0), " in said and "lanes.cl:" in said


def test_a_deadlock_is_reported(build, tmp_path):
    """One wave waits at a barrier; the other one ends: that counts as arrival; while it runs it is not a deadlock."""
    said = run(build("lanes"), "deadlock", tmp_path, 128, 128, bytes(4), status=124, more=["--max-issues=100000"])
    assert "limit of 100000" in said and "1 of 2 waves have arrived" in said
    run(build("lanes"), "deadlock", tmp_path, 128, 128, struct.pack("<I", 1))


def test_an_endless_kernel_is_stopped(build, tmp_path):
    said = run(build("lanes"), "forever", tmp_path, 64, 64, bytes(4), status=124, more=["--max-issues=5000"])
    assert "the limit of 5000 issues is reached" in said and "<forever" in said


# ---- HIP's language ----


@pytest.fixture(scope="session", params=["-O0", "-O2"])
def hip(request, tmp_path_factory):
    """A code object of HIP source, made as hipcc makes it for the device, without HIP's headers."""
    path = tmp_path_factory.mktemp("hip") / "object.co"
    compile_("clang-19", "-x", "hip", "--cuda-device-only", "--offload-arch=gfx900", "-nogpuinc", "-nogpulib", request.param, "-g",
             "--no-gpu-bundle-output", SOURCE / "device" / "object.hip", "-o", path)
    return path


def test_tables_of_functions(hip, tmp_path):
    """Their addresses are relocated."""
    out, = run(hip, "functions", tmp_path, 128, 64, PACKED, bytes(512))[1:]
    for x, got in zip(VALUES, u32(out)):
        assert got == ((x * x, x // 2, (x ^ x >> 7) * 0x9e3779b1)[x % 3] + 5) & 0xffffffff


def test_virtual_functions(hip, tmp_path):
    """Through private memory; each lane may call another one."""
    out, = run(hip, "virtuals", tmp_path, 128, 64, PACKED, bytes(512))[1:]
    for i, (x, got) in enumerate(zip(VALUES, u32(out))):
        a = x & 0xff
        assert got == (a * a + 1 if x & 256 else a * i)


def test_templates_and_shared_memory(hip, tmp_path):
    out, = run(hip, "templates", tmp_path, 128, 64, PACKED, bytes(512))[1:]
    for i, got in enumerate(u32(out)):
        room = list(VALUES[i // 64 * 64:i // 64 * 64 + 64]) + list(range(8))
        want = 1
        for v in reversed(room[i % 64:i % 64 + 8]):
            want = v + 3 * want
        assert got == want & 0xffffffff
