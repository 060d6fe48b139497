"""Run by test_opencl.py: a kernel writes three texels beyond the end of an image's first row."""
import pyopencl as cl

context = cl.Context([cl.get_platforms()[0].get_devices()[0]])
queue = cl.CommandQueue(context)
program = cl.Program(context, """
    kernel void stray(write_only image2d_t a) {
        write_imagef(a, (int2)(get_global_id(0) + 24, 0), (float4)(1, 0, 0, 1)); }""").build()
image = cl.Image(context, cl.mem_flags.WRITE_ONLY, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8), (37, 13))
program.stray(queue, (16,), (16,), image)
queue.finish()
