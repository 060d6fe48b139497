/* Where private memory is: the two experiments of the article on AMD GPU memory, without printf. */
#define SCALAR(name)                                                                               \
    static ulong name##_(void)                                                                     \
    {                                                                                              \
        ulong value;                                                                               \
        __asm__ volatile("s_mov_b64 %0, " #name : "=s"(value));                                    \
        return value;                                                                              \
    }
SCALAR(src_private_base)
SCALAR(src_private_limit)
SCALAR(src_shared_base)
SCALAR(src_shared_limit)
SCALAR(flat_scratch)

static ulong __attribute__((noinline)) address_of(ulong *p)
{
    *p += 0;
    return (ulong)p;
}

/* out[0..5]: apertures, FLAT_SCRATCH, &A; then the low and the high words of A of all lanes, as they
 * lie in the backing memory. */
kernel void apertures(global ulong *out, global uint *words)
{
    ulong a = 0x12345678deadbeaf + get_local_id(0);
    ulong at = address_of(&a), offset = at - src_private_base_();
    uint lane = get_local_id(0);
    if (lane == 0) {
        out[0] = src_private_base_();
        out[1] = src_private_limit_();
        out[2] = src_shared_base_();
        out[3] = src_shared_limit_();
        out[4] = flat_scratch_();
        out[5] = at;
    }
    global uint *backing = (global uint *)flat_scratch_();
    words[lane] = backing[offset / 4 * 64 + lane];
    words[64 + lane] = backing[(offset + 4) / 4 * 64 + lane];
    out[6 + lane] = a + at;
}

static uint __attribute__((noinline)) total(uint *p)
{
    uint sum = 0;
    for (int i = 0; i < SIZE; i++)
        sum += p[i];
    return sum;
}

/* Each wave's FLAT_SCRATCH; the array makes private memory large. */
__attribute__((reqd_work_group_size(640, 1, 1))) kernel void waves(global const uint *in, global ulong *out)
{
    uint buf[SIZE];
    for (int i = 0; i < SIZE; i++)
        buf[i] = in[i & 255] * in[i & 255] + i;
    ulong a = total(buf);
    if (get_local_id(0) % 64 == 0) {
        out[2 * (get_local_id(0) / 64)] = flat_scratch_();
        out[2 * (get_local_id(0) / 64) + 1] = address_of(&a);
    }
}
