// An OpenMP program in C++: a class whose members run on the device, and a template.
#include <omp.h>
#include <cstdio>
#include <vector>

#pragma omp declare target
template <typename T> struct line {
    T slope, offset;
    T at(T x) const { return slope * x + offset; }
};
#pragma omp end declare target

int main()
{
    std::vector<float> y(1000);
    float *p = y.data();
    const line<float> l{2, 1};
    int on_device = 0;
    double sum = 0;
#pragma omp target teams distribute parallel for map(from : p[0 : 1000]) map(to : l) map(tofrom : on_device)
    for (int i = 0; i < 1000; i++) {
        p[i] = l.at(i);
        if (i == 0)
            on_device = !omp_is_initial_device();
    }
    for (float v : y)
        sum += v;
    std::printf("devices %d, on one %d, sum %.0f, last %.0f\n", omp_get_num_devices(), on_device, sum, y[999]);
}
