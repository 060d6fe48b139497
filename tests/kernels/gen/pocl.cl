/* Kernels of many shapes: what PoCL computes on the CPU is what the emulated EU computes, bit for bit. Floating point is of operations that
 * OpenCL rounds correctly. */
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

/* ---- grids, local memory, barriers ---- */

/* A tile of local memory with its halo; two dimensions. */
kernel void stencil(global const float *in, global float *out)
{
    local float tile[10][10];
    int w = get_global_size(0), h = get_global_size(1);
    int lx = get_local_id(0), ly = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    for (int j = ly; j < 10; j += 8)
        for (int i = lx; i < 10; i += 8) {
            int gx = x - lx + i - 1, gy = y - ly + j - 1;
            tile[j][i] = gx < 0 || gy < 0 || gx >= w || gy >= h ? 0 : in[gy * w + gx];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[y * w + x] = 0.5f * tile[ly + 1][lx + 1] + 0.125f * (tile[ly][lx + 1] + tile[ly + 2][lx + 1] + tile[ly + 1][lx] + tile[ly + 1][lx + 2]);
}

/* Seven points of a double in three dimensions. */
kernel void heat(global const double *in, global double *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int w = get_global_size(0), h = get_global_size(1), d = get_global_size(2), at = (z * h + y) * w + x;
    double sum = -6.0 * in[at];
    sum += in[x ? at - 1 : at] + in[x + 1 < w ? at + 1 : at];
    sum += in[y ? at - w : at] + in[y + 1 < h ? at + w : at];
    sum += in[z ? at - w * h : at] + in[z + 1 < d ? at + w * h : at];
    out[at] = in[at] + 0.1 * sum;
}

/* What each work-item is told of its place. */
kernel void places(global uint *out)
{
    size_t at = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);
    global uint *o = out + 16 * at;
    for (uint i = 0; i < 3; i++) {
        o[5 * i] = get_local_id(i);
        o[5 * i + 1] = get_group_id(i);
        o[5 * i + 2] = get_local_size(i);
        o[5 * i + 3] = get_num_groups(i);
        o[5 * i + 4] = get_global_size(i) + get_global_offset(i);
    }
    o[15] = get_work_dim();
}

kernel void bitonic(global const uint *in, global uint *out)
{
    local uint room[128];
    uint l = get_local_id(0), n = get_local_size(0);
    room[l] = in[get_global_id(0)];
    for (uint k = 2; k <= n; k *= 2)
        for (uint j = k / 2; j; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint a = room[l], b = room[l ^ j];
            barrier(CLK_LOCAL_MEM_FENCE);
            room[l] = ((l & j) == 0) == ((l & k) == 0) ? min(a, b) : max(a, b);
        }
    out[get_global_id(0)] = room[l];
}

/* One stable pass of a radix sort: counts, their scan, places. */
kernel void radix(global const uint *in, global uint *out)
{
    local uint digit[64], start[16];
    uint l = get_local_id(0), x = in[get_global_id(0)], before = 0;
    digit[l] = x >> 8 & 15;
    if (l < 16)
        start[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&start[digit[l]]);
    for (uint i = 0; i < l; i++)
        before += digit[i] == digit[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        for (uint i = 0, sum = 0; i < 16; i++) {
            uint count = start[i];
            start[i] = sum;
            sum += count;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0) * 64 + start[digit[l]] + before] = x;
}

/* An inclusive scan of longs by doubling steps, in two buffers of local memory that change places. */
kernel void scan_longs(global const long *in, global long *out, local long *room)
{
    uint l = get_local_id(0), n = get_local_size(0);
    local long *from = room, *to = room + n;
    from[l] = in[get_global_id(0)];
    for (uint step = 1; step < n; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        to[l] = from[l] + (l >= step ? from[l - step] : 0);
        local long *other = from;
        from = to;
        to = other;
    }
    out[get_global_id(0)] = from[l];
}

