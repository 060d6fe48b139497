"""Accesses outside a surface: what the compiler may do, what is a stray access, and what hardware does with `bounds=hardware`."""
import struct
import subprocess

import pytest

from test_gen_kernels import compiler, gcn, run, zebin  # noqa: F401 (fixtures)

HARDWARE = "gen9:subslices=1,bounds=hardware"
SOURCE = """
kernel void last(constant float *in, global float *out) { vstore3(vload3(1, in) * 2, 0, out); }
kernel void load(global const int *in, global int *out) { int i = get_global_id(0); out[i] = in[i] + 1; }
kernel void load4(global const int *in, global int *out) { int i = get_global_id(0); vstore4(vload4(i, in) + 1, i, out); }
kernel void store(global int *out) { int i = get_global_id(0); out[i] = i + 1; }
kernel void texels(write_only image1d_t out) { int i = get_global_id(0); write_imageui(out, i, (uint4)(i + 1)); }
kernel void both(read_write image1d_t image, global uint *old) {
    int i = get_global_id(0);
    uint4 before = read_imageui(image, i);
    write_imageui(image, i, before + 1);
    old[i] = before.x;
}
"""


@pytest.fixture(name="program")
def program_fixture(zebin, tmp_path):  # noqa: F811
    """Optimised: else the compiler addresses buffers without surfaces, which have the bounds of pages."""
    (tmp_path / "bounds.cl").write_text(SOURCE)
    return zebin(tmp_path / "bounds.cl", prefix=False)


def ints(*values):
    return struct.pack(f"<{len(values)}i", *values)


def refused(program, kernel, *arguments, grid=16):
    done = subprocess.run([gcn.WAVETRAP, "run", "-g", "gen9", f"--kernel={kernel}", f"--grid={grid}", f"--block={grid}",
                           *(f"--arg={a}" for a in arguments), program], capture_output=True, text=True)
    assert done.returncode == 120, done.stderr
    return done.stderr


def test_the_last_vector_of_three(program, tmp_path):
    """One value for all items is read as a block of 16 bytes, the last four of which are behind the buffer. No mistake of the kernel."""
    got = run(program, "last", 1, 1, [struct.pack("<6f", *range(6)), bytes(12)], tmp_path)
    assert struct.unpack("<3f", got[1]) == (6, 8, 10)


def test_a_vector_behind_the_buffer_is_a_stray_access(program):
    assert "which has 12 bytes" in refused(program, "last", "zeros:12", "zeros:12", grid=1)


def test_stray_accesses_are_reported(program):
    assert "outside surface 0, which has 40 bytes" in refused(program, "load", "zeros:40", "zeros:64")
    assert "outside surface 0, which has 40 bytes" in refused(program, "store", "zeros:40")
    assert "texel (10,0,0) is outside image 0" in refused(program, "texels", "image:10,r-uint32,zeros")


def test_hardware_reads_zero(program, tmp_path):
    ten = ints(*range(10, 20))
    assert run(program, "load", 16, 16, [ten, bytes(64)], tmp_path, gpu=HARDWARE)[1] == ints(*range(11, 21), *[1] * 6)
    # Each element of a vector is in the buffer or not.
    assert run(program, "load4", 4, 4, [ten, bytes(64)], tmp_path, gpu=HARDWARE)[1] == ints(*range(11, 21), *[1] * 6)
    assert run(program, "last", 1, 1, [bytes(12), bytes(12)], tmp_path, gpu=HARDWARE)[1] == bytes(12)


def test_hardware_writes_nothing(program, tmp_path):
    assert run(program, "store", 16, 16, [bytes(40)], tmp_path, gpu=HARDWARE)[0] == ints(*range(1, 11))


def image(program, kernel, folder, *more):
    (folder / "before").write_bytes(ints(*range(10)))
    done = subprocess.run([gcn.WAVETRAP, "run", f"-g{HARDWARE}", f"--kernel={kernel}", "--grid=16", "--block=16",
                           f"--arg=image:10,r-uint32,file:{folder}/before", f"--dump-arg=0:{folder}/image", *more, program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return (folder / "image").read_bytes()


def test_hardware_and_images(program, tmp_path):
    assert image(program, "texels", tmp_path) == ints(*range(1, 11))
    assert image(program, "both", tmp_path, "--arg=zeros:64", f"--dump-arg=1:{tmp_path}/old") == ints(*range(1, 11))
    assert (tmp_path / "old").read_bytes() == ints(*range(10), *[0] * 6)


def test_what_bounds_can_be():
    done = subprocess.run([gcn.WAVETRAP, "run", "-g", "gen9:bounds=none", "x"], capture_output=True, text=True)
    assert done.returncode == 125 and "bounds=none: must be stop or hardware" in done.stderr
