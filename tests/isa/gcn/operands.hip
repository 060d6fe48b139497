/* Has a GPU compute the instructions of operands.def that it has: operands NUMBER MODEL says of each how many results were compared, and how many are wrong. */
#include <hip/hip_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operands.h"

#define WITH_908 (!__HIP_DEVICE_COMPILE__ || __gfx908__ || __gfx90a__)
#define WITH_90A (!__HIP_DEVICE_COMPILE__ || __gfx90a__)
#if __HIP_DEVICE_COMPILE__
#define BODY(...) __VA_ARGS__
#else
#define BODY(...)
#endif
#define IS_WIDE(kind) ((kind) == 'F' || (kind) == 'B' || (kind) == 'U' || (kind) == 'm')
enum { BLOCK = 256, WAVES = BLOCK / 64 };

template <bool WIDE> struct word { typedef uint32_t type; };
template <> struct word<true> { typedef uint64_t type; };
template <int N> struct words { typedef uint32_t type __attribute__((ext_vector_type(N))); };
template <> struct words<1> { typedef uint32_t type; };
typedef uint32_t resource __attribute__((ext_vector_type(4)));

#define ROW(name, kinds, text, ...) \
    __global__ void k_##name(const uint64_t *a, const uint64_t *b, const uint64_t *c, uint64_t *d) \
    { \
        BODY(typedef word<IS_WIDE(kinds[0])>::type type; const int i = blockIdx.x * BLOCK + threadIdx.x; type to = (type)c[i]; \
             asm volatile(text : "+&v"(to) : "v"((type)a[i]), "v"((type)b[i]), "v"((type)c[i]) : "a7", "a9"); d[i] = to;) \
    }
#define ATOMIC(name, kind, text, ...) \
    __global__ void k_##name(const uint64_t *a, uint64_t *was, const uint64_t *c, uint64_t *d) \
    { \
        BODY(typedef word<IS_WIDE(kind[0])>::type type; __shared__ type own[BLOCK]; const int i = blockIdx.x * BLOCK + threadIdx.x; \
             const resource memory = {(uint32_t)(uint64_t)d, (uint32_t)((uint64_t)d >> 32), 0xffffffff, 0x27000}; type to = (type)c[i]; d[i] = own[threadIdx.x] = (type)c[i]; \
             __threadfence_block(); \
             asm volatile(text : "+&v"(to) : "v"(&d[i]), "v"((type)a[i]), "s"(memory), "v"(8 * i), "v"((uint32_t)(uint64_t)&own[threadIdx.x]) : "memory"); \
             was[i] = to; if (text[0] == 'd') d[i] = own[threadIdx.x];) \
    }
