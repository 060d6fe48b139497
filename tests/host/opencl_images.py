"""Run by test_opencl.py under `wavetrap exec -g gen9`, and with PoCL: images of all kinds, formats and samplers.

opencl_images.py [-OPTION OF THE COMPILER]... [ORDER OF CHANNELS]...

What kernels read is compared with OpenCL's rules, written down here in numpy. PoCL, which has no RG images, shows that
the rules are right. The orders of channels are by default all that are tested.
"""
import sys
import warnings

import numpy as np
import pyopencl as cl

warnings.filterwarnings("ignore")
FLAGS = cl.mem_flags
ORDER = cl.channel_order
TYPE = cl.channel_type
SHAPE = (13, 37)  # rows, columns: neither fills a tile

# Type of the channels: what numpy calls it, and the function that reads it.
TYPES = {
    "UNORM_INT8": (np.uint8, "f"), "SNORM_INT8": (np.int8, "f"), "UNORM_INT16": (np.uint16, "f"),
    "SNORM_INT16": (np.int16, "f"), "SIGNED_INT8": (np.int8, "i"), "SIGNED_INT16": (np.int16, "i"),
    "SIGNED_INT32": (np.int32, "i"), "UNSIGNED_INT8": (np.uint8, "ui"), "UNSIGNED_INT16": (np.uint16, "ui"),
    "UNSIGNED_INT32": (np.uint32, "ui"), "HALF_FLOAT": (np.float16, "f"), "FLOAT": (np.float32, "f"),
}
ORDERS = {"A": 1, "R": 1, "RG": 2, "RGBA": 4, "BGRA": 4}
VECTORS = {"f": ("float4", np.float32), "i": ("int4", np.int32), "ui": ("uint4", np.uint32)}
ADDRESSES = ["NONE", "CLAMP", "CLAMP_TO_EDGE", "REPEAT", "MIRRORED_REPEAT"]


class Descriptor(cl.ImageDescriptor):
    """pyopencl takes the size of an array of lines from the third dimension, which it does not have."""
    shape = property(lambda self: None, lambda self, shape: self.sizes(shape))

    def sizes(self, shape):
        cl_shape.__set__(self, shape)
        if self.image_type == cl.mem_object_type.IMAGE1D_ARRAY:
            cl_shape.__set__(self, (shape[0], 1))
            self.array_size = shape[1]


cl_shape = cl.ImageDescriptor.shape
cl.ImageDescriptor = Descriptor
device = next(d for p in cl.get_platforms() for d in p.get_devices())
context = cl.Context([device])
queue = cl.CommandQueue(context)
pick = np.random.default_rng(3)
OPTIONS = [word for word in sys.argv[1:] if word.startswith("-")]
CHOSEN = [word for word in sys.argv[1:] if not word.startswith("-")] or list(ORDERS)
ULP = 0 if "HD Graphics" in device.name else 2 ** -23  # of OpenCL's 1.5: ours rounds once


def close(seen, wanted):
    wanted = wanted.astype(np.float64)
    return (np.abs(seen - wanted) <= ULP * np.abs(wanted)).all()


def texels(kind, shape, channels):
    """Random ones; halves and floats stay small, so that sums of them are exact enough."""
    if np.issubdtype(kind, np.floating):
        return (pick.integers(-512, 512, shape + (channels,)) / 64).astype(kind)
    limits = np.iinfo(kind)
    return pick.integers(limits.min, limits.max, shape + (channels,), dtype=kind, endpoint=True)


def build(source):
    return cl.Program(context, source).build(OPTIONS)


def shown(data, order):
    """What OpenCL reads of such texels."""
    wide = np.zeros(data.shape[:-1] + (4,), np.float64)
    wide[..., 3] = 1
    for i, name in enumerate(order):
        wide[..., "RGBA".index(name)] = data[..., i]
    return wide


