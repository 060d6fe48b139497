"""Debian's ffmpeg, as it is, with its CUDA filters on the emulated SM. The truth is the filter of the same name on the CPU where
both compute the same, else the filter's formula written down here, else the likeness of the pictures."""
import math
import struct
import subprocess

import pytest

from conftest import wavetrap

CPU = ["ffmpeg", "-v", "error", "-nostdin"]
GPU = [*CPU, "-init_hw_device", "cuda=c", "-filter_hw_device", "c"]
WIDTH, HEIGHT = 96, 64
RAW = ["-f", "rawvideo", "-"]


def source(frames=3, width=WIDTH, height=HEIGHT, what="testsrc2"):
    return ["-f", "lavfi", "-i", f"{what}=s={width}x{height}:r=10:d={frames / 10}"]


def on_cpu(*arguments):
    return subprocess.run([*CPU, *arguments, *RAW], check=True, capture_output=True, timeout=180).stdout


def on_gpu(tmp_path, *arguments):
    """Through a file: what a run prints is text."""
    out = tmp_path / "out.raw"
    done = wavetrap("exec", "-g", "sm", *GPU, *arguments, "-f", "rawvideo", "-y", out)
    assert done.returncode == 0, done.stderr
    return out.read_bytes()


def filtered(tmp_path, name, sources=None, before="yuv420p", after="yuv420p"):
    return on_gpu(tmp_path, *(sources or source()), "-vf", f"format={before},hwupload_cuda,{name},hwdownload,format={after}")


def likeness(a, b):
    """PSNR of 8-bit samples, in dB."""
    assert len(a) == len(b)
    error = sum((x - y) ** 2 for x, y in zip(a, b)) / len(a)
    return 10 * math.log10(255 ** 2 / error) if error else math.inf


