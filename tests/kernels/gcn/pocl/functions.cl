/* OpenCL's functions whose results the standard defines to the last bit. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void integer_functions(global const uint *a, global const uint *b, global uint *out)
{
    uint i = get_global_id(0), x = a[i], y = b[i];
    out[16 * i + 0] = mul_hi(x, y);
    out[16 * i + 1] = (uint)mul_hi((int)x, (int)y);
    out[16 * i + 2] = hadd(x, y);
    out[16 * i + 3] = (uint)rhadd((int)x, (int)y);
    out[16 * i + 4] = abs_diff(x, y);
    out[16 * i + 5] = abs((int)x);
    out[16 * i + 6] = rotate(x, y);
    out[16 * i + 7] = clz(x);
    out[16 * i + 8] = popcount(x ^ y);
    out[16 * i + 9] = (uint)mul24((int)(x << 8) >> 8, (int)(y << 8) >> 8);
    out[16 * i + 10] = mad24(x & 0xffffff, y & 0xffffff, x);
    out[16 * i + 11] = mad_hi(x, y, x);
    out[16 * i + 12] = (uint)clamp((int)x, -1000, 1000);
    out[16 * i + 13] = bitselect(x, y, 0x0f0ff0f0u);
    out[16 * i + 14] = (uint)min((int)x, (int)y);
    out[16 * i + 15] = max(x, y);
}

kernel void saturating(global const uint *a, global const uint *b, global uint *out)
{
    uint i = get_global_id(0), x = a[i], y = b[i];
    out[8 * i + 0] = add_sat(x, y);
    out[8 * i + 1] = (uint)add_sat((int)x, (int)y);
    out[8 * i + 2] = sub_sat(x, y);
    out[8 * i + 3] = (uint)sub_sat((int)x, (int)y);
    out[8 * i + 4] = (uint)add_sat((short)x, (short)y) & 0xffff;
    out[8 * i + 5] = sub_sat((ushort)x, (ushort)y);
    out[8 * i + 6] = (uint)mad_sat((int)x, (int)(y & 0xff), (int)y);
    out[8 * i + 7] = add_sat((uchar)x, (uchar)y) | (uint)(uchar)sub_sat((char)x, (char)y) << 8;
}

kernel void wide_functions(global const ulong *a, global const ulong *b, global ulong *out)
{
    uint i = get_global_id(0);
    ulong x = a[i], y = b[i];
    out[8 * i + 0] = mul_hi(x, y);
    out[8 * i + 1] = (ulong)mul_hi((long)x, (long)y);
    out[8 * i + 2] = rotate(x, y);
    out[8 * i + 3] = clz(x >> (y & 63)) + 100 * popcount(y);
    out[8 * i + 4] = add_sat(x, y);
    out[8 * i + 5] = (ulong)sub_sat((long)x, (long)y);
    out[8 * i + 6] = hadd(x, y);
    out[8 * i + 7] = abs_diff(x, y) ^ upsample((uint)x, (uint)y);
}

kernel void small_vectors(global const uchar4 *a, global const uchar4 *b, global uchar4 *bytes, global short4 *halves)
{
    uint i = get_global_id(0);
    uchar4 x = a[i], y = b[i];
    bytes[4 * i + 0] = add_sat(x, y);
    bytes[4 * i + 1] = rhadd(x, y.wzyx);
    bytes[4 * i + 2] = max(x, y) - min(x, y);
    bytes[4 * i + 3] = as_uchar4((x > y) ? as_char4(x) : as_char4(rotate(y, (uchar4)3)));
    short4 p = convert_short4(x) * (short4)(3, -5, 7, -9), q = convert_short4(as_char4(y));
    halves[3 * i + 0] = p + q;
    halves[3 * i + 1] = mul_hi(p * q, q);
    halves[3 * i + 2] = (p < q) ? p << (short4)2 : q >> (short4)1;
}

kernel void saturated_conversions(global const float *f, global const int *n, global uint *out, global ulong *wide)
{
    uint i = get_global_id(0);
    float x = f[i];
    x = x == x ? x : 2.5f;
    out[8 * i + 0] = (uint)convert_int_sat(x);
    out[8 * i + 1] = convert_uint_sat_rte(x);
    out[8 * i + 2] = (uint)convert_short_sat_rtp(x) & 0xffff;
    out[8 * i + 3] = convert_uchar_sat_rtn(x);
    out[8 * i + 4] = convert_uchar_sat(n[i]);
    out[8 * i + 5] = (uint)(uchar)convert_char_sat(n[i] >> 20);
    out[8 * i + 6] = as_uint(convert_float_rtz(n[i]));
    out[8 * i + 7] = as_uint(convert_float_rtp((uint)n[i]));
    wide[2 * i + 0] = (ulong)convert_long_sat(x);
    wide[2 * i + 1] = as_ulong(convert_double(n[i]) * 0.1);
}

kernel void shuffles(global const uint4 *in, global uint *out)
{
    uint i = get_global_id(0);
    uint4 x = in[i], y = in[i ^ 1];
    vstore4(shuffle(x, y), 2 * i, out);
    vstore4(shuffle2(x, y, y.wxyz), 2 * i + 1, out);
}

kernel void loads_and_stores(global const int *in, global int *out, global half *halves)
{
    uint i = get_global_id(0);
    int3 x = vload3(i, in);
    vstore3(x.zxy * 7, i, out);
    vstore_half2((float2)((float)(x.x >> 10), (float)x.y * 1e-6f), i, halves);
    vstore_half_rtz(vload_half(2 * i, halves) * 1.7f, 2 * i + 1, halves);
}

kernel void rounding(global const float *f, global float *out)
{
    uint i = get_global_id(0);
    float x = f[i];
    out[8 * i + 0] = floor(x);
    out[8 * i + 1] = ceil(x);
    out[8 * i + 2] = rint(x);
    out[8 * i + 3] = trunc(x);
    /* Of a zero, clang-15 loses the sign. */
    out[8 * i + 4] = round(x) + 0.0f;
    out[8 * i + 5] = fabs(x);
    out[8 * i + 6] = sqrt(fabs(x));
    float whole;
    out[8 * i + 7] = modf(x, &whole) + whole * 0.5f;
}