def formats():
    """Every format is read by a kernel, and written by one: what is stored is what was read."""
    readable, writable = (cl.get_supported_image_formats(context, flags, cl.mem_object_type.IMAGE2D)
                          for flags in (FLAGS.READ_ONLY, FLAGS.WRITE_ONLY))
    assert len(readable) > 20 and len(writable) > 20
    for type_name, (kind, suffix) in TYPES.items():
        vector, of_numpy = VECTORS[suffix]
        program = build(f"""
            const sampler_t by_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
            kernel void copy(read_only image2d_t from, write_only image2d_t to, global {vector} *seen) {{
                int2 at = (int2)(get_global_id(0), get_global_id(1));
                {vector} value = read_image{suffix}(from, by_texel, at);
                seen[at.y * get_image_width(from) + at.x] = value;
                write_image{suffix}(to, at, value);
            }}""")
        for order, channels in ORDERS.items():
            if order == "BGRA" and type_name != "UNORM_INT8":
                continue
            form = cl.ImageFormat(getattr(ORDER, order), getattr(TYPE, type_name))
            if order not in CHOSEN:
                continue
            if form not in readable or form not in writable:
                continue
            data = texels(kind, SHAPE, channels)
            size = SHAPE[::-1]
            source = cl.Image(context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, form, shape=size, hostbuf=data)
            target = cl.Image(context, FLAGS.WRITE_ONLY, form, shape=size)
            seen = np.zeros(SHAPE + (4,), of_numpy)
            buffer = cl.Buffer(context, FLAGS.COPY_HOST_PTR, hostbuf=seen)
            program.copy(queue, size, None, source, target, buffer)
            back = np.zeros_like(data)
            cl.enqueue_copy(queue, seen, buffer)
            cl.enqueue_copy(queue, back, target, origin=(0, 0), region=size)
            usual = data != data.min() if type_name.startswith("SNORM") else np.full(data.shape, True)
            assert (back == data)[usual].all(), (order, type_name)  # of SNORM, two texels are -1
            scale = np.iinfo(kind).max if "NORM" in type_name else 1
            wide = shown(np.maximum(data.astype(np.float64) / scale, -1) if "SNORM" in type_name
                         else data.astype(np.float64) / scale, order)
            assert close(seen, wide.astype(of_numpy)), (order, type_name)


def kinds():
    """1D, 2D and 3D images, arrays of them, and images on buffers."""
    program = build("""
        const sampler_t by_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
        kernel void one(read_only image1d_t a, global float4 *o) {
            int x = get_global_id(0); o[x] = read_imagef(a, by_texel, x - 2); }
        kernel void lines(read_only image1d_array_t a, global float4 *o) {
            int x = get_global_id(0), y = get_global_id(1);
            o[y * get_image_width(a) + x] = read_imagef(a, by_texel, (int2)(x, y)); }
        kernel void planes(read_only image2d_array_t a, global float4 *o) {
            int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
            o[(z * get_image_height(a) + y) * get_image_width(a) + x] = read_imagef(a, by_texel, (int4)(x, y, z, 0)); }
        kernel void solid(read_only image3d_t a, global float4 *o) {
            int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
            o[(z * get_image_height(a) + y) * get_image_width(a) + x] = read_imagef(a, by_texel, (int4)(x, y, z, 0)); }
        kernel void buffer(read_only image1d_buffer_t a, global float4 *o) {
            int x = get_global_id(0); o[x] = read_imagef(a, x); }
        """)
    form = cl.ImageFormat(ORDER.RGBA, TYPE.UNORM_INT8)
    whole = texels(np.uint8, (5, 13, 37), 4)

    def read(name, image, size):
        seen = np.full(tuple(size[::-1]) + (4,), -1, np.float32)
        out = cl.Buffer(context, FLAGS.COPY_HOST_PTR, hostbuf=seen)
        getattr(program, name)(queue, size, None, image, out)
        cl.enqueue_copy(queue, seen, out)
        return seen

    def image(data, is_array=False):
        return cl.Image(context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, form, data.shape[-2::-1],
                        hostbuf=np.ascontiguousarray(data), is_array=is_array)

    row = cl.Buffer(context, FLAGS.COPY_HOST_PTR, hostbuf=whole[0, 0].copy())
    normal = whole / np.float32(255)
    border = np.zeros((2, 4), np.float32)
    assert close(read("one", image(whole[0, 0]), (41,)), np.concatenate([border, normal[0, 0], border]))
    assert close(read("lines", image(whole[0], True), (37, 13)), normal[0])
    assert close(read("planes", image(whole, True), (37, 13, 5)), normal)
    assert close(read("solid", image(whole), (37, 13, 5)), normal)
    assert close(read("buffer", cl.Image(context, FLAGS.READ_ONLY, form, (37,), buffer=row), (37,)), normal[0, 0])


