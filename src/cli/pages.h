/* Pages of the grid over a session that the command itself has: `--view` of debug, serve and gdb.
 */
#ifndef WT_CLI_PAGES_H
#define WT_CLI_PAGES_H

#include "base/listen.h"
#include "frontend/dap/dap.h"

struct cli_pages;

/** Listens for pages at "PORT" or "127.0.0.1:PORT" (port 0: any free one); WT_INVALID: an address
 * that is no port of this machine. */
enum wt_status cli_pages_listen(const char *option, const char *address,
                                struct wt_listener *listener, struct wt_error *err);

/** Counts of source lines for pages, as struct wt_dap_owner.counts. */
struct cli_pages_counts {
    bool (*counts)(void *context, void (*each)(void *to, const struct wt_dap_count *count),
                   void *to); /**< NULL: nothing is counted */
    void *context;
};

/**
 * Starts the server of pages in a process of its own, and prints the pages' address on standard
 * error. @p address: of --view.
 */
enum wt_status cli_pages_open(const char *command, const char *address,
                              const struct cli_pages_counts *counts, struct cli_pages **pages,
                              struct wt_error *err);
/** Ends that process. NULL is ignored. */
void cli_pages_close(struct cli_pages *pages);

/** The program of the session. @p may_run: pages may set it going, from cli_pages_serve();
 * otherwise they only look, within the session's loop. */
void cli_pages_join(struct cli_pages *pages, struct wt_program *program, bool may_run);
/** Takes requests of pages in the loop of a session. */
enum wt_status cli_pages_watch(struct cli_pages *pages, struct wt_loop *loop, struct wt_error *err);
/** Serves the requests that have come; true: the program was set going. */
bool cli_pages_serve(struct cli_pages *pages);
/** Tells pages where the program stands. */
void cli_pages_follow(struct cli_pages *pages);
/** Tells them what happens, as the services of a program's user. */
void cli_pages_news(struct cli_pages *pages, const struct wt_news *news);
/** … likewise. */
void cli_pages_waits(struct cli_pages *pages, enum wt_wait wait);

#endif
