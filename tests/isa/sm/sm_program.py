"""Running small SASS programs: assembled by `wavetrap asm`, run by `wavetrap run`."""
import os
import pathlib
import struct
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
WAVETRAP = os.path.abspath(os.environ.get("WAVETRAP", ROOT / "build" / "wavetrap"))


def wavetrap(*words, **more):
    return subprocess.run([WAVETRAP, *map(str, words)], capture_output=True, text=True, timeout=120, **more)


def assemble(text, name="k"):
    """The path of the cubin; the caller's folder is temporary."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="sm-"))
    source, cubin = folder / f"{name}.sass", folder / f"{name}.cubin"
    source.write_text(text)
    done = wavetrap("asm", source, "-o", cubin, "-g", "sm")
    assert done.returncode == 0, done.stderr
    return cubin


def launch(text, arguments, grid=32, block=32, gpu="sm", outputs=(0,), more=(), status=0):
    """Runs the kernel; returns the bytes of the output buffers, and what stderr says. An argument is
    bytes (a buffer) or what --arg takes."""
    cubin = assemble(text)
    words = []
    for i, argument in enumerate(arguments):
        if isinstance(argument, bytes):
            file = cubin.parent / f"in{i}"
            file.write_bytes(argument)
            argument = f"file:{file}"
        words.append(f"--arg={argument}")
    words += [f"--dump-arg={n}:{cubin.parent}/out{n}" for n in outputs]
    done = wavetrap("run", f"--gpu={gpu}", f"--grid={grid}", f"--block={block}", *words, *more, cubin)
    assert done.returncode == status, done.stderr
    results = [(cubin.parent / f"out{n}").read_bytes() for n in outputs]
    for file in cubin.parent.iterdir():
        file.unlink()
    cubin.parent.rmdir()
    return results, done.stderr


def u32s(data):
    return list(struct.unpack(f"<{len(data) // 4}I", data))


# R0: the thread's number; R2, R3: the address of its 8 bytes of the first buffer.
THREAD = """
    S2R R0, SR_TID.X;
    SHL R2, R0, 0x3;
    IADD R2.CC, R2, c[0x0][0x140];
    IADD.X R3, RZ, c[0x0][0x144];
"""
# R4 to R9: the three 64-bit values of the thread in the second buffer.
INPUTS = THREAD + """
    XMAD R12, R0, 0x18, RZ;
    IADD R12.CC, R12, c[0x0][0x148];
    IADD.X R13, RZ, c[0x0][0x14c];
    LDG.E.64 R4, [R12];
    LDG.E.64 R6, [R12+0x8];
    LDG.E.64 R8, [R12+0x10];
"""
STORE = """
    STG.E.64 [R2], R10;
    EXIT;
"""
KERNEL = ".kernel k\n.param 8 out\n"
KERNEL2 = KERNEL + ".param 8 inputs\n"