def writes():
    """Kernels write each kind of image; the host reads it."""
    program = build("""
        uint4 value(int x, int y, int z) { return (uint4)(x, y + 100, z + 200, x ^ y ^ z); }
        kernel void one(write_only image1d_t a) { int x = get_global_id(0); write_imageui(a, x, value(x, 0, 0)); }
        kernel void lines(write_only image1d_array_t a) {
            int x = get_global_id(0), y = get_global_id(1); write_imageui(a, (int2)(x, y), value(x, y, 0)); }
        kernel void planes(write_only image2d_array_t a) {
            int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
            write_imageui(a, (int4)(x, y, z, 0), value(x, y, z)); }
        kernel void plane(write_only image2d_t a) {
            int x = get_global_id(0), y = get_global_id(1); write_imageui(a, (int2)(x, y), value(x, y, 0)); }
        #pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
        kernel void solid(write_only image3d_t a) {
            int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
            write_imageui(a, (int4)(x, y, z, 0), value(x, y, z)); }
        """)
    form = cl.ImageFormat(ORDER.RGBA, TYPE.UNSIGNED_INT8)
    z, y, x = np.indices((5, 13, 37))
    wanted = np.stack([x, y + 100, z + 200, x ^ y ^ z], axis=3).astype(np.uint8)

    def written(name, size, is_array=False):
        image = cl.Image(context, FLAGS.WRITE_ONLY, form, size, is_array=is_array)
        getattr(program, name)(queue, size, None, image)
        back = np.zeros(size[::-1] + (4,), np.uint8)
        cl._cl._enqueue_read_image(queue, image, (0,) * len(size), size, back)
        return back

    assert (written("one", (37,)) == wanted[0, 0]).all()
    assert (written("plane", (37, 13)) == wanted[0]).all()
    assert (written("lines", (37, 13), True) == wanted[0]).all()
    assert (written("planes", (37, 13, 5), True) == wanted).all()
    assert (written("solid", (37, 13, 5)) == wanted).all()


def in_place():
    """A kernel reads and writes one image, also behind a fence (which compiles to a flush of the sampler's caches)."""
    program = cl.Program(context, """
        kernel void twice(read_write image2d_t a) {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            write_imageui(a, at, read_imageui(a, at) * 2 + 1); }
        kernel void again(read_write image2d_t a) {
            int2 at = (int2)(get_global_id(0), get_global_id(1));
            write_imageui(a, at, read_imageui(a, at) * 2 + 1);
            atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
            write_imageui(a, at, read_imageui(a, at) ^ 5); }""").build([*OPTIONS, "-cl-std=CL2.0"])
    data = pick.integers(0, 2 ** 31, SHAPE, dtype=np.uint32)
    form = cl.ImageFormat(ORDER.R, TYPE.UNSIGNED_INT32)
    image = cl.Image(context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, form, SHAPE[::-1], hostbuf=data)
    program.twice(queue, SHAPE[::-1], None, image)
    back = np.zeros_like(data)
    cl._cl._enqueue_read_image(queue, image, (0, 0), SHAPE[::-1], back)
    assert (back == data * 2 + 1).all()
    program.again(queue, SHAPE[::-1], None, image)
    cl._cl._enqueue_read_image(queue, image, (0, 0), SHAPE[::-1], back)
    assert (back == (data * 4 + 3 ^ 5)).all()


def model(data, at, normalised, address, linear):
    """OpenCL C specification, "Addressing and Filter Modes", for 2D images, in double precision."""
    sizes = np.array(data.shape[1::-1])
    u = at.astype(np.float64) * (sizes if normalised else 1) - (0.5 if linear else 0)
    low = np.floor(u).astype(int)
    part = u - low
    total = np.zeros((len(at), 4))
    for dx, dy in [(0, 0), (1, 0), (0, 1), (1, 1)][:4 if linear else 1]:
        index = low + (dx, dy)
        weight = (np.where((dx, dy), part, 1 - part) if linear else np.ones_like(part)).prod(axis=1)
        border = ((index < 0) | (index >= sizes)).any(axis=1) & (address == "CLAMP")
        if address == "REPEAT":
            index = index % sizes
        elif address == "MIRRORED_REPEAT":
            index = index % (2 * sizes)
            index = np.where(index < sizes, index, 2 * sizes - 1 - index)
        index = np.clip(index, 0, sizes - 1)
        texel = np.where(border[:, None], 0, data[index[:, 1], index[:, 0]].astype(np.float64))
        total += weight[:, None] * texel
    return total


