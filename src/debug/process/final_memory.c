/* See final_memory.h. */
#include "debug/process/final_memory.h"

#include <stdlib.h>
#include <string.h>

#include "object/final_wire.h"
#include "object/process_wire.h"

/* Skips the answer to the request that was pending when the process announced its end. */
static bool receive(struct wt_connection *c, struct wt_final_wire_piece *piece, uint8_t **bytes)
{
    struct wt_wire_answer head;
    *bytes = NULL;
    do {
        free(*bytes);
        *bytes = NULL;
        if (wt_connection_receive(c, &head, sizeof head, WT_IGNORED) != WT_OK)
            return false;
        if (head.size > WT_FINAL_WIRE_MOST || (head.size && !(*bytes = malloc(head.size))) ||
            wt_connection_receive(c, *bytes, head.size, WT_IGNORED) != WT_OK)
            return false;
    } while (head.result != WT_FINAL_WIRE_MEMORY);
    if (head.size < sizeof *piece)
        return false;
    memcpy(piece, *bytes, sizeof *piece);
    head.size -= (uint32_t)sizeof *piece;
    memmove(*bytes, *bytes + sizeof *piece, head.size);
    if (!head.size) {
        free(*bytes);
        *bytes = NULL;
    }
    return piece->length && (!head.size || head.size == piece->length);
}

void wt_process_final_memory(const struct wt_connection *connection, uint32_t device,
                             wt_process_piece_fn *found, void *context)
{
    struct wt_connection c = *connection; /* the process has ended, but still sends */
    struct wt_wire_request request = {.verb = WT_WIRE_FINAL_NEXT, .device = device};
    struct wt_final_wire_piece piece;
    uint8_t *bytes = NULL;
    bool more = c.ended && !c.end.closed; /* what was closed answers no more */
    c.ended = false;
    while (more && wt_connection_send(&c, &request, sizeof request, WT_IGNORED) == WT_OK &&
           receive(&c, &piece, &bytes) && piece.addr >= request.addr) {
        more = found(context, piece.addr, bytes, piece.length);
        bytes = NULL;
        request.addr = piece.addr + piece.length;
        more = more && request.addr > piece.addr;
    }
    free(bytes);
}
