/*
 * Fuzz target: names of functions, and what people call them (a NUL in between). A name's plain
 * form is one of its own names. Names are short: what substitutions unfold to doubles with every
 * few letters, and that work is the C++ library's.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[81], called[81], plain[4096];
    if (size > sizeof name - 1)
        return 0;
    memcpy(name, data, size);
    name[size] = 0;
    const size_t length = strlen(name);
    strcpy(called, length < size ? name + length + 1 : "");
    wt_demangle(name, plain, sizeof plain);
    if (strlen(plain) < sizeof plain - 1 && !wt_name_matches(name, plain))
        abort();
    wt_name_matches(name, called);
    return 0;
}
