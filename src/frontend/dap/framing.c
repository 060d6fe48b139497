/* See framing.h. */
#include "frontend/dap/framing.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

#define HEADER "Content-Length:"
#define MOST_HEADER 64 /* bytes of a header with the empty line */

enum wt_status dap_input_add(struct dap_input *in, const char *bytes, size_t size,
                             struct wt_error *err)
{
    if (in->start) {
        memmove(in->bytes, in->bytes + in->start, in->end - in->start);
        in->end -= in->start;
        in->start = 0;
    }
    char *grown = wt_array_grow(in->bytes, &in->capacity, in->end + size, 1);
    if (!grown)
        return wt_fail(err, WT_NO_MEMORY, "no host memory for a message");
    in->bytes = grown;
    memcpy(grown + in->end, bytes, size);
    in->end += size;
    return WT_OK;
}

static enum dap_found foreign(struct wt_error *err)
{
    wt_fail(err, WT_INVALID, "the input is not the Debug Adapter Protocol; nothing was done");
    return DAP_FOREIGN;
}

enum dap_found dap_input_next(struct dap_input *in, const char **body, size_t *length,
                              struct wt_error *err)
{
    const char *at = in->bytes + in->start;
    const size_t have = in->end - in->start;
    const size_t name = strlen(HEADER), most = in->most ? in->most : DAP_MOST_BYTES;
    if (!have)
        return DAP_NOTHING;
    if (strncasecmp(at, HEADER, have < name ? have : name) != 0)
        return foreign(err);
    size_t i = name, digits = 0, bytes = 0;
    while (i < have && at[i] == ' ' && i < MOST_HEADER)
        i++;
    for (; i < have && at[i] >= '0' && at[i] <= '9'; i++, digits++)
        if ((bytes = bytes * 10 + (size_t)(at[i] - '0')) > most) {
            wt_fail(err, WT_INVALID, "a message has more than %zu bytes", most);
            return DAP_FOREIGN;
        }
    for (const char *end = "\r\n\r\n"; *end && i < have; end++, i++)
        if (at[i] != *end || !digits || (end[1] == 0 && i >= MOST_HEADER))
            return foreign(err);
    if (have >= 4 + name && memcmp(at + i - 4, "\r\n\r\n", 4) == 0) {
        if (have - i < bytes)
            return DAP_NOTHING;
        *body = at + i;
        *length = bytes;
        in->start += i + bytes;
        return DAP_MESSAGE;
    }
    return i < have || i >= MOST_HEADER ? foreign(err) : DAP_NOTHING;
}

void dap_input_free(struct dap_input *in)
{
    free(in->bytes);
    *in = (struct dap_input){0};
}
