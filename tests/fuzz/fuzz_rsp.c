/*
 * Fuzz target: packets of the remote serial protocol, against the whole stack: session, debugger,
 * probe, Debug Module and emulator. The first byte chooses how the debugger reaches the device,
 * what a thread is, and whether the run is recorded and can be gone back in. The rest is lines:
 * each is a packet, framed here so that its checksum is right, but for a line that begins with
 * 0x01, whose rest is sent as it is (a bare 0x03 in it interrupts).
 *
 * Whatever was sent, an interrupt ends what runs, and the next client is told why the program
 * stands.
 */
enum { CLIENTS = 1 };

#include "fuzz_rsp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct stack w;
    open_stack(&w, data[0]);
    const uint8_t *at = data + 1, *end = data + size;
    while (at < end) {
        const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (length && at[0] == 1)
            send_bytes(w.talk[0].s, at + 1, length - 1);
        else
            send_packet(w.talk[0].s, at, length);
        turn(&w);
        at += length + 1;
    }
    check(&w);
    close_stack(&w);
    return 0;
}
