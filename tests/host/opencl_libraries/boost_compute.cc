/* Boost.Compute's algorithms on a device, each compared with the standard library's on the host. A
 * line for each; the results go to the file of the first argument. */
#define CL_TARGET_OPENCL_VERSION 120
#define BOOST_COMPUTE_DEBUG_KERNEL_COMPILATION
#include <boost/compute.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

#include "results.h"

namespace compute = boost::compute;

namespace
{

constexpr size_t COUNT = 5000;
bool all_equal = true;

template <typename T>
void tell(const char *name, const std::vector<T> &got, const std::vector<T> &expected)
{
    bool equal = got == expected;
    std::printf("%s: %s\n", name, equal ? "ok" : "WRONG");
    all_equal = all_equal && equal;
    begin_result(name);
    for (T value : got)
        keep(double(value));
    end_result();
}

/** A result of one number. */
void tell(const char *name, long got, long expected)
{
    tell(name, std::vector<long>{got}, std::vector<long>{expected});
}

template <typename T>
std::vector<T> on_host(const compute::vector<T> &from, compute::command_queue &queue)
{
    std::vector<T> to(from.size());
    compute::copy(from.begin(), from.end(), to.begin(), queue);
    return to;
}

void scans(const std::vector<int> &numbers, compute::command_queue &queue)
{
    compute::vector<int> in(numbers.begin(), numbers.end(), queue), out(COUNT, queue.get_context());
    std::vector<int> expected(COUNT);
    long sum = 0;
    compute::reduce(in.begin(), in.end(), &sum, compute::plus<long>(), queue);
    tell("reduce", sum, std::accumulate(numbers.begin(), numbers.end(), 0L));
    compute::inclusive_scan(in.begin(), in.end(), out.begin(), queue);
    std::partial_sum(numbers.begin(), numbers.end(), expected.begin());
    tell("inclusive_scan", on_host(out, queue), expected);
    compute::exclusive_scan(in.begin(), in.end(), out.begin(), queue);
    expected.insert(expected.begin(), 0);
    expected.pop_back();
    tell("exclusive_scan", on_host(out, queue), expected);
}

void sorts(const std::vector<int> &numbers, compute::command_queue &queue)
{
    compute::vector<int> keys(numbers.begin(), numbers.end(), queue);
    std::vector<int> expected = numbers, places(COUNT);
    compute::sort(keys.begin(), keys.end(), queue);
    std::sort(expected.begin(), expected.end());
    tell("sort", on_host(keys, queue), expected);
    compute::sort(keys.begin(), keys.end(), compute::greater<int>(), queue);
    std::reverse(expected.begin(), expected.end());
    tell("sort, greater first", on_host(keys, queue), expected);

    std::vector<float> floats(numbers.begin(), numbers.end());
    for (float &f : floats)
        f /= 7;
    compute::vector<float> sorted(floats.begin(), floats.end(), queue);
    compute::sort(sorted.begin(), sorted.end(), queue);
    std::sort(floats.begin(), floats.end());
    tell("sort of floats", on_host(sorted, queue), floats);

    std::iota(places.begin(), places.end(), 0);
    compute::vector<int> values(places.begin(), places.end(), queue);
    compute::copy(numbers.begin(), numbers.end(), keys.begin(), queue);
    compute::sort_by_key(keys.begin(), keys.end(), values.begin(), queue);
    /* Equal keys may have any order. */
    places = on_host(values, queue);
    for (int &place : places)
        place = numbers[place];
    std::vector<int> in_order = numbers;
    std::sort(in_order.begin(), in_order.end());
    tell("sort_by_key", places, in_order);

    compute::sort(keys.begin(), keys.end(), queue);
    auto end = compute::unique(keys.begin(), keys.end(), queue);
    std::vector<int> once(end - keys.begin());
    compute::copy(keys.begin(), end, once.begin(), queue);
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    tell("unique", once, expected);
}

BOOST_COMPUTE_FUNCTION(int, is_odd, (int v), { return v & 1; });

void searches(const std::vector<int> &numbers, compute::command_queue &queue)
{
    compute::vector<int> in(numbers.begin(), numbers.end(), queue), out(COUNT, queue.get_context());
    std::vector<int> expected;
    tell("count_if",
         (long)compute::count_if(in.begin(), in.end(), compute::lambda::_1 > 100, queue),
         std::count_if(numbers.begin(), numbers.end(), [](int v) { return v > 100; }));
    tell("max_element", compute::max_element(in.begin(), in.end(), queue) - in.begin(),
         std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
    tell("find", compute::find(in.begin(), in.end(), numbers[4321], queue) - in.begin(),
         std::find(numbers.begin(), numbers.end(), numbers[4321]) - numbers.begin());
    auto end = compute::copy_if(in.begin(), in.end(), out.begin(), is_odd, queue);
    std::vector<int> odd(end - out.begin());
    compute::copy(out.begin(), end, odd.begin(), queue);
    std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(expected),
                 [](int v) { return v & 1; });
    tell("copy_if", odd, expected);
    compute::transform(in.begin(), in.end(), in.begin(), out.begin(), compute::multiplies<int>(),
                       queue);
    expected = numbers;
    for (int &v : expected)
        v *= v;
    tell("transform", on_host(out, queue), expected);
}

void random_numbers(compute::command_queue &queue)
{
    compute::default_random_engine engine(queue);
    compute::vector<unsigned> out(1000, queue.get_context());
    std::mt19937 twister(compute::default_random_engine::default_seed);
    std::vector<unsigned> expected(1000);
    engine.generate(out.begin(), out.end(), queue);
    for (unsigned &v : expected)
        v = twister();
    tell("Mersenne twister", on_host(out, queue), expected);
}

} // namespace

int main(int argc, char **argv)
{
    open_results(argc, argv);
    compute::device device = compute::system::default_device();
    compute::context context(device);
    compute::command_queue queue(context, device);
    std::mt19937 random(1);
    std::vector<int> numbers(COUNT);
    for (int &v : numbers)
        v = int(random() % 2001) - 1000;
    scans(numbers, queue);
    sorts(numbers, queue);
    searches(numbers, queue);
    random_numbers(queue);
    return all_equal ? 0 : 1;
}
