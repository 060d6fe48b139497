/* Functions that return values of all kinds. */
#define EACH(f)                                                                                    \
    f(char, c, 'x') f(short, s, -7) f(int, i, -70000) f(unsigned, u, 4000000000u)                  \
        f(long long, l, -123456789012345ll) f(float, fl, 3.25f) f(double, d, 20.75) f(_Bool, b, 1)

struct one_float {
    float f;
};
struct two_floats {
    float f[2];
};
struct float_int {
    float f;
    int i;
};
struct int_float {
    short s;
    float f;
};
struct two_doubles {
    double a, b;
};
struct small {
    char a;
    short b;
};
struct pair {
    int a, b;
};
struct wide {
    long a;
    long b;
};
struct bits {
    int a : 5;
    int b : 9;
};
union either {
    int i;
    float f;
};
struct inside {
    struct one_float x;
    struct {
        char c;
    } y;
};

#define FUNCTION(type, name, value)                                                                \
    __attribute__((noinline)) type get_##name(void)                                                \
    {                                                                                              \
        return value;                                                                              \
    }
EACH(FUNCTION)
#define RECORDS(f)                                                                                 \
    f(struct one_float, one_float, {1.5f}) f(struct two_floats, two_floats, {{1.5f}})              \
        f(struct float_int, float_int, {2.5f}) f(struct int_float, int_float, {-3})                \
            f(struct small, small, {65}) f(struct pair, pair, {-1}) f(struct wide, wide, {12})     \
                f(struct bits, bits, {-9}) f(union either, either, {77})                           \
                    f(struct inside, inside, {{4.5f}})
#define RECORD(type, name, ...)                                                                    \
    __attribute__((noinline)) type get_##name(void)                                                \
    {                                                                                              \
        type value = __VA_ARGS__;                                                                  \
        return value;                                                                              \
    }
RECORDS(RECORD)

volatile int sink;

int main(void)
{
#define CALL(type, name, ...)                                                                      \
    {                                                                                              \
        type value = get_##name();                                                                 \
        sink += *(volatile char *)&value;                                                          \
    }
    EACH(CALL)
    RECORDS(CALL)
    return 0;
}
