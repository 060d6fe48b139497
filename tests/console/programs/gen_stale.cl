/* A kernel for the tests of the Gen9 debugger: WIDTH work-items a thread. Without optimisation the compiler keeps the
 * addresses of variables in registers, which it re-uses after each variable's last use. */
__attribute__((intel_reqd_sub_group_size(WIDTH)))
__kernel void stale(__global int *out, __global const int *in, int n)
{
    int g = get_global_id(0);
    int first = in[g] * 2;
    int4 v = (int4)(g, g + 1, g + 2, g + 3);
    double d = in[g] * 0.5;
    int m = n + 1;
    out[g] = first + m + v.y + (int)d;
    int later = out[g] - 1; /* later */
    if (g & 1) {
        int odd = later + 5;
        later += odd;
    } else {
        int list[3];
        for (int q = 0; q < 3; q++)
            list[q] = q + g;
        later += list[g % 3]; /* even */
    }
    for (int k = 0; k < n; k++) {
        int t = k + later;
        later -= t; /* loop */
    }
    later = later * 3 + (int)sqrt((float)later);
    out[g] = later; /* last */
}
