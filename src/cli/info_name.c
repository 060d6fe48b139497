/* Names of kernels in what `wavetrap info` prints. */
#include "cli/info.h"

#include <stdio.h>
#include <string.h>

#include "base/demangle.h"

void cli_tell_kernel_name(const char *indent, const char *name)
{
    char plain[300];
    wt_demangle(name, plain, sizeof plain);
    if (strcmp(plain, name) != 0)
        printf("%skernel %s: %s\n", indent, name, plain);
    else
        printf("%skernel %s\n", indent, name);
}
