/*
 * A host program of Vortex 3.0 for bench/vortex.py: FILE KERNEL N TIMES [MIB]. Launches the kernel
 * and checks what it computes; prints its instructions, the CPU time of the launches, and that of
 * the process. MIB: so much more device memory is in use.
 */
#define VORTEX_API 3
#include "runtime/vortex/vortex.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const vx_result_t is_ = (call);                                                            \
        if (is_) {                                                                                 \
            fprintf(stderr, "%s: %s\n", #call, vx_result_string(is_));                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static float mean(const float *a, int n, int x, int y, int z)
{
    float sum = 0;
    for (int i = 0; i < 27; i++) {
        const int at[] = {z + i / 9 - 1, y + i / 3 % 3 - 1, x + i % 3 - 1};
        size_t from = 0;
        for (int k = 0; k < 3; k++)
            from = from * (size_t)n + (size_t)(at[k] < 0 ? 0 : at[k] >= n ? n - 1 : at[k]);
        sum += a[from];
    }
    return sum / 27;
}

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void check(const char *kernel, int n, float *a, const float *b, const float *c, size_t count)
{
    double worst = 0;
    if (!strcmp(kernel, "sort")) {
        qsort(a, count, 4, by_value);
        worst = memcmp(a, c, count * 4) ? 1 : 0;
    }
    for (size_t i = 0; i < count && !strcmp(kernel, "sgemm"); i++) {
        float sum = 0;
        for (int k = 0; k < n; k++)
            sum += a[i / (size_t)n * (size_t)n + (size_t)k] * b[(size_t)k * (size_t)n + i % (size_t)n];
        worst = fmax(worst, fabs((double)sum - (double)c[i]));
    }
    for (size_t i = 0; i < count && !strcmp(kernel, "stencil3d"); i++)
        worst = fmax(worst, fabs((double)mean(a, n, (int)i % n, (int)i / n % n, (int)i / n / n) - (double)c[i]));
    if (worst > 1e-3) {
        fprintf(stderr, "%s is wrong by %g\n", kernel, worst);
        exit(1);
    }
}

static unsigned long long instructions(vx_device_h device)
{
    char text[65536] = "";
    unsigned long long count = 0;
    FILE *out = tmpfile();
    if (!out || vx_device_dump_perf(device, out))
        return 0;
    rewind(out);
    text[fread(text, 1, sizeof text - 1, out)] = 0;
    fclose(out);
    for (const char *at = text; (at = strstr(at, "PERF: instrs=")); at++)
        count = strtoull(at + 13, NULL, 10);
    return count;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    const char *name = argv[2];
    const int n = atoi(argv[3]), times = atoi(argv[4]);
    const bool is_sort = !strcmp(name, "sort");
    const size_t count = (size_t)n * (size_t)n * (!strcmp(name, "stencil3d") ? (size_t)n : 1), bytes = count * 4;
    float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
    uint64_t at[3];
    vx_device_h device;
    vx_queue_h queue;
    vx_module_h module;
    vx_kernel_h kernel;
    vx_buffer_h buffer[3], more;
    if (!a || !b || !c)
        return 1;
    for (size_t i = 0; i < count; i++) {
        ((uint32_t *)a)[i] = (uint32_t)(i * 2654435761u % 1000);
        a[i] = is_sort ? a[i] : (float)((uint32_t *)a)[i] / 1000;
        b[i] = (float)(i % 17) / 17;
    }
    CHECK(vx_device_open(0, &device));
    CHECK(vx_queue_create(device, NULL, &queue));
    CHECK(vx_module_load_file(device, argv[1], &module));
    CHECK(vx_module_get_kernel(module, name, &kernel));
    for (int i = 0; i < 3; i++) {
        CHECK(vx_buffer_create(device, bytes, VX_MEM_READ_WRITE, &buffer[i]));
        CHECK(vx_buffer_address(buffer[i], &at[i]));
    }
    CHECK(vx_enqueue_write(queue, buffer[0], 0, a, bytes, 0, NULL, NULL));
    CHECK(vx_enqueue_write(queue, buffer[1], 0, b, bytes, 0, NULL, NULL));
    if (argc > 5) {
        const uint8_t one = 1;
        CHECK(vx_buffer_create(device, strtoull(argv[5], NULL, 10) << 20, VX_MEM_READ_WRITE, &more));
        CHECK(vx_enqueue_fill_buffer(queue, more, 0, strtoull(argv[5], NULL, 10) << 20, &one, 1, 0, NULL, NULL));
    }
    CHECK(vx_queue_finish(queue, VX_TIMEOUT_INFINITE));
    const uint32_t arguments[] = {(uint32_t)(is_sort ? n * n : n), (uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]};
    const vx_launch_info_t info = {.struct_size = sizeof info, .kernel = kernel, .args_host = arguments, .args_size = sizeof arguments, .ndim = 2,
                                   .grid_dim = {(uint32_t)n / 4, (uint32_t)n / 4, 1}, .block_dim = {4, 4, 1}};
    const double begin = cpu();
    for (int i = 0; i < times; i++) {
        CHECK(vx_enqueue_launch(queue, &info, 0, NULL, NULL));
        CHECK(vx_queue_finish(queue, VX_TIMEOUT_INFINITE));
    }
    const double launches = cpu() - begin;
    CHECK(vx_enqueue_read(queue, c, buffer[2], 0, bytes, 0, NULL, NULL));
    CHECK(vx_queue_finish(queue, VX_TIMEOUT_INFINITE));
    if (times)
        check(name, n, a, b, c, count);
    printf("figures %llu %.9f %.9f\n", times ? instructions(device) : 0, launches, cpu());
    return 0;
}
