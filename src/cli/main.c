/* The `wavetrap` command: finds the subcommand. */
#include <stdio.h>

int main(void)
{
    puts("wavetrap " WT_VERSION);
    return 0;
}
