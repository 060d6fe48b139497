"""What programs name of CUDA's headers beyond the ordinary, each part in a kernel and on the host; and headers that are refused."""
import bisect
import math
import struct
import subprocess
from fractions import Fraction

import pytest

from conftest import ROOT, WAVETRAP, environment, wavetrap
from test_cuda_cpp import compile as try_to_compile, compiled

PARTS = ["tiles", "extremes", "dots", "hints", "pipeline", "pairs", "levels", "mipmaps", "eighths", "sums", "forms"]


@pytest.mark.parametrize("flags", [["-O0", "--cuda-gpu-arch=sm_61"], ["-O2", "--cuda-gpu-arch=sm_80"]], ids=["O0-sm_61", "O2-sm_80"])
def test_each_part(tmp_path, flags):
    done = wavetrap("exec", "-g", "sm", compiled(tmp_path, ROOT / "tests" / "host" / "cuda_headers.cu", "-std=c++17", *flags))
    assert done.stdout.splitlines() == [f"{part} right" for part in PARTS], done.stdout + done.stderr


def values_of(exponent, fraction, infinite):
    """The values of a number of 8 bits, by its bits without the sign; those that are none are None or "inf"."""
    bias = (1 << exponent - 1) - 1
    values = []
    for bits in range(128):
        e, f = bits >> fraction, bits & (1 << fraction) - 1
        if infinite and e == (1 << exponent) - 1:
            values.append("inf" if f == 0 else None)
        elif not infinite and bits == 127:
            values.append(None)
        else:
            values.append(Fraction(f + ((1 << fraction) if e else 0)) * Fraction(2) ** (max(e, 1) - bias - fraction))
    return values


def test_conversions_of_numbers_of_8_bits(tmp_path):
    """Each half: the nearest value, of two the even one; and back."""
    program = compiled(tmp_path, ROOT / "tests" / "host" / "cuda_headers.cu", "-std=c++17", "-O2", "--cuda-gpu-arch=sm_61")
    done = subprocess.run([WAVETRAP, "exec", "-g", "sm", program, "write"], capture_output=True, check=True, env=environment())
    got = done.stdout
    assert len(got) == 4 * 65536 + 1024
    for kind, (exponent, fraction, infinite) in enumerate(((4, 3, False), (5, 2, True))):
        values = values_of(exponent, fraction, infinite)
        finite = [(v, bits) for bits, v in enumerate(values) if isinstance(v, Fraction)]
        largest, last = finite[-1]
        beyond = largest + (largest - finite[-2][0]) / 2  # from here on the next number would be nearer, or as near and even
        nearest = {}
        for half in range(32768):
            v = struct.unpack("<e", struct.pack("<H", half))[0]
            if v != v:
                nearest[half] = (0x7f, 0x7f)
            elif v == float("inf") or Fraction(v) >= beyond and (last & 1 or Fraction(v) > beyond):
                nearest[half] = (last, 0x7c if infinite else 0x7f)
            else:
                v = Fraction(v)
                after = bisect.bisect(finite, (v,))  # they are in order: one of two neighbours
                best = min(finite[max(after - 1, 0):after + 1], key=lambda x: (abs(x[0] - v), x[1] & 1))[1]
                nearest[half] = (best, best)
        for half in range(65536):
            signed = half & 0x8000 and half & 0x7fff <= 0x7c00  # there is one NaN
            for saturates in (0, 1):
                want = nearest[half & 0x7fff][saturates] | (0x80 if signed else 0)
                assert got[(2 * kind + saturates) * 65536 + half] == want, (kind, saturates, hex(half))
        for bits in range(256):
            value, = struct.unpack_from("<e", got, 4 * 65536 + 512 * kind + 2 * bits)
            want = values[bits & 127]
            if want is None:
                assert value != value
            else:
                assert abs(value) == (float("inf") if want == "inf" else float(want)) and (struct.pack("<e", value)[1] >= 128) == (bits >= 128)


