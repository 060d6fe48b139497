/* See final_memory.h. */
#include "debug/process/final_memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "object/final_wire.h"

enum { MOST_ANSWER = 4096 };

/* Skips the answer to the request that was pending when the process announced its end. */
static bool receive(struct wt_connection *c, size_t answer_bytes, struct wt_final_wire_piece *piece,
                    uint8_t **bytes)
{
    uint8_t answer[MOST_ANSWER];
    struct wt_final_wire_answer head;
    *bytes = NULL;
    do {
        free(*bytes);
        *bytes = NULL;
        if (wt_connection_receive(c, answer, answer_bytes, WT_IGNORED) != WT_OK)
            return false;
        memcpy(&head, answer, sizeof head);
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

void wt_process_final_memory(const struct wt_connection *connection,
                             const struct wt_process_final *final, wt_process_piece_fn *found,
                             void *context)
{
    struct wt_connection c = *connection; /* the process has ended, but still sends */
    struct wt_final_wire_piece piece;
    uint8_t *bytes = NULL;
    bool more = c.ended;
    assert(final->answer_bytes <= MOST_ANSWER);
    c.ended = false;
    *final->from = 0;
    while (more &&
           wt_connection_send(&c, final->request, final->request_bytes, WT_IGNORED) == WT_OK &&
           receive(&c, final->answer_bytes, &piece, &bytes) && piece.addr >= *final->from) {
        more = found(context, piece.addr, bytes, piece.length);
        bytes = NULL;
        *final->from = piece.addr + piece.length;
        more = more && *final->from > piece.addr;
    }
    free(bytes);
}
