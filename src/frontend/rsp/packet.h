/*
 * The framing of GDB's remote serial protocol (GDB manual, appendix E.1 "Overview"): bytes from the
 * wire become packets, replies become bytes. Nothing here knows what a packet means.
 */
#ifndef WT_FRONTEND_RSP_PACKET_H
#define WT_FRONTEND_RSP_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The longest packet that is announced to the client (qSupported's PacketSize). */
#define WT_PACKET_SIZE 0x20000u

/** Packets longer than this are refused; above PacketSize, for clients that count otherwise. */
#define WT_PACKET_LIMIT (2 * WT_PACKET_SIZE)

/** Between packets, this byte asks the server to stop the program. */
#define WT_PACKET_INTERRUPT_BYTE 0x03

enum wt_packet_kind {
    WT_PACKET_NONE,      /**< nothing complete has come yet */
    WT_PACKET_COMMAND,   /**< a packet with a right checksum */
    WT_PACKET_ACK,       /**< '+' */
    WT_PACKET_NAK,       /**< '-': the last reply is wanted again */
    WT_PACKET_INTERRUPT, /**< the byte 0x03 between packets */
    WT_PACKET_DAMAGED,   /**< a packet whose checksum is wrong */
    WT_PACKET_TOO_LONG,  /**< a packet beyond WT_PACKET_LIMIT; all of it has been skipped */
    WT_PACKET_FOREIGN,   /**< what has come may be a web page's request (strict) */
};

/** A packet's data: unescaped, followed by a NUL, valid until more bytes are put in. */
struct wt_packet {
    enum wt_packet_kind kind;
    char *data;
    size_t length;
};

/** Takes bytes as they come and finds packets in them. */
struct wt_packet_reader {
    uint8_t *buffer;
    size_t capacity;
    size_t start, end; /**< bytes not taken yet */
    size_t scanned;    /**< no '#' in [start, scanned) of the packet that begins at start */
    bool skipping;     /**< inside a packet that is too long */
    bool strict; /**< it may be a web page's connection: no packet has come that a browser could
                      not send as an HTTP method. Nothing between packets is skipped then */
};

/** False when memory ran out. */
bool wt_packet_reader_init(struct wt_packet_reader *reader);
/** Frees what the reader holds. */
void wt_packet_reader_free(struct wt_packet_reader *reader);
/** Forgets what has come (a new connection). */
void wt_packet_reader_clear(struct wt_packet_reader *reader);

/** Where to put up to *@p size more bytes (at least one when all packets have been taken). */
uint8_t *wt_packet_reader_space(struct wt_packet_reader *reader, size_t *size);
/** Says that @p size bytes were put there. */
void wt_packet_reader_added(struct wt_packet_reader *reader, size_t size);

/** Whether a connection of this protocol may begin with this byte: no other protocol's does that
 * web browsers speak. */
bool wt_packet_may_begin(uint8_t byte);

/** Takes the next packet or sign. What lies between packets and is neither is skipped. */
struct wt_packet wt_packet_next(struct wt_packet_reader *reader);

/**
 * Takes an interrupt byte that lies between packets, wherever in what has come; packets stay. For a
 * server that cannot handle packets now.
 */
bool wt_packet_take_interrupt(struct wt_packet_reader *reader);

/** Gathers replies. After running out of memory it takes nothing more and `failed` is set. */
struct wt_packet_writer {
    uint8_t *buffer;
    size_t capacity;
    size_t start, end; /**< bytes to send */
    size_t body;       /**< where the body of the packet that is being written begins */
    uint8_t *last;     /**< the last packet, for when it is asked for again */
    size_t last_size, last_capacity;
    bool keep_last; /**< the client may ask for it (acknowledgements are on) */
    bool failed;
};

/** An empty writer; it takes memory when something is written. */
void wt_packet_writer_init(struct wt_packet_writer *writer);
/** Frees what the writer holds. */
void wt_packet_writer_free(struct wt_packet_writer *writer);
/** Forgets all that was not sent, and the failure (a new connection). */
void wt_packet_writer_clear(struct wt_packet_writer *writer);

/** A single byte outside packets ('+', '-'). */
void wt_put_raw(struct wt_packet_writer *writer, char byte);

/** Begins a packet ('$') or a notification ('%'). */
void wt_put_begin(struct wt_packet_writer *writer, char lead);
/** Ends it with its checksum. */
void wt_put_end(struct wt_packet_writer *writer);
/** Drops what was written of the packet since wt_put_begin(), and begins it again. */
void wt_put_restart(struct wt_packet_writer *writer);
/** Length of the body so far. */
size_t wt_put_length(const struct wt_packet_writer *writer);
/** Sends the last packet again. */
void wt_put_again(struct wt_packet_writer *writer);

/** One character of the body, which must need no escape: not '$', '#', '}' or '*'. */
void wt_put_char(struct wt_packet_writer *writer, char c);
/** Text of the body, likewise. */
void wt_put_text(struct wt_packet_writer *writer, const char *text);
/** Likewise by a format of printf(3); at most 1,023 characters come of it. */
void wt_put_format(struct wt_packet_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** A number in hex, without leading zeros. */
void wt_put_number(struct wt_packet_writer *writer, uint64_t number);
/** Likewise with two digits at least. */
void wt_put_padded(struct wt_packet_writer *writer, uint64_t number);
/** Bytes as hex digits. */
void wt_put_hex(struct wt_packet_writer *writer, const void *bytes, size_t size);
/** The low @p size bytes of a value, little-endian, as hex digits. */
void wt_put_value(struct wt_packet_writer *writer, uint64_t value, size_t size);
/** Bytes as they are, escaped where the protocol needs it. */
void wt_put_binary(struct wt_packet_writer *writer, const void *bytes, size_t size);

#endif
