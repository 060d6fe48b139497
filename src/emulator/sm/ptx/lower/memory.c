/* Lowers the memory instructions of PTX. */
#include "emulator/sm/ptx/lower/body.h"

/* The registers of a load or store: {a, b}, a vector register, or one. */
static bool elements(struct body *b, const struct ptx_operand *o, enum ptx_type t, bool stores,
                     struct ptx_op *record)
{
    const unsigned count = b->form.vector;
    uint32_t number;
    const struct ptx_entry *e = o->kind == PTX_OPERAND_NAME ? body_find(b, o->name, &number) : NULL;
    record->how = (uint8_t)ptx_type_class(t);
    record->count = (uint8_t)count;
    record->size = (uint8_t)ptx_type_bytes(t);
    record->element = (uint8_t)(record->size * count);
    record->is_signed = ptx_type_is_signed(t);
    record->type = (uint8_t)t;
    if (record->element > 16)
        return body_unsupported(b);
    const bool whole =
        e && e->kind == ENTRY_REGISTER && e->variable->vector > 1 && !o->component.length;
    if (o->kind == PTX_OPERAND_VECTOR ? o->count != count : count > 1 && !whole)
        return body_fail(b, "a vector of %u elements is wanted", count);
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_operand *one = o->kind == PTX_OPERAND_VECTOR ? body_item(b, o, i) : o;
        unsigned bytes = ptx_type_class(t);
        const struct ptx_entry *own =
            one->kind == PTX_OPERAND_NAME ? body_find(b, one->name, &number) : NULL;
        if (one->kind == PTX_OPERAND_SINK && !stores)
            continue;
        if (own && own->kind == ENTRY_REGISTER) {
            struct ptx_source s = {0};
            if (stores && whole && one->offset)
                return body_fail_at(b, one, "a vector with an offset");
            if (stores ? !body_loose_source(b, one, t, &s, &bytes)
                       : !body_loose_register(b, one, t, &s.slot, &bytes))
                return false;
            record->vector[i] = s.slot;
            if (whole)
                record->vector[i] += i * (bytes / 4 * PTX_ROW_BYTES);
        } else {
            struct ptx_source s = {0};
            if (!stores)
                return body_fail(b, "a load needs registers");
            if (!body_source(b, one, t, &s))
                return false;
            record->vector[i] = s.slot;
            record->vector_constant[i] = s.constant;
        }
        if (i && own && bytes != record->how)
            return body_fail(b, "registers of different widths");
        record->how = (uint8_t)bytes;
    }
    return true;
}

/* The first part of [base, …]; of an element of an array, a[1], that is no memory operand. False:
 * a mistake was raised. */
static bool base_of(struct body *b, const struct ptx_operand *memory, struct ptx_operand *base)
{
    const struct ptx_operand *index;
    uint64_t size;
    *base = memory->kind == PTX_OPERAND_MEMORY ? *body_item(b, memory, 0) : *memory;
    if (!base->indexed)
        return true;
    const struct ptx_operand whole = *base;
    if (!body_index(b, &whole, base, &index, &size))
        return false;
    if (index)
        *base = whole;
    return true;
}

static bool is_memory(const struct ptx_operand *o)
{
    return o->kind == PTX_OPERAND_MEMORY || (o->kind == PTX_OPERAND_NAME && o->indexed);
}