#define PRODUCT(name, kind, side, k, per, group, blocks) \
    __global__ void k_##name(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *d) \
    { \
        enum { W = kind == 'd' ? 2 : 1, IN = per * (kind == 'd' ? 64 : kind == 'f' ? 32 : kind == 'i' ? 8 : 16) / 32, OUT = side * side * blocks / 64 * W }; \
        BODY(const int i = blockIdx.x * BLOCK + threadIdx.x; words<IN>::type x, y; words<OUT>::type to; memcpy(&x, a + i * IN, sizeof x); memcpy(&y, b + i * IN, sizeof y); \
             memcpy(&to, c + i * OUT, sizeof to); \
             asm volatile("s_nop 7\nv_mfma_" #name " %0, %1, %2, %0\ns_nop 15\ns_nop 15" : "+a"(to) : "v"(x), "v"(y)); memcpy(d + i * OUT, &to, sizeof to);) \
    }
#include "operands.def"
#undef ROW
#undef ATOMIC
#undef PRODUCT

/* What a launch takes and gives: three buffers that the host fills, and the fourth; the second one comes back, too. */
static void compute(void (*launch)(size_t, void **), size_t groups, const size_t *size, void **x)
{
    void *there[4];
    hipError_t failed = hipSuccess;
    for (int n = 0; n < 4; n++) {
        failed = failed ? failed : hipMalloc(&there[n], size[n]);
        failed = failed ? failed : hipMemcpy(there[n], x[n], size[n], hipMemcpyHostToDevice);
    }
    if (!failed)
        launch(groups, there);
    for (int n = 1; n < 4; n += 2)
        failed = failed ? failed : hipMemcpy(x[n], there[n], size[n], hipMemcpyDeviceToHost);
    for (int n = 0; n < 4; n++)
        failed = failed ? failed : hipFree(there[n]);
    if (failed) {
        fprintf(stderr, "%s\n", hipGetErrorString(failed));
        exit(2);
    }
}

#define LAUNCH(name, type) [](size_t groups, void **x) { k_##name<<<groups, BLOCK>>>((type *)x[0], (type *)x[1], (type *)x[2], (type *)x[3]); }
static void (*const of_row[])(size_t, void **) = {
#define ROW(name, ...) LAUNCH(name, uint64_t),
#define ATOMIC(...)
#define PRODUCT(...)
#include "operands.def"
#undef ROW
#undef ATOMIC
};
static void (*const of_atomic[])(size_t, void **) = {
#define ROW(...)
#define ATOMIC(name, ...) LAUNCH(name, uint64_t),
#include "operands.def"
#undef ATOMIC
#undef PRODUCT
};
static void (*const of_product[])(size_t, void **) = {
#define ATOMIC(...)
#define PRODUCT(name, ...) LAUNCH(name, uint32_t),
#include "operands.def"
};

static void said(const char *name, size_t count, size_t wrong)
{
    printf("%s %zu %zu\n", name, count, wrong);
    fflush(stdout);
}

static void numbers(size_t count, bool atomic, const struct row *r, void (*launch)(size_t, void **))
{
    const size_t size[4] = {8 * count, 8 * count, 8 * count, 8 * count};
    uint64_t *x[4], seed = r->name[4] * 1000 + r->name[9], wrong = 0;
    const char kind = r->kinds[0];
    const char *const kinds = atomic ? (char[]){kind, kind, kind, 0} : r->kinds + 1;
    for (int n = 0; n < 4; n++) {
        x[n] = (uint64_t *)calloc(count, 8);
        for (size_t i = 0; n < 3 && i < count; i++)
            do
                x[n][i] = number(&seed, kinds[n]);
            while (kind == 'm' && x[n][i] << 1 > UINT64_C(0x7ff) << 53);
    }
    compute(launch, count / BLOCK, size, (void **)x);
    for (size_t i = 0; i < count; i++)
        wrong += !same(kind, x[3][i], r->model(x[0][i], x[1][i], x[2][i])) || (atomic && !same(kind, x[1][i], x[2][i]));
    said(r->name, count, wrong);
    for (int n = 0; n < 4; n++)
        free(x[n]);
}

static void matrices(size_t count, const struct product *p, void (*launch)(size_t, void **))
{
    const size_t w = p->kind == 'd' ? 2 : 1, in = p->per * (p->kind == 'd' ? 8 : p->kind == 'f' ? 4 : p->kind == 'i' ? 1 : 2) / 4, each = (size_t)p->side * p->side * p->blocks;
    const size_t out = each / 64 * w, waves = (count / each + WAVES) / WAVES * WAVES;
    const size_t size[4] = {waves * 256 * in, waves * 256 * in, waves * 256 * out, waves * 256 * out};
    uint32_t *x[4];
    uint64_t seed = p->side * 100 + p->k;
    size_t wrong = 0;
    for (int n = 0; n < 4; n++) {
        x[n] = (uint32_t *)calloc(size[n], 1);
        const char kind = n == 2 && p->kind != 'd' && p->kind != 'i' ? 'f' : p->kind;
        for (size_t i = 0; n < 3 && i < size[n] / 4; i++) {
            const bool halves = kind == 'h' || kind == 'b';
            const uint64_t one = number(&seed, kind);
            x[n][i] = (uint32_t)(halves ? one | number(&seed, kind) << 16 : one);
            if (kind == 'd')
                x[n][++i] = (uint32_t)(one >> 32);
        }
    }
    compute(launch, waves / WAVES, size, (void **)x);
    for (size_t n = 0; n < waves; n++)
        wrong += wrong_elements(p, x[0] + n * 64 * in, x[1] + n * 64 * in, x[2] + n * 64 * out, x[3] + n * 64 * out);
    char name[64];
    snprintf(name, sizeof name, "v_mfma_%s", p->name);
    said(name, waves * each, wrong);
    for (int n = 0; n < 4; n++)
        free(x[n]);
}

int main(int argc, char **argv)
{
    /* The numbers of rows that each model has, as operands.def has them in its order. */
    enum { ROWS_906 = 12, ROWS_908 = 18, PRODUCTS_908 = 20, ATOMICS_908 = 4 };
    const char *const model = argc > 2 ? argv[2] : "gfx90a";
    const size_t count = (strtoul(argc > 1 ? argv[1] : "1024", NULL, 10) + BLOCK - 1) / BLOCK * BLOCK;
    const bool matrix = strcmp(model, "gfx906");
    gfx90a = !strcmp(model, "gfx90a");
    for (int i = 0; i < (gfx90a ? (int)(sizeof of_row / sizeof *of_row) : matrix ? ROWS_908 : ROWS_906); i++)
        numbers(count, false, &rows[i], of_row[i]);
    for (int i = 0; matrix && i < (gfx90a ? (int)(sizeof of_atomic / sizeof *of_atomic) : ATOMICS_908); i++)
        numbers(count, true, &atomics[i], of_atomic[i]);
    for (int i = 0; matrix && i < (gfx90a ? (int)(sizeof of_product / sizeof *of_product) : PRODUCTS_908); i++)
        matrices(count, &products[i], of_product[i]);
    return 0;
}
