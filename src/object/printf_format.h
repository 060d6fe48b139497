/* The texts of printf calls in a code object's metadata ("amdhsa.printf"). */
#ifndef WT_OBJECT_PRINTF_FORMAT_H
#define WT_OBJECT_PRINTF_FORMAT_H

#include "object/gcn_object.h"

/**
 * Reads "NUMBER:COUNT:SIZE:…:TEXT". False, with nothing to free, if the text has another form. The
 * caller frees *format with gcn_format_free.
 */
bool gcn_format_parse(const char *text, struct gcn_format *format);
/** Frees what gcn_format_parse has made; *format is empty then. */
void gcn_format_free(struct gcn_format *format);

#endif
