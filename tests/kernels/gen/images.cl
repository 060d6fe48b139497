/* Images and samplers as arguments of kernels: what PoCL computes on the CPU is what the emulated EU computes. */
constant sampler_t by_texel = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

/* Reads by a sampler that is an argument and by two of the program's own. */
kernel void sampled(read_only image2d_t from, sampler_t given, global const float2 *where, float scale, global float4 *out)
{
    int i = get_global_id(0);
    float2 normal = where[i] / (float2)(get_image_width(from), get_image_height(from));
    out[3 * i] = read_imagef(from, given, where[i] * scale);
    out[3 * i + 1] = read_imagef(from, by_texel, convert_int2_rtn(where[i]));
    out[3 * i + 2] = read_imagef(from, smooth, normal);
}

kernel void floats(read_only image2d_t from, write_only image2d_t to, global int *told)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, (int2)(at.x, get_image_height(to) - 1 - at.y), read_imagef(from, by_texel, at));
    if (at.x + at.y == 0) {
        told[0] = get_image_width(from);
        told[1] = get_image_height(to);
        told[2] = get_image_channel_order(from);
        told[3] = get_image_channel_data_type(from);
    }
}

kernel void unsigned_integers(read_only image2d_t from, write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, at, read_imageui(from, by_texel, at) + 3);
}

kernel void integers(read_only image2d_t from, write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagei(to, at, read_imagei(from, by_texel, at) - 3);
}

kernel void row(read_only image1d_t from, write_only image1d_t to)
{
    int x = get_global_id(0);
    write_imageui(to, x, read_imageui(from, by_texel, get_image_width(from) - 1 - x));
}

kernel void rows(read_only image1d_array_t from, write_only image1d_array_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, at, read_imageui(from, by_texel, (int2)(at.x, get_image_array_size(from) - 1 - at.y)));
}

kernel void planes(read_only image2d_array_t from, write_only image2d_array_t to)
{
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    int4 other = (int4)(at.x, get_image_height(from) - 1 - at.y, get_image_array_size(from) - 1 - at.z, 0);
    write_imageui(to, at, read_imageui(from, by_texel, other));
}

kernel void solid(read_only image3d_t from, global uint4 *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int at = (z * get_image_height(from) + y) * get_image_width(from) + x;
    out[at] = read_imageui(from, by_texel, (int4)(x, y, get_image_depth(from) - 1 - z, 0));
}

#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable

kernel void volume(read_only image3d_t from, write_only image3d_t to)
{
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    int4 other = (int4)(get_image_width(from) - 1 - at.x, at.y, get_image_depth(from) - 1 - at.z, 0);
    write_imageui(to, at, read_imageui(from, by_texel, other) ^ 3);
}

constant sampler_t at_edges = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

/* The mean of nine texels, at the edges of those that there are. */
kernel void blur(read_only image2d_t from, write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    uint4 sum = 4;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += read_imageui(from, at_edges, at + (int2)(x, y));
    write_imageui(to, at, sum / 9);
}

/* How often each value of the first channel is in an image. */
kernel void levels(read_only image2d_t from, global uint *count)
{
    uint4 texel = read_imageui(from, by_texel, (int2)(get_global_id(0), get_global_id(1)));
    atomic_inc(&count[texel.x & 255]);
}

kernel void elements(read_only image1d_buffer_t from, global uint4 *out)
{
    int x = get_global_id(0);
    out[x] = read_imageui(from, (int)get_global_size(0) - 1 - x);
}
