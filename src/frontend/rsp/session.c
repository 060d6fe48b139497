/* A conversation with a client: packets in, replies out. */
#include "frontend/rsp/session.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug/source/modules.h"

/* With so much data pending, the client must read before it gets further answers. */
#define ENOUGH_TO_SEND (1u << 20)

#define TEXT WT_RSP_TEXT_ERRORS
#define READS WT_RSP_READS

/* All packets. Of rows that begin with the same letter, the longer name comes first. */
static const struct wt_rsp_command commands[] = {
    {"g", "[;thread:%t;", wt_rsp_g, TEXT | READS},
    {"p", "%x[;thread:%t;", wt_rsp_p, TEXT | READS},
    {"P", "%x=%s[;thread:%t;", wt_rsp_P, TEXT},
    {"G", "%s[;thread:%t;", wt_rsp_G, TEXT},
    {"m", "%x,%x", wt_rsp_m, READS},
    {"x", "%x,%x", wt_rsp_x, READS},
    {"M", "%x,%x:%b", wt_rsp_M, 0},
    {"X", "%x,%x:%b", wt_rsp_X, 0},
    {"Z", "%x,%x,%x[;%b", wt_rsp_insert, TEXT},
    {"z", "%x,%x,%x", wt_rsp_remove, TEXT},
    {"?", "", wt_rsp_question, READS},
    {"!", "", wt_rsp_extend, 0},
    {"c", "[%x", wt_rsp_continue, TEXT},
    {"C", "%x[;%x", wt_rsp_continue_signal, TEXT},
    {"s", "[%x", wt_rsp_step, TEXT},
    {"S", "%x[;%x", wt_rsp_step_signal, TEXT},
    {"D", "[;%x", wt_rsp_detach, 0},
    {"H", "%b", wt_rsp_set_thread, READS},
    {"R", "%x", wt_rsp_R, 0},
    {"T", "%t", wt_rsp_alive, READS},
    {"k", "", wt_rsp_kill, 0},
    {"bs", "", wt_rsp_reverse_step, 0},
    {"bc", "", wt_rsp_reverse_continue, 0},
    {"vCont?", "", wt_rsp_vcont_query, READS},
    {"vCont;", "%b", wt_rsp_vcont, TEXT},
    {"vCtrlC", "", wt_rsp_vctrlc, 0},
    {"vStopped", "", wt_rsp_vstopped, 0},
    {"vFile:", "%s:%b", wt_rsp_vfile, READS},
    {"vKill;", "%x", wt_rsp_vkill, 0},
    {"vRun", "[;%b", wt_rsp_vrun, TEXT},
    {"vAttach;", "%x", wt_rsp_vattach, TEXT},
    {"qAttached", "[:%x", wt_rsp_attached, READS},
    {"qCRC:", "%x,%x", wt_rsp_crc, READS},
    {"qC", "", wt_rsp_qC, READS},
    {"qfThreadInfo", "", wt_rsp_first_threads, READS},
    {"qsThreadInfo", "", wt_rsp_more_threads, READS},
    {"qHostInfo", "", wt_rsp_host_info, READS},
    {"qMemoryRegionInfo:", "%x", wt_rsp_region_info, READS},
    {"qProcessInfo", "", wt_rsp_process_info, READS},
    {"qRcmd,", "%s", wt_rsp_rcmd, TEXT},
    {"qSearch:memory:", "%x;%x;%b", wt_rsp_search, READS},
    {"qSupported", "[:%b", wt_rsp_supported, READS},
    {"qSymbol:", "%s:%b", wt_rsp_accept, READS},
    {"qThreadExtraInfo,", "%t", wt_rsp_extra_info, READS},
    {"qThreadStopInfo", "%t", wt_rsp_thread_stop_info, READS},
    {"qWatchpointSupportInfo", "[:%b", wt_rsp_watchpoint_info, READS},
    {"qXfer:", "%s:%s:%b", wt_rsp_xfer, TEXT | READS},
    {"QEnableErrorStrings", "", wt_rsp_error_strings, 0},
    {"QListThreadsInStopReply", "", wt_rsp_list_threads, 0},
    {"QNonStop:", "%x", wt_rsp_set_nonstop, TEXT},
    {"QPassSignals:", "%b", wt_rsp_accept, 0},
    {"QStartNoAckMode", "", wt_rsp_no_ack, 0},
    {"QThreadSuffixSupported", "", wt_rsp_thread_suffix, 0},
    {"jThreadsInfo", "", wt_rsp_threads_json, READS},
};

