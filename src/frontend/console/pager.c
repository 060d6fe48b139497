/* Output page by page, for a person at a terminal: after each screenful a line is asked for. */
#include <string.h>

#include "frontend/console/internal.h"

#define QUESTION "--Type <RET> for more, q to quit, c to continue without paging--"

/* Rows and columns of a page; false: nothing is paged now. */
static bool page_size(const struct wt_shell *c, unsigned *rows, unsigned *columns)
{
    if (!c->settings.pagination || c->pager.continues || c->program->waiting ||
        !c->options.page_size || !c->options.page_size(c->options.context, rows, columns))
        return false;
    if (c->settings.height != WT_SETTING_OF_TERMINAL)
        *rows = c->settings.height;
    if (c->settings.width != WT_SETTING_OF_TERMINAL)
        *columns = c->settings.width;
    return *rows > 1 && *rows < WT_SETTING_UNLIMITED;
}

void begin_pages(struct wt_shell *c)
{
    c->pager = (struct pager){.quit = false};
}

size_t take_page(struct wt_shell *c, const char *text, size_t length)
{
    unsigned rows, columns;
    char answer[8];
    if (!page_size(c, &rows, &columns))
        return length;
    if (c->pager.page.row >= rows - 1) {
        const bool any = c->options.page(c->options.context, QUESTION, answer, sizeof answer);
        begin_pages(c);
        c->pager.quit = !any || *wt_skip_blanks(answer) == 'q';
        c->pager.continues = *wt_skip_blanks(answer) == 'c';
        if (c->pager.quit) {
            c->options.output(c->options.context, "Quit\n", 5);
            return 0;
        }
    }
    return wt_page_fill(&c->pager.page, text, length, rows, columns);
}
