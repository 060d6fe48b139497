/* ViennaCL's linear algebra on a device, compared with the host's loops. A line for each; the results go
 * to the file of the first argument. */
#define CL_TARGET_OPENCL_VERSION 120
#define VIENNACL_WITH_OPENCL
#include <viennacl/linalg/cg.hpp>
#include <viennacl/linalg/direct_solve.hpp>
#include <viennacl/linalg/gmres.hpp>
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/lu.hpp>
#include <viennacl/linalg/norm_2.hpp>
#include <viennacl/linalg/norm_inf.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/compressed_matrix.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/scalar.hpp>
#include <viennacl/vector.hpp>

#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "results.h"

namespace
{

bool all_equal = true;

template <typename T>
void tell(const char *name, const std::vector<T> &got, const std::vector<T> &expected)
{
    double error = 0, most = 1e-30;
    for (size_t i = 0; i < expected.size(); i++) {
        error = std::fmax(error, std::fabs(double(got[i]) - double(expected[i])));
        most = std::fmax(most, std::fabs(double(expected[i])));
    }
    bool equal = got.size() == expected.size() && error < (sizeof(T) == 8 ? 1e-10 : 2e-4) * most;
    std::printf("%s %s: %s\n", name, sizeof(T) == 8 ? "double" : "float", equal ? "ok" : "WRONG");
    all_equal = all_equal && equal;
    begin_result((std::string(name) + (sizeof(T) == 8 ? " double" : " float")).c_str());
    for (T value : got)
        keep(double(value));
    end_result();
}

template <typename T> std::vector<T> on_host(const viennacl::vector<T> &from)
{
    std::vector<T> to(from.size());
    viennacl::copy(from, to);
    return to;
}

template <typename T> std::vector<T> some(size_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<T> numbers(count);
    for (T &n : numbers)
        n = T(random() % 2000) / 1000 - 1;
    return numbers;
}

template <typename T> void vectors()
{
    const size_t n = 3333;
    std::vector<T> a = some<T>(n, 1), b = some<T>(n, 2), expected(n);
    viennacl::vector<T> x(n), y(n), z(n);
    viennacl::copy(a, x);
    viennacl::copy(b, y);
    z = T(2.5) * x - y;
    for (size_t i = 0; i < n; i++)
        expected[i] = T(2.5) * a[i] - b[i];
    tell("axpy", on_host(z), expected);
    T dot = 0, squares = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        dot += a[i] * b[i];
        squares += a[i] * a[i];
        largest = std::fmax(largest, std::fabs(a[i]));
    }
    tell("inner product", std::vector<T>{T(viennacl::linalg::inner_prod(x, y))}, {dot});
    tell("norms", std::vector<T>{T(viennacl::linalg::norm_2(x)), T(viennacl::linalg::norm_inf(x))},
         {std::sqrt(squares), largest});
    z = viennacl::linalg::element_prod(x, y);
    for (size_t i = 0; i < n; i++)
        expected[i] = a[i] * b[i];
    tell("element product", on_host(z), expected);
}

template <typename T> using rows = std::vector<std::vector<T>>;

template <typename T> void dense()
{
    const size_t m = 70, k = 45, n = 33;
    rows<T> a(m, std::vector<T>(k)), b(k, std::vector<T>(n));
    std::vector<T> v = some<T>(k, 3), expected(m), got(m * n), product(m * n);
    for (size_t i = 0; i < m; i++)
        a[i] = some<T>(k, unsigned(10 + i));
    for (size_t i = 0; i < k; i++)
        b[i] = some<T>(n, unsigned(100 + i));
    viennacl::matrix<T> A(m, k), B(k, n), C(m, n);
    viennacl::vector<T> x(k), y(m);
    viennacl::copy(a, A);
    viennacl::copy(b, B);
    viennacl::copy(v, x);
    y = viennacl::linalg::prod(A, x);
    for (size_t i = 0; i < m; i++) {
        expected[i] = 0;
        for (size_t j = 0; j < k; j++)
            expected[i] += a[i][j] * v[j];
    }
    tell("matrix by vector", on_host(y), expected);
    C = viennacl::linalg::prod(A, B);
    rows<T> c(m, std::vector<T>(n));
    viennacl::copy(C, c);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            got[i * n + j] = c[i][j];
            product[i * n + j] = 0;
            for (size_t l = 0; l < k; l++)
                product[i * n + j] += a[i][l] * b[l][j];
        }
    tell("matrix by matrix", got, product);
}

template <typename T> void solvers()
{
    const size_t n = 60;
    rows<T> a(n, std::vector<T>(n));
    std::vector<T> x = some<T>(n, 5), b(n), got;
    std::vector<std::map<unsigned, T>> band(n);
    for (size_t i = 0; i < n; i++) {
        a[i] = some<T>(n, unsigned(200 + i));
        a[i][i] += T(n);
        band[i][unsigned(i)] = 4;
        if (i > 0)
            band[i][unsigned(i) - 1] = -1;
        if (i + 1 < n)
            band[i][unsigned(i) + 1] = -1;
    }
    viennacl::matrix<T> A(n, n);
    viennacl::vector<T> right(n);
    viennacl::compressed_matrix<T> sparse(n, n);
    for (size_t i = 0; i < n; i++) {
        b[i] = 0;
        for (size_t j = 0; j < n; j++)
            b[i] += a[i][j] * x[j];
    }
    viennacl::copy(a, A);
    viennacl::copy(b, right);
    viennacl::linalg::lu_factorize(A);
    viennacl::linalg::lu_substitute(A, right);
    tell("LU", on_host(right), x);

    for (size_t i = 0; i < n; i++) {
        b[i] = 0;
        for (const auto &element : band[i])
            b[i] += element.second * x[element.first];
    }
    viennacl::copy(band, sparse);
    viennacl::copy(x, right);
    viennacl::vector<T> product = viennacl::linalg::prod(sparse, right);
    tell("sparse matrix by vector", on_host(product), b);
    viennacl::vector<T> solved = viennacl::linalg::solve(
        sparse, product, viennacl::linalg::cg_tag(sizeof(T) == 8 ? 1e-12 : 1e-6, 200));
    tell("conjugate gradients", on_host(solved), x);
    solved = viennacl::linalg::solve(
        sparse, product, viennacl::linalg::gmres_tag(sizeof(T) == 8 ? 1e-12 : 1e-6, 200, 20));
    tell("GMRES", on_host(solved), x);
}

template <typename T> void all()
{
    vectors<T>();
    dense<T>();
    solvers<T>();
}

} // namespace

int main(int argc, char **argv)
{
    open_results(argc, argv);
    all<float>();
    all<double>();
    return all_equal ? 0 : 1;
}
