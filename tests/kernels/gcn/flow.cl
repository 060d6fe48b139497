/* Divergence, calls, private memory. */
kernel void collatz(global uint *out)
{
    uint i = get_global_id(0), n = i + 1, steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    out[i] = steps;
}

kernel void branches(global const uint *in, global uint *out)
{
    uint i = get_global_id(0), x = in[i], r = 0;
    if (x & 1) {
        if (x & 2)
            r = x * 3;
        else if (x & 4)
            return;
        else
            r = x ^ 0xffff;
    } else {
        for (uint k = 0; k < (x & 15); k++) {
            if (k == 7)
                break;
            if (k % 3 == 0)
                continue;
            r += k * x;
        }
    }
    switch (x % 7) {
    case 0: r += 10; break;
    case 1: r *= 11; break;
    case 2: r ^= 12;
    case 3: r -= 13; break;
    case 5: r = ~r; break;
    default: r = r * r; break;
    }
    out[i] = r;
}

static uint __attribute__((noinline)) gcd(uint a, uint b)
{
    while (b) {
        uint t = a % b;
        a = b;
        b = t;
    }
    return a;
}

static uint __attribute__((noinline)) twice(uint a, uint b)
{
    return gcd(a, b) * 2 + gcd(b + 1, a + 1);
}

kernel void calls(global const uint *in, global uint *out)
{
    uint i = get_global_id(0);
    out[i] = in[i] & 8 ? twice(in[i] & 0xfff, i + 3) : gcd(in[i] & 0xffff, i + 6);
}

kernel void sort(global const uint *in, global uint *out)
{
    uint i = get_global_id(0);
    uint a[16];
    for (int k = 0; k < 16; k++)
        a[k] = in[(16 * i + k) & 1023] * (i + 1);
    for (int k = 0; k < 16; k++)
        for (int j = 0; j + 1 < 16 - k; j++)
            if (a[j] > a[j + 1]) {
                uint t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
            }
    for (int k = 0; k < 16; k++)
        out[16 * i + k] = a[k];
}

struct pair {
    uchar tag;
    uint value[5];
    ulong sum;
};

static void __attribute__((noinline)) fill(struct pair *p, uint seed)
{
    p->tag = (uchar)seed;
    p->sum = 0;
    for (int k = 0; k < 5; k++) {
        p->value[k] = seed * (k + 1) ^ (seed >> k);
        p->sum += p->value[k];
    }
}

kernel void structures(global const uint *in, global ulong *out)
{
    uint i = get_global_id(0);
    struct pair p[3];
    for (uint k = 0; k < 3; k++)
        fill(&p[k], in[i] + k);
    out[i] = p[in[i] % 3].sum * 3 + p[(i + 1) % 3].value[in[i] % 5] + p[i % 3].tag;
}

/* A generic pointer: global, local and private by turns. */
static uint __attribute__((noinline)) through(uint *p)
{
    uint x = *p;
    *p = x * 7 + 1;
    return x;
}

kernel void generic_pointers(global uint *out)
{
    local uint shared[64];
    uint i = get_global_id(0), l = get_local_id(0), mine = i * 5;
    shared[l] = i + 9;
    uint *p = i % 3 == 0 ? (uint *)&out[i] : i % 3 == 1 ? (uint *)&shared[l] : &mine;
    uint r = through(p);
    out[i] = r + mine * 3 + shared[l] + (i % 3 == 0 ? out[i] : 0);
}

kernel void grid3(global uint *out)
{
    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;
    out[i] = (uint)(get_local_id(0) | get_local_id(1) << 4 | get_local_id(2) << 8 | get_group_id(0) << 12 |
                    get_group_id(1) << 16 | get_group_id(2) << 20 | get_num_groups(0) << 24 | get_num_groups(1) << 28);
}

kernel void partial(global uint *out)
{
    out[get_global_id(0)] = (uint)(get_local_size(0) * 65536 + get_local_id(0));
}