/* Lowers an address, and finds the space that its name implies, if it is no register. */
bool body_address(struct body *b, const struct ptx_operand *memory, enum ptx_space *space,
                  struct ptx_op *record)
{
    struct ptx_operand whole;
    const struct ptx_operand *const base = &whole;
    uint32_t number;
    const struct ptx_entry *e;
    record->from_type = 8;
    if (memory->count != 1)
        return body_fail(b, "an address of more than one part");
    if (!base_of(b, memory, &whole))
        return false;
    if (base->kind == PTX_OPERAND_INTEGER) {
        record->offset = (int64_t)base->value;
        return body_constant(b, PTX_U64, 0, &record->s[0]);
    }
    if (base->kind != PTX_OPERAND_NAME)
        return body_fail(b, "an address that is none");
    record->offset = base->offset;
    e = body_find(b, base->name, &number);
    if (e && e->kind == ENTRY_REGISTER) {
        /* A parameter whose address is taken is in local memory, but for a kernel's. */
        if (*space == PTX_SPACE_PARAM && !b->f->is_entry)
            *space = PTX_SPACE_LOCAL;
        record->from_type = (uint8_t)body_register_bytes(e->variable);
        record->s[0].constant = NULL;
        return body_register_operand(b, base, &e, &record->s[0].slot);
    }
    struct ptx_operand plain = *base;
    if (!base->indexed)
        plain.offset = 0;
    else
        record->offset = 0;
    if (e && e->kind == ENTRY_LOCAL && (*space == PTX_SPACE_NONE || *space == PTX_SPACE_PARAM))
        *space = PTX_SPACE_LOCAL;
    if (e && e->kind == ENTRY_STATIC && *space == PTX_SPACE_NONE)
        *space = e->variable->space;
    if (!e) {
        const struct ptx_symbol *symbol = ptx_find_symbol(b->l, b->module, base->name);
        if (symbol && symbol->variable && *space == PTX_SPACE_NONE)
            *space = symbol->variable->space;
    }
    return body_source(b, &plain, PTX_U64, &record->s[0]);
}

/* ld.param and st.param of a function's parameters: rows of the frame. */
static bool parameter_rows(struct body *b, const struct ptx_operand *memory,
                           const struct ptx_entry *e, uint32_t number, struct ptx_op *record)
{
    struct ptx_operand whole;
    const struct ptx_operand *const base = &whole;
    if (!base_of(b, memory, &whole))
        return false;
    const uint64_t end = (uint64_t)base->offset + record->element;
    if (base->indexed)
        return body_fail(b, "an element of a parameter whose number a register has");
    if (base->offset < 0 || end > ((e->variable->bytes + 3) & ~UINT64_C(3)) ||
        base->offset % record->size)
        return body_fail(b, "%u bytes at %lld of a parameter of %llu bytes", record->element,
                         (long long)base->offset, (unsigned long long)e->variable->bytes);
    record->offset = base->offset;
    record->s[0] = (struct ptx_source){.slot = body_parameter_slot(e, number)};
    return true;
}

/* *number: which one of a range. */
static const struct ptx_entry *named(struct body *b, const struct ptx_operand *memory,
                                     enum entry_kind kind, uint32_t *number)
{
    const struct ptx_operand *base =
        memory->kind == PTX_OPERAND_MEMORY ? body_item(b, memory, 0) : memory;
    const struct ptx_entry *e =
        base->kind == PTX_OPERAND_NAME ? body_find(b, base->name, number) : NULL;
    return e && e->kind == kind ? e : NULL;
}

/* Whether the instruction is a load or a store of elements of one type that registers hold. */
static bool moves_elements(const struct body *b, const struct ptx_operand *memory)
{
    return b->form.type_count == 1 && b->form.type[0] != PTX_PRED && b->form.type[0] != PTX_B128 &&
           is_memory(memory);
}

/* How the access orders others: as its words say, and without them @p order. */
static void put_order(struct ptx_op *record, const struct ptx_form *f, enum wt_observed_order order)
{
    record->order = (uint8_t)(f->fields & SEM ? f->order : order);
    record->scope = (uint8_t)f->scope;
}

/* Plain loads and stores: those past a cache are how programs wrote relaxed ones before PTX 6.0,
 * as CUB's scans do, although PTX calls them weak. */
static void put_plain_order(struct ptx_op *record, const struct ptx_form *f)
{
    put_order(record, f, WT_ORDER_PLAIN);
    if (f->bypasses && !(f->fields & SEM)) {
        record->order = WT_ORDER_RELAXED;
        record->scope = WT_AMONG_DEVICE;
    }
}

