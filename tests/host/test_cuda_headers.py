"""What programs name of CUDA's headers beyond the ordinary, each part in a kernel and on the host; and headers that are refused."""
import struct
import subprocess
from fractions import Fraction

import pytest

from conftest import ROOT, WAVETRAP, environment, wavetrap
from test_cuda_cpp import compile as try_to_compile, compiled

PARTS = ["tiles", "extremes", "dots", "hints", "pipeline", "pairs", "levels", "eighths"]


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
                best = min(finite, key=lambda x: (abs(x[0] - v), x[1] & 1))[1]
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


@pytest.mark.parametrize("header, says", [("cublas_v2.h", "cuBLAS: it is a library"), ("cusparse.h", "cuSPARSE: it is"), ("curand_kernel.h", "cuRAND: it is"),
                                          ("cudnn.h", "cuDNN: it is"), ("cuda_gl_interop.h", "OpenGL: the emulated GPU shares no memory")])
def test_libraries_that_are_not_there(tmp_path, header, says):
    (tmp_path / "k.cu").write_text(f"#include <{header}>\nint main() {{}}\n")
    _, done = try_to_compile(tmp_path, tmp_path / "k.cu", "--cuda-gpu-arch=sm_61")
    assert done.returncode and f"error: wavetrap cuda-path has no {says}" in done.stderr, done.stderr
