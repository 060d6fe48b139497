/* How much text fits a page of a terminal. */
#include "frontend/common/common.h"

size_t wt_page_fill(struct wt_page *page, const char *text, size_t length, unsigned rows,
                    unsigned columns)
{
    size_t i = 0;
    for (; i < length && page->row < rows - 1; i++) {
        const unsigned char ch = (unsigned char)text[i];
        if (ch == '\n') {
            page->row++;
            page->column = 0;
        } else if (ch == '\033') {
            page->in_sequence = true;
        } else if (page->in_sequence) { /* ESC [ … letter */
            page->in_sequence = ch == '[' || ch < '@';
        } else if ((ch & 0xc0) != 0x80) {
            page->column = ch == '\t' ? (page->column | 7) + 1 : page->column + 1;
        }
        if (columns && page->column >= columns) {
            page->row++;
            page->column = 0;
        }
    }
    return i;
}
