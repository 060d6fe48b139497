// Mistakes around products of matrices and accumulation registers: each kernel has one, which it does not have with TWIN. A wave makes a tile of 16 by 16
// with 4 k of one of A and B, or 16 tiles of 4 by 4. A group has two waves; `out` has 512 floats for each of two groups, `in` has 256.
typedef float four __attribute__((ext_vector_type(4)));
#define MUL(a, b, c) __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, 0, 0, 0)
#ifdef TWIN
#define WRONG(wrong, right) right
#else
#define WRONG(wrong, right) wrong
#endif
#define KERNEL kernel __attribute__((reqd_work_group_size(128, 1, 1))) void
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)

static void put(global float *out, int lane, four d)
{
    for (int k = 0; k < 4; k++)
        out[k * 64 + lane] = d[k];
}

// What nothing has written.

// Without a call, since at -O0 get_local_id() is one, which leaves values in registers. A gfx908 has coordinates in v0 to v2.
#define LANE __builtin_amdgcn_workitem_id_x()

KERNEL sum_is_not_cleared(global float *out, global const float *in)
{
    const int i = LANE;
    four sum;
    __asm__("; %0 is nothing" : "=v"(sum)); // undefined values are left out of a product by the compiler
    WRONG(, sum = 0);
    sum = MUL(in[i], in[i], sum);
    if (sum[3] > 0) // use
        out[i] = 1;
}

KERNEL tile_is_half_filled(global float *out, global const float *in)
{
    local float tile[128];
    const int i = get_local_id(0);
    if (i < WRONG(96, 128))
        tile[i] = in[i];
    BARRIER;
    const four d = MUL(tile[127 - i], in[i], (four)0);
    if (d[0] > 1) // use
        out[i] = 1;
}

KERNEL block_is_not_filled(global float *out, global const float *in)
{
    local float tile[128];
    const int i = get_local_id(0);
    if (i % 64 / 4 != 5)
        tile[i] = in[i];
    BARRIER;
    const four d = __builtin_amdgcn_mfma_f32_4x4x1f32(tile[i], in[i], (four)0, 4, WRONG(5, 0), 0);
    if (d[3] > 1) // use
        out[i] = 1;
}

KERNEL spilled_elsewhere(global float *out, global const float *in)
{
    const int i = LANE;
    float value = in[i];
    int back;
#ifdef TWIN
    __asm__ volatile("v_accvgpr_write_b32 a7, %1\n s_nop 7\n v_accvgpr_read_b32 %0, a7\n s_nop 7" : "=v"(back) : "v"(value) : "a6", "a7");
#else
    __asm__ volatile("v_accvgpr_write_b32 a6, %1\n s_nop 7\n v_accvgpr_read_b32 %0, a7\n s_nop 7" : "=v"(back) : "v"(value) : "a6", "a7");
#endif
    if (back > 3) // use
        out[i] = 1;
}

// Races.

KERNEL tile_without_barrier(global float *out, global const float *in)
{
    local float tile[512];
    const int i = get_local_id(0), wave = i / 64, lane = i % 64;
    const four d = MUL(in[lane], in[lane], (four)0);
    for (int k = 0; k < 4; k++)
        tile[wave * 256 + k * 64 + lane] = d[k]; // race
    WRONG(, BARRIER);
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += tile[(1 - wave) * 256 + k * 64 + lane]; // race
    out[i] = sum;
}

KERNEL next_tile_too_early(global float *out, global const float *in)
{
    local float tile[128];
    const int i = get_local_id(0);
    four d = 0;
    for (int k = 0; k < 3; k++) {
        tile[i] = in[i + k]; // race
        BARRIER;
        d = MUL(tile[127 - i], in[i], d); // race
        WRONG(, BARRIER);
    }
    put(out + i / 64 * 256, i % 64, d);
}

KERNEL same_tile_of_two_groups(global float *out, global const float *in)
{
    const int i = get_local_id(0), tile = get_group_id(0) * WRONG(1, 2) + i / 64;
    put(out + tile * 256, i % 64, MUL(in[i] + get_group_id(0), in[i], (four)0)); // race
}

KERNEL sums_of_k_are_not_atomic(global float *out, global const float *in)
{
    const int lane = get_local_id(0) % 64;
    const four d = MUL(in[lane] + 1, in[lane] + get_group_id(0), (four)0);
    if (get_local_id(0) < 64)
#ifdef TWIN
        __asm__ volatile("s_nop 7\n global_atomic_add_f32 %0, %1, off" :: "v"(out + lane), "v"(d[0]));
#else
        out[lane] += d[0]; // race
#endif
}

// Memory.

KERNEL tile_beyond_the_end(global float *out, global const float *in)
{
    const int i = get_local_id(0);
    put(out + (i / 64 + WRONG(3, 0)) * 256, i % 64, MUL(in[i], in[i], (four)0)); // out
}

KERNEL one_k_too_many(global float *out, global const float *in)
{
    const int i = get_local_id(0);
    four d = 0;
    for (int k = 0; k < WRONG(4, 3); k++)
        d = MUL(in[i + 64 * k], in[i], d); // out
    put(out + i / 64 * 256, i % 64, d);
}

KERNEL local_tile_is_too_small(global float *out, global const float *in)
{
    local float tile[192];
    const int i = get_local_id(0);
    tile[i] = in[i];
    BARRIER;
    put(out + i / 64 * 256, i % 64, MUL(tile[(127 - i) * WRONG(2, 1)], in[i], (four)0)); // out
}

KERNEL sum_is_stored_beyond_the_end(global float *out, global const float *in)
{
    const int i = get_local_id(0);
    const float value = in[i];
    global float *const at = out + i + WRONG(960, 256);
#ifdef __gfx90a__
    __asm__ volatile("v_accvgpr_write_b32 a1, %1\n s_nop 7\n global_store_dword %0, a1, off" :: "v"(at), "v"(value) : "a1"); // out
#else
    __asm__ volatile("v_accvgpr_write_b32 a1, %1\n s_nop 7\n v_accvgpr_read_b32 v40, a1\n s_nop 7\n global_store_dword %0, v40, off" :: "v"(at), "v"(value) : "a1", "v40"); // out
#endif
}
