"""Images and samplers as arguments of `wavetrap run -g gen9`: the same kernels on PoCL, and what --dump-arg, --compare-arg,
--who-wrote and `info` tell of an image."""
import subprocess

import numpy
import pytest

from test_gcn_kernels import WAVETRAP
from test_gen_kernels import FORMS, LEVELS, OWN, compiler, zebin  # noqa: F401

FILE = OWN / "images.cl"
# PoCL runs these.
KERNELS = ["sampled", "floats", "unsigned_integers", "integers", "row", "planes", "volume", "blur", "solid", "levels"]
# A height that is not a multiple of four: slices do not lie one after the other.
SHAPE = (37, 22)
ORDERS = {"r": 1, "rg": 2, "rgba": 4, "bgra": 4}
FLOATS = {"unorm8": "u1", "unorm16": "u2", "snorm8": "i1", "snorm16": "i2", "half": "f2", "float": "f4"}
# Both ways of compiling, one in each form of files.
COMPILED = pytest.mark.parametrize("form,level", list(zip(FORMS, LEVELS)))
UNSIGNED = {"uint8": "u1", "uint16": "u2", "uint32": "u4"}
SIGNED = {"sint8": "i1", "sint16": "i2", "sint32": "i4"}


@pytest.fixture(scope="module")
def pocl():
    import pyopencl as cl
    platforms = [p for p in cl.get_platforms() if "Portable" in p.name]
    assert platforms, "PoCL is missing: scripts/need.sh check"
    context = cl.Context(platforms[0].get_devices())
    return cl, context, cl.CommandQueue(context), cl.Program(context, FILE.read_text()).build(["-cl-std=CL1.2"])


def cl_format(cl, order, kind):
    types = {"unorm8": "UNORM_INT8", "unorm16": "UNORM_INT16", "snorm8": "SNORM_INT8", "snorm16": "SNORM_INT16", "half": "HALF_FLOAT",
             "float": "FLOAT", "uint8": "UNSIGNED_INT8", "uint16": "UNSIGNED_INT16", "uint32": "UNSIGNED_INT32", "sint8": "SIGNED_INT8",
             "sint16": "SIGNED_INT16", "sint32": "SIGNED_INT32"}
    return cl.ImageFormat(getattr(cl.channel_order, order.upper()), getattr(cl.channel_type, types[kind]))


def texels(shape, order, kind, seed=1):
    """Random texels; floats without NaN and infinity."""
    numbers = numpy.random.default_rng(seed)
    dtype = {**FLOATS, **UNSIGNED, **SIGNED}[kind]
    count = int(numpy.prod(shape)) * ORDERS[order]
    if dtype.startswith("f"):
        return numbers.uniform(-2, 2, count).astype(dtype)
    low = numpy.iinfo(dtype).min
    return numbers.integers(low + (low < 0), numpy.iinfo(dtype).max, count, dtype=dtype, endpoint=True)


def run(path, kernel, grid, arguments, *options):
    return subprocess.run([WAVETRAP, "run", "-g", "gen9:subslices=1", f"--kernel={kernel}", f"--grid={','.join(map(str, grid))}",
                           "--block=1" if len(grid) > 1 else f"--block={min(grid[0], 64)}", *[f"--arg={a}" for a in arguments],
                           *options, path], capture_output=True, text=True, timeout=300, check=False)


def image(folder, name, shape, order, kind, data=None):
    """The text of an image argument."""
    what = "zeros"
    if data is not None:
        (folder / name).write_bytes(data.tobytes())
        what = f"file:{folder / name}"
    return f"image:{'x'.join(map(str, shape))},{order}-{kind},{what}"


