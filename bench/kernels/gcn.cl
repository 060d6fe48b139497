/* The kernels of bench/gcn.py: what the emulated Vega and PoCL both run. */
kernel void hash(global const uint *in, global uint *out, uint n)
{
    uint x = in[get_global_id(0)];
    for (uint i = 0; i < n; i++) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        x ^= x >> 16;
        x += i;
    }
    out[get_global_id(0)] = x;
}

kernel void polynomial(global const float *in, global float *out, uint n)
{
    float x = in[get_global_id(0)], r = 0;
    for (uint i = 0; i < n; i++) {
        float y = fma(fma(fma(fma(x, 0.1f, 0.2f), x, -0.3f), x, 0.4f), x, 0.5f);
        r = r * 0.5f + y;
        x = y - r * 0.25f;
    }
    out[get_global_id(0)] = r;
}

kernel void doubles(global const float *in, global float *out, uint n)
{
    double x = in[get_global_id(0)] * 1e-39, r = 0;
    for (uint i = 0; i < n; i++) {
        double y = fma(fma(x, 0.1, 0.2), x, -0.3);
        r = r * 0.5 + y;
        x = y - r * 0.25;
    }
    out[get_global_id(0)] = (float)r;
}

kernel void collatz(global const uint *in, global uint *out, uint n)
{
    uint steps = 0;
    for (uint i = 0; i < n; i++)
        for (uint x = (in[get_global_id(0)] & 0xffff) + i + 1; x != 1; steps++)
            x = x & 1 ? 3 * x + 1 : x / 2;
    out[get_global_id(0)] = steps;
}

kernel void triad(global const float *in, global float *out, uint n)
{
    uint size = (uint)get_global_size(0), id = (uint)get_global_id(0);
    for (uint i = 0; i < n; i++) {
        uint at = (id + i * 64) & (size - 1);
        out[at] = in[at] + 3.0f * in[at ^ 1];
    }
}

kernel void gather(global const uint *in, global uint *out, uint n)
{
    uint size = (uint)get_global_size(0), at = (uint)get_global_id(0), sum = 0;
    for (uint i = 0; i < n; i++) {
        at = (in[at] + i) & (size - 1);
        sum += at;
    }
    out[get_global_id(0)] = sum;
}

kernel void tiles(global const uint *in, global uint *out, uint n)
{
    local uint tile[256];
    uint l = get_local_id(0), x = in[get_global_id(0)];
    for (uint i = 0; i < n; i++) {
        tile[l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x += tile[(l + 1) & 255] ^ tile[(l * 7 + i) & 255];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = x;
}

kernel void scratch(global const uint *in, global uint *out, uint n)
{
    uint x = in[get_global_id(0)], slot[64];
    for (uint i = 0; i < 64; i++)
        slot[i] = x + i;
    for (uint i = 0; i < n; i++) {
        x = slot[(x + i) & 63] + i;
        slot[i & 63] = x;
    }
    out[get_global_id(0)] = x;
}

kernel void nothing(global const uint *in, global uint *out, uint n)
{
}
