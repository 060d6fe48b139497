/*
 * Calls of functions by the client (`call f()`, `print f()`). GDB writes a return instruction below
 * the stack pointer of one thread, then that thread's argument registers, ra, sp and pc, and
 * resumes all threads. If other lanes of the wave were active they would run the function with
 * their own arguments and stacks, and wreck the program. An error reply to the first write would
 * not be shown to the user, and the write would drop the future in the past. So the write is held
 * back until the next packet tells whether it begins a call.
 *
 * GDB puts the registers back when the function has returned. A client that goes away before that
 * leaves the thread in the function, with a return address at which there is no code of the
 * program. So the session keeps the registers from before the call, and puts them back itself.
 */
#include "frontend/rsp/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* The largest distance of the instruction from the stack pointer: alignment adds to it. */
#define FARTHEST 64u

/* The stack pointer's index; register_count: there is none. */
static unsigned stack_pointer(const struct wt_rsp_session *s)
{
    unsigned index = 0;
    while (index < s->topology->register_count && s->topology->registers[index].role != WT_ROLE_SP)
        index++;
    return index;
}

static bool is_call_pad(struct wt_rsp_session *s, wt_thread thread, uint64_t addr, uint64_t word)
{
    const unsigned index = stack_pointer(s);
    uint64_t sp;
    if (!s->gdb->call_pad || word != s->gdb->call_pad || addr % s->gdb->stack_alignment)
        return false;
    return index < s->topology->register_count &&
           wt_debugger_read_numbers(s->debugger, thread, &index, 1, &sp, WT_IGNORED) == WT_OK &&
           addr < sp && sp - addr <= FARTHEST;
}

/* Whether a function may change a register that GDB puts back. */
static bool is_kept(const struct wt_rsp_session *s, unsigned index)
{
    const struct wt_register *r = &s->topology->registers[index];
    return !r->read_only && r->bits <= 64 &&
           (strcmp(r->set, s->topology->registers[s->topology->pc_index].set) == 0 ||
            strcmp(r->set, "fpu") == 0);
}

/* Keeps what a call is going to change. Calls within a call belong to the first one. */
static void begin_call(struct wt_rsp_session *s, wt_thread thread, uint64_t addr)
{
    const unsigned count = (unsigned)s->topology->register_count;
    if (s->called.value || !(s->called.value = calloc(count, sizeof *s->called.value)))
        return;
    bool fine = wt_debugger_read_memory(s->debugger, thread, wt_address_of(addr), s->called.bytes,
                                        sizeof s->called.bytes, WT_IGNORED) == WT_OK;
    for (unsigned i = 0; i < count && fine; i++)
        fine = !is_kept(s, i) || wt_debugger_read_numbers(s->debugger, thread, &i, 1,
                                                          &s->called.value[i], WT_IGNORED) == WT_OK;
    s->called.thread = thread;
    s->called.addr = addr;
    if (!fine)
        wt_rsp_forget_call(s);
}

void wt_rsp_forget_call(struct wt_rsp_session *s)
{
    free(s->called.value);
    s->called.value = NULL;
}

void wt_rsp_note_returned(struct wt_rsp_session *s)
{
    const unsigned index[] = {(unsigned)s->topology->pc_index, stack_pointer(s)};
    uint64_t now[2];
    if (s->called.value &&
        (wt_debugger_read_numbers(s->debugger, s->called.thread, index, 2, now, WT_IGNORED) ||
         (now[0] == s->called.value[index[0]] && now[1] == s->called.value[index[1]])))
        wt_rsp_forget_call(s);
}

void wt_rsp_undo_call(struct wt_rsp_session *s)
{
    struct wt_debugger_time time;
    wt_rsp_note_returned(s);
    if (s->called.value && wt_debugger_time(s->debugger, &time, WT_IGNORED) == WT_OK &&
        time.in_past)
        wt_debugger_goto(s->debugger, time.end, WT_IGNORED);
    for (unsigned i = 0; s->called.value && i < s->topology->register_count; i++)
        if (is_kept(s, i))
            wt_debugger_write_number(s->debugger, s->called.thread, i, s->called.value[i],
                                     WT_IGNORED);
    if (s->called.value)
        wt_debugger_write_memory(s->debugger, s->called.thread, wt_address_of(s->called.addr),
                                 s->called.bytes, sizeof s->called.bytes, WT_IGNORED);
    wt_rsp_forget_call(s);
}

bool wt_rsp_hold_call(struct wt_rsp_session *s, uint64_t addr, const void *bytes, size_t size)
{
    struct wt_error err = {0};
    if (size == 0)
        return s->call.held; /* a client that tests whether packet X is supported */
    if (size != sizeof s->call.bytes)
        return false;
    if (!s->call.held) {
        const wt_thread thread = wt_rsp_thread(s);
        if (!is_call_pad(s, thread, addr, wt_load_le(bytes, size)))
            return false;
        if (wt_debugger_check_call(s->debugger, thread, &err) == WT_OK) {
            begin_call(s, thread, addr);
            return false;
        }
        s->call.thread = thread;
        s->call.addr = addr;
    } else if (addr != s->call.addr) {
        return false;
    }
    memcpy(s->call.bytes, bytes, size);
    s->call.held = true;
    return true;
}

bool wt_rsp_refuse_call(struct wt_rsp_session *s, wt_thread thread)
{
    struct wt_error err = {0};
    if (!s->call.held || s->call.thread != thread ||
        wt_debugger_check_call(s->debugger, thread, &err) == WT_OK)
        return false;
    s->call.held = false;
    wt_rsp_error(s, &err);
    return true;
}

enum wt_status wt_rsp_release_call(struct wt_rsp_session *s, struct wt_error *err)
{
    if (!s->call.held)
        return WT_OK;
    s->call.held = false;
    return wt_debugger_write_memory(s->debugger, s->call.thread, wt_address_of(s->call.addr),
                                    s->call.bytes, sizeof s->call.bytes, err);
}

void wt_rsp_show_call(const struct wt_rsp_session *s, uint64_t addr, void *bytes, size_t size)
{
    uint8_t *to = bytes;
    for (size_t i = 0; s->call.held && i < sizeof s->call.bytes; i++)
        if (s->call.addr + i - addr < size)
            to[s->call.addr + i - addr] = s->call.bytes[i];
}