def by_pocl(pocl, kernel, shape, order, kind, data, image_type, *more):
    """What the second image holds once PoCL has run a kernel with two images."""
    cl, context, queue, program = pocl
    form, flags = cl_format(cl, order, kind), cl.mem_flags
    # PoCL 3.1 writes images of one half wrongly.
    if form not in cl.get_supported_image_formats(context, flags.READ_WRITE, image_type) or (order, kind) == ("r", "half"):
        return None
    is_array = "ARRAY" in cl.mem_object_type.to_string(image_type)
    make = lambda flag, **host: cl.Image(context, flag, form, shape, is_array=is_array, **host)  # noqa: E731
    source = make(flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=data)
    target = make(flags.WRITE_ONLY)
    getattr(program, kernel)(queue, shape, None, source, target, *more)
    out = numpy.zeros_like(data)
    region = (*shape, *[1] * (3 - len(shape)))
    cl._cl._enqueue_read_image(queue, target, (0, 0, 0), region, out)
    return out


def same(got, want, tolerance):
    return numpy.all(numpy.abs(got.astype(float) - want.astype(float)) <= tolerance)


def combinations(kinds, orders):
    """(kind, order, form, level): one order of channels is compiled both ways."""
    ways = list(zip(FORMS, LEVELS))
    return [(k, o, *way) for k in kinds for o in orders for way in (ways if o == "rgba" else ways[:1]) if o != "bgra" or k == "unorm8"]


@pytest.mark.parametrize("kind,order,form,level", combinations(FLOATS, ORDERS))
def test_float_images(pocl, zebin, tmp_path, order, kind, form, level):  # noqa: F811
    """Read and written; the mirrored rows show that a row is where it should be. Sizes, order and type as OpenCL numbers them."""
    cl, context, queue, _ = pocl
    data, told = texels(SHAPE, order, kind), numpy.zeros(4, numpy.int32)
    told_by_pocl = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=told)
    want = by_pocl(pocl, "floats", SHAPE, order, kind, data, cl.mem_object_type.IMAGE2D, told_by_pocl)
    if want is None:  # a copy is exact in every format
        want = data.reshape(SHAPE[1], -1)[::-1].ravel()
        number = {"r": 0x10b0, "rg": 0x10b2, "rgba": 0x10b5, "bgra": 0x10b6}[order]
        types = {"snorm8": 0x10d0, "snorm16": 0x10d1, "unorm8": 0x10d2, "unorm16": 0x10d3, "half": 0x10dd, "float": 0x10de}
        told = numpy.array([*SHAPE, number, types[kind]], numpy.int32)
    else:
        cl.enqueue_copy(queue, told, told_by_pocl)
    arguments = [image(tmp_path, "in", SHAPE, order, kind, data), image(tmp_path, "", SHAPE, order, kind), "zeros:16"]
    done = run(zebin(FILE, *LEVELS[level], form=FORMS[form]), "floats", SHAPE, arguments, f"--dump-arg=1:{tmp_path}/out", f"--dump-arg=2:{tmp_path}/told")
    assert done.returncode == 0, done.stderr
    got = numpy.frombuffer((tmp_path / "out").read_bytes(), data.dtype)
    assert got.size == want.size and same(got, want, 0)
    assert list(numpy.frombuffer((tmp_path / "told").read_bytes(), numpy.int32)) == list(told)


@pytest.mark.parametrize("kind,order,form,level", combinations([*UNSIGNED, *SIGNED], ["r", "rg", "rgba"]))
def test_integer_images(pocl, zebin, tmp_path, order, kind, form, level):  # noqa: F811
    kernel, data = "unsigned_integers" if kind in UNSIGNED else "integers", texels(SHAPE, order, kind, 2)
    step, info = 3 if kind in UNSIGNED else -3, numpy.iinfo(data.dtype)
    # Sums wrap in the kernel's 32 bits and saturate in the texel.
    sums = (data.astype(numpy.int64) + step).astype(numpy.uint32 if kind in UNSIGNED else numpy.int32).astype(numpy.int64)
    want = numpy.clip(sums, info.min, info.max).astype(data.dtype)
    oracle = by_pocl(pocl, kernel, SHAPE, order, kind, data, pocl[0].mem_object_type.IMAGE2D)
    if oracle is not None and data.dtype.itemsize == 4:  # PoCL 3 does not saturate
        assert same(oracle, want, 0)
    arguments = [image(tmp_path, "in", SHAPE, order, kind, data), image(tmp_path, "", SHAPE, order, kind)]
    done = run(zebin(FILE, *LEVELS[level], form=FORMS[form]), kernel, SHAPE, arguments, f"--dump-arg=1:{tmp_path}/out")
    assert done.returncode == 0, done.stderr
    assert same(numpy.frombuffer((tmp_path / "out").read_bytes(), data.dtype), want, 0)