bool ptx_lower_load(struct body *b, enum ptx_math op)
{
    const struct ptx_operand *memory = body_operand(b, 1);
    enum ptx_space space = b->form.space;
    struct ptx_op record = body_blank();
    const struct ptx_entry *e;
    uint32_t number;
    if (!moves_elements(b, memory))
        return body_unsupported(b);
    if (!elements(b, body_operand(b, 0), b->form.type[0], false, &record))
        return false;
    if ((e = named(b, memory, ENTRY_ROWS, &number)))
        return parameter_rows(b, memory, e, number, &record) &&
               body_put_record(b, ptx_op_load_argument, &record);
    if ((e = named(b, memory, ENTRY_KERNEL_PARAMETER, &number))) {
        struct ptx_operand base;
        if (!base_of(b, memory, &base))
            return false;
        record.offset = (int64_t)e->number + base.offset;
        if (base.indexed)
            return body_fail(b, "an element of a parameter whose number a register has");
        return body_put_record(b, ptx_op_load_parameter, &record);
    }
    if (!body_address(b, memory, &space, &record))
        return false;
    record.space = (uint8_t)space;
    put_plain_order(&record, &b->form);
    return body_put_record(b, ptx_op_load, &record);
}

bool ptx_lower_store(struct body *b, enum ptx_math op)
{
    const struct ptx_operand *memory = body_operand(b, 0);
    enum ptx_space space = b->form.space;
    struct ptx_op record = body_blank();
    const struct ptx_entry *e;
    uint32_t number;
    if (!moves_elements(b, memory))
        return body_unsupported(b);
    if (!elements(b, body_operand(b, 1), b->form.type[0], true, &record))
        return false;
    if ((e = named(b, memory, ENTRY_ROWS, &number)))
        return parameter_rows(b, memory, e, number, &record) &&
               body_put_record(b, ptx_op_store_parameter, &record);
    if (!body_address(b, memory, &space, &record))
        return false;
    record.space = (uint8_t)space;
    put_plain_order(&record, &b->form);
    return body_put_record(b, ptx_op_store, &record);
}

/* Whether there is an operation on elements of a type (9.7.13.6, .7): min and max of halves, and
 * sums of singles but one, are of vectors of up to 16 bytes. */
static bool atomic_has(unsigned how, enum ptx_type t, unsigned elements)
{
    const bool half = t == PTX_F16 || t == PTX_BF16 || t == PTX_F16X2 || t == PTX_BF16X2;
    if (elements > 1)
        return (half ? how <= SM_ATOMIC_MAX : t == PTX_F32 && how == SM_ATOMIC_ADD) &&
               elements * ptx_type_bytes(t) <= 16;
    return !ptx_type_is_float(t) || how == SM_ATOMIC_ADD;
}

/* An atomic of a vector: one of each element, as only those are atomic. */
static bool each_element(struct body *b, bool reduces, enum ptx_type t, unsigned elements,
                         struct ptx_op *record)
{
    const struct ptx_operand *results = reduces ? NULL : body_operand(b, 0),
                             *values = body_operand(b, reduces ? 1 : 2);
    struct ptx_source s[8] = {{0}};
    uint32_t d[8];
    if ((results && body_elements_of(b, results) != elements) ||
        body_elements_of(b, values) != elements)
        return body_fail(b, "a vector of %u elements is wanted", elements);
    for (unsigned i = 0; i < elements; i++) {
        const struct ptx_operand value = body_element_of(b, values, i);
        d[i] = PTX_NO_SLOT;
        if (!body_source(b, &value, t, &s[i]))
            return false;
        if (results) {
            const struct ptx_operand result = body_element_of(b, results, i);
            if (!body_optional_destination(b, &result, t, &d[i]))
                return false;
        }
    }
    for (unsigned i = 0; i < elements; i++)
        for (unsigned later = i + 1; later < elements && d[i] != PTX_NO_SLOT; later++)
            if ((!s[later].constant && s[later].slot == d[i]) || record->s[0].slot == d[i])
                return body_fail(b, "a register that is a result and what is still to be read");
    for (unsigned i = 0; i < elements; i++) {
        struct ptx_op one = *record;
        one.d = d[i];
        one.s[1] = s[i];
        one.offset += (int64_t)(i * ptx_type_bytes(t));
        if (!body_put_record(b, ptx_op_atomic, &one))
            return false;
    }
    return true;
}

