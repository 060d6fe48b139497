/*
 * Fuzz target: requests of HTTP to the server of `wavetrap view`. What it takes of a request lies
 * in the bytes that were given, and is the same when more bytes have come.
 */
#include <stdlib.h>
#include <string.h>

#include "frontend/view/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_part(struct http_text part, const char *bytes, size_t size)
{
    if (part.at && (part.at < bytes || part.at + part.length > bytes + size))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_request r, longer;
    char *bytes = malloc(size + 1);
    if (!bytes)
        return 0;
    memcpy(bytes, data, size);
    const unsigned whole = http_parse(bytes, size, &r);
    if (whole == 200) {
        if (r.head > size || r.head < 4 || memcmp(bytes + r.head - 4, "\r\n\r\n", 4) != 0 ||
            r.body > HTTP_MOST_BODY)
            abort();
        check_part(r.target, bytes, r.head);
        check_part(r.host, bytes, r.head);
        check_part(r.origin, bytes, r.head);
        check_part(r.site, bytes, r.head);
        if (http_is_own(&r, "127.0.0.1:8000") && r.site.at && !http_is(r.site, "none") &&
            !http_is(r.site, "same-origin"))
            abort();
        /* A part of the head is not a request yet. */
        for (size_t part = 0; part < r.head; part++) {
            char *copy = malloc(part + 1);
            if (!copy)
                break;
            memcpy(copy, bytes, part);
            if (http_parse(copy, part, &longer) != 0)
                abort();
            free(copy);
        }
    }
    free(bytes);
    return 0;
}