/* ---- life ---- */

/* The registers that every client reads at each stop: pc, ra, sp and fp. */
static void choose_expedited(struct wt_rsp_session *s)
{
    static const enum wt_register_role wanted[] = {WT_ROLE_RA, WT_ROLE_SP, WT_ROLE_FP};
    const struct wt_topology *t = s->topology;
    s->expedited[s->expedited_count++] = (unsigned)t->pc_index;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (size_t k = 0; k < t->register_count; k++)
            if (t->registers[k].role == wanted[i] && t->registers[k].bits <= 64 &&
                s->expedited_count < WT_RSP_EXPEDITED)
                s->expedited[s->expedited_count++] = (unsigned)k;
}

/* The registers of a g packet: the general ones, which are cheap to read; p reads the others. */
static bool index_registers(struct wt_rsp_session *s)
{
    const struct wt_topology *t = s->topology;
    unsigned highest = 0;
    choose_expedited(s);
    for (size_t i = 0; i < t->register_count; i++)
        highest = t->registers[i].number > highest ? t->registers[i].number : highest;
    s->register_numbers = (size_t)highest + 1;
    s->register_by_number = malloc(s->register_numbers * sizeof *s->register_by_number);
    s->core_registers = malloc((t->register_count + 1) * sizeof *s->core_registers);
    if (!s->register_by_number || !s->core_registers)
        return false;
    for (size_t i = 0; i < s->register_numbers; i++)
        s->register_by_number[i] = -1;
    for (size_t i = 0; i < t->register_count; i++)
        s->register_by_number[t->registers[i].number] = (int)i;
    for (size_t n = 0; n < s->register_numbers; n++) {
        int index = s->register_by_number[n];
        if (index >= 0 && strcmp(t->registers[index].set, t->registers[t->pc_index].set) == 0)
            s->core_registers[s->core_register_count++] = (unsigned)index;
    }
    return true;
}

/* A client can use the program's file only if it is an ELF file. The open must not block: the path
 * may name a pipe by now. */
static char *usable_program(const char *path, int *file)
{
    char magic[4] = "";
    struct stat st;
    *file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (*file < 0)
        return NULL;
    char *whole = NULL;
    if (fstat(*file, &st) == 0 && S_ISREG(st.st_mode) &&
        pread(*file, magic, sizeof magic, 0) == sizeof magic &&
        memcmp(magic, "\177ELF", sizeof magic) == 0)
        whole = realpath(path, NULL);
    if (!whole) {
        close(*file);
        *file = -1;
    }
    return whole;
}

struct wt_rsp_session *wt_rsp_session_new(struct wt_debugger *debugger, struct wt_client *client,
                                          const struct wt_rsp_options *options)
{
    struct wt_rsp_session *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->debugger = debugger;
    s->client = client;
    s->topology = wt_debugger_topology(debugger);
    s->gdb = wt_gdb_architecture(s->topology->arch);
    s->options = options;
    s->program = usable_program(options->program, &s->file);
    s->scratch = malloc(WT_PACKET_SIZE);
    wt_packet_writer_init(&s->out);
    if (!wt_packet_reader_init(&s->in) || !s->scratch || !index_registers(s)) {
        wt_rsp_session_free(s);
        return NULL;
    }
    return s;
}