@pytest.mark.parametrize("header, says", [("cublas_v2.h", "cuBLAS: it is a library"), ("cusparse.h", "cuSPARSE: it is"), ("curand.h", "cuRAND: it is"),
                                          ("cudnn.h", "cuDNN: it is"), ("cuda_gl_interop.h", "OpenGL: the emulated GPU shares no memory")])
def test_libraries_that_are_not_there(tmp_path, header, says):
    (tmp_path / "k.cu").write_text(f"#include <{header}>\nint main() {{}}\n")
    _, done = try_to_compile(tmp_path, tmp_path / "k.cu", "--cuda-gpu-arch=sm_61")
    assert done.returncode and f"error: wavetrap cuda-path has no {says}" in done.stderr, done.stderr


@pytest.fixture(scope="module")
def device_program(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("device"), ROOT / "tests" / "host" / "cuda_device.cu", "-std=c++17", "-O2", "--cuda-gpu-arch=sm_80")


def test_products_of_matrices(device_program):
    """mma.h, each type and shape, in all layouts; elements are small whole numbers, so that the host's sums are exact, too."""
    done = wavetrap("exec", "-g", "sm", device_program)
    names = ["half", "half-narrow", "half-wide", "bfloat", "bfloat-wide", "signed", "unsigned-narrow", "signed-wide", "tf32", "double", "s4", "u4", "b1"]
    assert done.stdout.splitlines() == [f"{name} right" for name in names] + ["finite 0 0x1.fffffep+127 0x1.004p+0"], done.stdout + done.stderr


M32 = 0xffffffff


class Xorwow:
    """By a matrix of bits, whose powers skip; d is a sum."""
    @staticmethod
    def stepped(v):
        t = v[0] ^ v[0] >> 2
        return [*v[1:], (v[4] ^ v[4] << 4 ^ t ^ t << 1) & M32]

    def __init__(self, seed, subsequence, offset):
        t0 = 1099087573 * (seed & M32 ^ 0xaad26b49) & M32
        t1 = 2591861531 * (seed >> 32 ^ 0xf7dcefdd) & M32
        self.v = [123456789 + t0 & M32, 362436069 ^ t0, 521288629 + t1 & M32, 88675123 ^ t1, 5783321 + t0 & M32]
        self.d = 6615241 + t0 + t1
        self.skip(subsequence << 67)
        self.skip(offset)

    @staticmethod
    def times(columns, bits):
        result = 0
        for column in columns:
            if bits & 1:
                result ^= column
            bits >>= 1
        return result

    def skip(self, n):
        columns = []
        for bit in range(160):
            v = self.stepped([(1 << bit) >> 32 * i & M32 for i in range(5)])
            columns.append(sum(x << 32 * i for i, x in enumerate(v)))
        self.d += 362437 * n
        state = sum(x << 32 * i for i, x in enumerate(self.v))
        while n:
            if n & 1:
                state = self.times(columns, state)
            n >>= 1
            if n:
                columns = [self.times(columns, column) for column in columns]
        self.v = [state >> 32 * i & M32 for i in range(5)]

    def next(self):
        self.v = self.stepped(self.v)
        self.d += 362437
        return self.v[4] + self.d & M32


