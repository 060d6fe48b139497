/* A device elsewhere under a debugger, which reaches it through its debug registers alone: the
 * options that say where it is, and how it is opened. */
#ifndef WT_SESSION_ATTACHED_H
#define WT_SESSION_ATTACHED_H

#include "debug/vortex/vortex.h"
#include "session/code.h"
#include "session/connect.h"

struct wt_session_attached {
    struct wt_session_code code; /**< code of the program's file */
    struct wt_bus *bus;
    struct wt_vortex_link link;
    struct wt_target target;
    struct wt_debugger *debugger; /**< all its waves are halted */
};

/** Setter of --exit-word; its context begins with a struct wt_session_options. */
enum wt_status wt_session_attached_set_exit(void *context, const char *value, struct wt_error *err);

/** The rows; their context is a struct that begins with a struct wt_session_options. */
#define WT_ATTACHED_OPTIONS                                                                        \
    {"dm", 0, "ADDRESS",                                                                           \
     "the device: a server of the Debug Module's registers by the line\n"                          \
     "protocol of VxDebug, at tcp:HOST:PORT or unix:PATH",                                         \
     WT_OPTION_TEXT(struct wt_session_options, connect.dm)},                                       \
        {"jtag", 0, "ADDRESS",                                                                     \
         "the device: behind a JTAG TAP with a RISC-V Debug Transport\n"                           \
         "Module, at remote_bitbang:HOST:PORT or remote_bitbang:unix:PATH",                        \
         WT_OPTION_TEXT(struct wt_session_options, connect.jtag)},                                 \
        {"jtag-tap", 0, "N", WT_CONNECT_TAP_HELP, WT_OPTION_SET(wt_session_set_connect_tap)},      \
        {"jtag-ir", 0, "BITS,...", WT_CONNECT_IR_HELP, WT_OPTION_SET(wt_session_set_connect_ir)},  \
        {"timeout", 0, "MS",                                                                       \
         "how long to wait for the connection, for each reply, and for\n"                          \
         "the device to do a request, in milliseconds (default 5000)",                             \
         WT_OPTION_SET(wt_session_set_connect_timeout)},                                           \
        {"reset", 0, NULL,                                                                         \
         "reset the device, halted before its first instruction (its\n"                            \
         "memory stays)",                                                                          \
         WT_OPTION_FLAG(struct wt_session_options, connect.reset)},                                \
        {"hold", 0, NULL,                                                                          \
         "halt a program that waits for its debugger first, then start\n"                          \
         "it",                                                                                     \
         WT_OPTION_FLAG(struct wt_session_options, connect.how.hold)},                             \
        {"lift", 0, NULL,                                                                          \
         "put the code of the program's file back where another debugger\n"                        \
         "left breakpoints in memory",                                                             \
         WT_OPTION_FLAG(struct wt_session_options, connect.lift)},                                 \
    {                                                                                              \
        "exit-word", 0, "ADDRESS", "where the program leaves its exit word (default 0x88)",        \
            WT_OPTION_SET(wt_session_attached_set_exit)                                            \
    }

/** Whether the options say where a device is. */
bool wt_session_attached_is_given(const struct wt_session_connect *connect);
/** WT_INVALID, with a sentence, if they contradict each other or need the device's address. */
enum wt_status wt_session_attached_check(const struct wt_session_connect *connect,
                                         struct wt_error *err);

/**
 * Connects to the device, halts it, and looks for breakpoints in it that another debugger left in
 * the code of @p program (an ELF file; NULL: it is not known). What the user should know is told on
 * stderr, in words for GDB if @p for_gdb. @p output takes what breakpoint commands print. On
 * failure there is still something to close.
 */
enum wt_status
wt_session_attached_open(struct wt_session_attached *a, struct wt_session_options *options,
                         const char *program, bool for_gdb,
                         void (*output)(void *context, const char *text, size_t length),
                         void *context, struct wt_error *err);
/** Lifts all breakpoints, leaves the device halted or running as it is, and disconnects. */
void wt_session_attached_close(struct wt_session_attached *a);

#endif
