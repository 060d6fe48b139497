"""Litmus programs: their outcomes, enumerated by a model, and their texts for GPUs.

A program is a list of threads, each a list of operations on shared words `loc` (0, 1, …) and the thread's own registers `reg`:

    ("st", loc, value)        ("ld", loc, reg)       ("inc", loc, reg)      stores reg + 1
    ("add", loc, reg)         adds 1 atomically; reg becomes the value before
    ("cas", loc, reg)         compares with 0 and swaps for 1 atomically; reg becomes the value before
    ("spin", loc, value)      waits until the word has the value         ("spinreg", loc, reg): … the value of reg
    ("unless", reg, value, n) skips the n operations behind it unless reg has the value
    ("fence",)

The model knows nothing of waves, instructions and schedules: it interleaves operations on a memory in which each is done at once. A thread's
registers, and the words, are the outcome; a program in which every thread that is left waits is stuck.
"""
LOCATIONS, REGISTERS = 4, 3


def step(program, state, thread):
    """The state after a thread's next operation; None: it waits."""
    pcs, regs, mem = state
    op, *a = program[thread][pcs[thread]]
    own, words, skip = list(regs[thread]), list(mem), 1
    if op == "st":
        words[a[0]] = a[1]
    elif op == "ld":
        own[a[1]] = words[a[0]]
    elif op == "inc":
        words[a[0]] = own[a[1]] + 1
    elif op == "add":
        own[a[1]] = words[a[0]]
        words[a[0]] += 1
    elif op == "cas":
        own[a[1]] = words[a[0]]
        words[a[0]] = words[a[0]] or 1
    elif op in ("spin", "spinreg"):
        if words[a[0]] != (a[1] if op == "spin" else own[a[1]]):
            return None
    elif op == "unless" and own[a[0]] != a[1]:
        skip += a[2]
    put = lambda all, value: (*all[:thread], value, *all[thread + 1:])
    return put(pcs, pcs[thread] + skip), put(regs, tuple(own)), tuple(words)


def outcomes(program, preemptions=None):
    """The set of (words, registers of each thread, whether it is stuck) that the program can end with; with at most so many preemptions."""
    count, found, seen = len(program), set(), set()
    todo = [(((0,) * count, ((0,) * REGISTERS,) * count, (0,) * LOCATIONS), None, 0)]
    while todo:
        state, last, used = todo.pop()
        if (state, last, used) in seen:
            continue
        seen.add((state, last if preemptions is not None else None, used))
        can = {t: after for t in range(count) if state[0][t] < len(program[t]) and (after := step(program, state, t))}
        if not can:
            found.add((state[2], state[1], any(state[0][t] < len(program[t]) for t in range(count))))
        for thread, after in can.items():
            cost = used + (last in can and last != thread) if preemptions is not None else 0
            if preemptions is None or cost <= preemptions:
                todo.append((after, thread if preemptions is not None else None, cost))
    return found


PROGRAMS = {
    "message passing": [[("st", 0, 1), ("st", 1, 1)], [("ld", 1, 0), ("ld", 0, 1)]],
    "message passing, fences": [[("st", 0, 1), ("fence",), ("st", 1, 1)], [("ld", 1, 0), ("fence",), ("ld", 0, 1)]],
    "message passing, waiting": [[("st", 0, 1), ("fence",), ("st", 1, 1)], [("spin", 1, 1), ("fence",), ("ld", 0, 1)]],
    "store buffering": [[("st", 0, 1), ("ld", 1, 0)], [("st", 1, 1), ("ld", 0, 0)]],
    "store buffering, fences": [[("st", 0, 1), ("fence",), ("ld", 1, 0)], [("st", 1, 1), ("fence",), ("ld", 0, 0)]],
    "load buffering": [[("ld", 0, 0), ("st", 1, 1)], [("ld", 1, 0), ("st", 0, 1)]],
    "IRIW": [[("st", 0, 1)], [("st", 1, 1)], [("ld", 0, 0), ("ld", 1, 1)], [("ld", 1, 0), ("ld", 0, 1)]],
    "Dekker": [[("st", 0, 1), ("ld", 1, 0), ("unless", 0, 0, 2), ("ld", 2, 1), ("inc", 2, 1)],
               [("st", 1, 1), ("ld", 0, 0), ("unless", 0, 0, 2), ("ld", 2, 1), ("inc", 2, 1)]],
    "lost updates": [[("ld", 0, 0), ("inc", 0, 0)]] * 3,
    "atomic updates": [[("add", 0, 0)]] * 3,
    "ticket lock": [[("add", 0, 0), ("spinreg", 1, 0), ("ld", 2, 1), ("inc", 2, 1), ("inc", 1, 0)]] * 2,
    "ticket lock, left early": [[("add", 0, 0), ("spinreg", 1, 0), ("ld", 2, 1), ("inc", 1, 0), ("inc", 2, 1)]] * 2,
    "lock by CAS, once": [[("cas", 0, 0), ("unless", 0, 0, 3), ("ld", 1, 1), ("inc", 1, 1), ("st", 0, 0)]] * 3,
    "last block done": [[("st", 0, 3), ("fence",), ("add", 2, 0), ("unless", 0, 1, 2), ("ld", 0, 1), ("ld", 1, 2)],
                        [("st", 1, 5), ("fence",), ("add", 2, 0), ("unless", 0, 1, 2), ("ld", 0, 1), ("ld", 1, 2)]],
    "last block done, counted first": [[("add", 2, 0), ("st", 0, 3), ("unless", 0, 1, 2), ("ld", 0, 1), ("ld", 1, 2)],
                                       [("add", 2, 0), ("st", 1, 5), ("unless", 0, 1, 2), ("ld", 0, 1), ("ld", 1, 2)]],
    "waits for ever": [[("spin", 0, 1), ("st", 1, 1)], [("ld", 2, 0), ("spin", 1, 1), ("st", 0, 1)], [("st", 2, 1)]],
}


