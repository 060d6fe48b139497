/* The library that reports get names and lines from. See symbols.h. */
#include "runtime/hsakmt/symbols.h"

__attribute__((visibility("default"))) const struct host_symbols wavetrap_symbols = {
    .list = wt_modules_new,
    .free = wt_modules_free,
    .add_file = wt_modules_add_file,
    .function = wt_modules_function,
    .line = wt_modules_line,
    .address = wt_modules_address,
};
