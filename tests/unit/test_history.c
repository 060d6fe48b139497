/*
 * Time travel through the debugger: operations in random order, forwards, backwards, writes and
 * resets, agree with a model that runs again from reset. tests/fuzz/fuzz_history.c does the same
 * with what libFuzzer thinks of.
 *
 * HISTORY_SEED=n is the first seed, HISTORY_SEEDS=n how many there are, HISTORY_TELL=1 tells of
 * each operation where it led.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "../history/small.h"

#define OPERATIONS 60

static void play_seed(const struct small *small, uint64_t seed)
{
    uint8_t bytes[16 * OPERATIONS];
    char path[32];
    int fd;
    for (size_t i = 0; i < sizeof bytes; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)(seed >> 33);
    }
    const struct play_options options = small_device(small, &fd, path);
    assert_int_equal(play(&options, bytes, sizeof bytes, OPERATIONS), OPERATIONS);
    close(fd);
}

static void any_order_of_operations_agrees_with_a_model(void **state)
{
    const char *first = getenv("HISTORY_SEED"), *count = getenv("HISTORY_SEEDS");
    const uint64_t from = first ? strtoull(first, NULL, 0) : 1;
    const uint64_t to = from + (count ? strtoull(count, NULL, 0) : 150);
    for (uint64_t seed = from; seed < to; seed++) {
        /* If it fails this is the last thing that is told. */
        if (first)
            print_message("seed %u\n", (unsigned)seed);
        play_seed(&(struct small){.xlen = (unsigned)seed,
                                  .shape = (unsigned)(seed / 2),
                                  .schedule = (unsigned)seed,
                                  .rounds = (unsigned)(seed * 7),
                                  .memory = (unsigned)(seed / 3),
                                  .dm_only = seed % 5 == 4,
                                  .waves = seed % 7 == 6},
                  seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_of_operations_agrees_with_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
