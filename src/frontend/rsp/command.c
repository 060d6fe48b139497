/* Finds the command of a packet, and its arguments. */
#include "frontend/rsp/command.h"

#include <ctype.h>
#include <string.h>

#include "frontend/rsp/hex.h"

const struct wt_rsp_command *wt_rsp_find(const struct wt_rsp_command *table, size_t count,
                                         const char *data, size_t length, const char **rest)
{
    if (length == 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const char *name = table[i].name;
        if (name[0] != data[0])
            continue;
        size_t size = strlen(name);
        if (size > length || memcmp(name, data, size) != 0)
            continue;
        /* A command word ends where no letter follows: "qC" does not match the
         * beginning of "qCRC". */
        if (size > 1 && isalnum((unsigned char)name[size - 1]) && size < length &&
            isalnum((unsigned char)data[size]) && table[i].schema[0] != '%')
            continue;
        *rest = data + size;
        return &table[i];
    }
    return NULL;
}

bool wt_rsp_parse_number(const char **text, const char *end, uint64_t *number)
{
    const char *at = *text;
    uint64_t value = 0;
    for (; at < end; at++) {
        int digit = wt_hex_value[(unsigned char)*at];
        if (digit < 0)
            break;
        if (value >> 60)
            return false;
        value = value << 4 | (unsigned)digit;
    }
    if (at == *text)
        return false;
    *text = at;
    *number = value;
    return true;
}

/* "-1" or a hex number that fits an int64_t. */
static bool parse_id(const char **text, const char *end, int64_t *id)
{
    if (end - *text >= 2 && (*text)[0] == '-' && (*text)[1] == '1') {
        *text += 2;
        *id = -1;
        return true;
    }
    uint64_t number;
    if (!wt_rsp_parse_number(text, end, &number) || number > INT64_MAX)
        return false;
    *id = (int64_t)number;
    return true;
}

bool wt_rsp_parse_thread(const char **text, const char *end, struct wt_rsp_thread_id *id)
{
    *id = (struct wt_rsp_thread_id){.process = 0, .thread = -1};
    if (*text < end && **text == 'p') {
        ++*text;
        id->has_process = true;
        if (!parse_id(text, end, &id->process))
            return false;
        if (*text == end || **text != '.')
            return true;
        ++*text;
    }
    return parse_id(text, end, &id->thread);
}

bool wt_rsp_parse(const char *schema, const char *text, size_t length, struct wt_rsp_args *args)
{
    const char *at = text, *end = text + length;
    args->count = 0;
    for (; *schema; schema++) {
        if (*schema == '[') {
            if (at == end)
                return true;
            continue;
        }
        if (*schema != '%') {
            if (at == end || *at != *schema)
                return false;
            at++;
            continue;
        }
        struct wt_rsp_arg *arg = &args->arg[args->count];
        switch (*++schema) {
        case 'x':
            if (!wt_rsp_parse_number(&at, end, &arg->number))
                return false;
            break;
        case 't':
            if (!wt_rsp_parse_thread(&at, end, &arg->id))
                return false;
            break;
        case 's': {
            char stop = schema[1] == '[' ? schema[2] : schema[1];
            const char *found = stop ? memchr(at, stop, (size_t)(end - at)) : NULL;
            arg->text = at;
            at = found ? found : end;
            arg->length = (size_t)(at - arg->text);
            break;
        }
        default: /* %b */
            arg->text = at;
            arg->length = (size_t)(end - at);
            at = end;
        }
        args->count++;
    }
    return at == end;
}