def samplers():
    """Address modes, filters, and both kinds of coordinates, far outside the image, too."""
    data = texels(np.float32, SHAPE, 4)
    form = cl.ImageFormat(ORDER.RGBA, TYPE.FLOAT)
    image = cl.Image(context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, form, shape=SHAPE[::-1], hostbuf=data)
    # Neither on the border between two texels nor half-way, where rounding decides.
    where = (pick.integers(-1500, 2500, (600, 2)) * 2 + 1).astype(np.float32) / 1024
    for normalised in "TRUE", "FALSE":
        for address in ADDRESSES:
            for kind in "NEAREST", "LINEAR":
                if "REPEAT" in address and normalised == "FALSE":
                    continue
                inside = address == "NONE"
                program = build(f"""
                    const sampler_t s = CLK_NORMALIZED_COORDS_{normalised} | CLK_ADDRESS_{address} | CLK_FILTER_{kind};
                    kernel void look(read_only image2d_t a, sampler_t given, global const float2 *where, global float4 *o) {{
                        int i = get_global_id(0);
                        o[2 * i] = read_imagef(a, s, where[i]);
                        o[2 * i + 1] = read_imagef(a, given, where[i]);
                    }}""")
                at = where % np.float32(0.75) + np.float32(0.125) if inside else where
                at = at if normalised == "TRUE" else at * np.float32(16 if inside else 20)
                at = np.minimum(at, 12) if inside and normalised == "FALSE" else at
                given = cl.Sampler(context, normalised == "TRUE", getattr(cl.addressing_mode, address),
                                   getattr(cl.filter_mode, kind))
                seen = np.zeros((len(at), 2, 4), np.float32)
                out = cl.Buffer(context, FLAGS.COPY_HOST_PTR, hostbuf=seen)
                program.look(queue, (len(at),), None, image, given,
                             cl.Buffer(context, FLAGS.COPY_HOST_PTR, hostbuf=at.astype(np.float32)), out)
                cl.enqueue_copy(queue, seen, out)
                wanted = model(data, at.astype(np.float32), normalised == "TRUE", address, kind == "LINEAR")
                assert np.abs(seen - wanted[:, None]).max() < (0.2 if kind == "LINEAR" else 1e-9) * 1e-3, \
                    (normalised, address, kind)


def borders():
    """The nearest texel on the border of two, where images repeat: OpenCL C specification, "Addressing and Filter Modes"."""
    size = 8    # of which each border is a float
    data = np.zeros((2, size, 4), np.float32)
    data[:, :, 0] = np.arange(size)
    image = cl.Image(context, FLAGS.READ_ONLY | FLAGS.COPY_HOST_PTR, cl.ImageFormat(ORDER.RGBA, TYPE.FLOAT), shape=(size, 2), hostbuf=data)
    at = np.arange(-40, 41, dtype=np.float32) / size
    for address in "REPEAT", "MIRRORED_REPEAT":
        program = build(f"""
            const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_{address} | CLK_FILTER_NEAREST;
            kernel void look(read_only image2d_t a, global const float *where, global float *o) {{
                o[get_global_id(0)] = read_imagef(a, s, (float2)(where[get_global_id(0)], 0.25f)).x;
            }}""")
        seen = np.zeros(len(at), np.float32)
        out = cl.Buffer(context, FLAGS.COPY_HOST_PTR, hostbuf=seen)
        program.look(queue, (len(at),), None, image, cl.Buffer(context, FLAGS.COPY_HOST_PTR, hostbuf=at), out)
        cl.enqueue_copy(queue, seen, out)
        part = at - np.floor(at) if address == "REPEAT" else np.abs(at - 2 * np.rint(at / 2))
        wanted = np.minimum(np.floor(part * size), size - 1)
        assert (seen == wanted).all(), (address, at[seen != wanted], seen[seen != wanted])


def commands():
    """What the host does with images: fill, copy a region, copy to and from buffers, map."""
    form = cl.ImageFormat(ORDER.RGBA, TYPE.UNSIGNED_INT8)
    size = SHAPE[::-1]
    data = texels(np.uint8, SHAPE, 4)
    first = cl.Image(context, FLAGS.READ_WRITE | FLAGS.COPY_HOST_PTR, form, shape=size, hostbuf=data)
    second = cl.Image(context, FLAGS.READ_WRITE, form, shape=size)
    cl.enqueue_fill_image(queue, second, np.array([1, 2, 3, 250], np.uint32), (0, 0), size)
    cl.enqueue_copy(queue, second, first, src_origin=(3, 2), dest_origin=(5, 1), region=(20, 9))
    expected = np.tile(np.array([1, 2, 3, 250], np.uint8), SHAPE + (1,))
    expected[1:10, 5:25] = data[2:11, 3:23]
    back = np.zeros_like(data)
    cl.enqueue_copy(queue, back, second, origin=(0, 0), region=size)
    assert (back == expected).all()
    flat = cl.Buffer(context, FLAGS.READ_WRITE, 9 * 20 * 4)
    cl.enqueue_copy(queue, flat, second, offset=0, origin=(5, 1), region=(20, 9))
    part = np.zeros((9, 20, 4), np.uint8)
    cl.enqueue_copy(queue, part, flat)
    assert (part == data[2:11, 3:23]).all()
    cl.enqueue_copy(queue, first, flat, offset=0, origin=(0, 0), region=(20, 9))
    mapping = [queue, first, cl.map_flags.READ, (0, 0), size, SHAPE + (4,), np.uint8]
    pitch = cl.enqueue_map_image(*mapping)[2]
    mapped = cl.enqueue_map_image(*mapping, strides=(pitch, 4, 1))[0]
    assert (mapped[:9, :20] == part).all() and (mapped[9:] == data[9:]).all()


for test in formats, kinds, writes, in_place, samplers, borders, commands:
    test()
    print(f"{test.__name__}: ok", flush=True)
