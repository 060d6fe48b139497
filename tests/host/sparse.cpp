// Sparse matrices by hipSPARSE on rocSPARSE, a library with kernels of its own: each result against a loop over the dense matrix.
#include <hip/hip_runtime_api.h>
#include <hipsparse/hipsparse.h>
#include <rocsparse/rocsparse.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        int error = (int)(call);                                                                   \
        if (error) {                                                                               \
            printf("line %d: %d\n", __LINE__, error);                                              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

typedef std::vector<double> numbers;
static const int n = 150;
static double dense[n][n];

template <typename T> static T *on_device(const std::vector<T> &values)
{
    T *at;
    CHECK(hipMalloc((void **)&at, values.size() * sizeof(T) + 1));
    CHECK(hipMemcpy(at, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
    return at;
}

template <typename T> static std::vector<T> from_device(const T *at, size_t count)
{
    std::vector<T> values(count);
    CHECK(hipDeviceSynchronize());
    CHECK(hipMemcpy(values.data(), at, count * sizeof(T), hipMemcpyDeviceToHost));
    return values;
}

static void say(const char *what, bool right)
{
    printf("%s: %s\n", what, right ? "right" : "wrong");
}

static bool near(const numbers &a, const numbers &b)
{
    for (size_t i = 0; i < b.size(); i++)
        if (!(std::fabs(a[i] - b[i]) <= 1e-9 * (1 + std::fabs(b[i]))))
            return false;
    return a.size() == b.size();
}

static numbers times(bool transposed, const numbers &x)
{
    numbers y(n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            y[i] += (transposed ? dense[k][i] : dense[i][k]) * x[k];
    return y;
}

int main()
{
    std::vector<int> row, column, start(1, 0);
    numbers value, x(n);
    srand(1);
    for (int i = 0; i < n; i++) { // lower triangular, with a diagonal that a solver likes
        x[i] = i % 7 - 2.5;
        for (int k = 0; k <= i; k++)
            if (k == i || rand() % 9 == 0) {
                dense[i][k] = k == i ? 4 + i % 3 : (rand() % 100 - 50) / 100.0;
                row.push_back(i), column.push_back(k), value.push_back(dense[i][k]);
            }
        start.push_back((int)value.size());
    }
    const int entries = (int)value.size();
    int *rows = on_device(row), *columns = on_device(column), *starts = on_device(start);
    double *values = on_device(value), *in = on_device(x), *out = on_device(numbers(n));
    const double one = 1, none = 0;
    hipsparseHandle_t h;
    hipsparseMatDescr_t d;
    CHECK(hipsparseCreate(&h));
    CHECK(hipsparseCreateMatDescr(&d));

    int *found = on_device(std::vector<int>(n + 1));
    CHECK(hipsparseXcoo2csr(h, rows, entries, n, found, HIPSPARSE_INDEX_BASE_ZERO));
    say("rows of coordinates", from_device(found, n + 1) == start);

    CHECK(hipsparseDcsrmv(h, HIPSPARSE_OPERATION_NON_TRANSPOSE, n, n, entries, &one, d, values, starts, columns, in, &none, out));
    const numbers product = times(false, x);
    say("matrix by vector", near(from_device(out, n), product));
    CHECK(hipsparseDcsrmv(h, HIPSPARSE_OPERATION_TRANSPOSE, n, n, entries, &one, d, values, starts, columns, in, &none, out));
    say("transposed", near(from_device(out, n), times(true, x)));

    // The solution of L y = L x is x.
    csrsv2Info_t info;
    int bytes = 0;
    void *room;
    double *right = on_device(product);
    CHECK(hipsparseSetMatFillMode(d, HIPSPARSE_FILL_MODE_LOWER));
    CHECK(hipsparseCreateCsrsv2Info(&info));
    CHECK(hipsparseDcsrsv2_bufferSize(h, HIPSPARSE_OPERATION_NON_TRANSPOSE, n, entries, d, values, starts, columns, info, &bytes));
    CHECK(hipMalloc(&room, bytes));
    CHECK(hipsparseDcsrsv2_analysis(h, HIPSPARSE_OPERATION_NON_TRANSPOSE, n, entries, d, values, starts, columns, info, HIPSPARSE_SOLVE_POLICY_USE_LEVEL, room));
    CHECK(hipsparseDcsrsv2_solve(h, HIPSPARSE_OPERATION_NON_TRANSPOSE, n, entries, &one, d, values, starts, columns, info, right, out, HIPSPARSE_SOLVE_POLICY_USE_LEVEL, room));
    say("triangular solver", near(from_device(out, n), x));

    // rocSPARSE itself: a sparse vector by a dense one, and values gathered.
    rocsparse_handle r;
    double dot = 0, wanted = 0;
    CHECK(rocsparse_create_handle(&r));
    const std::vector<int> places = {3, 17, 29, 77, 149};
    const numbers weights = {1, -2, 0.5, 4, 8};
    int *at = on_device(places);
    double *weight = on_device(weights), *gathered = on_device(numbers(5));
    CHECK(rocsparse_ddoti(r, 5, weight, at, in, &dot, rocsparse_index_base_zero));
    CHECK(rocsparse_dgthr(r, 5, in, gathered, at, rocsparse_index_base_zero));
    numbers picked;
    for (size_t i = 0; i < 5; i++) {
        wanted += weights[i] * x[places[i]];
        picked.push_back(x[places[i]]);
    }
    CHECK(hipDeviceSynchronize());
    say("sparse by dense vector", dot == wanted);
    say("gathered values", from_device(gathered, 5) == picked);
    CHECK(rocsparse_destroy_handle(r));
    CHECK(hipsparseDestroy(h));
}
