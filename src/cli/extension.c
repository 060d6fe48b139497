/* Finds GDB's extension with our commands: beside this program, in the build tree or as
 * installed. */
#include "cli/cli.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_gdb_extension(char *path, size_t size)
{
    /* From the program's own folder: as installed, and as built. */
    static const char *const places[] = {"../share/wavetrap/gdb", "../frontend/gdb"};
    char self[PATH_MAX], file[PATH_MAX + 64], full[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = 0;
    char *slash = strrchr(self, '/');
    if (!slash)
        return false;
    *slash = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(file, sizeof file, "%s/%s/wavetrap.py", self, places[i]);
        /* GDB's command line cannot hold a quote or a line end. */
        if (realpath(file, full) && access(full, R_OK) == 0 && !strpbrk(full, "\n\r"))
            return snprintf(path, size, "%s", full) < (int)size;
    }
    return false;
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
