// Each line begins with the work-item that prints it: which one comes first is nobody's promise.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void integers(global const int *in)
{
    int i = get_global_id(0), v = in[i];
    printf("%d d|%d|%5d|%-9d|%+d|% d|%012d|%.12d|%i\n", i, v, v, v, v, v, v, v, v);
    printf("%d u|%u|%x|%X|%#x|%o|%#o|%11u|%-12x|\n", i, v, v, v, v, v, v, v, v);
    printf("%d short|%hd|%hu|%hx|%hhd|%hhu|%hhx\n", i, (short)v, (ushort)v, (ushort)v, (char)v, (uchar)v, (uchar)v);
    long wide = ((long)v << 32) ^ (long)v * 77;
    printf("%d long|%ld|%lu|%lx|%25ld|%-25lu|\n", i, wide, wide, wide, wide, wide);
}

kernel void reals(global const float *in)
{
    int i = get_global_id(0);
    float f = in[i];
    printf("%d f|%f|%.3f|%12.2f|%-14.1f|%+f|\n", i, f, f, f, f, f);
    printf("%d e|%e|%.2E|%g|%G|%.10g|%#g\n", i, f, f, f, f, f, f);
    printf("%d d|%f|%.17g|%e|%a\n", i, (double)f, (double)f, (double)f, (double)f);
}

kernel void doubles(global const double *in)
{
    int i = get_global_id(0);
    printf("%d d|%f|%.17g|%e|%a\n", i, in[i], in[i], in[i], in[i]);
}

kernel void vectors(global const int4 *in)
{
    int i = get_global_id(0);
    int4 v = in[i];
    printf("%d i|%v4hld|%v4hlx|%8v4hlu|\n", i, v, v, as_uint4(v));
    printf("%d s|%v2hld|%v3hld|%v8hd|%v4hhd\n", i, v.xy, v.xyz, convert_short8((int8)(v, v)), convert_char4(v));
    printf("%d f|%v4hlf|%.1v2hlf|%v3hlg\n", i, convert_float4(v), convert_float2(v.xy), convert_float3(v.xyz));
    printf("%d l|%v2ld|%v2lx\n", i, convert_long2(v.xy) << 20, convert_long2(v.zw));
}

kernel void texts(global const int *in)
{
    int i = get_global_id(0);
    printf("%d plain\n", i);
    printf("%d %s|%10s|%-10s|%.3s|%c%c%%\n", i, "text", "right", "left", "short", 'a' + i % 26, 'Z');
    printf("%d a: colon, \"quotes\", tab\t, question? %s\n", i, "more: of it");
    if (in[i] & 1)
        printf("%d is odd\n", i);
}

__attribute__((noinline)) void say(int i, int depth)
{
    printf("%d at %d\n", i, depth);
    if (depth)
        printf("%d goes on from %d to %d\n", i, depth, depth - 1);
}

kernel void branches(global const int *in)
{
    int i = get_global_id(0);
    for (int k = 0; k < (in[i] & 7); k++)
        say(i, k);
    if (i == 5)
        printf("%d has a line of its own\n", i);
}
