/* See held.h. */
#include "base/held.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>

/* A process id; 0: there is none. */
static pid_t parse_id(const char **text)
{
    char *end;
    if (!isdigit((unsigned char)**text))
        return 0;
    const unsigned long id = strtoul(*text, &end, 10);
    *text = end;
    return id <= INT_MAX ? (pid_t)id : 0;
}

bool wt_held_parse(const char *text, pid_t *process, pid_t *debugger)
{
    *debugger = 0;
    *process = parse_id(&text);
    if (!*process || !*text)
        return *process;
    if (*text++ != ':')
        return false;
    *debugger = parse_id(&text);
    return *debugger && !*text;
}
