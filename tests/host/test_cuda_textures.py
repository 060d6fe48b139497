"""Textures, surfaces, copies of boxes, managed memory and several GPUs of the driver API, against formulas in the program itself."""
import subprocess

import pytest

from conftest import wavetrap
from releases import CC
from sanitizer import ROOT
from test_cuda import LIBRARY, HERE


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("cuda") / "program"
    done = subprocess.run([CC, "-O2", "-w", f"-I{ROOT}/include", HERE / "cuda_textures.c", "-o", path, LIBRARY, "-lm"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return path


def test_textures_and_memory(program):
    done = wavetrap("exec", "-g", "sm", program)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [
        "textures right 4096", "linear 3 4 0 1, beyond 0", "layers right, 5 x 4", "gathered 1", "by name 1",
        "surface 108 109, 104 105, stored 105 104 beside 113 107", "too many rows 1", "formats 12",
        "managed 42: 1, of the host 1, registered 1, again 712, set 1 1, read 0, gone 713 1",
        "placed 218 1 1 1, 1 4 7 12, 1 1"]


def test_two_gpus(program):
    done = wavetrap("exec", "-g", "sm", "-g", "sm:sms=2", program)
    assert done.stdout.endswith("active 0, device 1 got 7, peers 0 1\n"), done.stdout + done.stderr


@pytest.mark.parametrize("kernel, words", [("tex2d", "0x1234 is the handle of no texture or surface"),
                                           ("trapped", "0x1234 is the handle of no texture or surface")])
def test_a_handle_that_is_none(program, kernel, words):
    done = wavetrap("exec", "-g", "sm", program, kernel, "0x1234")
    assert done.stdout == "then 719\n" and words in done.stderr and f"<{kernel}> at PTX:" in done.stderr, done.stderr


SASS = """.kernel {name}
.param 8 t
.param 8 out
.param 8 at
    S2R R0, SR_TID.X;
    SHL R0, R0, 0x4;
    IADD R20.CC, R0, c[0x0][0x148];
    IADD.X R21, RZ, c[0x0][0x14c];
    IADD R22.CC, R0, c[0x0][0x150];
    IADD.X R23, RZ, c[0x0][0x154];
    LDG.E.128 R4, [R22];
    MOV R16, c[0x0][0x140];
    MOV R17, RZ;
{body}
    STG.E.128 [R20], R8;
    EXIT;
"""
# R4 to R7: the thread's coordinates; R16: the handle, and R17 0 behind it; R8 to R11: the result.
LAYERS = "MOV R12, R6; MOV R13, R4; MOV R14, R5;"
FORMS = {
    "vector": {"tex1d": "TLD.LZ R8, R4, 0x50, 1D, 0xf;",
               "tex2d": "TEX R8, R4, 0x50, 2D, 0xf;",
               "level": "TEX.LL R8, R4, R17, 0x50, 2D, 0xf;",
               "tex3d": "TEX.LZ R8, R4, 0x50, 3D, 0xf;",
               "layers": LAYERS + "TEX R8, R12, 0x50, ARRAY_2D, 0xf;",
               "gather": "TLD4.R R8, R4, 0x50, 2D, 0xf;",
               "sizes": "TXQ R8, RZ, TEX_HEADER_DIMENSION, 0x50, 0x7;"},
    "bindless": {"tex1d": "TLD.B.LZ R8, R4, R16, 0x0, 1D, 0xf;",
                 "tex2d": "MOV R12, R16; MOV R13, R4; MOV R14, R5; TXD.B R8, R12, R24, 0x0, 2D, 0xf;",
                 "level": "TEX.B.LL R8, R4, R16, 0x0, 2D, 0xf;",
                 "tex3d": "TEX.B R8, R4, R16, 0x0, 3D, 0xf;",
                 "layers": LAYERS + "TEX.B.LZ R8, R12, R16, 0x0, ARRAY_2D, 0xf;",
                 "gather": "TLD4.R.B R8, R4, R16, 0x0, 2D, 0xf;",
                 "sizes": "TXQ.B R8, R16, TEX_HEADER_DIMENSION, 0x0, 0x7;"},
    "scalar": {"tex1d": "TLDS.LZ R10, R8, R4, 0x50, 1D, RGBA;",
               "tex2d": "TEXS R10, R8, R4, R5, 0x50, 2D, RGBA;",
               "level": "TEXS.LL R10, R8, R4, R17, 0x50, 2D, RGBA;",
               "tex3d": "TEXS.LZ R10, R8, R4, R6, 0x50, 3D, RGBA;",
               "layers": LAYERS + "TEXS R10, R8, R12, R5, 0x50, ARRAY_2D, RGBA;",
               "gather": "TLD4S.R R10, R8, R4, R5, 0x50;"},
}


@pytest.mark.parametrize("forms", FORMS)
def test_textures_in_machine_code(program, tmp_path, forms):
    """The same textures and the same formulas: kernels of machine code take the place of those of PTX."""
    source, cubin = tmp_path / "textures.sass", tmp_path / "textures.cubin"
    source.write_text("".join(SASS.format(name=name, body=body.replace("; ", ";\n").replace(";T", ";\nT"))
                              for name, body in FORMS[forms].items()))
    done = wavetrap("asm", source, "-o", cubin, "-g", "sm")
    assert done.returncode == 0, done.stderr
    done = wavetrap("exec", "-g", "sm", program, cubin)
    assert done.returncode == 0, done.stdout + done.stderr
    launches = 64 + 4 - ("sizes" not in FORMS[forms])
    assert done.stdout.splitlines() == ["textures right 4096", "linear 3 4 0 1, beyond 0", "layers right, 5 x 4",
                                        "gathered 1", "by name 1", f"machine code {launches}"]
