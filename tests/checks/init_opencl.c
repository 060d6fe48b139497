/* Planted uses of values that nothing has written in OpenCL C, and idioms: init_opencl FILE.cl
 * bad|good [CASE]... The oracle is Oclgrind, which runs the same program. */
#include "init_opencl.h"

enum { HALF = INTS / 2 };

/* A kernel (out, in, bad), whose numbers from the byte @p short_of on are missing in a bad case. */
static void run(const char *kernel, int bad, size_t short_of)
{
    cl_mem in = partly(bad ? short_of : INTS), out = partly(INTS);
    launch(kernel, ITEMS, "mmi", out, in, bad);
    char here[INTS];
    if (bad)
        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, INTS, here, 0, NULL, NULL);
    end(out, bad ? 0 : INTS);
    clReleaseMemObject(in);
}

#define RUN(name, kernel, short_of)                                                                \
    static void name(int bad)                                                                      \
    {                                                                                              \
        run(kernel, bad, short_of);                                                                \
    }
RUN(sum_of_unwritten, "add_one", 0)
RUN(sum_of_a_part, "add_one", HALF)
RUN(float_of_unwritten, "scale", 0)
RUN(numbers_of_all, "of_all", 0) /* which all work-items share: a few channels have them */
RUN(long_of_a_part, "of_longs", HALF)
RUN(short_of_a_part, "of_shorts", HALF)
RUN(vector_of_a_part, "of_vectors", HALF)
RUN(reduction_of_a_part, "reduce", INTS - sizeof(int))
RUN(branch_on_unwritten, "compare", HALF)
RUN(loop_on_unwritten, "count_down", HALF)
RUN(index_of_unwritten, "gather", HALF)
RUN(index_of_a_store, "scatter", HALF)
RUN(atomic_of_unwritten, "total", HALF)
RUN(own_of_a_part, "own_array", INTS)
RUN(own_by_index, "own_index", INTS)
RUN(local_of_a_part, "neighbours", INTS)
RUN(branch_on_local, "local_branch", INTS)

static void unwritten_counter(int bad)
{
    cl_mem count = partly(bad ? 0 : INTS);
    launch("counter", ITEMS, "mi", count, bad);
    end(count, bad ? 0 : INTS);
}