bool ptx_lower_atomic(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const bool reduces = op == PTX_OP_add; /* red: no result */
    const enum ptx_type t = f->type[0];
    const unsigned first = reduces ? 0 : 1, count = body_operand_count(b);
    const struct ptx_operand *memory = body_operand(b, first);
    enum ptx_space space = f->space;
    struct ptx_op record = body_blank();
    const bool cas = f->atom == SM_ATOMIC_CAS, floating = ptx_type_is_float(t);
    const unsigned elements = ptx_has(f, PTX_WORD_v8) ? 8 : f->vector;
    if (!(f->fields & ATOM) || f->type_count != 1 || !is_memory(memory) || ptx_type_bytes(t) == 1 ||
        !atomic_has(f->atom, t, elements) || t == PTX_B128 || count != first + 2 + cas)
        return body_unsupported(b);
    if (!reduces && elements == 1 &&
        !body_optional_destination(b, body_operand(b, 0), t, &record.d))
        return false;
    if ((elements == 1 && !body_source(b, body_operand(b, first + 1), t, &record.s[1])) ||
        (cas && !body_source(b, body_operand(b, first + 2), t, &record.s[2])) ||
        !body_address(b, memory, &space, &record))
        return false;
    record.space = (uint8_t)space;
    record.how = f->atom;
    record.size = record.element = (uint8_t)ptx_type_bytes(t);
    record.type = (uint8_t)t;
    record.is_signed = ptx_type_is_signed(t);
    record.flag = floating;
    put_order(&record, f, WT_ORDER_RELAXED);
    if (elements > 1)
        return each_element(b, reduces, t, elements, &record);
    return body_put_record(b, ptx_op_atomic, &record);
}

bool ptx_lower_alloca(struct body *b, enum ptx_math op)
{
    const enum ptx_type t = b->form.type[0];
    struct ptx_op record = body_blank();
    record.index = 8;
    if (body_operand_count(b) > 2) {
        const struct ptx_operand *align = body_operand(b, 2);
        if (align->kind != PTX_OPERAND_INTEGER || !align->value || align->value > 4096 ||
            align->value & (align->value - 1))
            return body_fail(b, "an alignment that is none");
        record.index = (uint32_t)align->value;
    }
    record.size = (uint8_t)ptx_type_class(t);
    return body_destination(b, body_operand(b, 0), t, &record.d) &&
           body_source(b, body_operand(b, 1), t, &record.s[0]) &&
           body_put_record(b, ptx_op_alloca, &record);
}

bool ptx_lower_stack(struct body *b, enum ptx_math op)
{
    const enum ptx_type t = b->form.type[0];
    struct ptx_op record = body_blank();
    record.size = (uint8_t)ptx_type_class(t);
    record.flag = op == PTX_OP_add;
    return (record.flag ? body_source(b, body_operand(b, 0), t, &record.s[0])
                        : body_destination(b, body_operand(b, 0), t, &record.d)) &&
           body_put_record(b, ptx_op_stack, &record);
}

/* commit_group, wait_group n, wait_all of cp.async: an observer is told. */
static bool lower_wait(struct body *b)
{
    struct ptx_op record = body_blank();
    const bool commits = ptx_name_is(b->s->name, "cp.async.commit_group");
    record.flag = commits;
    record.index = WT_ALL_COPIES;
    if (ptx_name_is(b->s->name, "cp.async.wait_group")) {
        const struct ptx_operand *groups = body_operand_count(b) ? body_operand(b, 0) : NULL;
        if (!groups || groups->kind != PTX_OPERAND_INTEGER)
            return body_unsupported(b);
        record.index = (uint32_t)groups->value;
    }
    return body_put_record(b, ptx_op_copy_wait, &record);
}