class Philox:
    def __init__(self, seed, subsequence, offset):
        self.key, self.at = seed, (subsequence << 66) + offset

    def skip(self, n):
        self.at += n

    def next(self):
        c, key = [self.at // 4 >> 32 * i & M32 for i in range(4)], [self.key & M32, self.key >> 32]
        for _ in range(10):
            a, b = 0xd2511f53 * c[0], 0xcd9e8d57 * c[2]
            c = [b >> 32 ^ c[1] ^ key[0], b & M32, a >> 32 ^ c[3] ^ key[1], a & M32]
            key = [key[0] + 0x9e3779b9 & M32, key[1] + 0xbb67ae85 & M32]
        self.at += 1
        return c[(self.at - 1) % 4]


class Mrg:
    M = 4294967087, 4294944443

    def __init__(self, seed, subsequence, offset):
        x = [seed & M32 ^ 0x55555555, seed >> 32 ^ 0xaaaaaaaa]
        self.s = [[12345 * (x[(i + n) % 2] if seed else 1) % self.M[n] for i in range(3)] for n in range(2)]
        self.skip((subsequence << 76) + offset)

    def skip(self, n):
        for which, (row, modulus) in enumerate(zip(([-810728, 1403580, 0], [-1370589, 0, 527612]), self.M)):
            power, left = [[0, 1, 0], [0, 0, 1], row], n
            while left:
                if left & 1:
                    self.s[which] = [sum(a * b for a, b in zip(line, self.s[which])) % modulus for line in power]
                power = [[sum(power[i][k] * power[k][j] for k in range(3)) % modulus for j in range(3)] for i in range(3)]
                left >>= 1

    def z(self):
        (a, b, c), (d, e, f) = self.s
        p, q = (1403580 * b - 810728 * a) % self.M[0], (527612 * f - 1370589 * d) % self.M[1]
        self.s = [[b, c, p], [e, f, q]]
        return p - q if p > q else p - q + self.M[0]

    def next(self):
        return int(self.z() * 1.000000048662)


def distributions(g):
    """What cuda_device.cu draws behind its first numbers."""
    tau = 2 * math.pi

    def unit():
        return g.z() / Mrg.M[0] if isinstance(g, Mrg) else (g.next() + .5) / 2 ** 32

    def unit_double():
        return g.z() / Mrg.M[0] if isinstance(g, Mrg) else ((g.next() ^ g.next() << 21) + .5) / 2 ** 53

    def pair(draw):
        radius = math.sqrt(-2 * math.log(draw()))
        angle = draw() * tau
        return [radius * math.sin(angle), radius * math.cos(angle)]
    yield from (unit(), unit_double(), *pair(unit), *pair(unit_double))
    yield math.exp(.5 + .25 * pair(unit)[0])


def test_random_numbers(device_program):
    """cuRAND's generators and distributions in a kernel, beside models of the published algorithms with big numbers; the numbers that their authors
    publish; and the first ones of ten sequences of a seed that are printed in many examples."""
    starts = [(0, 0, 0), (1234, 0, 0), (2 ** 64 - 1, 5, 3), (0x123456789abcdef0, 2 ** 40 + 1, 2 ** 33 + 2), *[(1234, i, 0) for i in range(1, 10)]]
    words = [str(x) for start in starts for x in start]
    done = wavetrap("exec", "-g", "sm", device_program, *words)
    got = [float(x) for x in done.stdout.split()]
    assert [int(x) for x in got[-9:]] == [246875399, 3690007200, 1264581005, 3906711041, 1866187943, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]
    for i, start in enumerate(starts[:4]):
        for n, (kind, sequence) in enumerate(((Xorwow, 67), (Philox, 66), (Mrg, 127))):
            part, g = got[51 * i + 17 * n:][:17], kind(*start)
            assert part[:8] == [g.next() for _ in range(8)], (kind, start)
            assert part[8:15] == pytest.approx(list(distributions(g)), rel=1e-5, abs=1e-6), (kind, start)
            g.skip(1000)
            assert part[15] == g.next()
            g.skip(3 << sequence)
            assert part[16] == g.next(), (kind, start)
    first = [got[51 * i] / 2 ** 32 for i in (1, *range(4, 13))]
    assert [f"{x:.4f}" for x in first] == "0.1455 0.8202 0.5504 0.2948 0.9147 0.8690 0.3219 0.7829 0.0113 0.2855".split()
    assert got[34] / (2 ** 32 - 209) / 1.000000048662 == pytest.approx(0.127011122046577, rel=1e-9)