def planes(frame, width=WIDTH, height=HEIGHT):
    """Rows of Y, U, V (and A) of yuv420p or yuva420p."""
    at = 0
    for w, h in ((width, height), (width // 2, height // 2), (width // 2, height // 2), (width, height)):
        yield [frame[at + w * y:at + w * (y + 1)] for y in range(h)] if at + w * h <= len(frame) else None
        at += w * h


def frames(data, size=WIDTH * HEIGHT * 3 // 2):
    assert len(data) % size == 0
    return [data[i:i + size] for i in range(0, len(data), size)]


@pytest.mark.parametrize("pixels", "yuv420p nv12 yuv444p p010le p016le yuv444p16le rgb0 bgr0".split())
def test_every_format_of_pixels_comes_back(tmp_path, pixels):
    name = f"scale_cuda={WIDTH}:{HEIGHT}:interp_algo=nearest:passthrough=0"
    assert filtered(tmp_path, name, before=pixels, after=pixels) == on_cpu(*source(), "-vf", f"format={pixels}")


def test_planes_with_alpha_come_back(tmp_path):
    """The ninth format that the GPU takes; no filter but chromakey_cuda has it."""
    gpu = on_gpu(tmp_path, *source(), "-vf", "format=yuva420p,hwupload_cuda,hwdownload,format=yuva420p")
    assert gpu == on_cpu(*source(), "-vf", "format=yuva420p")


@pytest.mark.parametrize("size", ["48:32", "144:96"])
def test_nearest_is_the_cpus(tmp_path, size):
    cpu = on_cpu(*source(), "-vf", f"format=yuv420p,scale={size}:flags=neighbor")
    assert filtered(tmp_path, f"scale_cuda={size}:interp_algo=nearest") == cpu


@pytest.mark.parametrize("algorithm, least", [("bilinear", 55), ("bicubic", 33), ("lanczos", 32)])
def test_scaling_up_resembles_the_cpus(tmp_path, algorithm, least):
    """The two use other coefficients, so that this is a likeness: a place that is off by half a pixel has below 25 dB."""
    cpu = on_cpu(*source(1), "-vf", f"format=yuv420p,scale=144:96:flags={algorithm}+accurate_rnd")
    assert likeness(filtered(tmp_path, f"scale_cuda=144:96:interp_algo={algorithm}", source(1)), cpu) > least


def single(value):
    """The nearest number of 32 bits. Of a product, or of a product and a sum, that are computed in 64 bits it is that of fma."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


PI = single(math.pi)


def lanczos(x):
    """The weights of four samples (Lanczos, a = 2), normalised."""
    def weight(distance):
        r = single(PI * single(x + distance))
        return single(single(single(math.sin(r)) * single(math.sin(single(r / 2)))) / single(single(r * r) / 2)) if r else 1.0
    weights = [weight(d) for d in (1, 0, -1, -2)]
    whole = 0.0
    for w in weights:
        whole = single(whole + w)
    return [single(w / whole) for w in weights]


def bicubic(x):
    """The weights of four samples, with the parameter A = 0, which is this filter's default."""
    def near(t):
        return single(t * single(t * single(2 * t - 3)) + 1)
    second, third = near(x), near(single(1 - x))
    return [0.0, second, third, single(single(1 - second) - third)]


def places(count, wide, weights):
    """For each of `count` samples the first of the four of `wide` that it is made of, and their weights."""
    for i in range(count):
        at = single(single(wide / count) * single(i + 0.5) - 0.5)
        yield math.floor(at) - 1, weights(single(at - math.floor(at)))


def scaled(rows, width, height, weights):
    """What scale_cuda computes of a plane of 8 bits, before it takes the low byte. Sums are in its order: second, first, third, fourth."""
    def total(w, v):
        result = single(w[1] * v[1])
        for k in (0, 2, 3):
            result = single(w[k] * v[k] + result)
        return result
    columns = list(places(width, len(rows[0]), weights))
    across = [[total(w, [single(row[min(max(at + k, 0), len(row) - 1)] / 255) for k in range(4)]) for at, w in columns] for row in rows]
    return [[max(int(single(total(w, [across[min(max(at + k, 0), len(rows) - 1)][x] for k in range(4)]) * 255)), 0) for x in range(width)]
            for at, w in places(height, len(rows), weights)]


@pytest.mark.parametrize("weights, cpus", [(lanczos, "lanczos:param0=2"), (bicubic, "bicubic:param0=0:param1=0")], ids=["lanczos", "bicubic"])
def test_scaling_up_by_its_formula(tmp_path, weights, cpus):
    """Bit by bit. What makes it unlike the CPU's filter is: it has other defaults (the CPU's Lanczos has six samples, its bicubic A = 0.6),
    cuts the fraction off, and has no limit: what is above 255 is 256 less. With the same parameters and a limit it is the CPU's."""
    given, = frames(on_cpu(*source(1), "-vf", "format=yuv420p"))
    got = filtered(tmp_path, f"scale_cuda=144:96:interp_algo={weights.__name__}", source(1))
    cpu = on_cpu(*source(1), "-vf", f"format=yuv420p,scale=144:96:flags={cpus.replace(':', '+accurate_rnd:', 1)}")
    model = [scaled(rows, w, h, weights) for rows, (w, h) in zip(planes(given), ((144, 96), (72, 48), (72, 48)))]
    assert got == bytes(v & 255 for plane in model for row in plane for v in row)
    assert likeness(bytes(min(v, 255) for plane in model for row in plane for v in row), cpu) > 50


@pytest.mark.parametrize("pixels", ["yuv420p", "nv12"])
def test_an_opaque_overlay_is_the_cpus(tmp_path, pixels):
    both = [*source(), *source(width=32, height=32, what="testsrc")]
    gpu = on_gpu(tmp_path, *both, "-filter_complex", f"[0]format=yuv420p,format={pixels},hwupload_cuda[a];[1]format=yuv420p,format={pixels},hwupload_cuda[b];"
                 f"[a][b]overlay_cuda=x=10:y=8,hwdownload,format={pixels},format=yuv420p")
    assert gpu == on_cpu(*both, "-filter_complex", "[0]format=yuv420p[a];[1]format=yuv420p[b];[a][b]overlay=x=10:y=8")


@pytest.mark.parametrize("pixels", "yuv420p nv12 yuv444p p010le p016le yuv444p16le".split())
def test_the_thumbnail_is_the_cpus(tmp_path, pixels):
    gpu = filtered(tmp_path, "thumbnail_cuda=5", source(10), pixels, pixels)
    numbers = on_cpu(*source(10), "-vf", f"format=yuv420p,thumbnail=5,format={pixels}")
    assert len(gpu) >= WIDTH * HEIGHT * 3 and gpu == numbers


def half(number):
    """As C divides."""
    return int(number / 2)


def spatial(up, down):
    """The best of five directions between the lines above and below; up[3] is right above."""
    def score(shift):
        return sum(abs(up[3 + k + shift] - down[3 + k - shift]) for k in (-1, 0, 1))
    best, guess = score(0), half(up[3] + down[3])
    for sign in (-1, 1):
        for shift in (sign, 2 * sign):
            if score(shift) >= best:
                break
            best, guess = score(shift), half(up[3 + shift] + down[3 - shift])
    return guess


def deinterlaced(before, rows, after, parity):
    """Lines of one parity are kept; the others are guessed from the neighbours in place and time (yadif, first field)."""
    height, width = len(rows), len(rows[0])

    def at(picture, x, y):
        return picture[min(max(y, 0), height - 1)][min(max(x, 0), width - 1)]
    result = []
    for y in range(height):
        line = list(rows[y])
        for x in range(width if y % 2 != parity else 0):
            guess = spatial([at(rows, x + k, y - 1) for k in range(-3, 4)], [at(rows, x + k, y + 1) for k in range(-3, 4)])
            near = [half(at(before, x, y + k) + at(rows, x, y + k)) for k in (-2, 0, 2)]
            above, below = at(rows, x, y - 1), at(rows, x, y + 1)
            moved = max(abs(at(before, x, y) - at(rows, x, y)),
                        half(abs(at(before, x, y - 1) - above) + abs(at(before, x, y + 1) - below)),
                        half(abs(at(after, x, y - 1) - above) + abs(at(after, x, y + 1) - below)))
            high = max(near[1] - below, near[1] - above, min(near[0] - above, near[2] - below))
            low = min(near[1] - below, near[1] - above, max(near[0] - above, near[2] - below))
            moved = max(moved, low, -high)
            line[x] = min(max(guess, near[1] - moved), near[1] + moved)
        result.append(line)
    return result


def samples(data, pixels, width, height):
    """Of each frame the rows of Y, U and V, whatever their bits and their order in memory."""
    wide, whole, mixed = pixels.endswith("le"), "444" in pixels, pixels.startswith("p0")
    values = struct.unpack(f"<{len(data) // 2}H", data) if wide else data
    w, h = (width, height) if whole else (width // 2, height // 2)
    for first in range(0, len(values), width * height + 2 * w * h):
        luma = [list(values[first + width * y:first + width * (y + 1)]) for y in range(height)]
        chroma = values[first + width * height:first + width * height + 2 * w * h]
        u, v = (chroma[::2], chroma[1::2]) if mixed else (chroma[:w * h], chroma[w * h:])
        yield [luma, *([list(plane[w * y:w * (y + 1)]) for y in range(h)] for plane in (u, v))]


@pytest.mark.parametrize("pixels", "yuv420p yuv444p16le p010le p016le".split())
def test_yadif_by_its_formula(tmp_path, pixels):
    """Of 8 and 16 bits a sample, alone in a texel and by two. The CPU's filter has other edges and breaks ties otherwise."""
    width, height = 48, 32
    made = source(width=width, height=height)
    given = list(samples(on_cpu(*made, "-vf", f"format={pixels}"), pixels, width, height))
    got = list(samples(filtered(tmp_path, "yadif_cuda", made, f"{pixels},setfield=tff", pixels), pixels, width, height))
    assert len(got) == 3
    for plane in range(3):
        assert got[1][plane] == deinterlaced(given[0][plane], given[1][plane], given[2][plane], 0)


@pytest.mark.parametrize("pixels, same", [("yuv420p", "yuv420p"), ("yuv444p16le", "yuv444p16le"), ("p016le", "yuv420p16le")])
def test_yadif_beside_the_cpus(tmp_path, pixels, same):
    """Most samples are equal; the filters break ties differently."""
    gpu = filtered(tmp_path, "yadif_cuda", before=f"{pixels},setfield=tff", after=pixels)
    cpu = on_cpu(*source(), "-vf", f"format={pixels},setfield=tff,format={same},yadif,format={pixels}")
    assert gpu != on_cpu(*source(), "-vf", f"format={pixels}")
    pairs = [(a, b) for x, y in zip(samples(gpu, pixels, WIDTH, HEIGHT), samples(cpu, pixels, WIDTH, HEIGHT))
             for p, q in zip(x, y) for a, b in zip(sum(p, []), sum(q, []))]
    assert sum(a == b for a, b in pairs) > 0.97 * len(pairs)


def test_yadif_of_nv12_is_that_of_yuv420p(tmp_path):
    """Chroma of nv12 is two bytes a texel."""
    plain = filtered(tmp_path, "yadif_cuda", before="yuv420p,setfield=tff")
    assert filtered(tmp_path, "yadif_cuda", before="nv12,setfield=tff", after="nv12,format=yuv420p") == plain


def test_chromakey_by_its_formula(tmp_path):
    """It samples between texels, with linear filtering: each sample is the mean of four, which weights of 1/2 give exactly."""
    name = "chromakey_cuda=0x00FF00:0.3:0.1"
    given, = frames(on_cpu(*source(1), "-vf", "format=yuv420p"))
    got, = frames(filtered(tmp_path, name, source(1), after="yuva420p"), WIDTH * HEIGHT * 5 // 2)
    rows, *_ = planes(given)
    keyed, _, _, alpha = planes(got)
    for y in range(HEIGHT):
        for x in range(WIDTH):
            mean = sum(rows[max(y - j, 0)][max(x - i, 0)] for i in (0, 1) for j in (0, 1)) / 4
            assert keyed[y][x] == int(single(single(mean / 255) * 255)), (x, y)
    assert {0, 255} < {a for row in alpha for a in row}  # keyed, kept, and blended in between


def test_what_ffmpeg_says_of_an_error(tmp_path):
    done = wavetrap("exec", "-g", "sm:memory=16M", *GPU, *source(1, 4096, 4096), "-vf",
                    "format=yuv420p,hwupload_cuda,hwdownload,format=yuv420p", "-f", "null", "-")
    assert done.returncode and "CUDA_ERROR_OUT_OF_MEMORY: out of memory" in done.stderr