def random_program(rng):
    """Two or three threads of some loads, stores and atomics on two words."""
    def operation():
        loc, reg = rng.randrange(2), rng.randrange(REGISTERS)
        return rng.choice([("st", loc, rng.randrange(1, 4)), ("ld", loc, reg), ("ld", loc, reg), ("inc", loc, reg), ("add", loc, reg), ("cas", loc, reg)])
    count = rng.choice([2, 2, 3])
    return [[operation() for _ in range(rng.randrange(1, 5 - count + 1))] for _ in range(count)]


# ---- texts ----

def vortex(program):
    """Assembly text, one warp for each thread."""
    lines = [".option norelax", "_start: la s0, word", f" li a1, {len(program)}", " la t0, begin", " wspawn a1, t0", "begin: csrr s1, 0xcc1", " la s0, word", " la s2, result",
             " slli t0, s1, 4", " add s2, s2, t0"]
    lines += [f" li t0, {t}\n beq s1, t0, thread{t}" for t in range(len(program))]
    for t, ops in enumerate(program):
        lines.append(f"thread{t}:" + "".join(f" li s{r + 4}, 0\n" for r in range(REGISTERS)))
        marks = {}
        for n, (op, *a) in enumerate(ops):
            lines += [f"{mark}:" for mark in marks.pop(n, [])]
            at = f"{4 * a[0]}(s0)" if op not in ("fence", "unless") else ""
            if op == "st":
                lines += [f" li t1, {a[1]}", f" sw t1, {at}"]
            elif op == "ld":
                lines += [f" lw s{a[1] + 4}, {at}"]
            elif op == "inc":
                lines += [f" addi t1, s{a[1] + 4}, 1", f" sw t1, {at}"]
            elif op == "add":
                lines += [" li t1, 1", f" addi t2, s0, {4 * a[0]}", f" amoadd.w s{a[1] + 4}, t1, (t2)"]
            elif op == "cas":      # of 0 for 1: the maximum
                lines += [" li t1, 1", f" addi t2, s0, {4 * a[0]}", f" amomaxu.w s{a[1] + 4}, t1, (t2)"]
            elif op in ("spin", "spinreg"):
                lines += [f" li t2, {a[1]}" if op == "spin" else f" mv t2, s{a[1] + 4}", f"spin{t}_{n}: lw t1, {at}", f" bne t1, t2, spin{t}_{n}"]
            elif op == "unless":
                marks.setdefault(n + 1 + a[2], []).append(f"skip{t}_{n}")
                lines += [f" li t1, {a[1]}", f" bne s{a[0] + 4}, t1, skip{t}_{n}"]
            else:
                lines += [" fence"]
        lines += [f"{mark}:" for mark in marks.pop(len(ops), [])]
        lines += [f" sw s{r + 4}, {4 * r}(s2)" for r in range(REGISTERS)] + [" li a0, 0", " sw a0, 0x88(x0)" if t == 0 else "", " tmc x0"]
    return "\n".join([*lines, " .data", " .balign 16", "word: .fill 4, 4, 0", f"result: .fill {4 * len(program)}, 4, 0", ""])


