"""A kernel of processes.cu as OpenCL: PART GROUPS ROUNDS."""
import sys

import numpy
import pyopencl

SOURCE = """
uint stir(uint x, int rounds)
{
    for (int i = 0; i < rounds; i++)
        x = (x ^ x >> 15) * 0x2c1b3c6du + i;
    return x;
}
kernel void words(global uint *out, int rounds)
{
    out[get_global_id(0)] = stir(get_global_id(0), rounds);
}
kernel void turned(global uint *out, int rounds)
{
    local uint part[128];
    uint x = get_global_id(0);
    for (int k = 0; k < 32; k++) {
        part[get_local_id(0)] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = stir(part[(get_local_id(0) + 1) % 128], rounds / 32 * (1 + get_local_id(0) / 64));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = x;
}
kernel void tickets(global uint *out, int rounds)
{
    const uint mine = atomic_add(out, stir(get_local_id(0), rounds) ? 1 : 2); // no work-item has 0
    out[1 + mine] = mine;
}
"""
part, groups, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
items = 128 * groups
context = pyopencl.Context(pyopencl.get_platforms()[0].get_devices(pyopencl.device_type.GPU))
queue = pyopencl.CommandQueue(context)
out = numpy.zeros(items + 1, numpy.uint32)
buffer = pyopencl.Buffer(context, pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=out)
getattr(pyopencl.Program(context, SOURCE).build(), part)(queue, (items,), (128,), buffer, numpy.int32(rounds))
pyopencl.enqueue_copy(queue, out, buffer)
must = numpy.arange(items, dtype=numpy.uint32)
if part == "tickets":
    good = out[0] == items and (out[1:] == must).all()
else:
    def stir(x, count):
        for i in range(count):
            x = (x ^ x >> numpy.uint32(15)) * numpy.uint32(0x2c1b3c6d) + numpy.uint32(i)
        return x
    if part == "words":
        must = stir(must, rounds)
    else:
        for k in range(32):
            must = numpy.roll(must.reshape(groups, 128), -1, axis=1)
            must = numpy.concatenate([stir(must[:, :64], rounds // 32), stir(must[:, 64:], rounds // 32 * 2)], axis=1).reshape(-1)
    good = (out[:-1] == must).all()
print(part, "right" if good else "wrong")