kernel void transpose_pairs(global const double2 *in, global double2 *out)
{
    local double2 tile[8][9];
    uint lx = get_local_id(0), ly = get_local_id(1);
    tile[ly][lx] = in[get_global_id(1) * get_global_size(0) + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint x = get_group_id(1) * 8 + lx, y = get_group_id(0) * 8 + ly;
    out[y * get_global_size(1) + x] = tile[lx][ly].yx;
}

/* The smallest value of a group and the first place where it is. */
kernel void least(global const int *in, global int2 *out)
{
    local int2 room[96];
    uint l = get_local_id(0), n = get_local_size(0);
    room[l] = (int2)(in[get_global_id(0)], l);
    for (uint half_ = (n + 1) / 2; n > 1; n = half_, half_ = (n + 1) / 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l + half_ < n && room[l + half_].x < room[l].x)
            room[l] = room[l + half_];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        out[get_group_id(0)] = room[0];
}

/* Relaxation until nothing changes: the number of steps differs between groups. */
kernel void relax(global const int *in, global int *out)
{
    local int room[64], changed;
    uint l = get_local_id(0);
    int steps = 0, more = 1;
    room[l] = in[get_global_id(0)] & 63;
    while (more) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0)
            changed = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        int a = room[l], b = l ? room[l - 1] + 1 : a;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (b < a) {
            room[l] = b;
            atomic_or(&changed, 1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        more = changed;
        steps++;
    }
    out[get_global_id(0)] = room[l] | steps << 8;
}

kernel void strided_copies(global const float *in, global float *out, local float *room)
{
    event_t e = async_work_group_strided_copy(room, in + get_group_id(0) * 96, 32, 3, 0);
    wait_group_events(1, &e);
    float x = room[31 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    room[get_local_id(0)] = x + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out + get_group_id(0) * 64, room, 32, 2, 0);
    wait_group_events(1, &e);
}

/* ---- atomics ---- */

kernel void long_atomics(global const long *in, global long *out)
{
    long x = in[get_global_id(0)];
    atom_add(&out[0], x);
    atom_sub(&out[1], x);
    atom_inc(&out[2]);
    atom_dec(&out[3]);
    atom_min(&out[4], x);
    atom_max(&out[5], x);
    atom_and(&out[6], x | 0xff);
    atom_or(&out[7], x & 0xff00ff);
    atom_xor(&out[8], x);
    atom_max((volatile global ulong *)&out[9], (ulong)x);
}

/* A sum of floats that are integers, by exchanging compared words. */
kernel void float_sum(global const int *in, volatile global uint *out)
{
    uint old, seen = out[get_global_id(0) % 4];
    do {
        old = seen;
        seen = atomic_cmpxchg(&out[get_global_id(0) % 4], old, as_uint(as_float(old) + (float)(in[get_global_id(0)] & 1023)));
    } while (seen != old);
}

/* The distinct values of a group, counted by a table with open addresses. */
kernel void distinct(global const uint *in, global uint *out)
{
    local uint table[128], found;
    uint l = get_local_id(0);
    table[l] = table[l + 64] = ~0u;
    if (l == 0)
        found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint x = in[get_global_id(0)] & 31;
    for (uint at = x * 37 & 127;; at = (at + 1) & 127) {
        uint old = atomic_cmpxchg(&table[at], ~0u, x);
        if (old == ~0u)
            atomic_inc(&found);
        if (old == ~0u || old == x)
            break;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        out[get_group_id(0)] = found;
}

/* ---- control flow ---- */

kernel void jumps(global const uint *in, global uint *out)
{
    uint x = in[get_global_id(0)], n = 0;
    if (x & 1)
        goto odd;
even:
    x /= 2;
    n++;
    if (x % 3 == 0)
        goto done;
odd:
    x = x * 3 + 1;
    n += 16;
    if (n < 1000 && x % 5)
        goto even;
done:
    out[get_global_id(0)] = x ^ n << 20;
}

kernel void nested(global const int *in, global int *out)
{
    int x = in[get_global_id(0)], sum = 0;
    for (int i = 0; i < 6; i++) {
        for (int j = 0;; j++) {
            int k = j;
            if ((x >> j & 3) == i)
                continue;
            while (k < 9) {
                if ((x ^ k) % 7 == 0)
                    break;
                sum += k * i;
                k += 2;
            }
            if (k + j > 12)
                break;
        }
        if (sum > 400) {
            out[get_global_id(0)] = -sum;
            return;
        }
    }
    out[get_global_id(0)] = sum;
}

/* A machine with a stack in private memory; its operations are cases of a switch. */
kernel void machine(global const uchar *program, global const int *in, global int *out)
{
    int stack[8], top = 0, x = in[get_global_id(0)];
    for (int pc = get_global_id(0) % 3, n = 0; n < 40; n++, pc++) {
        int a = stack[(top + 7) & 7], b = stack[(top + 6) & 7];
        switch (top < 2 ? 0 : program[pc & 63] & 15) {
        case 0: stack[top++ & 7] = x + n; break;
        case 1: stack[top++ & 7] = a; break;
        case 2: stack[(--top + 7) & 7] = a + b; break;
        case 3: stack[(--top + 7) & 7] = a - b; break;
        case 4: stack[(--top + 7) & 7] = a * b; break;
        case 5: stack[(--top + 7) & 7] = a ^ b; break;
        case 6: stack[(top + 7) & 7] = ~a; break;
        case 7: stack[(top + 7) & 7] = a >> 3; break;
        case 8: pc += a & 1; break;
        case 9: stack[(top + 7) & 7] = b; stack[(top + 6) & 7] = a; break;
        case 10: stack[(--top + 7) & 7] = max(a, b); break;
        case 11: x += a; break;
        case 12: stack[top++ & 7] = program[n & 63]; break;
        default: stack[(top + 7) & 7] = a == b ? x : a; break;
        }
    }
    out[get_global_id(0)] = stack[(top + 7) & 7] + x;
}

/* Backtracking: the solutions of the problem of n queens whose first one is given. */
kernel void queens(global uint *out)
{
    uint n = 4 + get_global_id(0) / 8, first = get_global_id(0) % 8, count = 0;
    char place[12];
    int row = 1;
    place[0] = first;
    place[1] = -1;
    while (first < n && row > 0) {
        bool good;
        do {
            place[row]++;
            good = true;
            for (int i = 0; i < row && good; i++)
                good = place[i] != place[row] && abs(place[i] - place[row]) != row - i;
        } while (!good && place[row] < n);
        if (place[row] >= n)
            row--;
        else if (row + 1 == n)
            count++;
        else
            place[++row] = -1;
    }
    out[get_global_id(0)] = count;
}

/* The distance between two texts of 16 letters. */
kernel void edits(global const char *a, global const char *b, global int *out)
{
    int row[17];
    uint i = get_global_id(0);
    for (int k = 0; k <= 16; k++)
        row[k] = k;
    for (int j = 1; j <= 16; j++) {
        int corner = row[0];
        row[0] = j;
        for (int k = 1; k <= 16; k++) {
            int other = corner + ((a[16 * i + k - 1] & 3) != (b[16 * i + j - 1] & 3));
            corner = row[k];
            row[k] = min(other, min(row[k], row[k - 1]) + 1);
        }
    }
    out[i] = row[16];
}

kernel void life(global const uchar *in, global uchar *out)
{
    int w = get_global_size(0), h = get_global_size(1), x = get_global_id(0), y = get_global_id(1), n = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            n += i || j ? in[(y + j + h) % h * w + (x + i + w) % w] & 1 : 0;
    out[y * w + x] = n == 3 || (n == 2 && in[y * w + x] & 1);
}

/* ---- integers ---- */

constant uint sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74,
    0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
    0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
    0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
    0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* SHA-256 of one block. */
kernel void sha256(global const uint16 *in, global uint8 *out)
{
    uint w[64];
    const uint8 begin = (uint8)(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
    uint8 s = begin;
    vstore16(in[get_global_id(0)], 0, w);
    for (int i = 16; i < 64; i++) {
        uint a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotate(a, 25u) ^ rotate(a, 14u) ^ a >> 3) + (rotate(b, 15u) ^ rotate(b, 13u) ^ b >> 10);
    }
    for (int i = 0; i < 64; i++) {
        uint one = s.s7 + (rotate(s.s4, 26u) ^ rotate(s.s4, 21u) ^ rotate(s.s4, 7u)) + bitselect(s.s6, s.s5, s.s4) + sha_k[i] + w[i];
        uint two = (rotate(s.s0, 30u) ^ rotate(s.s0, 19u) ^ rotate(s.s0, 10u)) + ((s.s0 & s.s1) ^ (s.s0 & s.s2) ^ (s.s1 & s.s2));
        s = (uint8)(one + two, s.s012, s.s3 + one, s.s456);
    }
    out[get_global_id(0)] = begin + s;
}

kernel void xtea(global const uint4 *key, global uint2 *data)
{
    uint2 v = data[get_global_id(0)];
    uint k[4], sum = 0;
    vstore4(key[get_global_id(0)], 0, k);
    for (int i = 0; i < 32; i++) {
        v.x += ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + k[sum & 3]);
        sum += 0x9e3779b9;
        v.y += ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + k[sum >> 11 & 3]);
    }
    data[get_global_id(0)] = v;
}

