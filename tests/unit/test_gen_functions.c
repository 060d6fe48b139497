/* The code that Gen9's probe follows for questions about variables: it is decoded once, however
 * many questions there are, and anew where it has changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* cmocka wants the four above first */
#include <cmocka.h>

#include "debug/gen/flow.h"

enum { NOP = 0x7e, INSTRUCTION = 16, INSTRUCTIONS = 4 };
#define START UINT64_C(0x1000)

static uint8_t code[INSTRUCTIONS * INSTRUCTION];

static bool read_code(void *context, uint64_t addr, void *out, size_t size)
{
    memcpy(out, code + addr % START, size);
    return true;
}

/* Function @p n is at the @p n'th multiple of START. */
static struct genp_function *ask(struct genp_functions *functions, unsigned n)
{
    const struct wt_kept_address asked = {
        .start = n * START, .end = n * START + sizeof code, .read_code = read_code};
    return genp_read_function(functions, &asked);
}

static void set_up_code(void)
{
    memset(code, 0, sizeof code);
    for (unsigned i = 0; i < INSTRUCTIONS; i++)
        code[i * INSTRUCTION] = NOP;
}

static void a_function_is_decoded_once(void **state)
{
    struct genp_functions functions = {.oldest = 0};
    set_up_code();
    struct genp_function *first = ask(&functions, 1);
    assert_non_null(first);
    assert_int_equal(first->code.count, INSTRUCTIONS);
    const struct genp_instruction *decoded = first->code.insn;
    for (unsigned i = 0; i < 3; i++) {
        assert_non_null(ask(&functions, 2));
        assert_ptr_equal(ask(&functions, 1), first);
        assert_ptr_equal(first->code.insn, decoded);
    }
    genp_forget_functions(&functions);
}

static void changed_code_is_another_function(void **state)
{
    struct genp_functions functions = {.oldest = 0};
    set_up_code();
    const struct genp_function *first = ask(&functions, 1);
    code[INSTRUCTION] = 0; /* the end */
    const struct genp_function *shorter = ask(&functions, 1);
    assert_ptr_not_equal(first, shorter);
    assert_int_equal(shorter->code.count, 1);
    genp_forget_functions(&functions);
}

/* As many are kept as there are places: the oldest one makes room. */
static void the_oldest_is_forgotten(void **state)
{
    enum { PLACES = sizeof((struct genp_functions *)0)->list / sizeof(struct genp_function) };
    struct genp_functions functions = {.oldest = 0};
    set_up_code();
    for (unsigned n = 1; n <= PLACES + 1; n++)
        assert_int_equal(ask(&functions, n)->start, n * START);
    const unsigned read = functions.oldest;
    assert_non_null(ask(&functions, 2));
    assert_int_equal(functions.oldest, read);
    assert_non_null(ask(&functions, 1));
    assert_int_equal(functions.oldest, read + 1);
    genp_forget_functions(&functions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_is_decoded_once),
        cmocka_unit_test(changed_code_is_another_function),
        cmocka_unit_test(the_oldest_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