@COMPILED
@pytest.mark.parametrize("kernel,shape,kind", [("row", (70,), "IMAGE1D"), ("rows", (19, 5), "IMAGE1D_ARRAY"), ("planes", (13, 6, 3), "IMAGE2D_ARRAY"),
                                               ("volume", (9, 6, 4), "IMAGE3D"), ("blur", (21, 10), "IMAGE2D")])
def test_kinds_of_images(pocl, zebin, tmp_path, kernel, shape, kind, level, form):  # noqa: F811
    data = texels(shape, "rgba", "uint8", 3)
    if kind == "IMAGE1D_ARRAY":  # pyopencl does not read them back; the rule is simple
        want = data.reshape(shape[1], -1)[::-1]
    else:
        want = by_pocl(pocl, kernel, shape, "rgba", "uint8", data, getattr(pocl[0].mem_object_type, kind))
    (tmp_path / "want").write_bytes(want.tobytes())
    path = zebin(FILE, *LEVELS[level], form=FORMS[form])
    arguments = [image(tmp_path, "in", shape, "rgba", "uint8", data), image(tmp_path, "", shape, "rgba", "uint8")]
    done = run(path, kernel, shape, arguments, f"--dump-arg=1:{tmp_path}/out", f"--compare-arg=1:{tmp_path}/want")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out").read_bytes() == want.tobytes()


@COMPILED
@pytest.mark.parametrize("kernel,shape", [("solid", (9, 7, 5)), ("levels", (17, 9)), ("elements", (300,))])
def test_read_only_kinds(pocl, zebin, tmp_path, kernel, shape, form, level):  # noqa: F811
    cl, context, queue, program = pocl
    data, flags = texels(shape, "rgba", "uint8", 4), cl.mem_flags
    # pyopencl makes no images of buffers; the rule is simple.
    want = data.reshape(-1, 4)[::-1].astype(numpy.uint32).ravel()
    if kernel == "levels":
        want = numpy.zeros(256, numpy.uint32)
    if kernel != "elements":
        source = cl.Image(context, flags.READ_ONLY | flags.COPY_HOST_PTR, cl_format(cl, "rgba", "uint8"), shape, hostbuf=data)
        out = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=want)
        getattr(program, kernel)(queue, shape, None, source, out)
        cl.enqueue_copy(queue, want, out)
    done = run(zebin(FILE, *LEVELS[level], form=FORMS[form]), kernel, shape, [image(tmp_path, "in", shape, "rgba", "uint8", data), f"zeros:{want.nbytes}"],
               f"--dump-arg=1:{tmp_path}/out")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out").read_bytes() == want.tobytes()


@COMPILED
@pytest.mark.parametrize("address,filter_,normalized", [
    (a, f, n) for a in ("clamp", "clamp-to-edge", "repeat", "mirrored-repeat") for f in ("nearest", "linear") for n in (False, True)
    if n or a.startswith("clamp")])
