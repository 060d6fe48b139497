/* A conversation with a client: packets in, replies out. */
#include "frontend/rsp/session.h"

#include "base/array.h"
#include "debug/source/modules.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The client is to read before it is answered further when so much lies ready for it. */
#define ENOUGH_TO_SEND (1u << 20)
/* Console output kept for a client that cannot take it now. */
#define MOST_PENDING (1u << 20)

#define TEXT WT_RSP_TEXT_ERRORS
#define READS WT_RSP_READS

/* All packets. Rows that begin with the same letter: the longer name first. */
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

/* What every client asks for at each stop: pc, ra, sp and fp. */
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

/* The registers that g holds: the general ones, which cost little; p reads the others. */
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

enum wt_status wt_rsp_compile(struct wt_rsp_session *s, const uint8_t *bytes, size_t length,
                              struct wt_expr **expr, int *missing, struct wt_error *err)
{
    const struct wt_agent_registers registers = {s->register_by_number, s->register_numbers};
    return wt_agent_compile(bytes, length, &registers, expr, missing, err);
}

/* A client can use the program's file only if it is an ELF file. Opening does not wait: the path
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
    free(s->known.thread);
    free(s->resumed);
    free(s->document.text);
    free(s->document.name);
    free(s->core_registers);
    free(s->register_by_number);
    free(s->pending);
    free(s);
}

void wt_rsp_session_begin(struct wt_rsp_session *s)
{
    wt_packet_reader_clear(&s->in);
    wt_packet_writer_clear(&s->out);
    s->out.keep_last = true;
    s->no_ack = s->next_no_ack = false;
    s->multiprocess = s->swbreak = s->hwbreak = s->error_message = s->no_resumed = false;
    s->lldb = s->list_threads = s->error_strings = s->bare_x = false;
    s->extended = s->nonstop = false;
    s->general = s->control = 0;
    s->waiting = s->killed = s->closing = s->detached = s->overrun = false;
    s->errand.end = NULL;
    s->thread_next = 0;
    s->pending_length = 0;
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
        /* The program is another client's, and goes on without this one's breakpoints. */
        wt_rsp_remove_breakpoints(s, false);
        s->killed = false;
        return;
    }
    if (alone)
        wt_debugger_set_nonstop(s->debugger, false);
    /* Code can be put back only where nothing runs through it. */
    s->lifting = !s->detached;
    if (!s->detached && wt_debugger_running(s->debugger))
        wt_debugger_interrupt(s->debugger, WT_IGNORED);
    if (s->killed && alone && wt_debugger_restart(s->debugger, WT_IGNORED) == WT_OK)
        s->last = wt_rsp_standing(s);
    s->killed = false;
}

/* ---- replies ---- */

void wt_rsp_ok(struct wt_rsp_session *s)
{
    wt_put_text(&s->out, "OK");
}

/* "Enn": GDB shows it as a number and takes no meaning from it. These are errno's of old. */
static unsigned error_number(enum wt_status status)
{
    switch (status) {
    case WT_INVALID:
        return 0x16; /* EINVAL */
    case WT_IO:
        return 0x05; /* EIO */
    case WT_NO_MEMORY:
        return 0x0c; /* ENOMEM */
    case WT_UNSUPPORTED:
        return 0x5f; /* EOPNOTSUPP */
    case WT_STATE:
        return 0x10; /* EBUSY */
    case WT_TIMEOUT:
        return 0x6e; /* ETIMEDOUT */
    default:
        return 0x01;
    }
}

void wt_rsp_error(struct wt_rsp_session *s, const struct wt_error *err)
{
    wt_put_restart(&s->out);
    char text[sizeof err->text];
    const bool busy = err->status == WT_STATE && wt_client_is_waiting(s->client);
    snprintf(text, sizeof text, "%s",
             busy ? "busy: another client has set the program going; interrupt it, or let it "
                    "stop by itself"
                  : err->text);
    /* A line of its own and printable, whatever the lower layers said. */
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c == '#' || *c == '$' || *c == '}' || *c == '*')
            *c = ' ';
    bool talk = s->error_message || (s->command && s->command->flags & WT_RSP_TEXT_ERRORS);
    if (s->lldb) {
        wt_put_format(&s->out, "E%02x", error_number(err->status));
        if (s->error_strings) {
            wt_put_char(&s->out, ';');
            wt_put_hex(&s->out, text, strlen(text));
        }
    } else if (talk && text[0]) {
        wt_put_format(&s->out, "E.%s", text);
    } else {
        wt_put_format(&s->out, "E%02x", error_number(err->status));
    }
}

void wt_rsp_refuse(struct wt_rsp_session *s, enum wt_status status, const char *format, ...)
{
    struct wt_error err = {.status = status};
    va_list args;
    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    wt_rsp_error(s, &err);
}

/* ---- what a program prints ---- */