/* What the host gets by a map. */
static void map_sums(cl_mem in, cl_mem out, int bad)
{
    launch("add_one", ITEMS, "mmi", out, in, bad);
    int *there = clEnqueueMapBuffer(queue, out, CL_TRUE, CL_MAP_READ, 0, INTS, 0, NULL, NULL, NULL);
    result(there, bad ? 0 : INTS);
    clEnqueueUnmapMemObject(queue, out, there, 0, NULL, NULL);
    clFinish(queue);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void sum_that_is_mapped(int bad)
{
    cl_mem in = partly(bad ? HALF : INTS), out = empty();
    map_sums(in, out, bad);
}

/* What it gets when it waits. */
static void sum_that_is_awaited(int bad)
{
    cl_mem in = partly(bad ? HALF : INTS), out = empty();
    int here[ITEMS];
    launch("add_one", ITEMS, "mmi", out, in, bad);
    clEnqueueReadBuffer(queue, out, CL_FALSE, 0, INTS, here, 0, NULL, NULL);
    clFinish(queue);
    result(here, bad ? 0 : INTS);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* ---- idioms ---- */

static void padding_is_copied(int bad)
{
    struct {
        char tag;
        int number;
    } from[ITEMS / 2];
    (void)bad;
    cl_mem in = empty(), out = empty();
    for (int i = 0; i < ITEMS / 2; i++) {
        from[i].tag = (char)i;
        from[i].number = i * i;
    }
    clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, INTS, from, 0, NULL, NULL);
    launch("copy_padded", ITEMS / 2, "mm", out, in);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, INTS, from, 0, NULL, NULL);
    int sum[2] = {0, 0};
    for (int i = 0; i < ITEMS / 2; i++) {
        sum[0] += from[i].tag;
        sum[1] += from[i].number;
    }
    result(sum, sizeof sum);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void unused_tail_is_copied(int bad)
{
    cl_mem in = partly(HALF), out = empty();
    char here[INTS];
    (void)bad;
    launch("copy_all", ITEMS, "mm", out, in);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, INTS, here, 0, NULL, NULL);
    result(here, HALF);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* A kernel (out, scratch) of memory that nothing has written. */
static void of_scratch(const char *kernel)
{
    cl_mem scratch = empty(), out = empty();
    launch(kernel, ITEMS, "mm", out, scratch);
    end(out, INTS);
    clReleaseMemObject(scratch);
}

/* A kernel (out, in). */
static void of_numbers(const char *kernel)
{
    cl_mem in = partly(INTS), out = empty();
    launch(kernel, ITEMS, "mm", out, in);
    end(out, INTS);
    clReleaseMemObject(in);
}

#define IDIOM(name, of, kernel)                                                                    \
    static void name(int bad)                                                                      \
    {                                                                                              \
        (void)bad;                                                                                 \
        of(kernel);                                                                                \
    }
IDIOM(byte_of_a_word, of_scratch, "low_byte")
IDIOM(own_elements, of_numbers, "own_elements")
IDIOM(tree_of_local, of_numbers, "tree")
IDIOM(written_where_used, of_scratch, "where_written")
IDIOM(loop_of_lanes, of_numbers, "loop_of_lanes")
IDIOM(vectors, of_numbers, "vectors")
IDIOM(bits_of_a_word, of_scratch, "bits_of")
IDIOM(quotients, of_numbers, "quotients")
IDIOM(sub_groups, of_numbers, "shuffled")

/* Memory that the host has filled, copied, mapped, or given when it was made. */
static void memory_is_set(int bad)
{
    const int seven = 7;
    cl_mem in[5] = {empty(), partly(INTS), empty(), empty(), NULL};
    (void)bad;
    in[4] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, INTS, (void *)numbers(), NULL);
    clEnqueueFillBuffer(queue, in[0], &seven, sizeof seven, 0, INTS, 0, NULL, NULL);
    clEnqueueCopyBuffer(queue, in[1], in[2], 0, 0, INTS, 0, NULL, NULL);
    int *there = clEnqueueMapBuffer(queue, in[3], CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, INTS,
                                    0, NULL, NULL, NULL);
    memcpy(there, numbers(), INTS);
    clEnqueueUnmapMemObject(queue, in[3], there, 0, NULL, NULL);
    for (int i = 0; i < 5; i++) {
        cl_mem out = empty();
        launch("add_one", ITEMS, "mmi", out, in[i], 0);
        end(out, INTS);
        clReleaseMemObject(in[i]);
    }
}

/* A sub-buffer, and rows of a box. */
static void parts_are_set(int bad)
{
    const cl_buffer_region half = {0, HALF};
    const size_t origin[3] = {HALF, 0, 0}, none[3] = {0, 0, 0}, region[3] = {HALF / 4, 4, 1};
    cl_mem in = empty(), out = empty();
    cl_mem part =
        clCreateSubBuffer(in, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, NULL);
    (void)bad;
    clEnqueueWriteBuffer(queue, part, CL_TRUE, 0, HALF, numbers(), 0, NULL, NULL);
    clEnqueueWriteBufferRect(queue, in, CL_TRUE, origin, none, region, 0, 0, 0, 0, numbers(), 0,
                             NULL, NULL);
    launch("add_one", ITEMS, "mmi", out, in, 0);
    end(out, INTS);
    clReleaseMemObject(part);
    clReleaseMemObject(in);
}

/* Shared virtual memory, which the host stores to between a map and its end. */
static void svm_unwritten(int bad)
{
    int *in = clSVMAlloc(context, CL_MEM_READ_WRITE, INTS, 0);
    cl_mem out = partly(INTS);
    need(in != NULL, "the memory");
    if (!bad) {
        clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, in, INTS, 0, NULL, NULL);
        memcpy(in, numbers(), INTS);
        clEnqueueSVMUnmap(queue, in, 0, NULL, NULL);
    }
    launch("compare", ITEMS, "mvi", out, in, bad);
    end(out, bad ? 0 : INTS);
    clSVMFree(context, in);
}