def test_samplers(pocl, zebin, tmp_path, address, filter_, normalized, form, level):  # noqa: F811
    cl, context, queue, program = pocl
    data, numbers = texels(SHAPE, "rgba", "float", 5), numpy.random.default_rng(6)
    n = 128
    # Nearest texels: away from edges, where the two may round to either side.
    where = numbers.integers(-20, 60, (n, 2)) + numbers.uniform(0.1, 0.4, (n, 2))
    where = where.astype(numpy.float32)
    scale = numpy.float32(1 / 32 if normalized else 1)
    flags, modes, filters = cl.mem_flags, cl.addressing_mode, cl.filter_mode
    source = cl.Image(context, flags.READ_ONLY | flags.COPY_HOST_PTR, cl_format(cl, "rgba", "float"), SHAPE, hostbuf=data)
    mode = {"clamp": modes.CLAMP, "clamp-to-edge": modes.CLAMP_TO_EDGE, "repeat": modes.REPEAT, "mirrored-repeat": modes.MIRRORED_REPEAT}
    sampler = cl.Sampler(context, normalized, mode[address], filters.LINEAR if filter_ == "linear" else filters.NEAREST)
    want = numpy.zeros((n, 3, 4), numpy.float32)
    out = cl.Buffer(context, flags.WRITE_ONLY, want.nbytes)
    points = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=where)
    program.sampled(queue, (n,), None, source, sampler, points, scale, out)
    cl.enqueue_copy(queue, want, out)
    (tmp_path / "where").write_bytes(where.tobytes())
    text = f"sampler:{address},{filter_}{',normalized' if normalized else ''}"
    arguments = [image(tmp_path, "in", SHAPE, "rgba", "float", data), text, f"file:{tmp_path}/where", repr(float(scale)), f"zeros:{want.nbytes}"]
    done = run(zebin(FILE, *LEVELS[level], form=FORMS[form]), "sampled", (n,), arguments, f"--dump-arg=4:{tmp_path}/out")
    assert done.returncode == 0, done.stderr
    got = numpy.frombuffer((tmp_path / "out").read_bytes(), numpy.float32).reshape(want.shape)
    assert numpy.allclose(got[:, 1], want[:, 1], atol=0)
    assert numpy.allclose(got[:, 2], want[:, 2], atol=1e-4)
    near = numpy.abs(got[:, 0] - want[:, 0]).max(axis=1) <= 1e-4
    # Normalised coordinates: a product may be rounded across the edge of a texel.
    assert near.all() or (filter_ == "nearest" and normalized and near.mean() > 0.97)


def test_a_picture(zebin, tmp_path):  # noqa: F811
    """A PPM has three channels of 8 bits, its largest value may be less than 255; the alpha is 1."""
    (tmp_path / "p.ppm").write_bytes(b"P6 # three texels\n3 1\n100\n" + bytes([0, 50, 100, 100, 0, 25, 1, 2, 3]))
    done = run(zebin(FILE), "floats", (3, 1), [f"netpbm:{tmp_path}/p.ppm", "image:3x1,rgba-float,zeros", "zeros:16"],
               f"--dump-arg=1:{tmp_path}/out")
    assert done.returncode == 0, done.stderr
    want = numpy.array([[0, 128, 255, 255], [255, 0, 64, 255], [3, 5, 8, 255]]) / 255
    assert numpy.allclose(numpy.frombuffer((tmp_path / "out").read_bytes(), numpy.float32).reshape(3, 4), want)
    (tmp_path / "g.pgm").write_bytes(b"P5\n2 2\n65535\n" + bytes([0x12, 0x34, 0, 1, 0xff, 0xff, 0x80, 0]))
    done = run(zebin(FILE), "floats", (2, 2), [f"netpbm:{tmp_path}/g.pgm", "image:2x2,r-unorm16,zeros", "zeros:16"],
               f"--dump-arg=1:{tmp_path}/out")
    assert done.returncode == 0, done.stderr
    assert list(numpy.frombuffer((tmp_path / "out").read_bytes(), "<u2")) == [0xffff, 0x8000, 0x1234, 1]