void wt_rsp_session_free(struct wt_rsp_session *s)
{
    if (!s)
        return;
    wt_packet_reader_free(&s->in);
    wt_packet_writer_free(&s->out);
    if (s->file >= 0)
        close(s->file);
    free(s->program);
    free(s->scratch);
    free(s->threads);
    free(s->breakpoints);
    free(s->marks);
    free(s->watchpoints);
    wt_modules_free(s->modules);
    free(s->shown);
    free(s->follow.wave);
    free(s->notices);
    free(s->held);
    free(s->known.thread);
    free(s->resumed);
    free(s->document.text);
    free(s->document.name);
    free(s->core_registers);
    wt_rsp_forget_call(s);
    free(s->register_by_number);
    free(s->pending);
    free(s);
}

void wt_rsp_session_begin(struct wt_rsp_session *s, bool by_port)
{
    wt_packet_reader_clear(&s->in);
    wt_packet_writer_clear(&s->out);
    s->in.strict = by_port;
    s->out.keep_last = true;
    s->no_ack = s->next_no_ack = false;
    s->multiprocess = s->swbreak = s->hwbreak = s->error_message = s->no_resumed = false;
    s->lldb = s->list_threads = s->error_strings = s->bare_x = false;
    s->extended = s->nonstop = false;
    s->general = s->control = 0;
    s->waiting = s->killed = s->closing = s->detached = s->overrun = s->foreign = false;
    s->errand.end = NULL;
    s->put_off = false;
    s->thread_next = 0;
    s->pending_length = s->pending_lost = 0;
    s->call.held = s->each_lane = false;
    wt_rsp_forget_shown(s, 0);
    wt_rsp_forget_followed(s);
    wt_rsp_see_stop(s);
    wt_rsp_forget_notices(s);
    wt_client_set_used(s->client, true);
    const bool alone = wt_client_is_alone(s->client);
    if (alone)
        wt_debugger_set_nonstop(s->debugger, false);
    if (wt_debugger_running(s->debugger)) {
        s->settling = wt_debugger_interrupt(s->debugger, WT_IGNORED) == WT_OK;
    } else {
        s->settling = false;
        /* A client that comes after the program's end gets the program from its beginning. */
        if (alone && !s->options->attached && wt_debugger_ended(s->debugger, NULL) &&
            wt_debugger_restart(s->debugger, WT_IGNORED) == WT_OK)
            s->last = wt_rsp_standing(s);
    }
}

void wt_rsp_session_end(struct wt_rsp_session *s)
{
    s->file_open = false;
    free(s->document.text);
    free(s->document.name);
    s->document.text = s->document.name = NULL;
    wt_rsp_forget_notices(s);
    const bool alone = wt_client_is_alone(s->client), others = wt_client_is_waiting(s->client);
    wt_client_set_used(s->client, false);
    s->nonstop = s->waiting = s->settling = false;
    s->errand.end = NULL;
    if (others) {
        /* Another client owns the program, which continues without this client's breakpoints. */
        wt_rsp_remove_breakpoints(s, false);
        s->killed = false;
        return;
    }
    if (alone)
        wt_debugger_set_nonstop(s->debugger, false);
    /* Code can be restored only while nothing runs through it. */
    s->lifting = !s->detached;
    if (!s->detached && wt_debugger_running(s->debugger))
        wt_debugger_interrupt(s->debugger, WT_IGNORED);
    if (s->killed)
        wt_rsp_forget_call(s);
    if (s->killed && alone && !s->options->kill &&
        wt_debugger_restart(s->debugger, WT_IGNORED) == WT_OK)
        s->last = wt_rsp_standing(s);
    s->killed = false;
}

/* ---- packets ---- */

static bool may_continue_call(const struct wt_rsp_command *command)
{
    return command->flags & WT_RSP_READS || command->handle == wt_rsp_M ||
           command->handle == wt_rsp_X || command->handle == wt_rsp_P;
}

