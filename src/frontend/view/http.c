/* See http.h. */
#include "frontend/view/http.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool http_is(struct http_text part, const char *text)
{
    return part.at && part.length == strlen(text) && strncasecmp(part.at, text, part.length) == 0;
}

/* The line at @p at, without its CR LF; false: its end has not come, or (*bad) it is none. */
static bool take_line(const char **at, const char *end, struct http_text *line, bool *bad)
{
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    if (!newline)
        return false;
    *bad = newline == *at || newline[-1] != '\r' || memchr(*at, 0, (size_t)(newline - *at)) != NULL;
    *line = (struct http_text){*at, (size_t)(newline - *at) - !*bad};
    *at = newline + 1;
    return !*bad;
}

/* "GET /path HTTP/1.1" */
static unsigned take_request_line(struct http_text line, struct http_request *r)
{
    const char *space = memchr(line.at, ' ', line.length);
    if (!space)
        return 400;
    const struct http_text method = {line.at, (size_t)(space - line.at)};
    const char *rest = space + 1;
    const size_t left = line.length - method.length - 1;
    const char *version = memchr(rest, ' ', left);
    if (!version || *rest != '/')
        return 400;
    r->target = (struct http_text){rest, (size_t)(version - rest)};
    const size_t length = left - r->target.length - 1;
    if (length != 8 || memcmp(version + 1, "HTTP/", 5) != 0)
        return 400;
    if (memcmp(version + 1, "HTTP/1.1", 8) != 0)
        return 505;
    r->is_post = method.length == 4 && memcmp(method.at, "POST", 4) == 0;
    return r->is_post || (method.length == 3 && memcmp(method.at, "GET", 3) == 0) ? 200 : 405;
}

static unsigned take_length(struct http_text value, struct http_request *r)
{
    size_t length = 0;
    if (!value.length || value.length > 10)
        return 400;
    for (size_t i = 0; i < value.length; i++) {
        if (value.at[i] < '0' || value.at[i] > '9')
            return 400;
        length = length * 10 + (size_t)(value.at[i] - '0');
    }
    r->body = length;
    return length > HTTP_MOST_BODY ? 413 : 200;
}

/* "Name: value"; a field that counts must be there once. */
static unsigned take_field(struct http_text line, struct http_request *r, bool *has_length)
{
    const char *colon = memchr(line.at, ':', line.length);
    if (!colon || colon == line.at)
        return 400;
    const struct http_text name = {line.at, (size_t)(colon - line.at)};
    struct http_text value = {colon + 1, line.length - name.length - 1};
    for (; value.length && (*value.at == ' ' || *value.at == '\t'); value.length--)
        value.at++;
    while (value.length && strchr(" \t", value.at[value.length - 1]))
        value.length--;
    if (memchr(name.at, ' ', name.length) || memchr(name.at, '\t', name.length))
        return 400; /* also a line that continues the one before */
    struct http_text *field = http_is(name, "Host")             ? &r->host
                              : http_is(name, "Origin")         ? &r->origin
                              : http_is(name, "Sec-Fetch-Site") ? &r->site
                                                                : NULL;
    if (field && field->at)
        return 400;
    if (field)
        *field = value;
    if (http_is(name, "Transfer-Encoding"))
        return 411; /* browsers know how long their bodies are */
    if (!http_is(name, "Content-Length"))
        return 200;
    if (*has_length)
        return 400;
    *has_length = true;
    return take_length(value, r);
}

unsigned http_parse(const char *bytes, size_t size, struct http_request *r)
{
    const char *at = bytes, *end = bytes + (size < HTTP_MOST_HEAD ? size : HTTP_MOST_HEAD);
    struct http_text line;
    bool bad = false, has_length = false;
    unsigned status = 200;
    *r = (struct http_request){.head = 0};
    for (unsigned i = 0; take_line(&at, end, &line, &bad); i++) {
        if (i && !line.length) {
            r->head = (size_t)(at - bytes);
            return !r->host.at ? 400 : r->is_post && !has_length ? 411 : 200;
        }
        status = i ? take_field(line, r, &has_length) : take_request_line(line, r);
        if (status != 200)
            return status;
    }
    return bad ? 400 : size >= HTTP_MOST_HEAD ? 431 : 0;
}

bool http_is_own(const struct http_request *r, const char *authority)
{
    char local[64], own[80];
    const char *port = strrchr(authority, ':');
    snprintf(local, sizeof local, "localhost%s", port ? port : "");
    const char *host = http_is(r->host, authority) ? authority
                       : http_is(r->host, local)   ? local
                                                   : NULL;
    if (!host)
        return false;
    snprintf(own, sizeof own, "http://%s", host);
    return (!r->origin.at || http_is(r->origin, own)) &&
           (!r->site.at || http_is(r->site, "same-origin") || http_is(r->site, "none"));
}