def ptx(program):
    """PTX text, one block of one thread for each thread."""
    lines = [".version 8.0", ".target sm_50", ".address_size 64", ".visible .entry k(.param .u64 word, .param .u64 result)", "{",
             ".reg .b32 %r<9>; .reg .b32 %s<4>; .reg .b64 %w; .reg .b64 %o; .reg .pred %p;", "ld.param.u64 %w, [word];", "ld.param.u64 %o, [result];",
             "mov.u32 %r1, %ctaid.x;", "mad.wide.u32 %o, %r1, 16, %o;"]
    lines += [f"setp.eq.u32 %p, %r1, {t};\n@%p bra THREAD{t};" for t in range(len(program))] + ["ret;"]
    for t, ops in enumerate(program):
        lines.append(f"THREAD{t}:" + "".join(f" mov.u32 %s{r}, 0;" for r in range(REGISTERS)))
        marks = {}
        for n, (op, *a) in enumerate(ops):
            lines += [f"{mark}:" for mark in marks.pop(n, [])]
            at = f"[%w+{4 * a[0]}]" if op not in ("fence", "unless") else ""
            if op == "st":
                lines += [f"st.volatile.global.u32 {at}, {a[1]};"]
            elif op == "ld":
                lines += [f"ld.volatile.global.u32 %s{a[1]}, {at};"]
            elif op == "inc":
                lines += [f"add.u32 %r2, %s{a[1]}, 1;", f"st.volatile.global.u32 {at}, %r2;"]
            elif op == "add":
                lines += [f"atom.global.add.u32 %s{a[1]}, {at}, 1;"]
            elif op == "cas":
                lines += [f"atom.global.cas.b32 %s{a[1]}, {at}, 0, 1;"]
            elif op in ("spin", "spinreg"):
                lines += [f"SPIN{t}_{n}: ld.volatile.global.u32 %r2, {at};", f"setp.ne.u32 %p, %r2, {a[1] if op == 'spin' else f'%s{a[1]}'};", f"@%p bra SPIN{t}_{n};"]
            elif op == "unless":
                marks.setdefault(n + 1 + a[2], []).append(f"SKIP{t}_{n}")
                lines += [f"setp.ne.u32 %p, %s{a[0]}, {a[1]};", f"@%p bra SKIP{t}_{n};"]
            else:
                lines += ["membar.gl;"]
        lines += [f"{mark}:" for mark in marks.pop(len(ops), [])]
        lines += [f"st.global.u32 [%o+{4 * r}], %s{r};" for r in range(REGISTERS)] + ["ret;"]
    return "\n".join([*lines, "}", ""])


AMDGCN = """
typedef unsigned int uint;
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define ADD(word) __opencl_atomic_fetch_add((__global volatile atomic_uint *)&word, 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE)
#define MAX(word) __opencl_atomic_fetch_max((__global volatile atomic_uint *)&word, 1, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE)
#define FENCE __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent")
"""
LIBRARY = """
#define GROUP get_group_id(0)
#define ADD(word) atomic_inc(&word)
#define MAX(word) atomic_max(&word, 1)
#define FENCE mem_fence(CLK_GLOBAL_MEM_FENCE)
"""


def opencl(program, prelude):
    """OpenCL C, one work-group of one work-item for each thread; for clang without its library (AMDGCN), or with one (LIBRARY)."""
    lines = [prelude, "__kernel void k(__global volatile uint *word, __global uint *result)", "{",
             f"    uint s[{REGISTERS}] = {{0}};", "    switch (GROUP) {"]
    for t, ops in enumerate(program):
        lines.append(f"    case {t}:")
        ends = []
        for n, (op, *a) in enumerate(ops):
            lines += ["}" for end in ends if end == n]
            lines.append({"st": "word[{0}] = {1};", "ld": "s[{1}] = word[{0}];", "inc": "word[{0}] = s[{1}] + 1;",
                          "add": "s[{1}] = ADD(word[{0}]);",
                          "cas": "s[{1}] = MAX(word[{0}]);",
                          "spin": "while (word[{0}] != {1}) ;", "spinreg": "while (word[{0}] != s[{1}]) ;", "unless": "if (s[{0}] == {1}) {{",
                          "fence": "FENCE;"}[op].format(*a))
            if op == "unless":
                ends.append(n + 1 + a[2])
        lines += ["}" for end in ends if end == len(ops)] + ["    break;"]
    return "\n".join([*lines, "    }", *(f"    result[4 * GROUP + {r}] = s[{r}];" for r in range(REGISTERS)), "}", ""])
