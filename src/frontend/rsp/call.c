/*
 * Calls of functions by the client (`call f()`, `print f()`). GDB writes a return instruction below
 * the stack pointer of one thread, then that thread's argument registers, ra, sp and pc, and
 * resumes all threads. If other lanes of the wave were active they would run the function with
 * their own arguments and stacks, and wreck the program. An error reply to the first write would
 * not be shown to the user, and the write would drop the future in the past. So the write is held
 * back until the next packet tells whether it begins a call.
 */
#include "frontend/rsp/session.h"

#include <string.h>

#include "base/bits.h"

#define NOP 0x00000013u /* what GDB's riscv_push_dummy_code() writes */
#define STACK_ALIGNMENT 16u
#define FARTHEST 64u /* below the stack pointer, as far as alignment can take it */

static bool is_call_pad(struct wt_rsp_session *s, wt_thread thread, uint64_t addr, uint64_t word)
{
    unsigned index = 0;
    uint64_t sp;
    if (word != NOP || addr % STACK_ALIGNMENT)
        return false;
    while (index < s->topology->register_count && s->topology->registers[index].role != WT_ROLE_SP)
        index++;
    struct wt_error err = {0};
    return index < s->topology->register_count &&
           wt_debugger_read_numbers(s->debugger, thread, &index, 1, &sp, &err) == WT_OK &&
           addr < sp && sp - addr <= FARTHEST;
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
        if (!is_call_pad(s, thread, addr, wt_load_le(bytes, size)) ||
            wt_debugger_check_call(s->debugger, thread, &err) == WT_OK)
            return false;
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