/* Squares of numbers of 256 bits. */
kernel void squares(global const ulong4 *in, global ulong8 *out)
{
    ulong a[4], r[8] = {0};
    vstore4(in[get_global_id(0)], 0, a);
    for (int i = 0; i < 4; i++) {
        ulong carry = 0;
        for (int j = 0; j < 4; j++) {
            ulong low = a[i] * a[j], high = mul_hi(a[i], a[j]);
            low += carry;
            high += low < carry;
            r[i + j] += low;
            carry = high + (r[i + j] < low);
        }
        r[i + 4] = carry;
    }
    out[get_global_id(0)] = vload8(0, r);
}

/* The power of a number modulo another one, and their greatest common divisor. */
kernel void moduli(global const ulong *in, global ulong2 *out)
{
    ulong a = in[get_global_id(0)] & 0xffffffff, m = (in[get_global_id(0)] >> 32) | 1, b = a % m, power = 1, g = a | 1, h = m;
    for (uint e = a & 0xfff; e; e /= 2) {
        if (e & 1)
            power = power * b % m;
        b = b * b % m;
    }
    while (h) {
        ulong rest = g % h;
        g = h;
        h = rest;
    }
    out[get_global_id(0)] = (ulong2)(power, g);
}

kernel void divisions(global const long4 *a, global const int4 *b, global long4 *out)
{
    size_t i = get_global_id(0);
    long4 by = convert_long4(b[i] | 1);
    int4 low = convert_int4(a[i]) / (b[i] | 1);
    out[4 * i] = a[i] / by;
    out[4 * i + 1] = a[i] % by;
    out[4 * i + 2] = as_long4(as_ulong4(a[i]) / as_ulong4(by & 0xffffff | 1));
    out[4 * i + 3] = convert_long4(low) + convert_long4(convert_char4(a[i]) / (convert_char4(b[i]) | (char)1)) +
                     convert_long4(convert_ushort4(a[i]) % (convert_ushort4(b[i]) | (ushort)1));
}

