/* A function whose frame is given back before it returns: its caller has its own frame pointer again. */
__attribute__((noinline)) float scale(float x, float by)
{
    float y = x * by;
    int n = (int)y + 2;
    return y + n;
}
__attribute__((noinline)) int depth(int n)
{
    int r = n * 3;
    if (n > 0)
        r += depth(n - 1);
    return r;
}
__kernel void epilogue(__global float *out, int n)
{
    int g = get_global_id(0);
    float v = g * 0.5f;
    out[g] = scale(v, 2.0f);
    out[g] += depth(n);
}
