/* Finds GDB's extension with our commands: beside this program, in the build tree or as
 * installed. */
#include "cli/cli.h"

#include <limits.h>
#include <string.h>

#include "target/own_files.h"

bool cli_gdb_extension(char *path, size_t size)
{
    static const char *const places[] = {"../share/wavetrap/gdb", "../frontend/gdb", NULL};
    char folder[PATH_MAX];
    /* GDB's command line cannot hold a quote or a line end. */
    return wt_own_folder(places, "wavetrap.py", folder, sizeof folder) &&
           !strpbrk(folder, "\n\r") && snprintf(path, size, "%s/wavetrap.py", folder) < (int)size;
}

void cli_say_how_to_connect(const char *address, bool restarts)
{
    char extension[PATH_MAX];
    if (cli_gdb_extension(extension, sizeof extension))
        fprintf(stderr, "    source %s\n", extension);
    fprintf(stderr, "    target remote %s\n", address);
    if (restarts)
        fprintf(stderr, "or, so that 'run' starts it afresh,\n    target extended-remote %s\n",
                address);
    if (strncmp(address, "unix:", 5) == 0)
        fprintf(stderr, "In LLDB, type\n    process connect unix-connect://%s\n", address + 5);
    else
        fprintf(stderr, "In LLDB, type\n    gdb-remote %s%s\n", *address == ':' ? "127.0.0.1" : "",
                address);
}
