/* Integer arithmetic of every width, and what compilers make of it. */
kernel void widths(global const uint *a, global const uint *b, global uint *out)
{
    uint i = get_global_id(0), x = a[i], y = b[i] | 1;
    out[16 * i + 0] = x + y;
    out[16 * i + 1] = x * y;
    out[16 * i + 2] = x / y;
    out[16 * i + 3] = x % y;
    out[16 * i + 4] = (uint)((int)x >> (y & 31));
    out[16 * i + 5] = (ushort)x * (ushort)y;
    out[16 * i + 6] = (uint)((short)x / (short)y);
    out[16 * i + 7] = (uchar)x + (uchar)y;
    out[16 * i + 8] = (uint)((char)x * (char)y);
    out[16 * i + 9] = (uint)((int)(x & 0x7fffffff) / (int)(y & 0xffff));
    out[16 * i + 10] = x < y ? x : y;
    out[16 * i + 11] = (int)x < (int)y ? x : y;
    out[16 * i + 12] = (uint)__builtin_popcount(x);
    out[16 * i + 13] = x ? (uint)__builtin_clz(x) : 32;
    out[16 * i + 14] = (x << (y & 31)) | (x >> ((32 - y) & 31));
    out[16 * i + 15] = (uint)(((ulong)x * y) >> 32);
}

kernel void wide(global const ulong *a, global const ulong *b, global ulong *out)
{
    uint i = get_global_id(0);
    ulong x = a[i], y = b[i] | 1;
    out[8 * i + 0] = x + y;
    out[8 * i + 1] = x - y;
    out[8 * i + 2] = x * y;
    out[8 * i + 3] = x / y;
    out[8 * i + 4] = x % y;
    out[8 * i + 5] = (ulong)((long)x >> (y & 63));
    out[8 * i + 6] = (ulong)((long)x / (long)(y & 0xffffffff));
    out[8 * i + 7] = (x < y) + 2 * ((long)x < (long)y) + 4 * (x == b[i]);
}

kernel void bytes(global const uchar *in, global uchar *out, global short *halves)
{
    uint i = get_global_id(0);
    out[i] = (uchar)(in[i] * 3 + in[i ^ 1]);
    halves[i] = (short)((char)in[i] - (char)in[i ^ 3]);
}

kernel void vectors(global const uint4 *in, global uint4 *out, global uchar4 *small)
{
    uint i = get_global_id(0);
    uint4 v = in[i];
    out[i] = v.wzyx * 5u + (v << 3);
    small[i] = (uchar4)((uchar)v.x, (uchar)(v.y >> 8), (uchar)(v.z >> 16), (uchar)(v.w >> 24));
}

kernel void scalars(char c, ushort s, int n, ulong l, global ulong *out)
{
    out[get_global_id(0)] = l * (ulong)(long)n + s + (ulong)(long)c + get_global_id(0);
}

kernel void crc(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), crc = 0xffffffff;
    for (int k = 0; k < 8; k++) {
        crc ^= in[(i + k) & 255];
        for (int bit = 0; bit < 32; bit++)
            crc = (crc >> 1) ^ (0xedb88320 & -(crc & 1));
    }
    out[i] = ~crc;
}
