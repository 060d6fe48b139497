/*
 * A host program may wait for its debugger at an address, too, which a debugger in another network
 * namespace or on another machine reaches: the variables that say so to the program's libraries,
 * and the token by which the debugger shows that it may come. The token is in a file of the user's
 * own.
 */
#ifndef WT_BASE_TOKEN_H
#define WT_BASE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define WT_LISTEN_VARIABLE "WAVETRAP_LISTEN" /* tcp:HOST:PORT, unix:PATH */
#define WT_TOKEN_VARIABLE "WAVETRAP_TOKEN"   /* the token's file */

enum { WT_TOKEN_BYTES = 32 };

/** The path of the file that is used where none is said: "token" in wt_private_dir(). */
enum wt_status wt_token_path(char *path, size_t size, struct wt_error *err);

/**
 * Writes @p size random bytes, at most WT_TOKEN_BYTES, as hexadecimal digits and a NUL. False, with
 * errno: the system gives none.
 */
bool wt_token_text(char *text, size_t size);

/**
 * Makes the file at @p path with a random token, of mode 0600, unless it is there. WT_IO.
 */
enum wt_status wt_token_make(const char *path, struct wt_error *err);

/**
 * Reads a token: 64 hexadecimal digits. WT_IO: the file is not there, or not this user's alone;
 * WT_INVALID: it has no token.
 */
enum wt_status wt_token_read(const char *path, uint8_t token[WT_TOKEN_BYTES], struct wt_error *err);

/** Compares tokens in a time that does not depend on them. */
bool wt_token_equal(const uint8_t one[WT_TOKEN_BYTES], const uint8_t other[WT_TOKEN_BYTES]);

#endif
