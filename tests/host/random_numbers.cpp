// Random numbers by rocRAND and hipRAND, libraries with kernels of their own: two generators against models of their papers, the others by
// their moments.
#include <hip/hip_runtime_api.h>
#include <hiprand/hiprand.h>
#include <rocrand/rocrand.h>
#include <cmath>
#include <cstdint>
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

static const size_t n = 20000;
static void *memory;

template <typename T> static std::vector<T> got()
{
    std::vector<T> values(n);
    CHECK(hipDeviceSynchronize());
    CHECK(hipMemcpy(values.data(), memory, n * sizeof(T), hipMemcpyDeviceToHost));
    return values;
}

static void say(const char *what, bool right)
{
    printf("%s: %s\n", what, right ? "right" : "wrong");
}

// Philox 4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3").
static void philox(uint64_t seed, uint64_t block, uint32_t word[4])
{
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0, 0};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ key[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ key[1], (uint32_t)a};
        for (int i = 0; i < 4; i++)
            c[i] = next[i];
        key[0] += 0x9e3779b9;
        key[1] += 0xbb67ae85;
    }
    for (int i = 0; i < 4; i++)
        word[i] = c[i];
}

static bool is_philox(uint64_t seed)
{
    const std::vector<uint32_t> values = got<uint32_t>();
    for (size_t i = 0; i < n; i += 4) {
        uint32_t word[4];
        philox(seed, i / 4, word);
        for (size_t k = 0; k < 4; k++)
            if (values[i + k] != word[k]) {
                fprintf(stderr, "%zu: %08x, not %08x\n", i + k, values[i + k], word[k]);
                return false;
            }
    }
    return true;
}

// The first dimension of a Sobol sequence: the bits of the Gray code of the number, in reverse.
static bool is_sobol()
{
    const std::vector<uint32_t> values = got<uint32_t>();
    for (uint32_t i = 0; i < n; i++) {
        uint32_t wanted = 0;
        for (unsigned bit = 0; bit < 32; bit++)
            wanted |= ((i ^ i >> 1) >> bit & 1) << (31 - bit);
        if (values[i] != wanted) {
            fprintf(stderr, "%u: %08x, not %08x\n", i, values[i], wanted);
            return false;
        }
    }
    return true;
}

// Mean and deviation within five standard errors.
static bool has_moments(double mean, double deviation)
{
    double sum = 0, squares = 0;
    for (float v : got<float>()) {
        sum += v;
        squares += (v - mean) * (v - mean);
    }
    return std::fabs(sum / n - mean) < 5 * deviation / std::sqrt((double)n) &&
           std::fabs(std::sqrt(squares / n) / deviation - 1) < 5 / std::sqrt((double)n);
}

int main()
{
    rocrand_generator philoxes, sobol;
    CHECK(hipMalloc(&memory, n * 8));
    CHECK(rocrand_create_generator(&philoxes, ROCRAND_RNG_PSEUDO_PHILOX4_32_10));
    CHECK(rocrand_set_seed(philoxes, 0x123456789abcull));
    CHECK(rocrand_generate(philoxes, (unsigned *)memory, n));
    say("rocRAND's Philox", is_philox(0x123456789abcull));
    CHECK(rocrand_destroy_generator(philoxes));
    CHECK(rocrand_create_generator(&sobol, ROCRAND_RNG_QUASI_SOBOL32));
    CHECK(rocrand_generate(sobol, (unsigned *)memory, n));
    say("rocRAND's Sobol", is_sobol());
    CHECK(rocrand_destroy_generator(sobol));
    static const struct {
        const char *name;
        hiprandRngType_t type;
    } kinds[] = {{"XORWOW", HIPRAND_RNG_PSEUDO_XORWOW}, {"MRG32k3a", HIPRAND_RNG_PSEUDO_MRG32K3A}, {"MTGP32", HIPRAND_RNG_PSEUDO_MTGP32}, {"Philox", HIPRAND_RNG_PSEUDO_PHILOX4_32_10}};
    for (const auto &kind : kinds) {
        hiprandGenerator_t g;
        CHECK(hiprandCreateGenerator(&g, kind.type));
        CHECK(hiprandSetPseudoRandomGeneratorSeed(g, 17));
        CHECK(hiprandGenerateUniform(g, (float *)memory, n));
        bool right = has_moments(0.5, std::sqrt(1 / 12.0));
        CHECK(hiprandGenerateNormal(g, (float *)memory, n, 3, 2));
        right &= has_moments(3, 2);
        CHECK(hiprandGenerateLogNormal(g, (float *)memory, n, 0, 0.25f));
        right &= has_moments(std::exp(0.03125), std::exp(0.03125) * std::sqrt(std::exp(0.0625) - 1));
        say(kind.name, right);
        CHECK(hiprandDestroyGenerator(g));
    }
    CHECK(hipFree(memory));
}
