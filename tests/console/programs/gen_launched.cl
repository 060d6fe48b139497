/* Arguments of each kind, of which the optimised code keeps little. */
struct P { int a; float b; long c; short d[3]; };
kernel void launched(global int *out, struct P p, int n, char small, float4 v)
{
    int i = get_global_id(0);
    n *= 3;
    out[i] = p.a + n + small + (int)v.y + p.d[1] + p.d[2] + p.d[0] + (int)p.b + (int)p.c; /* out */
}