/*
 * cp.async: the copy is done at once, so there is nothing to wait for. [to], [from], bytes, and how
 * many of them are read; the others are zeros.
 */
bool ptx_lower_copy(struct body *b, enum ptx_math op)
{
    const struct ptx_form *f = &b->form;
    const unsigned count = body_operand_count(b);
    enum ptx_space to = PTX_SPACE_SHARED, from = PTX_SPACE_GLOBAL;
    struct ptx_op record = body_blank(), place = body_blank();
    if (!ptx_has(f, PTX_WORD_async))
        return body_unsupported(b);
    if (ptx_has(f, PTX_WORD_wait_all)) /* sm/ptx/lower/form.c has the others for this one */
        return lower_wait(b);
    if (!(f->fields & CACHE) || count < 3 || count > 4 || !is_memory(body_operand(b, 0)) ||
        !is_memory(body_operand(b, 1)))
        return body_unsupported(b);
    const struct ptx_operand *size = body_operand(b, 2);
    if (size->kind != PTX_OPERAND_INTEGER ||
        (size->value != 4 && size->value != 8 && size->value != 16))
        return body_fail_at(b, size, "4, 8 or 16 bytes are copied");
    record.size = (uint8_t)size->value;
    if (!body_address(b, body_operand(b, 0), &to, &record) ||
        !body_address(b, body_operand(b, 1), &from, &place))
        return false;
    record.s[1] = place.s[0];
    record.element = place.from_type;
    record.index = (uint32_t)place.offset;
    if (count == 4 ? !body_source(b, body_operand(b, 3), PTX_U32, &record.s[2])
                   : !body_constant(b, PTX_U32, size->value, &record.s[2]))
        return false;
    return body_put_record(b, ptx_op_copy_async, &record);
}

/* Every access is done in order and seen by all at once: a fence is told to an observer. */
bool ptx_lower_fence(struct body *b, enum ptx_math op)
{
    static const char *const free_words[] = {
        "fence.mbarrier_init.release.cluster", "fence.proxy.async.global",
        "fence.proxy.async.shared::cta", "fence.proxy.async.shared::cluster"};
    struct ptx_op record = body_blank();
    bool is_known = !(b->form.fields & FREE);
    for (size_t i = 0; i < sizeof free_words / sizeof free_words[0]; i++)
        is_known = is_known || ptx_name_is(b->s->name, free_words[i]);
    if (!is_known)
        return body_unsupported(b);
    put_order(&record, &b->form, WT_ORDER_SEQUENTIAL); /* membar */
    return body_put_record(b, ptx_op_fence, &record);
}

/* Caches, hints. */
bool ptx_lower_nothing(struct body *b, enum ptx_math op)
{
    /* Those with words of their own, as a whole: launches do not overlap, and PTX has as many
     * registers as it likes. */
    static const char *const known[] = {
        "applypriority.global.L2::evict_normal", "applypriority.L2::evict_normal",
        "griddepcontrol.launch_dependents",      "griddepcontrol.wait",
        "setmaxnreg.inc.sync.aligned.u32",       "setmaxnreg.dec.sync.aligned.u32",
    };
    bool is_known = !(b->form.fields & FREE);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        is_known = is_known || ptx_name_is(b->s->name, known[i]);
    if (!is_known)
        return body_unsupported(b);
    return body_emit_guarded(b, ptx_op_nop) != NULL;
}

/* createpolicy: there are no caches, so a cache policy is 0. */
bool ptx_lower_policy(struct body *b, enum ptx_math op)
{
    struct ptx_op record = body_blank();
    return body_constant(b, PTX_U64, 0, &record.s[0]) &&
           body_destination(b, body_operand(b, 0), PTX_B64, &record.d) &&
           body_put_record(b, ptx_integer(PTX_OP_mov, PTX_U64), &record);
}
