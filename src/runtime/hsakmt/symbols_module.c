/* The module that reports get names and lines from. See symbols.h. */
#include "runtime/hsakmt/symbols.h"

__attribute__((visibility("default"))) const struct host_symbols wavetrap_symbols = {
    .open = wt_symbols_open,
    .close = wt_symbols_close,
    .function = wt_symbols_function,
    .line = wt_symbols_line,
    .address = wt_symbols_address,
};