def test_differences_of_an_image_name_the_writer(zebin, tmp_path):  # noqa: F811
    """The second plane does not begin where the first one ends: the writer is found all the same."""
    shape, data = (13, 6, 3), texels((13, 6, 3), "rgba", "uint8", 7)
    want = bytearray(data.reshape(3, 6, -1)[::-1, ::-1].tobytes())
    want[13 * 6 * 4 + 5] ^= 1  # plane 1, texel (1, 0)
    (tmp_path / "want").write_bytes(want)
    done = run(zebin(FILE), "planes", shape, [image(tmp_path, "in", shape, "rgba", "uint8", data), image(tmp_path, "", shape, "rgba", "uint8")],
               f"--compare-arg=1:{tmp_path}/want")
    assert done.returncode == 1 and "byte 317 is" in done.stderr and "work-item (1,0,1)" in done.stderr, done.stderr
    done = run(zebin(FILE), "planes", shape, [image(tmp_path, "in", shape, "rgba", "uint8", data), image(tmp_path, "", shape, "rgba", "uint8")],
               "--who-wrote=1:310,8")
    assert done.returncode == 125 and "more than one slice" in done.stderr, done.stderr


@pytest.mark.parametrize("argument,message", [
    ("zeros:16", "'zeros:16' is not image:SIZE,ORDER-TYPE,CONTENTS or netpbm:PATH, which an image takes"),
    ("image:4x4", "'4x4' is not SIZE,ORDER-TYPE,CONTENTS"),
    ("image:4,rgba-unorm8,zeros", "it has 2 sizes, not 1"),
    ("image:0x4,rgba-unorm8,zeros", "'0x4' is not WIDTH, WIDTHxHEIGHT"),
    ("image:4x4,rgbx-unorm8,zeros", "'rgbx' is not an order of channels: r, a, rg, rgba"),
    ("image:4x4,rgba-unorm9,zeros", "'unorm9' is not a type of a channel: snorm8"),
    ("image:4x4,bgra-float,zeros", "Gen9 has no surface format of this order and type"),
    ("image:20000x4,rgba-unorm8,zeros", "20000x4x1 texels are too many"),
    ("image:16384x16384,rgba-float,zeros", "has more than 1 GiB"),
    ("image:4x4,rgba-unorm8,pattern:1", "not a sequence of hexadecimal bytes"),
    ("image:4x4,rgba-unorm8,file:/dev/null", "/dev/null has 0 bytes; the image has 64"),
    ("netpbm:/dev/null", "/dev/null is not a binary PGM (P5) or PPM (P6)"),
])
def test_mistakes_in_images(zebin, argument, message):  # noqa: F811
    done = run(zebin(FILE), "floats", (4, 4), [argument, "image:4x4,rgba-float,zeros", "zeros:16"])
    assert done.returncode == 125 and message in done.stderr and "argument 0, from" in done.stderr, done.stderr


@pytest.mark.parametrize("argument,message", [
    ("5", "'5' is not sampler:ADDRESS,FILTER[,normalized], which a sampler takes"),
    ("sampler:wrap,linear", "'wrap' is not an address mode: none, clamp, clamp-to-edge, repeat, mirrored-repeat"),
    ("sampler:clamp,cubic", "'cubic' is not a filter: nearest, linear"),
    ("sampler:clamp,linear,normal", "is not ADDRESS,FILTER or ADDRESS,FILTER,normalized"),
    ("sampler:repeat,linear", "'repeat' is for normalized coordinates"),
])
def test_mistakes_in_samplers(zebin, argument, message):  # noqa: F811
    done = run(zebin(FILE), "sampled", (4,), ["image:4x4,rgba-float,zeros", argument, "zeros:32", "1.0", "zeros:192"])
    assert done.returncode == 125 and message in done.stderr and "argument 1, given" in done.stderr, done.stderr


def test_info_names_kinds(zebin):  # noqa: F811
    for form in FORMS.values():
        told = subprocess.run([WAVETRAP, "info", zebin(FILE, form=form)], capture_output=True, text=True, check=True).stdout
        for kind in ("1D image", "array of 1D images", "2D image", "array of 2D images", "3D image", "image of a buffer", "sampler"):
            assert f": {kind}, 8 bytes" in told, told
