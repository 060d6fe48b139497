"""Run by test_opencl.py under `wavetrap exec -g gen9`: kernels of many kinds on the emulated GPU, each against numpy.

Prints "name: ok" for each, or what differs. With names as arguments only those.
"""
import sys
import warnings

import numpy as np
import pyopencl as cl
import pyopencl.array

warnings.filterwarnings("ignore")
FLAGS = cl.mem_flags
OPTIONS = [word for word in sys.argv[1:] if word.startswith("-")]
NAMES = [word for word in sys.argv[1:] if not word.startswith("-")]


class Gpu:
    def __init__(self):
        (device,) = cl.get_platforms()[0].get_devices()
        assert "HD Graphics 530" in device.name, device.name
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
        self.pick = np.random.default_rng(1)

    def build(self, source):
        return cl.Program(self.context, source).build(OPTIONS)

    def buffer(self, array):
        return cl.Buffer(self.context, FLAGS.COPY_HOST_PTR, hostbuf=array)

    def read(self, buffer, like):
        out = np.empty_like(like)
        cl.enqueue_copy(self.queue, out, buffer)
        return out


def matrix(gpu):
    """Local memory, barriers, two dimensions."""
    program = gpu.build("""
        kernel void mm(global const float *A, global const float *B, global float *C, int n) {
            local float a[16][16], b[16][16];
            int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
            float s = 0;
            for (int t = 0; t < n; t += 16) {
                a[ly][lx] = A[y * n + t + lx]; b[ly][lx] = B[(t + ly) * n + x];
                barrier(CLK_LOCAL_MEM_FENCE);
                for (int k = 0; k < 16; k++) s += a[ly][k] * b[k][lx];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            C[y * n + x] = s;
        }""")
    a, b = gpu.pick.random((2, 48, 48), dtype=np.float32)
    out = gpu.buffer(np.zeros_like(a))
    program.mm(gpu.queue, a.shape, (16, 16), gpu.buffer(a), gpu.buffer(b), out, np.int32(48))
    return gpu.read(out, a), a @ b, 1e-5


def doubles(gpu):
    """Intel's compiler makes square roots and divisions of doubles from madm and math.invm."""
    program = gpu.build("""
        kernel void f(global const double *x, global double *o) {
            int i = get_global_id(0);
            o[i] = sqrt(x[i]) + exp(-x[i]) / (x[i] + 1.0) + sin(x[i]);
        }""")
    x = np.linspace(0, 50, 999)
    out = gpu.buffer(x)
    program.f(gpu.queue, x.shape, None, gpu.buffer(x), out)
    return gpu.read(out, x), np.sqrt(x) + np.exp(-x) / (x + 1) + np.sin(x), 1e-14


def halves(gpu):
    program = gpu.build("""
        #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        kernel void f(global const half *a, global const half *b, global half *o) {
            int i = get_global_id(0);
            o[i] = a[i] > b[i] ? a[i] * b[i] : a[i] + b[i];
        }""")
    a, b = gpu.pick.normal(size=(2, 500)).astype(np.float16)
    out = gpu.buffer(a)
    program.f(gpu.queue, a.shape, None, gpu.buffer(a), gpu.buffer(b), out)
    return gpu.read(out, a), np.where(a > b, a * b, a + b), 0


def integers(gpu):
    """Products and quotients of 64 bits, shifts, counts."""
    program = gpu.build("""
        kernel void f(global const long *a, global const long *b, global long *o) {
            int i = get_global_id(0);
            long q = b[i] ? a[i] / b[i] : 0, r = b[i] ? a[i] % b[i] : a[i];
            o[4 * i] = q; o[4 * i + 1] = r; o[4 * i + 2] = a[i] * b[i] + popcount(a[i]);
            o[4 * i + 3] = (a[i] >> (b[i] & 63)) ^ clz(b[i]) ^ mul_hi(a[i], b[i]);
        }""")
    a = gpu.pick.integers(-2**63, 2**63, 300, dtype=np.int64)
    b = gpu.pick.integers(-2**40, 2**40, 300, dtype=np.int64)
    out = gpu.buffer(np.zeros(1200, np.int64))
    program.f(gpu.queue, a.shape, None, gpu.buffer(a), gpu.buffer(b), out)
    wanted = []

    def wrap(n):
        return (n + 2**63) % 2**64 - 2**63
    for x, y in zip(a.tolist(), b.tolist()):
        q = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) if y else 0
        clz = 64 - (y % 2**64).bit_length()
        wanted += [q, x - q * y if y else x, wrap(x * y + bin(x % 2**64).count("1")),
                   wrap((x >> (y & 63)) ^ clz ^ (x * y >> 64))]
    return gpu.read(out, np.zeros(1200, np.int64)), np.array(wanted, np.int64), 0


