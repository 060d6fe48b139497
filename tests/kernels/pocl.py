"""PoCL, an OpenCL implementation on the CPU, as the oracle of kernels."""
import struct

import numpy

from test_gcn_kernels import SCALARS, Local


class Pocl:
    """Runs kernels of OpenCL C files; each file is compiled once for each set of options."""

    def __init__(self):
        import pyopencl as cl
        platforms = [p for p in cl.get_platforms() if "Portable" in p.name]
        assert platforms, "PoCL is missing: scripts/need.sh check"
        self.cl, self.context = cl, cl.Context(platforms[0].get_devices())
        self.queue, self.programs = cl.CommandQueue(self.context), {}

    def argument(self, value):
        """Bytes are a buffer, a Local is local memory, a pair of type and number a value."""
        cl = self.cl
        if isinstance(value, tuple):
            return struct.pack("<" + SCALARS[value[0]], value[1])
        if isinstance(value, Local):
            return cl.LocalMemory(int(value))
        return cl.Buffer(self.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.frombuffer(value, numpy.uint8).copy())

    def run(self, path, kernel, grid, block, arguments, *options):
        """What the buffers hold after the kernel has run; None for other arguments."""
        cl = self.cl
        if (path, options) not in self.programs:
            self.programs[path, options] = cl.Program(self.context, path.read_text()).build(["-cl-fp32-correctly-rounded-divide-sqrt", *options])
        passed, out = [self.argument(a) for a in arguments], []
        made = getattr(self.programs[path, options], kernel)
        made.set_args(*passed)
        cl.enqueue_nd_range_kernel(self.queue, made, tuple(grid), tuple(block))
        for memory, value in zip(passed, arguments):
            out.append(numpy.empty(len(value), numpy.uint8) if isinstance(memory, cl.Buffer) else None)
            if out[-1] is not None:
                cl.enqueue_copy(self.queue, out[-1], memory)
        self.queue.finish()
        return [array if array is None else array.tobytes() for array in out]
