/* send and sends: decoding descriptors, and the shared functions without memory. */
#include "emulator/gen/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct gen_uop *gen_message_fault(const struct gen_message *m, enum wt_fault_kind kind,
                                        uint32_t lanes, uint64_t addr, const char *format, ...)
{
    char why[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return gen_fault(m->t, m->u, kind, lanes << m->u->insn.channel, addr, "%s 0x%08x: %s",
                     m->u->insn.row->name, m->desc, why);
}

const struct gen_uop *gen_message_length(const struct gen_message *m, const char *which)
{
    return gen_message_fault(m, WT_FAULT_ILLEGAL, m->on, 0,
                             "its lengths do not fit %s message: %u and %u registers sent, %u back",
                             which, m->lengths[0], m->lengths[1], m->response);
}

const struct gen_uop *gen_message_unknown(const struct gen_message *m)
{
    return gen_message_fault(m, WT_FAULT_ILLEGAL, m->on, 0,
                             "shared function %u has no such message that this emulator executes",
                             m->sfid);
}

/* Descriptors come from the instruction or from address registers. */
static const char *read_descriptors(struct gen_message *m)
{
    const struct gen_insn *insn = &m->u->insn;
    const bool split = insn->row->format == GEN_FORMAT_SENDS;
    m->desc = insn->desc;
    if (insn->desc_in_register)
        m->desc = (uint32_t)wt_load_le(m->t->g->a0, 4);
    m->exdesc = insn->exdesc;
    if (insn->exdesc_in_register) {
        const uint32_t value = (uint32_t)wt_load_le(m->t->g->a0 + 4 * insn->exdesc_subreg, 4);
        m->exdesc = (value & ~UINT32_C(0x20)) | (insn->exdesc & 0x20);
    }
    m->sfid = m->exdesc & 15;
    m->type = m->desc >> 14 & 31;
    m->bti = m->desc & 0xff;
    m->header = m->desc >> 19 & 1;
    m->response = m->desc >> 20 & 31;
    m->lengths[0] = m->desc >> 25 & 15;
    m->lengths[1] = split ? m->exdesc >> 6 & 15 : 0;
    if (!gen_payload(m->t, &insn->src[0], m->lengths[0], &m->payload[0]))
        return "its payload lies outside the registers";
    if (m->lengths[1] && !gen_payload(m->t, &insn->src[1], m->lengths[1], &m->payload[1]))
        return "the second part of its payload lies outside the registers";
    /* A payload without a second part goes on in the first one. */
    if (!m->lengths[1])
        m->payload[1] = m->payload[0] + m->lengths[0] * GEN_GRF_BYTES;
    if (insn->dst.file != GEN_GRF && !insn->dst.indirect)
        m->response = 0;
    if (m->response && !gen_payload(m->t, &insn->dst, m->response, &m->dst))
        return "its response lies outside the registers";
    return NULL;
}

const char *gen_read_message(struct gen_thread *t, const struct gen_uop *u, struct gen_message *m)
{
    *m = (struct gen_message){.t = t, .u = u};
    return read_descriptors(m);
}

void gen_prepare_message(struct gen_uop *u)
{
    const struct gen_insn *insn = &u->insn;
    u->message = (struct gen_message){.u = u}; /* for read_descriptors */
    u->has_message = !insn->desc_in_register && !insn->exdesc_in_register && !insn->dst.indirect &&
                     !insn->src[0].indirect && !insn->src[1].indirect &&
                     !read_descriptors(&u->message);
}

/* The gateway: desc[2:0] says what. */
static const struct gen_uop *gateway(struct gen_message *m)
{
    enum { BARRIER = 4 };
    if ((m->desc & 7) != BARRIER)
        return gen_message_unknown(m);
    if (!gen_walk_of(m->t)->walk.barrier)
        return gen_message_fault(m, WT_FAULT_ILLEGAL, m->on, 0,
                                 "the kernel's descriptor says that it uses no barrier");
    gen_barrier(m->t, gen_pc_of(m->t, m->u));
    return gen_next(m->u);
}

static const struct gen_uop *send(struct gen_thread *t, const struct gen_uop *u)
{
    struct gen_message m = u->message;
    const bool ends = u->insn.exdesc >> 5 & 1;
    const struct gen_uop *next = gen_next(u);
    m.t = t;
    m.u = u;
    m.on = gen_enabled(t, &u->insn);
    const char *wrong = u->has_message ? NULL : read_descriptors(&m);
    if (wrong)
        return gen_message_fault(&m, WT_FAULT_ILLEGAL, m.on, 0, "%s", wrong);
    if (!m.on && !ends)
        return next;
    switch (m.sfid) {
    case GEN_SFID_NULL:
        break;
    case GEN_SFID_GATEWAY:
        next = gateway(&m);
        break;
    case GEN_SFID_SPAWNER:
        if (!ends)
            return gen_message_unknown(&m);
        break;
    case GEN_SFID_CONSTANT:
    case GEN_SFID_DC0:
    case GEN_SFID_DC1:
        next = gen_dataport(&m);
        break;
    case GEN_SFID_SAMPLER:
        next = gen_sampler(&m);
        break;
    default:
        return gen_message_unknown(&m);
    }
    if (!ends || t->device->machine.not_issued)
        return next;
    gen_thread_end(t);
    return NULL;
}

const struct gen_uop *gen_op_send(struct gen_thread *t, const struct gen_uop *u)
{
    t->device->sending = u;
    const struct gen_uop *next = send(t, u);
    t->device->sending = NULL;
    return next;
}

/* Opcode 0 is an instruction whose only purpose is not to be executed. */
const struct gen_uop *gen_op_illegal(struct gen_thread *t, const struct gen_uop *u)
{
    struct gen_insn insn;
    const struct gen_uop *next;
    const char *why = "";
    if (gen_take_illegal(t, u, &next))
        return next;
    if (u->word.low == 0 && u->word.high == 0)
        return gen_fault(t, u, WT_FAULT_ILLEGAL, t->mask, 0,
                         "illegal instruction: an explicit 'illegal', or the thread has run past "
                         "its end");
    if (u->mistake)
        return gen_fault(t, u, WT_FAULT_ILLEGAL, t->mask, 0, "illegal instruction (%s): %s",
                         u->insn.row->name, u->mistake);
    if (gen_decode(&u->word, &insn, &why))
        return gen_fault(t, u, WT_FAULT_ILLEGAL, t->mask, 0, "illegal instruction (%s)",
                         insn.row->name);
    return gen_fault(t, u, WT_FAULT_ILLEGAL, t->mask, 0,
                     "illegal instruction 0x%016llx 0x%016llx: %s", (unsigned long long)u->word.low,
                     (unsigned long long)u->word.high, why);
}