def atomics(gpu):
    program = gpu.build("""
        kernel void f(global const uchar *d, global uint *h, global int *most) {
            local uint own[256];
            for (int i = get_local_id(0); i < 256; i += get_local_size(0)) own[i] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = get_global_id(0); i < 4096; i += get_global_size(0)) atomic_inc(&own[d[i]]);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = get_local_id(0); i < 256; i += get_local_size(0)) atomic_add(&h[i], own[i]);
            atomic_max(most, (int)get_global_id(0));
        }""")
    data = gpu.pick.integers(0, 256, 4096).astype(np.uint8)
    counts, most = gpu.buffer(np.zeros(256, np.uint32)), gpu.buffer(np.zeros(1, np.int32))
    program.f(gpu.queue, (512,), (128,), gpu.buffer(data), counts, most)
    assert gpu.read(most, np.zeros(1, np.int32))[0] == 511
    return gpu.read(counts, np.zeros(256, np.uint32)), np.bincount(data, minlength=256), 0


def divergent(gpu):
    """Loops that each lane leaves at its own time; a switch; a private array."""
    program = gpu.build("""
        kernel void f(global int *o) {
            int i = get_global_id(0), n = i, steps = 0, seen[8];
            for (int k = 0; k < 8; k++) seen[k] = 0;
            while (n > 1) {
                seen[n & 7]++;
                if (n & 1) { n = 3 * n + 1; if (steps > 50) break; } else n /= 2;
                steps++;
                if (n % 5 == 4) continue;
                switch (n & 3) { case 0: steps += 2; break; case 1: steps--; break; default: steps += seen[n & 7]; }
            }
            o[i] = steps * 16 + seen[i & 7];
        }""")

    def collatz(i):
        n, steps, seen = i, 0, [0] * 8
        while n > 1:
            seen[n & 7] += 1
            if n & 1:
                n = 3 * n + 1
                if steps > 50:
                    break
            else:
                n //= 2
            steps += 1
            if n % 5 == 4:
                continue
            steps += {0: 2, 1: -1}.get(n & 3, seen[n & 7])
        return steps * 16 + seen[i & 7]
    out = gpu.buffer(np.zeros(333, np.int32))
    program.f(gpu.queue, (333,), None, out)
    return gpu.read(out, np.zeros(333, np.int32)), np.array([collatz(i) for i in range(333)]), 0


def vectors(gpu):
    program = gpu.build("""
        kernel void f(global const float4 *a, global float4 *o, global const char3 *c, global short8 *s) {
            int i = get_global_id(0);
            o[i] = a[i].wzyx * (float4)(1, 2, 3, 4) + dot(a[i], a[i]);
            s[i] = (short8)(convert_short3_sat(c[i]), 7, convert_short4(a[i]));
        }""")
    a = gpu.pick.normal(size=(100, 4)).astype(np.float32) * 50
    c = gpu.pick.integers(-128, 128, (100, 4)).astype(np.int8)
    out, short = gpu.buffer(a), gpu.buffer(np.zeros((100, 8), np.int16))
    program.f(gpu.queue, (100,), None, gpu.buffer(a), out, gpu.buffer(c), short)
    s = gpu.read(short, np.zeros((100, 8), np.int16))
    assert (s[:, :3] == c[:, :3]).all() and (s[:, 3] == 7).all() and (s[:, 4:] == a.astype(np.int16)).all()
    return gpu.read(out, a), a[:, ::-1] * np.array([1, 2, 3, 4], np.float32) + (a * a).sum(1, keepdims=True), 1e-4


