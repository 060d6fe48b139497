/* The texts of printf calls in a code object's metadata ("amdhsa.printf"). */
#ifndef WT_OBJECT_PRINTF_FORMAT_H
#define WT_OBJECT_PRINTF_FORMAT_H

#include "object/gcn_object.h"

/** Reads "NUMBER:COUNT:SIZE:…:TEXT"; false, with nothing to free, if the text has another form. */
bool gcn_format_parse(const char *text, struct gcn_format *format);
void gcn_format_free(struct gcn_format *format);

#endif
