/* Functions that return values of all kinds. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
struct mixed { char a; int b; double c; };
struct small { char a; short b; };
struct bytes { char b[12]; };
#define FUNCTION(type, name, ...) __attribute__((noinline)) type get_##name(int g) { type value = __VA_ARGS__; return value; }
FUNCTION(double, d, g * 0.5)
FUNCTION(char, c, 'a' + g)
FUNCTION(short, s, -g)
FUNCTION(int4, i4, (int4)(g, g + 1, g + 2, g + 3))
FUNCTION(double2, d2, (double2)(g, -0.25))
FUNCTION(short2, s2, (short2)(g, -g))
FUNCTION(half, h, g * (half)0.5)
FUNCTION(struct mixed, mixed, {g, -g, g * 0.5})
FUNCTION(struct small, small, {g, -g})
FUNCTION(struct bytes, bytes, {{g, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}})
__kernel void returned(__global double *out)
{
    int g = get_global_id(0);
    double sum = get_d(g) + get_c(g) + get_s(g);
    sum += get_i4(g).x + get_d2(g).y + get_s2(g).x + get_h(g);
    struct mixed m = get_mixed(g);
    struct small s = get_small(g);
    struct bytes b = get_bytes(g);
    out[g] = sum + m.c + s.b + b.b[3];
}
