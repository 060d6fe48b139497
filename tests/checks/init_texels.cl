/* The kernels of init_texels.c: planted uses of texels that nothing has written, whose lines have BUG and a mark of init.txt, and idioms. Images of 64 texels:
 * 16 by 4, and of three dimensions or in layers 4 by 4 by 4. Groups of 32 work-items. */
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
constant sampler_t mixed = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void sum_plane(global int *out, read_only image2d_t from)
{
    const int i = get_global_id(0);
    out[i] = read_imagei(from, near, (int2)(i % 16, i / 16)).x + 1; /* BUG tx_plane */
}

kernel void sum_box(global int *out, read_only image3d_t from)
{
    const int i = get_global_id(0);
    out[i] = read_imagei(from, near, (int4)(i % 4, i / 4 % 4, i / 16, 0)).x + 1; /* BUG tx_box */
}

kernel void sum_planes(global int *out, read_only image2d_array_t from)
{
    const int i = get_global_id(0);
    out[i] = read_imagei(from, near, (int4)(i % 4, i / 4 % 4, i / 16, 0)).x + 1; /* BUG tx_planes */
}

kernel void sum_line(global int *out, read_only image1d_t from)
{
    const int i = get_global_id(0);
    out[i] = read_imagei(from, near, i).x + 1; /* BUG tx_line */
}

kernel void sum_lines(global int *out, read_only image1d_array_t from)
{
    const int i = get_global_id(0);
    out[i] = read_imagei(from, near, (int2)(i % 16, i / 16)).x + 1; /* BUG tx_lines */
}

kernel void sum_buffer(global int *out, read_only image1d_buffer_t from)
{
    const int i = get_global_id(0);
    out[i] = read_imagei(from, i).x + 1; /* BUG tx_buffer */
}

kernel void branch_plane(global int *out, read_only image2d_t from)
{
    const int i = get_global_id(0);
    if (read_imagei(from, near, (int2)(i % 16, i / 16)).x > 5) /* BUG tx_branch */
        out[i | 1] = 5;
    else
        atomic_add(&out[0], 1);
}

kernel void index_plane(global int *out, read_only image2d_t from)
{
    const int i = get_global_id(0);
    atomic_inc(&out[read_imagei(from, near, (int2)(i % 16, i / 16)).x & 63]); /* BUG tx_index */
}

kernel void at_number(global int *out, read_only image2d_t from, global int *at)
{
    const int i = get_global_id(0);
    out[i] = read_imagei(from, near, (int2)(at[i] & 15, i / 16)).x; /* BUG tx_at */
}

kernel void mix_plane(global int *out, read_only image2d_t from)
{
    const int i = get_global_id(0);
    const float2 at = (float2)(i % 16 + 0.75f, (i / 16 + 1) / 2 + 0.25f);
    out[i] = (int)(64 * read_imagef(from, mixed, at).x); /* BUG tx_mix */
}

kernel void fraction(global int *out, read_only image2d_t from)
{
    const int i = get_global_id(0);
    out[i] = (int)(100 * read_imagef(from, near, (int2)(i % 16, i / 16)).y); /* BUG tx_fraction */
}

kernel void color(global int *out, read_only image2d_t from)
{
    const int i = get_global_id(0);
    const uint4 c = read_imageui(from, near, (int2)(i % 16, i / 16));
    out[i] = c.x + c.y * c.z; /* BUG tx_color */
}

kernel void opacity(global int *out, read_only image2d_t from)
{
    const int i = get_global_id(0);
    out[i] = 3 * read_imageui(from, near, (int2)(i % 16, i / 16)).w; /* BUG tx_opacity */
}

kernel void draw_sum(write_only image2d_t to, global int *in)
{
    const int i = get_global_id(0);
    write_imagei(to, (int2)(i % 16, i / 16), (int4)(in[i] + 1)); /* BUG tx_draw */
}

kernel void draw(write_only image2d_t to, global int *in, int items)
{
    const int i = get_global_id(0);
    if (i < items)
        write_imagei(to, (int2)(i % 16, i / 16), (int4)(in[i]));
}

kernel void draw_line(write_only image1d_t to, global int *in)
{
    write_imagei(to, (int)get_global_id(0), (int4)(in[get_global_id(0)]));
}

kernel void draw_buffer(write_only image1d_buffer_t to, global int *in)
{
    write_imagei(to, (int)get_global_id(0), (int4)(in[get_global_id(0)]));
}

kernel void draw_planes(write_only image2d_array_t to, global int *in)
{
    const int i = get_global_id(0);
    write_imagei(to, (int4)(i % 4, i / 4 % 4, i / 16, 0), (int4)(in[i]));
}

kernel void draw_color(write_only image2d_t to, global int *in)
{
    const int i = get_global_id(0);
    write_imageui(to, (int2)(i % 16, i / 16), (uint4)(in[i], 2 * in[i], 3, 4));
}

kernel void copy_texels(write_only image2d_t to, read_only image2d_t from)
{
    const int2 at = (int2)(get_global_id(0) % 16, get_global_id(0) / 16);
    write_imagei(to, at, read_imagei(from, near, at));
}

kernel void copy_fractions(write_only image2d_t to, read_only image2d_t from)
{
    const int2 at = (int2)(get_global_id(0) % 16, get_global_id(0) / 16);
    write_imagef(to, at, read_imagef(from, near, at));
}

kernel void outside(global int *out, read_only image2d_t from)
{
    const int i = get_global_id(0);
    out[i] = (int)read_imagef(from, border, (float2)(i - 80, 7)).x + get_image_width(from);
}

kernel void beyond(global int *out, read_only image2d_t from)
{
    const int i = get_global_id(0);
    out[i] = read_imagei(from, near, (int2)(i - 80, i)).x + 1;
}

kernel void add_one(global int *out, global int *in)
{
    const int i = get_global_id(0);
    out[i] = in[i] + 1; /* BUG tx_memory */
}

/* Of init_parts_ze.c. */
kernel void draw_red(write_only image2d_t to, global float *in)
{
    const int i = get_global_id(0);
    write_imagef(to, (int2)(i % 16, i / 16), (float4)(in[i] + 0.25f, 0.5f, 1.0f, 1.0f));
}

kernel void branch_on_red(global int *out, read_only image2d_t from)
{
    const int i = get_global_id(0);
    out[i] = 7;
    if (read_imagef(from, near, (int2)(i % 16, i / 16)).x > 0.6f) /* BUG tx_red */
        out[i / 2] = 7;
}

kernel void branch_on_green(global int *out, read_only image2d_t from)
{
    const int i = get_global_id(0);
    out[i] = 0;
    if (read_imagef(from, near, (int2)(i % 16, i / 16)).y > 0.4f)
        out[i] = 7;
}
