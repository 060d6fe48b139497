"""Run by test_opencl_programs.py under `wavetrap exec -g gen9`: programs by other ways than source text.

Prints what the kernel `answer` writes: the constant of its text plus the work-item's number.
"""
import pathlib
import sys

import numpy as np
import pyopencl as cl

SOURCE = "kernel void answer(global uint *out) { out[get_global_id(0)] = 0x%xu + get_global_id(0); }"
COUNT = 40


def program(context, device, way, path, first):
    if way == "source":
        return cl.Program(context, SOURCE % first).build()
    if way == "il":
        return cl.Program(context, pathlib.Path(path).read_bytes()).build()
    if way == "save":
        built = cl.Program(context, SOURCE % first).build()
        pathlib.Path(path).write_bytes(built.get_info(cl.program_info.BINARIES)[0])
        return built
    assert way == "binary"
    return cl.Program(context, [device], [pathlib.Path(path).read_bytes()]).build()


def main():
    way, path, first = sys.argv[1:]
    (device,) = cl.get_platforms()[0].get_devices()
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    result = np.zeros(COUNT, np.uint32)
    out = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=result)
    program(context, device, way, path, int(first)).answer(queue, result.shape, None, out)
    cl.enqueue_copy(queue, result, out)
    print(" ".join(map(hex, result)))


main()