/* Packets "O" are for a client that waits for a stop reply. */
static void send_pending(struct wt_rsp_session *s)
{
    if (!s->waiting || s->nonstop)
        return;
    size_t at = 0;
    while (at < s->pending_length) {
        size_t size = s->pending_length - at;
        size = size > 0x1000 ? 0x1000 : size;
        wt_put_begin(&s->out, '$');
        wt_put_char(&s->out, 'O');
        wt_put_hex(&s->out, s->pending + at, size);
        wt_put_end(&s->out);
        at += size;
    }
    s->pending_length = 0;
}

void wt_rsp_session_output(struct wt_rsp_session *s, const char *text, size_t length)
{
    if (length > MOST_PENDING - s->pending_length)
        length = MOST_PENDING - s->pending_length;
    if (!s->pending)
        s->pending = malloc(MOST_PENDING);
    if (!s->pending)
        return;
    memcpy(s->pending + s->pending_length, text, length);
    s->pending_length += length;
    send_pending(s);
}

/* ---- packets ---- */

void wt_rsp_tell_notice(struct wt_rsp_session *s)
{
    char notice[224];
    if (wt_debugger_take_notice(s->debugger, notice, sizeof notice))
        wt_rsp_session_output(s, notice, strlen(notice));
}

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
    /* A packet that is not known gets an empty reply (GDB manual, E.1). */
    if (s->command) {
        struct wt_rsp_args args;
        size_t length = (size_t)(packet->data + packet->length - rest);
        bool was_waiting = s->waiting;
        if (!wt_rsp_parse(s->command->schema, rest, length, &args))
            wt_rsp_refuse(s, WT_INVALID, "packet '%.16s': its arguments make no sense",
                          s->command->name);
        else
            handle_arguments(s, &args);
        /* What runs the program is answered when it stops; what ends it, not at all. */
        silent = s->out.end == begin &&
                 ((s->waiting && !was_waiting) || s->closing || s->command->handle == wt_rsp_R);
    }
    s->command = NULL;
    wt_rsp_tell_notice(s);
    if (silent) {
        s->out.end = begin - 1;
        send_pending(s);
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
        /* While the program runs a client may interrupt it; packets wait for the stop reply. */
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

/* ---- shared by handlers ---- */

bool wt_rsp_load_threads(struct wt_rsp_session *s)
{
    const struct wt_thread_info *list;
    size_t count;
    s->thread_count = 0;
    if (s->killed || wt_debugger_threads(s->debugger, &list, &count, WT_IGNORED))
        return false;
    if (count == 0)
        return true;
    struct wt_thread_info *threads =
        wt_array_grow(s->threads, &s->thread_capacity, count, sizeof *threads);
    if (!threads)
        return false;
    s->threads = threads;
    memcpy(s->threads, list, count * sizeof *list);
    s->thread_count = count;
    return true;
}

wt_thread wt_rsp_thread(struct wt_rsp_session *s)
{
    if (s->general && wt_debugger_thread_alive(s->debugger, s->general))
        return s->general;
    return wt_debugger_current_thread(s->debugger);
}

bool wt_rsp_thread_of(struct wt_rsp_session *s, const struct wt_rsp_thread_id *id,
                      wt_thread *thread)
{
    bool ours = !id->has_process || id->process == WT_RSP_PROCESS || id->process <= 0;
    if (ours && id->thread > 0 && id->thread <= UINT32_MAX && !s->killed &&
        wt_debugger_thread_alive(s->debugger, (wt_thread)id->thread)) {
        *thread = (wt_thread)id->thread;
        return true;
    }
    wt_rsp_refuse(s, WT_INVALID, "there is no thread %lld now", (long long)id->thread);
    return false;
}

bool wt_rsp_same_wave(struct wt_rsp_session *s, wt_thread a, wt_thread b)
{
    struct wt_wave x, y;
    return wt_debugger_thread_wave(s->debugger, a, &x) &&
           wt_debugger_thread_wave(s->debugger, b, &y) && x.id == y.id;
}

void wt_rsp_put_thread(struct wt_rsp_session *s, wt_thread thread)
{
    if (s->multiprocess) {
        wt_put_char(&s->out, 'p');
        wt_put_number(&s->out, WT_RSP_PROCESS);
        wt_put_char(&s->out, '.');
    }
    wt_put_number(&s->out, thread);
}

void wt_rsp_thread_text(struct wt_rsp_session *s, wt_thread thread, char *name, size_t size,
                        char *note, size_t note_size)
{
    char text[128];
    wt_debugger_thread_name(s->debugger, thread, text, sizeof text);
    size_t length = strlen(text);
    char *open = strrchr(text, '(');
    note[0] = 0;
    if (open && open > text && text[length - 1] == ')') {
        text[length - 1] = 0;
        snprintf(note, note_size, "%s", open + 1);
        while (open > text && open[-1] == ' ')
            open--;
        *open = 0;
    }
    snprintf(name, size, "%s", text);
}

void wt_rsp_put_json(struct wt_packet_writer *out, const char *text)
{
    /* The string is part of a packet: '}' and the like are escaped as in binary data. */
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            wt_put_char(out, '\\');
            wt_put_char(out, (char)*c);
        } else if (*c < ' ' || *c == 0x7f) {
            wt_put_format(out, "\\u%04x", *c);
        } else {
            wt_put_binary(out, c, 1);
        }
    }
}
