/* Calls of 3.0 that are mistakes, with the code that each is to give; the program goes on. FILE. */
#define VORTEX_API 3
#include "runtime/vortex/vortex.h"

#include <string.h>

enum { HANDLE = VX_ERR_INVALID_HANDLE, INFO = VX_ERR_INVALID_INFO, VALUE = VX_ERR_INVALID_VALUE };

#define GIVES(wanted, call)                                                                        \
    do {                                                                                           \
        const vx_result_t is_ = (call);                                                            \
        if (is_ != (vx_result_t)(wanted))                                                          \
            printf("wrong: %s is %s\n", #call, vx_result_string(is_));                             \
    } while (0)
#define NONE 0, NULL, NULL

int main(int argc, char **argv)
{
    vx_device_h d, second;
    vx_queue_h q, far;
    vx_buffer_h b, other, there;
    vx_event_h e, foreign, done;
    vx_module_h m;
    vx_kernel_h k;
    uint64_t value = 0;
    uint32_t word = 0, three[3];
    char bytes[256] = {0};
    void *host = NULL;
    const char *path = argv[argc - 1];
    GIVES(VALUE, vx_device_open(0, NULL));
    GIVES(VALUE, vx_device_open(9, &d));
    GIVES(VALUE, vx_device_count(NULL));
    GIVES(0, vx_device_open(0, &d));
    GIVES(0, vx_device_open(1, &second));
    GIVES(0, vx_queue_create(d, NULL, &q));
    GIVES(0, vx_queue_create(second, NULL, &far));
    GIVES(0, vx_buffer_create(d, 256, VX_MEM_READ_WRITE, &b));
    GIVES(0, vx_buffer_create(second, 256, VX_MEM_READ_WRITE, &there));
    GIVES(0, vx_event_create(d, &e));
    GIVES(0, vx_event_create(second, &foreign));
    GIVES(0, vx_module_load_file(d, path, &m));
    GIVES(0, vx_module_get_kernel(m, "add", &k));
    vx_launch_info_t l = {
        .struct_size = sizeof l, .kernel = k, .ndim = 1, .grid_dim = {1}, .block_dim = {4}};
    vx_rect_info_t r = {.struct_size = sizeof r, .region = {8, 2, 2}};
    vx_buffer_h stale;
    GIVES(0, vx_buffer_create(d, 16, VX_MEM_READ, &stale));
    GIVES(0, vx_buffer_release(stale));
    /* null, small numbers, memory, another kind of handle, stale */
    void *const bad[] = {NULL, (void *)8, bytes, e, stale, (char *)q + (1 << 22)};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        void *const x = bad[i];
        GIVES(HANDLE, vx_device_retain(x));
        GIVES(HANDLE, vx_device_release(x));
        GIVES(HANDLE, vx_device_query(x, 0, &value));
        GIVES(HANDLE, vx_device_memory_info(x, &value, &value));
        GIVES(HANDLE, vx_device_mpm_query(x, 0, 0xb00, 0, &value));
        GIVES(HANDLE, vx_device_dump_perf(x, stdout));
        GIVES(HANDLE, vx_device_max_occupancy_grid(x, 1, three, three, three));
        GIVES(HANDLE, vx_buffer_create(x, 16, VX_MEM_READ, &other));
        GIVES(HANDLE, vx_buffer_reserve(x, 0x70000000, 16, VX_MEM_READ, &other));
        GIVES(HANDLE, vx_buffer_retain(x));
        GIVES(HANDLE, vx_buffer_release(x));
        GIVES(HANDLE, vx_buffer_address(x, &value));
        GIVES(HANDLE, vx_buffer_access(x, 0, 1, VX_MEM_READ));
        GIVES(HANDLE, vx_buffer_map(x, 0, 1, VX_MEM_READ, &host));
        GIVES(HANDLE, vx_buffer_unmap(x, bytes));
        GIVES(HANDLE, vx_module_load_file(x, path, &m));
        GIVES(HANDLE, vx_module_load_bytes(x, bytes, 16, &m));
        GIVES(HANDLE, vx_module_retain(x));
        GIVES(HANDLE, vx_module_release(x));
        GIVES(HANDLE, vx_module_get_kernel(x, "add", &k));
        GIVES(HANDLE, vx_kernel_retain(x));
        GIVES(HANDLE, vx_kernel_release(x));
        GIVES(HANDLE, vx_kernel_address(x, &value));
        GIVES(HANDLE, vx_kernel_get_max_block_size(x, three, three, three));
        GIVES(HANDLE, vx_queue_create(x, NULL, &q));
        GIVES(HANDLE, vx_queue_retain(x));
        GIVES(HANDLE, vx_queue_release(x));
        GIVES(HANDLE, vx_queue_flush(x));
        GIVES(HANDLE, vx_queue_finish(x, 1));
        GIVES(HANDLE, vx_enqueue_launch(x, &l, NONE));
        GIVES(HANDLE, vx_enqueue_commands(x, &(vx_command_t){.data.launch = &l}, 1, NONE));
        GIVES(HANDLE, vx_enqueue_draw(x, &(vx_command_t){.data.launch = &l}, 1, NONE));
        GIVES(HANDLE, vx_enqueue_copy(x, b, 0, b, 0, 1, NONE));
        GIVES(HANDLE, vx_enqueue_copy(q, x, 0, b, 0, 1, NONE));
        GIVES(HANDLE, vx_enqueue_copy(q, b, 0, x, 0, 1, NONE));
        GIVES(HANDLE, vx_enqueue_read(q, bytes, x, 0, 1, NONE));
        GIVES(HANDLE, vx_enqueue_write(q, x, 0, bytes, 1, NONE));
        GIVES(HANDLE, vx_enqueue_read_rect(q, bytes, x, &r, NONE));
        GIVES(HANDLE, vx_enqueue_write_rect(q, x, bytes, &r, NONE));
        GIVES(HANDLE, vx_enqueue_copy_rect(q, b, x, &r, NONE));
        GIVES(HANDLE, vx_enqueue_fill_buffer(q, x, 0, 4, &word, 4, NONE));
        GIVES(HANDLE, vx_enqueue_map(q, x, 0, 4, VX_MEM_READ, NONE, &host));
        GIVES(HANDLE, vx_enqueue_unmap(q, x, bytes, NONE));
        GIVES(HANDLE, vx_enqueue_barrier(x, NONE));
        GIVES(HANDLE, vx_enqueue_dcr_write(x, 0x10, 0, NONE));
        GIVES(HANDLE, vx_enqueue_dcr_read(x, 0x10, &word, NONE));
        GIVES(HANDLE, vx_event_create(x, &done));
        if (x == e) /* an event indeed */
            continue;
        GIVES(HANDLE, vx_enqueue_signal(q, x, 1, NONE));
        GIVES(HANDLE, vx_enqueue_wait_value(q, x, 1, NONE));
        GIVES(HANDLE, vx_enqueue_barrier(q, 1, (vx_event_h *)&bad[i], NULL));
        GIVES(HANDLE, vx_event_signal(x, 1));
        GIVES(HANDLE, vx_event_get_value(x, &value));
        GIVES(HANDLE, vx_event_wait_value(x, 1, 1));
        GIVES(HANDLE, vx_event_wait_values(1, (vx_event_h *)&bad[i], &value, 1));
        GIVES(HANDLE, vx_event_retain(x));
        GIVES(HANDLE, vx_event_release(x));
        GIVES(HANDLE, vx_event_get_profiling(x, &(vx_profile_info_t){0}));
        l.kernel = x;
        if (x)
            GIVES(HANDLE, vx_enqueue_launch(q, &l, NONE));
        l.kernel = k;
    }
    /* of another device */
    GIVES(HANDLE, vx_enqueue_barrier(q, 1, &foreign, NULL));
    GIVES(HANDLE, vx_enqueue_signal(q, foreign, 1, NONE));
    GIVES(HANDLE, vx_enqueue_wait_value(q, foreign, 1, NONE));
    GIVES(HANDLE, vx_enqueue_copy(q, there, 0, b, 0, 1, NONE));
    GIVES(HANDLE, vx_enqueue_copy(q, b, 0, there, 0, 1, NONE));
    GIVES(HANDLE, vx_enqueue_launch(far, &l, NONE));
    /* parts beyond a buffer, also where the sum wraps */
    static const struct {
        uint64_t offset, size;
    } parts[] = {{0, 257}, {256, 1}, {UINT64_MAX, 2}, {UINT64_MAX - 15, 16}, {8, UINT64_MAX}};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        const uint64_t o = parts[i].offset, n = parts[i].size;
        GIVES(VALUE, vx_enqueue_copy(q, b, o, b, 0, n, NONE));
        GIVES(VALUE, vx_enqueue_copy(q, b, 0, b, o, n, NONE));
        GIVES(VALUE, vx_enqueue_read(q, bytes, b, o, n, NONE));
        GIVES(VALUE, vx_enqueue_write(q, b, o, bytes, n, NONE));
        GIVES(VALUE, vx_enqueue_fill_buffer(q, b, o, n, bytes, 1, NONE));
        GIVES(VALUE, vx_enqueue_map(q, b, o, n, VX_MEM_READ, NONE, &host));
        GIVES(VALUE, vx_buffer_map(b, o, n, VX_MEM_READ, &host));
        GIVES(VALUE, vx_buffer_access(b, o, n, VX_MEM_READ));
    }
    /* nothing where something is wanted */
    GIVES(VALUE, vx_device_query(d, 0, NULL));
    GIVES(VALUE, vx_device_query(d, 99, &value));
    GIVES(VALUE, vx_device_mpm_query(d, 0, 0x300, 0, &value));
    GIVES(VALUE, vx_device_mpm_query(d, 0, 0xb00, 7, &value));
    GIVES(VALUE, vx_device_max_occupancy_grid(d, 4, three, three, three));
    GIVES(VALUE, vx_buffer_create(d, 0, VX_MEM_READ, &other));
    GIVES(VALUE, vx_buffer_create(d, 16, 0x100, &other));
    GIVES(VALUE, vx_buffer_create(d, 16, VX_MEM_READ, NULL));
    GIVES(VX_ERR_OUT_OF_DEVICE_MEMORY, vx_buffer_create(d, 1ull << 33, VX_MEM_READ, &other));
    GIVES(VX_ERR_OUT_OF_DEVICE_MEMORY, vx_buffer_create(d, UINT64_MAX, VX_MEM_READ, &other));
    GIVES(VALUE, vx_buffer_reserve(d, 0x10000, 4096, VX_MEM_READ, &other)); /* over b */
    GIVES(VALUE, vx_buffer_reserve(d, UINT64_MAX - 8, 16, VX_MEM_READ, &other));
    GIVES(VALUE, vx_buffer_address(b, NULL));
    GIVES(VALUE, vx_module_load_file(d, path, &m)); /* at the same place */
    GIVES(VALUE, vx_module_load_file(d, "/nowhere", &m));
    GIVES(VALUE, vx_module_load_bytes(d, bytes, 3, &m));
    GIVES(VALUE, vx_module_get_kernel(m, "nothing", &k));
    GIVES(VALUE, vx_module_get_kernel(m, NULL, &k));
    /* "main" of a module without a table of kernels is where it begins. */
    const uint64_t plain[] = {0x70000000, 0x70000010, 0, 0};
    vx_module_h alone;
    vx_kernel_h main_of_it;
    GIVES(0, vx_module_load_bytes(d, plain, sizeof plain, &alone));
    GIVES(VALUE, vx_module_get_kernel(alone, "add", &main_of_it));
    GIVES(0, vx_module_get_kernel(alone, "main", &main_of_it));
    GIVES(0, vx_kernel_address(main_of_it, &value));
    if (value != plain[0])
        printf("wrong: main is at 0x%llx\n", (unsigned long long)value);
    GIVES(0, vx_kernel_release(main_of_it));
    GIVES(0, vx_module_release(alone));
    /* A reservation below the memory for buffers, here of the console, moves none of them there. */
    vx_buffer_h console, large;
    GIVES(0, vx_buffer_reserve(d, 0x40, 64, VX_MEM_READ_WRITE, &console));
    GIVES(0, vx_buffer_create(d, 0x8000, VX_MEM_READ_WRITE, &large));
    GIVES(0, vx_buffer_address(large, &value));
    if (value < 0x10000)
        printf("wrong: a buffer is at 0x%llx\n", (unsigned long long)value);
    GIVES(0, vx_buffer_release(large));
    GIVES(0, vx_buffer_release(console));
    GIVES(VALUE, vx_kernel_address(k, NULL));
    GIVES(INFO, vx_queue_create(d, &(vx_queue_info_t){.struct_size = 8}, &q));
    GIVES(VALUE, vx_queue_create(d, &(vx_queue_info_t){sizeof(vx_queue_info_t), NULL, 9, 0}, &q));
    GIVES(VALUE, vx_queue_create(d, NULL, NULL));
    GIVES(VALUE, vx_event_create(d, NULL));
    GIVES(VALUE, vx_event_get_value(e, NULL));
    GIVES(VALUE, vx_event_wait_values(1, NULL, &value, 1));
    GIVES(VX_ERR_TIMEOUT, vx_event_wait_value(e, 1, 1000));
    GIVES(VALUE, vx_event_get_profiling(e, NULL));
    GIVES(VX_ERR_NOT_SUPPORTED, vx_event_get_profiling(e, &(vx_profile_info_t){0}));
    GIVES(VALUE, vx_enqueue_barrier(q, 1, NULL, NULL));
    GIVES(VALUE, vx_enqueue_read(q, NULL, b, 0, 4, NONE));
    GIVES(VALUE, vx_enqueue_write(q, b, 0, NULL, 4, NONE));
    GIVES(VALUE, vx_enqueue_fill_buffer(q, b, 0, 10, &word, 4, NONE));
    GIVES(VALUE, vx_enqueue_fill_buffer(q, b, 0, 8, &word, 0, NONE));
    GIVES(VALUE, vx_enqueue_dcr_read(q, 0x10, NULL, NONE));
    GIVES(VALUE, vx_enqueue_map(q, b, 0, 4, VX_MEM_READ, NONE, NULL));
    GIVES(VX_ERR_NOT_SUPPORTED, vx_enqueue_draw(q, NULL, 0, NONE));
    /* registers that are not there: the command fails */
    GIVES(0, vx_enqueue_dcr_write(q, 0xfff, 0, 0, NULL, &done));
    GIVES(VALUE, vx_event_wait_value(done, 1, VX_TIMEOUT_INFINITE));
    GIVES(0, vx_event_release(done));
    /* boxes */
    GIVES(VALUE, vx_enqueue_read_rect(q, bytes, b, NULL, NONE));
    static const size_t big = (size_t)1 << 63;
    const vx_rect_info_t boxes[] = {
        {.struct_size = 8, .region = {8, 2, 2}},
        {.struct_size = sizeof r, .region = {0, 2, 2}},
        {.struct_size = sizeof r, .region = {8, 20, 2}},
        {.struct_size = sizeof r, .region = {8, 2, 2}, .buffer_row_pitch = 4},
        {.struct_size = sizeof r, .region = {8, 2, 2}, .buffer_slice_pitch = 8},
        {.struct_size = sizeof r, .region = {8, 2, 2}, .buffer_origin = {1, 15, 15}},
        {.struct_size = sizeof r, .region = {big, 4, 4}},
        {.struct_size = sizeof r, .region = {8, 2, big}},
        {.struct_size = sizeof r, .region = {8, 2, 2}, .buffer_origin = {big, big, big}}};
    for (unsigned i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        GIVES(i ? VALUE : INFO, vx_enqueue_read_rect(q, bytes, b, &boxes[i], NONE));
        GIVES(i ? VALUE : INFO, vx_enqueue_write_rect(q, b, bytes, &boxes[i], NONE));
        GIVES(i ? VALUE : INFO, vx_enqueue_copy_rect(q, b, b, &boxes[i], NONE));
    }
    /* launches */
    GIVES(VALUE, vx_enqueue_launch(q, NULL, NONE));
    GIVES(VALUE, vx_enqueue_commands(q, NULL, 1, NONE));
    GIVES(VALUE, vx_enqueue_commands(q, &(vx_command_t){.type = 7}, 1, NONE));
    const vx_launch_info_t launches[] = {{.struct_size = 8, .kernel = k, .ndim = 1},
                                         {.struct_size = sizeof l,
                                          .kernel = NULL,
                                          .ndim = 1,
                                          .grid_dim = {1},
                                          .block_dim = {4}}, /* no kernel */
                                         {.struct_size = sizeof l, .kernel = k, .ndim = 4},
                                         {.struct_size = sizeof l, .kernel = k, .args_size = 4},
                                         {.struct_size = sizeof l,
                                          .kernel = k,
                                          .ndim = 1,
                                          .grid_dim = {5},
                                          .block_dim = {4},
                                          .cluster_dim = {2}},
                                         {.struct_size = sizeof l,
                                          .kernel = k,
                                          .ndim = 1,
                                          .grid_dim = {1},
                                          .block_dim = {4},
                                          .lmem_size = 16385},
                                         {.struct_size = sizeof l,
                                          .kernel = k,
                                          .ndim = 3,
                                          .grid_dim = {1, 1, 1},
                                          .block_dim = {65536, 65536, 2}}};
    for (unsigned i = 0; i < sizeof launches / sizeof *launches; i++)
        GIVES(i ? VALUE : INFO, vx_enqueue_launch(q, &launches[i], NONE));
    l.grid_dim[0] = 0; /* nothing runs */
    GIVES(0, vx_enqueue_launch(q, &l, NONE));
    GIVES(0, vx_queue_finish(q, VX_TIMEOUT_INFINITE));
    /* after the end */
    GIVES(0, vx_kernel_release(k));
    GIVES(HANDLE, vx_enqueue_launch(q, &l, NONE));
    GIVES(0, vx_module_release(m));
    GIVES(HANDLE, vx_module_get_kernel(m, "add", &k));
    GIVES(0, vx_event_release(e));
    GIVES(HANDLE, vx_event_signal(e, 1));
    GIVES(0, vx_queue_release(q));
    GIVES(HANDLE, vx_enqueue_barrier(q, NONE));
    GIVES(0, vx_queue_release(far));
    GIVES(0, vx_buffer_release(b));
    GIVES(0, vx_device_release(d));
    GIVES(HANDLE, vx_buffer_create(d, 16, VX_MEM_READ, &b));
    if (strcmp(vx_result_string(VX_ERR_TIMEOUT), "VX_ERR_TIMEOUT") ||
        !vx_result_string((vx_result_t)99))
        puts("wrong: vx_result_string");
    puts("done");
    return 0;
}
