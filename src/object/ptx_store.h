/* Parsed PTX as bytes, for a cache on disk. Only the program that wrote them reads them. */
#ifndef WT_OBJECT_PTX_STORE_H
#define WT_OBJECT_PTX_STORE_H

#include <stdbool.h>

#include "object/ptx.h"

/** A number that differs between builds whose bytes differ. */
uint64_t ptx_store_format(void);
/** The bytes of a module that ptx_parse has made; the caller frees *bytes. False: no host memory.
 */
bool ptx_store(const struct ptx_module *module, uint8_t **bytes, size_t *length);
/**
 * The module of bytes that ptx_store has made from @p length characters of @p text, to be freed by
 * ptx_free. False: they are of another text or build, or damaged; *module is empty then.
 */
bool ptx_restore(const uint8_t *bytes, size_t bytes_length, const char *text, size_t length,
                 struct ptx_module *module);

#endif