kernel void shifts(global const ulong *in, global ulong8 *out)
{
    ulong x = in[get_global_id(0)];
    uint by = x & 63;
    out[get_global_id(0)] = (ulong8)(x << by, x >> by, (long)x >> by, (uint)x << (by & 31), (long)((int)x >> (by & 31)), (uint)x >> (by & 31),
                                     rotate(x, (ulong)by), (ulong)(short)((short)x >> (by & 15)));
}

kernel void short_vectors(global const char16 *a, global const char16 *b, global short16 *out)
{
    size_t i = get_global_id(0);
    short16 x = convert_short16(a[i]), y = convert_short16(b[i]);
    out[4 * i] = x * y + convert_short16(add_sat(a[i], b[i]));
    out[4 * i + 1] = convert_short16(rhadd(as_uchar16(a[i]), as_uchar16(b[i]))) - as_short16(abs_diff(x, y));
    out[4 * i + 2] = select(x, y, x < y) << (short16)3;
    out[4 * i + 3] = (short16)(x.even, y.odd) ^ convert_short16(a[i] == b[i]);
}

constant uchar sextets[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Bytes as text: reads and writes of single bytes. */
kernel void base64(global const uchar *in, global uchar *out)
{
    size_t i = get_global_id(0);
    uint x = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = sextets[x >> (18 - 6 * k) & 63];
}

/* Lengths of runs of bits, as bytes and half words, until a room is full. */
kernel void runs(global const uint *in, global ushort *out)
{
    uint x = in[get_global_id(0)], n = 0, length = 0;
    for (uint bit = 0; bit < 32 && n < 8; bit++) {
        length++;
        if (bit == 31 || ((x >> bit ^ x >> (bit + 1)) & 1)) {
            out[8 * get_global_id(0) + n++] = length << 8 | (x >> bit & 1);
            length = 0;
        }
    }
}

/* ---- memory ---- */

struct odd {
    char a;
    short b;
    uchar3 c;
    long d;
    union {
        float f;
        uchar byte[4];
    } e;
} __attribute__((packed));

struct even {
    char a;
    double b;
    struct {
        short x[4];
        int y;
    } c[2];
};

kernel void records(global const struct odd *in, global struct even *out)
{
    struct odd o = in[get_global_id(0)];
    struct even e = {o.a, (double)o.b, {{{o.c.x, o.c.y, o.c.z, 5}, (int)o.d}, {{o.e.byte[0], o.e.byte[3], 7, o.a}, (int)(o.d >> 32)}}};
    e.c[o.a & 1].x[o.b & 1] ^= e.c[1].x[2];
    out[get_global_id(0)].a = e.a;
    out[get_global_id(0)].b = e.b;
    out[get_global_id(0)].c[0] = e.c[1];
    out[get_global_id(0)].c[1] = e.c[0];
}

constant float twiddle[2][8] = {{1, 0.9238795f, 0.70710677f, 0.38268343f, 0, -0.38268343f, -0.70710677f, -0.9238795f},
                                {0, -0.38268343f, -0.70710677f, -0.9238795f, -1, -0.9238795f, -0.70710677f, -0.38268343f}};

/* A Fourier transform of 16 points in private memory. */
kernel void fourier(global const float2 *in, global float2 *out)
{
    float2 a[16];
    for (uint i = 0; i < 16; i++)
        a[(i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3] = in[16 * get_global_id(0) + i];
    for (uint size = 2; size <= 16; size *= 2)
        for (uint i = 0; i < 16; i += size)
            for (uint k = 0; k < size / 2; k++) {
                float re = twiddle[0][k * 16 / size], im = twiddle[1][k * 16 / size];
                float2 u = a[i + k], v = a[i + k + size / 2];
                v = (float2)(v.x * re - v.y * im, v.x * im + v.y * re);
                a[i + k] = u + v;
                a[i + k + size / 2] = u - v;
            }
    for (uint i = 0; i < 16; i++)
        out[16 * get_global_id(0) + i] = a[i];
}

/* Halves as storage, which needs no arithmetic of halves. */
kernel void half_storage(global const float *in, global half *to, global const half *from, global float *out)
{
    size_t i = get_global_id(0);
    float x = in[i];
    vstore_half_rte(x, 4 * i, to);
    vstore_half_rtz(x, 4 * i + 1, to);
    vstore_half_rtp(x, 4 * i + 2, to);
    vstore_half_rtn(x, 4 * i + 3, to);
    out[i] = vload_half(i, from);
}

/* Rows of a sparse matrix of doubles, of different lengths. */
kernel void sparse(global const double *value, constant ushort *column, global const double *x, global double *out)
{
    size_t row = get_global_id(0);
    double sum = 0;
    for (size_t i = row * (row + 1) / 2 % 192; i < row * (row + 1) / 2 % 192 + row % 13; i++)
        sum += value[i] * x[column[i] & 63];
    out[row] = sum;
}

/* Three values at the end of a buffer, the same for all work-items: the compiler reads four. */
kernel void ends(constant float *in, global const double *wide, global float4 *out, global double4 *other)
{
    out[get_global_id(0)] = (float4)(vload2(1, in), vload2(1, in + 1));
    other[get_global_id(0)] = (double4)(vload2(2, wide), vload2(2, wide + 1));
}

/* ---- floating point ---- */

/* Four equations by elimination with pivots. */
kernel void elimination(global const double *in, global double4 *out)
{
    double m[4][5];
    for (int i = 0; i < 20; i++)
        m[i / 5][i % 5] = in[get_global_id(0) * 20 + i];
    for (int c = 0; c < 4; c++) {
        int best = c;
        for (int r = c + 1; r < 4; r++)
            if (fabs(m[r][c]) > fabs(m[best][c]))
                best = r;
        for (int k = 0; k < 5; k++) {
            double t = m[c][k];
            m[c][k] = m[best][k];
            m[best][k] = t;
        }
        for (int r = 0; r < 4; r++) {
            double f = m[r][c] / m[c][c];
            for (int k = 0; k < 5 && r != c; k++)
                m[r][k] -= f * m[c][k];
        }
    }
    out[get_global_id(0)] = (double4)(m[0][4] / m[0][0], m[1][4] / m[1][1], m[2][4] / m[2][2], m[3][4] / m[3][3]);
}

/* Attraction between bodies, a tile of which is in local memory. */
kernel void bodies(global const float4 *in, global float4 *out)
{
    local float4 tile[32];
    float4 me = in[get_global_id(0)], sum = 0;
    for (uint t = 0; t < get_num_groups(0); t++) {
        tile[get_local_id(0)] = in[t * 32 + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 32; k++) {
            float x = tile[k].x - me.x, y = tile[k].y - me.y, z = tile[k].z - me.z;
            float far = x * x + y * y + z * z + 0.01f, f = tile[k].w / (far * sqrt(far));
            sum += (float4)(x * f, y * f, z * f, far);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}

kernel void escape(global ushort *out)
{
    double cr = -2 + 3.0 * get_global_id(0) / get_global_size(0), ci = -1 + 2.0 * get_global_id(1) / get_global_size(1), zr = 0, zi = 0;
    ushort n = 0;
    while (n < 200 && zr * zr + zi * zi < 4) {
        double t = zr * zr - zi * zi + cr;
        zi = 2 * zr * zi + ci;
        zr = t;
        n++;
    }
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = n;
}

kernel void rounded(global const double *in, global long4 *out)
{
    double x = in[get_global_id(0)];
    float y = (float)x;
    out[4 * get_global_id(0)] = (long4)(convert_int_sat_rte(x), convert_int_sat_rtz(x), convert_int_sat_rtp(x), convert_int_sat_rtn(x));
    out[4 * get_global_id(0) + 1] = (long4)(convert_uchar_sat_rte(y), convert_short_sat_rtp(y), convert_uint_sat(x), convert_long_sat_rtn(y));
    out[4 * get_global_id(0) + 2] = (long4)(as_int(convert_float_rtz(x)), as_int(convert_float_rtp(x)), as_int(convert_float_rtn(x)), as_int(y));
    out[4 * get_global_id(0) + 3] = (long4)(as_int(convert_float_rtp(convert_long_sat(x))), as_long(convert_double(convert_int_sat(x))),
                                            as_int(convert_float(convert_uint_sat(y))), as_long(convert_double(y)));
}

/* A generator of random numbers, and fused sums of what it gives. */
kernel void random_sums(global const ulong2 *seed, global double *out)
{
    ulong2 s = seed[get_global_id(0)] | 1;
    double sum = 0;
    for (int i = 0; i < 20; i++) {
        ulong a = s.x, b = s.y;
        s.x = b;
        a ^= a << 23;
        s.y = a ^ b ^ a >> 17 ^ b >> 26;
        sum = fma(sum, 0.5, (double)((s.y + b) >> 11) * 0x1p-53);
    }
    out[get_global_id(0)] = sum;
}

kernel void chosen(global const float4 *a, global const float4 *b, global float4 *out)
{
    size_t i = get_global_id(0);
    int4 less = isless(a[i], b[i]);
    out[3 * i] = select(a[i], b[i], less);
    out[3 * i + 1] = any(less) && !all(less) ? shuffle2(a[i], b[i], as_uint4(b[i]) & 7) : shuffle(a[i], (uint4)(3, 1, 1, 0));
    out[3 * i + 2] = bitselect(a[i], b[i], as_float4(as_uint4(a[i]) << 1)).wzyx;
}

kernel void exact_reals(global const double *a, global const double *b, global double8 *out)
{
    size_t i = get_global_id(0);
    int e, q;
    double whole, m = frexp(a[i], &e), part = modf(b[i], &whole), r = remquo(a[i], b[i], &q);
    out[i] = (double8)(ldexp(m, e % 60), fmod(a[i], b[i]), fdim(a[i], b[i]), nextafter(a[i], b[i]), maxmag(a[i], b[i]), part + whole, r,
                       (double)(q & 7) + sqrt(fabs(a[i])));
}

/* Loops that reverse bits. Intel's compiler makes bfrev of them, which is right where the number of
 * bits is that of a type of OpenCL's. */
kernel void reversed(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), all = 0, sixteen = 0;
    int eight = 0;
    for (uint b = 0; b < 32; b++)
        all |= (in[i] >> b & 1) << (31 - b);
    for (uint b = 0; b < 16; b++)
        sixteen |= (in[i] >> b & 1) << (15 - b);
    for (int b = 0; b < 8; b++)
        eight |= ((int)in[i] >> b & 1) << (7 - b);
    vstore4((uint4)(i, all, sixteen, (uint)eight), i, out);
}
