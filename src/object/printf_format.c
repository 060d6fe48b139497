/* Parses the printf texts of a code object's metadata. See printf_format.h. */
#include "object/printf_format.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A number and the colon behind it. */
static bool field(const char **at, uint32_t *value)
{
    char *end;
    errno = 0;
    const unsigned long number = strtoul(*at, &end, 10);
    if (!isdigit((unsigned char)**at) || *end != ':' || errno || number > UINT32_MAX)
        return false;
    *value = (uint32_t)number;
    *at = end + 1;
    return true;
}

/* The compiler writes some characters as escape sequences of C, the colon as \72. */
static char *unescaped(const char *from)
{
    static const char names[] = "abfnrv\\", codes[] = "\a\b\f\n\r\v\\";
    char *text = malloc(strlen(from) + 1), *to = text;
    while (text && *from) {
        const char *name = from[0] == '\\' && from[1] ? strchr(names, from[1]) : NULL;
        if (strncmp(from, "\\72", 3) == 0) {
            *to++ = ':';
            from += 3;
        } else if (name) {
            *to++ = codes[name - names];
            from += 2;
        } else {
            *to++ = *from++;
        }
    }
    if (text)
        *to = 0;
    return text;
}

bool gcn_format_parse(const char *text, struct gcn_format *f)
{
    enum { MOST_ARGUMENTS = 1024, MOST_SIZE = 65536 };
    uint32_t count;
    *f = (struct gcn_format){0};
    if (!field(&text, &f->id) || !field(&text, &count) || count > MOST_ARGUMENTS)
        return false;
    f->size = calloc(count + (size_t)1, sizeof *f->size);
    bool sound = f->size != NULL;
    /* The compiler may count more than it lists. */
    while (sound && f->sizes < count && field(&text, &f->size[f->sizes])) {
        const uint32_t size = f->size[f->sizes++];
        sound = size && size % 4 == 0 && size <= MOST_SIZE;
    }
    if (sound && (f->text = unescaped(text)))
        return true;
    gcn_format_free(f);
    return false;
}

void gcn_format_free(struct gcn_format *f)
{
    free(f->size);
    free(f->text);
    *f = (struct gcn_format){0};
}