static void handle_arguments(struct wt_rsp_session *s, const struct wt_rsp_args *args)
{
    struct wt_error err = {0};
    if (!may_continue_call(s->command) && wt_rsp_release_call(s, &err))
        wt_rsp_error(s, &err);
    else
        s->command->handle(s, args);
}

static void handle_command(struct wt_rsp_session *s, const struct wt_packet *packet)
{
    const char *rest;
    wt_put_begin(&s->out, '$');
    size_t begin = s->out.body;
    s->command = wt_rsp_find(commands, sizeof commands / sizeof *commands, packet->data,
                             packet->length, &rest);
    bool silent = false;
    /* An unknown packet gets an empty reply (GDB manual, E.1). */
    if (s->command) {
        struct wt_rsp_args args;
        size_t length = (size_t)(packet->data + packet->length - rest);
        bool was_waiting = s->waiting;
        if (!wt_rsp_parse(s->command->schema, rest, length, &args))
            wt_rsp_refuse(s, WT_INVALID, "packet '%.16s': its arguments make no sense",
                          s->command->name);
        else
            handle_arguments(s, &args);
        /* A packet that runs the program is answered when the program stops; one that ends it, not
         * at all. */
        silent = s->out.end == begin &&
                 ((s->waiting && !was_waiting) || s->closing || s->command->handle == wt_rsp_R);
    }
    s->command = NULL;
    wt_rsp_tell_notice(s);
    if (silent) {
        s->out.end = begin - 1;
        wt_rsp_send_pending(s);
    } else {
        wt_put_end(&s->out);
    }
    if (s->next_no_ack) {
        s->next_no_ack = false;
        s->no_ack = true;
        s->out.keep_last = false;
    }
}

static void interrupt(struct wt_rsp_session *s)
{
    if (wt_debugger_running(s->debugger))
        wt_debugger_interrupt(s->debugger, WT_IGNORED);
}

void wt_rsp_session_overrun(struct wt_rsp_session *s, const uint8_t *bytes, size_t size)
{
    s->overrun = true;
    if (memchr(bytes, WT_PACKET_INTERRUPT_BYTE, size))
        interrupt(s);
}

void wt_rsp_session_handle(struct wt_rsp_session *s)
{
    if (s->overrun && !s->waiting && !s->settling)
        s->closing = true; /* what it sent is not complete: there is no way to go on */
    while (!s->settling && !s->closing && s->out.end - s->out.start < ENOUGH_TO_SEND) {
        /* While the program runs, the client may only interrupt it; packets wait for the stop
         * reply. */
        if (s->waiting) {
            if (wt_packet_take_interrupt(&s->in))
                interrupt(s);
            return;
        }
        struct wt_packet packet = wt_packet_next(&s->in);
        switch (packet.kind) {
        case WT_PACKET_NONE:
            return;
        case WT_PACKET_COMMAND:
            if (!s->no_ack)
                wt_put_raw(&s->out, '+');
            handle_command(s, &packet);
            break;
        case WT_PACKET_INTERRUPT:
            interrupt(s);
            break;
        case WT_PACKET_ACK:
            break;
        case WT_PACKET_FOREIGN: /* a web page's request, say, with packets in its body */
            s->foreign = s->closing = true;
            break;
        case WT_PACKET_NAK:
            if (!s->no_ack)
                wt_put_again(&s->out);
            break;
        case WT_PACKET_DAMAGED:
        case WT_PACKET_TOO_LONG:
            if (!s->no_ack && packet.kind == WT_PACKET_DAMAGED) {
                wt_put_raw(&s->out, '-');
                break;
            }
            if (!s->no_ack)
                wt_put_raw(&s->out, '+');
            wt_put_begin(&s->out, '$');
            wt_rsp_refuse(s, WT_INVALID, "%s",
                          packet.kind == WT_PACKET_DAMAGED ? "the packet's checksum is wrong"
                                                           : "the packet is too long");
            wt_put_end(&s->out);
            break;
        }
    }
}
