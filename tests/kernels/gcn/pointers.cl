/* Calls through pointers, which lanes do not agree about; recursion. */
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

typedef uint (*operation)(uint, uint);

static uint __attribute__((noinline)) sum(uint a, uint b)
{
    return a + b;
}

static uint __attribute__((noinline)) product(uint a, uint b)
{
    return a * b;
}

static uint __attribute__((noinline)) power(uint a, uint b)
{
    uint r = 1;
    for (b &= 15; b; b--)
        r *= a;
    return r;
}

static uint __attribute__((noinline)) remainder_of(uint a, uint b)
{
    return a % (b | 1);
}

static uint __attribute__((noinline)) digits(uint a, uint b)
{
    uint digit[12], n = 0, r = 0;
    do
        digit[n++] = a % (2 + b % 9 + 8);
    while (a /= 2 + b % 9 + 8);
    for (uint k = 0; k < n; k++)
        r = r * 31 + digit[k];
    return r;
}

constant operation table[5] = {sum, product, power, remainder_of, digits};

kernel void function_table(global const uint *in, global uint *out)
{
    uint i = get_global_id(0);
    out[i] = table[in[i] % 5](in[i] >> 3, i + 1);
}

kernel void same_function(global const uint *in, global uint *out, uint which)
{
    uint i = get_global_id(0);
    operation f = table[which % 5];
    out[i] = f(f(in[i], 3), f(i, in[i]));
}

static uint __attribute__((noinline)) fold(operation f, global const uint *in, uint from, uint n)
{
    uint r = in[from & 255];
    for (uint k = 1; k < n; k++) {
        r = f(r, in[(from + k) & 255]);
        if (r % 11 == 3)
            f = f == sum ? product : sum;
    }
    return r;
}

kernel void folds(global const uint *in, global uint *out)
{
    uint i = get_global_id(0);
    out[i] = fold(in[i] & 1 ? sum : remainder_of, in, i, 3 + in[i] % 20);
}

static uint __attribute__((noinline)) ackermann(uint m, uint n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

kernel void recursion(global uint *out)
{
    uint i = get_global_id(0);
    out[i] = ackermann(i % 3, i % 5) * 100 + (i & 8 ? ackermann(1, 4) : 0);
}

/* A machine of states with a stack in private memory. */
kernel void states(global const uchar *program, global int *out)
{
    uint i = get_global_id(0);
    int stack[32], top = 0;
    for (uint pc = i; pc < i + 64; pc++) {
        uchar op = program[pc & 255];
        int a = top > 0 ? stack[top - 1] : 0, b = top > 1 ? stack[top - 2] : 0;
        switch (op & 7) {
        case 0: case 1: case 2:
            if (top < 32)
                stack[top++] = op >> 3;
            break;
        case 3:
            if (top > 1)
                stack[--top - 1] = a + b;
            break;
        case 4:
            if (top > 1)
                stack[--top - 1] = b - a;
            break;
        case 5:
            if (top > 1)
                stack[--top - 1] = a * b;
            break;
        case 6:
            if (top > 1) {
                stack[top - 1] = b;
                stack[top - 2] = a;
            }
            break;
        default:
            if (a & 1)
                pc++;
            break;
        }
    }
    int sum = top;
    while (top)
        sum = sum * 5 + stack[--top];
    out[i] = sum;
}