kernel void rounding_double(global const double *f, global double *out)
{
    uint i = get_global_id(0);
    double x = f[i];
    out[8 * i + 0] = floor(x);
    out[8 * i + 1] = ceil(x);
    out[8 * i + 2] = rint(x);
    out[8 * i + 3] = trunc(x);
    out[8 * i + 4] = round(x) + 0.0;
    out[8 * i + 5] = sqrt(fabs(x));
    out[8 * i + 6] = fma(x, 1.1, 0.3);
    out[8 * i + 7] = fmax(x, fmin(1.0, x * 3));
}

kernel void float_parts(global const float *a, global const float *b, global float *out, global int *whole)
{
    uint i = get_global_id(0);
    float x = a[i], y = b[i];
    int exponent;
    out[8 * i + 0] = frexp(x, &exponent);
    out[8 * i + 1] = ldexp(x, (int)(i % 40) - 20);
    out[8 * i + 2] = copysign(x, y);
    out[8 * i + 3] = fdim(x, y);
    out[8 * i + 4] = nextafter(x, y);
    out[8 * i + 5] = fmod(x, y);
    out[8 * i + 6] = remainder(x, y);
    out[8 * i + 7] = fmax(x, y) - fmin(x, y);
    whole[2 * i + 0] = exponent;
    whole[2 * i + 1] = x == 0 ? 0 : ilogb(x);
}

kernel void relations(global const float *a, global const float *b, global const double *c, global int *out)
{
    uint i = get_global_id(0);
    float x = a[i], y = b[i];
    double d = c[i], e = c[i ^ 1];
    out[2 * i + 0] = isnan(x) | isinf(x) << 1 | isfinite(y) << 2 | isnormal(y) << 3 | signbit(x) << 4 | isless(x, y) << 5 |
                     isgreaterequal(x, y) << 6 | islessgreater(x, y) << 7 | isordered(x, y) << 8 |
                     isunordered(x, y) << 9 | (x == y) << 10 | (x != y) << 11 | (x > y) << 12;
    out[2 * i + 1] = isnan(d) | isinf(d) << 1 | isfinite(d) << 2 | isnormal(d) << 3 | signbit(d) << 4 | isless(d, e) << 5 |
                     isgreaterequal(d, e) << 6 | islessgreater(d, e) << 7 | isordered(d, e) << 8 | (d == e) << 9 |
                     select(1, 2, d > e) << 10;
}

kernel void old_atomics(global const int *in, global int *out, local int *room)
{
    uint i = get_global_id(0), l = get_local_id(0);
    if (l < 8)
        room[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&room[0], in[i]);
    atomic_inc(&room[1]);
    atomic_dec(&room[2]);
    atomic_min(&room[3], in[i]);
    atomic_max(&room[4], in[i]);
    atomic_xor(&room[5], in[i]);
    atomic_or(&room[6], in[i] & 0xf0f0);
    int old;
    do
        old = room[7];
    while (atomic_cmpxchg(&room[7], old, old + (in[i] & 15)) != old);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8)
        out[8 * get_group_id(0) + l] = room[l];
}

kernel void copies(global const int *in, global int *out, local int *room)
{
    uint l = get_local_id(0), n = get_local_size(0), at = get_group_id(0) * n;
    event_t e = async_work_group_copy(room, in + at, n, 0);
    wait_group_events(1, &e);
    int x = room[(l * 7 + 3) % n];
    barrier(CLK_LOCAL_MEM_FENCE);
    room[l] = x * 3 + room[l] * 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + at, room, n, 0);
    wait_group_events(1, &e);
}
