/* Variables of many kinds, at a place where all of them are alive. With -DSTORE each work-item also stores what they are there. */
struct pair {
    int a;
    float b;
};

struct record {
    long number[8];
    double real[3];
    long element[4];
};

__attribute__((noinline)) int leaf(int x, int y)
{
    int z = x * 3;
    z += y; /* leaf */
    return z;
}

__attribute__((noinline)) int sum_to(int depth, int x)
{
    int mine[2];
    mine[depth & 1] = x + depth;
    mine[!(depth & 1)] = x - depth;
    if (depth == 0)
        return leaf(mine[0], 2);
    int below = sum_to(depth - 1, mine[1]);
    return below + mine[depth & 1]; /* rising */
}

__kernel void values(__global const int *in, __global int *out, __global struct record *store, int n)
{
    __local int tile[64];
    int i = (int)get_global_id(0);
    int l = (int)get_local_id(0);
    char small = (char)(in[i] * 3);
    short half_word = (short)(in[i] * -300);
    unsigned positive = (unsigned)in[i] * 0x01000193u;
    long wide = (long)in[i] * -5000000000L;
    float real = in[i] * 0.3f;
    double precise = in[i] / 7.0;
    struct pair both = {in[i] + 5, in[i] * 1.5f};
    int array[4] = {i, i + 1, i * i, -i};
    __local int *into = &tile[(l + 1) & 63];
    __global const int *from = in + i;
    tile[l] = i * 10;
    barrier(CLK_LOCAL_MEM_FENCE); /* stop */
#ifdef STORE
    struct record r = {{small, half_word, positive, wide, both.a, *into, *from, l}, {real, precise, both.b}, {array[0], array[1], array[2], array[3]}};
    store[i] = r;
#endif
    if (i & 1)
        out[i] = small + half_word + (int)positive + (int)wide + *into; /* odd */
    else
        out[i] = (int)real + (int)precise + both.a + (int)both.b + array[in[i] & 3] + *from + l + n;
    out[i] += sum_to(2, i); /* call */
}

__kernel void two(__global int *out)
{
    __local int first[64], second[64];
    int l = (int)get_local_id(0);
    first[l] = l;
    second[l] = l * 100;
    barrier(CLK_LOCAL_MEM_FENCE); /* both */
    out[l] = first[63 - l] + second[l ^ 1];
}