/* A buffer whose numbers 40 to 47, 50 and 60 to 63 are missing in a bad case. */
static cl_mem with_holes(int bad)
{
    cl_mem made = empty();
    for (size_t i = 0; i < ITEMS; i++)
        if (!bad || i < 40 || (i > 47 && i < 60 && i != 50))
            need(!clEnqueueWriteBuffer(queue, made, CL_TRUE, i * sizeof(int), sizeof(int),
                                       numbers() + i, 0, NULL, NULL),
                 "the write");
    return made;
}

static void seen_in_svm(int bad)
{
    int *out = clSVMAlloc(context, CL_MEM_READ_WRITE, 2 * INTS, 0);
    cl_mem in = with_holes(bad);
    need(out != NULL, "the memory");
    launch("add_one", ITEMS, "vmi", out + 16, in, bad);
    clFinish(queue);
    clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, out, 2 * INTS, 0, NULL, NULL);
    result(out + 16, bad ? 0 : INTS);
    clEnqueueSVMUnmap(queue, out, 0, NULL, NULL);
    clFinish(queue);
    clReleaseMemObject(in);
    clSVMFree(context, out);
}

static void seen_by_a_pointer(int bad)
{
    static int memory[4096 / sizeof(int)] __attribute__((aligned(4096)));
    cl_mem in = with_holes(bad),
           out = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof memory, memory, NULL);
    map_sums(in, out, bad);
}

/* Rows of 8 bytes, 64 bytes apart. */
static void rows_are_read(int bad)
{
    cl_mem in = with_holes(bad), out = empty();
    const size_t at[3] = {0, 0, 0}, rows[3] = {8, 4, 1};
    int here[8];
    launch("add_one", ITEMS, "mmi", out, in, bad);
    clEnqueueReadBufferRect(queue, out, CL_TRUE, at, at, rows, 64, 0, 8, 0, here, 0, NULL, NULL);
    clEnqueueReadBufferRect(queue, out, CL_TRUE, (size_t[3]){32, 0, 0}, at, rows, 64, 0, 8, 0, here,
                            0, NULL, NULL);
    result(here, bad ? 0 : sizeof here);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* Memory of zeros that the host, a fill and a copy have stored. */
static void svm_is_set(int bad)
{
    static const int zeros[ITEMS];
    int *in[3];
    (void)bad;
    for (int i = 0; i < 3; i++)
        need((in[i] = clSVMAlloc(context, CL_MEM_READ_WRITE, INTS, 0)) != NULL, "the memory");
    clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, in[0], INTS, 0, NULL, NULL);
    memset(in[0], 0, INTS);
    clEnqueueSVMUnmap(queue, in[0], 0, NULL, NULL);
    clEnqueueSVMMemFill(queue, in[1], zeros, sizeof *zeros, INTS, 0, NULL, NULL);
    clEnqueueSVMMemcpy(queue, CL_TRUE, in[2], zeros, INTS, 0, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        cl_mem out = partly(INTS);
        launch("compare", ITEMS, "mvi", out, in[i], 0);
        end(out, INTS);
        clSVMFree(context, in[i]);
    }
}

CASES(CASE(sum_of_unwritten), CASE(sum_of_a_part), CASE(float_of_unwritten), CASE(numbers_of_all),
      CASE(long_of_a_part), CASE(short_of_a_part), CASE(vector_of_a_part),
      CASE(reduction_of_a_part), CASE(branch_on_unwritten), CASE(loop_on_unwritten),
      CASE(index_of_unwritten), CASE(index_of_a_store), CASE(atomic_of_unwritten),
      CASE(unwritten_counter), CASE(local_of_a_part), CASE(branch_on_local),
      CASE(sum_that_is_mapped), CASE(sum_that_is_awaited), CASE(padding_is_copied),
      CASE(unused_tail_is_copied), CASE(byte_of_a_word), CASE(own_elements), CASE(tree_of_local),
      CASE(written_where_used), CASE(loop_of_lanes), CASE(vectors), CASE(bits_of_a_word),
      CASE(quotients), CASE(sub_groups), CASE(memory_is_set), CASE(parts_are_set),
      CASE(svm_unwritten), CASE(seen_in_svm), CASE(seen_by_a_pointer), CASE(rows_are_read),
      CASE(svm_is_set), CASE(own_of_a_part), CASE(own_by_index))

int main(int argc, char **argv)
{
    group_items = 32;
    return run_program(argc, argv, run_cases);
}