def arrays(gpu):
    """pyopencl's own kernels: elementwise expressions, sums, products, scans."""
    a = cl.array.to_device(gpu.queue, np.arange(3000, dtype=np.float32))
    b = cl.array.to_device(gpu.queue, np.full(3000, 3, dtype=np.float32))
    assert cl.array.sum(a).get() == 3000 * 2999 / 2
    assert cl.array.dot(a, b).get() == 3 * 3000 * 2999 / 2
    assert cl.array.max(a).get() == 2999
    return (a * b + 2).get(), np.arange(3000) * 3 + 2, 0


def sub_groups(gpu):
    program = gpu.build("""
        kernel void f(global const int *a, global int *o) {
            int i = get_global_id(0);
            o[i] = sub_group_scan_inclusive_add(a[i]) * 2 + sub_group_any(a[i] == 17) +
                1000 * sub_group_broadcast(a[i], 3) + 1000000 * (int)get_sub_group_size();
        }""")
    a = gpu.pick.integers(0, 100, 256).astype(np.int32)
    out = gpu.buffer(a)
    program.f(gpu.queue, (256,), (64,), gpu.buffer(a), out)
    got = gpu.read(out, a)
    size = int(got[0] // 1000000)
    rows = a.reshape(-1, size)
    wanted = (np.cumsum(rows, 1) * 2 + (rows == 17).any(1, keepdims=True) + 1000 * rows[:, 3:4] + 1000000 * size)
    return got, wanted.ravel(), 0


def copies(gpu):
    """Fills and copies are kernels of the runtime's own."""
    one, two = gpu.buffer(np.zeros(1000, np.uint8)), gpu.buffer(np.arange(1000).astype(np.uint8))
    cl.enqueue_fill_buffer(gpu.queue, one, np.uint32(0x01020304), 16, 400)
    cl.enqueue_copy(gpu.queue, one, two, byte_count=101, src_offset=3, dst_offset=501)
    wanted = np.zeros(1000, np.uint8)
    wanted[16:416] = np.tile([4, 3, 2, 1], 100)
    wanted[501:602] = np.arange(3, 104)
    return gpu.read(one, wanted), wanted, 0


def profiling(gpu):
    program = gpu.build("kernel void f(global int *o) { o[get_global_id(0)] = get_global_id(0); }")
    out = gpu.buffer(np.zeros(64, np.int32))
    event = program.f(gpu.queue, (64,), None, out)
    event.wait()
    assert event.profile.queued <= event.profile.submit <= event.profile.start <= event.profile.end
    return gpu.read(out, np.zeros(64, np.int32)), np.arange(64), 0


def odd_sizes(gpu):
    """Groups whose last thread is not full, in three dimensions, with an offset."""
    program = gpu.build("""
        kernel void f(global int *o) {
            int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
            o[((z - 1) * 4 + y) * 7 + x - 2] = x + 100 * y + 10000 * z + 1000000 * get_local_id(0) + get_num_groups(1);
        }""")
    out = gpu.buffer(np.zeros(7 * 4 * 3, np.int32))
    program.f(gpu.queue, (7, 4, 3), (7, 2, 3), out, global_offset=(2, 0, 1))
    wanted = [x + 100 * y + 10000 * z + 1000000 * (x - 2) + 2 for z in range(1, 4) for y in range(4) for x in range(2, 9)]
    return gpu.read(out, np.zeros(84, np.int32)), np.array(wanted), 0


KERNELS = [matrix, doubles, halves, integers, atomics, divergent, vectors, arrays, sub_groups, copies, profiling, odd_sizes]


def main():
    gpu = Gpu()
    bad = 0
    for kernel in KERNELS:
        if NAMES and kernel.__name__ not in NAMES:
            continue
        got, wanted, tolerance = kernel(gpu)
        good = np.allclose(got, wanted, rtol=tolerance, atol=tolerance) if tolerance else np.array_equal(got, wanted)
        where = "" if good else f" first at {np.flatnonzero(np.ravel(got != wanted))[0]}"
        print(f"{kernel.__name__}: {'ok' if good else 'wrong' + where}", flush=True)
        bad += not good
    sys.exit(bad)


if __name__ == "__main__":
    main()
