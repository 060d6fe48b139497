"""Run by test_opencl.py under `wavetrap exec -g gen9`: an image that Intel's runtime offers and the emulated sampler does not.

opencl_refused.py mip | planar
"""
import ctypes
import sys

import pyopencl as cl

READ_ONLY, HOST_NO_ACCESS = 1 << 2, 1 << 9
RGBA, NV12, UNORM_INT8, IMAGE2D = 0x10B5, 0x410E, 0x10D2, 0x10F1


class Format(ctypes.Structure):
    _fields_ = [("order", ctypes.c_uint), ("type", ctypes.c_uint)]


class Description(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint), *[(name, ctypes.c_size_t) for name in ("width", "height", "depth", "elements", "row", "slice")],
                ("levels", ctypes.c_uint), ("samples", ctypes.c_uint), ("buffer", ctypes.c_void_p)]


def image(context, flags, order, levels):
    library, error = ctypes.CDLL("libOpenCL.so.1"), ctypes.c_int()
    create = library.clCreateImage
    create.restype = ctypes.c_void_p
    create.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.POINTER(Format), ctypes.POINTER(Description), ctypes.c_void_p,
                       ctypes.POINTER(ctypes.c_int)]
    made = create(context.int_ptr, flags, Format(order, UNORM_INT8), Description(IMAGE2D, 32, 32, levels=levels), None, error)
    assert error.value == 0, error.value
    return cl.Image.from_int_ptr(made, False)


context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
program = cl.Program(context, """
    constant sampler_t by_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    kernel void look(read_only image2d_t a, global float4 *o) { int x = get_global_id(0); o[x] = read_imagef(a, by_texel, (int2)(x, 0)); }
    """).build()
out = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, 8 * 16)
which = image(context, READ_ONLY, RGBA, 4) if sys.argv[1] == "mip" else image(context, READ_ONLY | HOST_NO_ACCESS, NV12, 0)
program.look(queue, (8,), None, which, out)
try:
    queue.finish()
except cl.Error as error:
    print("the program goes on:", error)
else:
    print("the program goes on")
