/* Requests of HTTP/1.1 (RFC 9112), as far as browsers send them to a server on loopback. */
#ifndef WT_FRONTEND_VIEW_HTTP_H
#define WT_FRONTEND_VIEW_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_MOST_HEAD 16384 /* bytes of a request before its body */
#define HTTP_MOST_BODY (1 << 20)

/** A part of the bytes that were given; NULL: it was not there. */
struct http_text {
    const char *at;
    size_t length;
};

struct http_request {
    bool is_post;            /**< else GET */
    struct http_text target; /**< "/path?query" */
    struct http_text host, origin, site /**< Sec-Fetch-Site */;
    size_t head, body; /**< bytes of the head with its empty line, and of the body behind it */
};

/**
 * Takes the head of a request from bytes that have come so far. 0: more bytes are needed; 200: it
 * is a request; else the status that answers it, after which the connection ends: 400, 405, 411,
 * 413, 431, 505.
 */
unsigned http_parse(const char *bytes, size_t size, struct http_request *request);

/** Whether a part is this text; of header fields, whose case does not count. */
bool http_is(struct http_text part, const char *text);

/**
 * Whether a request comes from a page of @p authority ("127.0.0.1:PORT"), or from a program that is
 * no browser. The Host field must be that authority, or "localhost" with its port. Origin and
 * Sec-Fetch-Site, where they are there, must name the same origin. So the page of another site is
 * refused, even if its host name has been pointed at this machine.
 */
bool http_is_own(const struct http_request *request, const char *authority);

#endif
