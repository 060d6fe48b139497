"""The debugger as a module: libwavetrap (include/wavetrap/wavetrap.h) by ctypes.

    import wavetrap
    with wavetrap.Session("-g", "vortex:warps=1,threads=4", "mandelbrot.rv32.elf") as s:
        s.set_break("mandelbrot.c:46", "point.count == 60")
        stop = s.run()
        print(stop.text, s.evaluate("point.count@*"))
        s.run(backwards=True)

A call that fails raises wavetrap.Error with the library's message. The library is libwavetrap.so.0 of the system, or the file that the
environment's LIBWAVETRAP names.
"""
import collections
import ctypes
import enum
import html
import os

LANES, TEXT = 128, 1024


class Error(Exception):
    """A call has failed: `status` is that of enum wavetrap_status."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class StopKind(enum.IntEnum):
    STEPPED, BREAKPOINT, WATCHPOINT, CATCHPOINT, FAULT, TRAP, INTERRUPTED, HISTORY_BEGIN, HISTORY_END, ENDED = range(10)


class Watch(enum.IntEnum):
    CHANGES, READS, ACCESSES = range(3)


class AccessKind(enum.IntEnum):
    READ, WRITE, ATOMIC = range(3)


class Space(enum.IntEnum):
    GLOBAL, GROUP, PRIVATE, CONSTANT, DEVICE = range(5)


Stop = collections.namedtuple("Stop", "kind point wave lane pc time status text")
Wave = collections.namedtuple("Wave", "id device core slot lanes mask pc waits has_work dispatch group index block grid why")
Register = collections.namedtuple("Register", "name set alt_name bytes per_lane read_only")
Frame = collections.namedtuple("Frame", "function file line pc inlined")
Instruction = collections.namedtuple("Instruction", "text length")
Event = collections.namedtuple("Event", "time wave pc lanes depth file line name")
Finding = collections.namedtuple("Finding", "number time wave lane other_time other_wave text")
Access = collections.namedtuple("Access", "time wave pc kind space size scalar address")  # address: {lane: address}


# ---- the structures of the header ----

class CError(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 512)]


class CStop(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("point", ctypes.c_uint), ("wave", ctypes.c_uint64), ("lane", ctypes.c_uint),
                ("pc", ctypes.c_uint64), ("time", ctypes.c_uint64), ("status", ctypes.c_int), ("text", ctypes.c_char * TEXT)]


class CStep(ctypes.Structure):
    _fields_ = [("instructions", ctypes.c_bool), ("over", ctypes.c_bool), ("backwards", ctypes.c_bool), ("count", ctypes.c_uint64)]


class CWave(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint64), ("device", ctypes.c_uint), ("core", ctypes.c_uint), ("slot", ctypes.c_uint),
                ("lanes", ctypes.c_uint), ("mask", ctypes.c_uint64 * 2), ("pc", ctypes.c_uint64), ("waits", ctypes.c_bool),
                ("has_work", ctypes.c_bool), ("dispatch", ctypes.c_uint64), ("group", ctypes.c_uint32 * 3), ("index", ctypes.c_uint32),
                ("block", ctypes.c_uint32 * 3), ("grid", ctypes.c_uint32 * 3), ("why", ctypes.c_char * 96)]


class CRegister(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("set", ctypes.c_char_p), ("alt_name", ctypes.c_char_p), ("bytes", ctypes.c_uint), ("per_lane", ctypes.c_bool),
                ("read_only", ctypes.c_bool)]


class CEvent(ctypes.Structure):
    _fields_ = [("time", ctypes.c_uint64), ("wave", ctypes.c_uint64), ("pc", ctypes.c_uint64), ("lanes", ctypes.c_uint64 * 2), ("depth", ctypes.c_uint),
                ("line", ctypes.c_uint), ("file", ctypes.c_char * TEXT), ("name", ctypes.c_char * 160)]


class CFinding(ctypes.Structure):
    _fields_ = [("number", ctypes.c_uint), ("time", ctypes.c_uint64), ("wave", ctypes.c_uint64), ("lane", ctypes.c_uint), ("other_time", ctypes.c_uint64),
                ("other_wave", ctypes.c_uint64), ("text", ctypes.c_char * (4 * TEXT))]


class CNumber(ctypes.Structure):
    _fields_ = [("lane", ctypes.c_uint), ("known", ctypes.c_bool), ("is_float", ctypes.c_bool), ("is_signed", ctypes.c_bool),
                ("integer", ctypes.c_int64), ("real", ctypes.c_double)]


class CFrame(ctypes.Structure):
    _fields_ = [("function", ctypes.c_char * TEXT), ("file", ctypes.c_char * TEXT), ("line", ctypes.c_uint), ("pc", ctypes.c_uint64),
                ("inlined", ctypes.c_bool)]


class CAccess(ctypes.Structure):
    _fields_ = [("time", ctypes.c_uint64), ("wave", ctypes.c_uint64), ("pc", ctypes.c_uint64), ("kind", ctypes.c_int),
                ("space", ctypes.c_int), ("size", ctypes.c_uint), ("scalar", ctypes.c_bool), ("lanes", ctypes.c_uint64 * 2),
                ("address", ctypes.c_uint64 * LANES)]


TEXT_FN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
ACCESS_FN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(CAccess))


def _load():
    library = ctypes.CDLL(os.environ.get("LIBWAVETRAP", "libwavetrap.so.0"))
    library.wavetrap_version.restype = ctypes.c_char_p
    library.wavetrap_registers.restype = ctypes.POINTER(CRegister)
    return library


def _lanes(words):
    mask = words[0] | words[1] << 64
    return [lane for lane in range(LANES) if mask >> lane & 1]


def _bytes(text):
    return None if text is None else text.encode()


class Session:
    """A program in the debugger. The words are those of the command `wavetrap debug`; `text` takes what the program prints by the
    device, and what the debugger says."""

    def __init__(self, *words, text=None):
        self._library = _load()
        self._session = ctypes.c_void_p()
        self._selected = None    # (wave, lane) of the last stop or select()
        self._text, self._captured, self._observer = text, None, None
        self._take = TEXT_FN(self._put)
        list_ = (ctypes.c_char_p * (len(words) + 1))(*[str(word).encode() for word in words], None)
        self._call("open", list_, self._take, None, ctypes.byref(self._session), session=False)

    def _put(self, _context, text, length):
        text = ctypes.string_at(text, length).decode(errors="replace")
        if self._captured is not None:
            self._captured.append(text)
        elif self._text:
            self._text(text)

    def _call(self, name, *arguments, session=True):
        if session and not self._session:
            raise ValueError("the session is closed")
        error = CError()
        own = (self._session,) if session else ()
        status = getattr(self._library, f"wavetrap_{name}")(*own, *arguments, ctypes.byref(error))
        if status:
            raise Error(status, error.text.decode(errors="replace"))

    def close(self):
        """Ends the session; a program that it has started ends, too."""
        if self._session:
            self._library.wavetrap_close(self._session)
            self._session = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def command(self, line):
        """Executes a command of the console; returns what it prints."""
        self._captured = []
        try:
            self._call("command", line.encode())
            return "".join(self._captured)
        finally:
            self._captured = None

    # ---- running ----

    def _stop(self, name, *arguments):
        s = CStop()
        self._call(name, *arguments, ctypes.byref(s))
        self._selected = (s.wave, s.lane) if s.wave else None
        return Stop(StopKind(s.kind), s.point, s.wave, s.lane, s.pc, s.time, s.status, s.text.decode(errors="replace"))

    def run(self, backwards=False):
        """Runs until something happens."""
        return self._stop("continue", ctypes.c_bool(backwards))

    def step(self, instructions=False, over=False, backwards=False, count=1):
        """Steps the selected lane by lines, or instructions."""
        return self._stop("step", ctypes.byref(CStep(instructions, over, backwards, count)))

    def finish(self, backwards=False):
        """Runs until the selected frame has returned, or back to before its call."""
        return self._stop("finish", ctypes.c_bool(backwards))

    def goto(self, time):
        """Goes to an issue time of the recorded run."""
        return self._stop("goto", ctypes.c_uint64(time))

    def time(self):
        """The issue times (here, first recorded, last recorded)."""
        times = [ctypes.c_uint64() for _ in range(3)]
        self._call("time", *map(ctypes.byref, times))
        return tuple(time.value for time in times)

    def interrupt(self):
        """Stops what runs; from any thread."""
        if self._session:
            self._library.wavetrap_interrupt(self._session)

    # ---- points ----

    def _point(self, name, *arguments):
        number = ctypes.c_uint()
        self._call(name, *arguments, ctypes.byref(number))
        return number.value

    def set_break(self, place, condition=None):
        """Sets a breakpoint; returns its number."""
        return self._point("break", place.encode(), _bytes(condition))

    def set_watch(self, expression, kind=Watch.CHANGES, condition=None):
        """Watches what an expression names here; returns the watchpoint's number."""
        return self._point("watch", ctypes.c_int(kind), expression.encode(), _bytes(condition))

    def set_catch(self, what, condition=None):
        """Stops at events; returns the catchpoint's number."""
        return self._point("catch", what.encode(), _bytes(condition))

    def delete(self, number):
        """Deletes a point."""
        self._call("delete", ctypes.c_uint(number))

    # ---- state ----

    def _list(self, name, *arguments, of):
        items, count = ctypes.POINTER(of)(), ctypes.c_size_t()
        self._call(name, *arguments, ctypes.byref(items), ctypes.byref(count))
        return [items[i] for i in range(count.value)]

    def waves(self):
        """The waves that are there."""
        return [Wave(w.id, w.device, w.core, w.slot, w.lanes, _lanes(w.mask), w.pc, w.waits, w.has_work, w.dispatch, tuple(w.group),
                     w.index, tuple(w.block), tuple(w.grid), w.why.decode()) for w in self._list("waves", of=CWave)]

    def select(self, wave, lane=0):
        """Selects a lane of a wave for what follows."""
        self._call("select", ctypes.c_uint64(wave), ctypes.c_uint(lane))
        self._selected = wave, lane

    def registers(self):
        """All registers of the device."""
        count = ctypes.c_size_t()
        items = self._library.wavetrap_registers(self._session, ctypes.byref(count))
        return [Register(r.name.decode(), r.set.decode(), r.alt_name and r.alt_name.decode(), r.bytes, r.per_lane, r.read_only) for r in items[:count.value]]

    def _size_of(self, name):
        return next((r.bytes for r in self.registers() if name in (r.name, r.alt_name)), 8)

    def row(self, wave, name):
        """A register of a wave: a list of its values of all lanes, lane 0's first, as numbers without a sign; of one that the wave has
        once a list of one."""
        out, length = ctypes.create_string_buffer(LANES * 64), ctypes.c_size_t()
        self._call("read_row", ctypes.c_uint64(wave), name.encode(), out, ctypes.c_size_t(len(out)), ctypes.byref(length))
        size = self._size_of(name)
        return [int.from_bytes(out.raw[at:at + size], "little") for at in range(0, length.value, size)]

    def write_register(self, wave, lane, name, value):
        """Writes the register of one lane, from a number."""
        size = self._size_of(name)
        self._call("write_register", ctypes.c_uint64(wave), ctypes.c_uint(lane), name.encode(), value.to_bytes(size, "little"),
                   ctypes.c_size_t(size))

    def read(self, address, size, wave=0, lane=0, space=None):
        """Reads memory as a lane sees it; wave 0: the selected one."""
        out = ctypes.create_string_buffer(size)
        self._call("read_memory", ctypes.c_uint64(wave), ctypes.c_uint(lane), _bytes(space), ctypes.c_uint64(address), out,
                   ctypes.c_size_t(size))
        return out.raw

    def write(self, address, data, wave=0, lane=0, space=None):
        """Writes memory, likewise."""
        self._call("write_memory", ctypes.c_uint64(wave), ctypes.c_uint(lane), _bytes(space), ctypes.c_uint64(address), bytes(data),
                   ctypes.c_size_t(len(data)))

    # ---- source ----

    def print(self, expression):
        """The value of an expression as the console prints it."""
        out = ctypes.create_string_buffer(1 << 16)
        self._call("print", expression.encode(), out, ctypes.c_size_t(len(out)))
        return out.value.decode(errors="replace")

    def evaluate(self, expression):
        """The value of a scalar expression as a dictionary of lanes: int, float, or None where it is not known."""
        return {n.lane: (n.real if n.is_float else n.integer if n.is_signed else n.integer & 2**64 - 1) if n.known else None
                for n in self._list("evaluate", expression.encode(), of=CNumber)}

    def frames(self):
        """The functions that the selected lane is in, the innermost first."""
        frames = []
        while True:
            f = CFrame()
            try:
                self._call("frame", ctypes.c_uint(len(frames)), ctypes.byref(f))
            except Error:
                if not frames:
                    raise
                return frames
            frames.append(Frame(f.function.decode(errors="replace"), f.file.decode(errors="replace"), f.line, f.pc, f.inlined))

    def locals(self):
        """The names of the variables that the selected frame sees in its blocks."""
        names, found = ctypes.POINTER(ctypes.c_char_p)(), []
        self._call("locals", ctypes.byref(names))
        while names[len(found)]:
            found.append(names[len(found)].decode())
        return found

    def grid(self, expression=None):
        """All lanes of all waves: which are enabled, and what an expression is in each; Jupyter shows it as a table."""
        rows, (time, *_), own = [], self.time(), self._selected
        for wave in self.waves():
            values = {}
            if expression is not None and wave.mask:
                try:
                    self.select(wave.id, min(wave.mask))
                    values = self.evaluate(f"({expression})@*")
                except Error:
                    pass    # it has no such variable where it is, or it runs
            rows.append((wave, [(lane in wave.mask, values.get(lane)) for lane in range(wave.lanes)]))
        if own:
            self.select(*own)
        return Grid(time, expression, rows)

    # ---- the past ----

    def _events(self, name, *arguments):
        return [Event(e.time, e.wave, e.pc, _lanes(e.lanes), e.depth, e.file.decode(errors="replace"), e.line, e.name.decode())
                for e in self._list(name, *arguments, of=CEvent)]

    def who_wrote(self, expression, most=1):
        """The last instructions that stored to the value, the latest first."""
        return self._events("who_wrote", expression.encode(), ctypes.c_bool(False), ctypes.c_uint(most))

    def who_read(self, expression, most=1):
        """The last instructions that loaded it."""
        return self._events("who_wrote", expression.encode(), ctypes.c_bool(True), ctypes.c_uint(most))

    def where_from(self, expression, most=100):
        """The instructions that the value was made by, the latest first."""
        return self._events("where_from", expression.encode(), ctypes.c_uint(most))

    def findings(self):
        """What the checks have found so far (the word "--check=LIST" of Session)."""
        return [Finding(f.number, f.time, f.wave, f.lane, f.other_time, f.other_wave, f.text.decode(errors="replace"))
                for f in self._list("findings", of=CFinding)]

    def instruction(self, address):
        """The instruction at an address of code."""
        out, length = ctypes.create_string_buffer(TEXT), ctypes.c_uint()
        self._call("instruction", ctypes.c_uint64(address), out, ctypes.c_size_t(len(out)), ctypes.byref(length))
        return Instruction(out.value.decode(errors="replace"), length.value)

    # ---- observation ----

    def observe(self, function):
        """Hands each access to `function` as an Access; None: to nobody."""
        def take(_context, access):
            a = access.contents
            function(Access(a.time, a.wave, a.pc, AccessKind(a.kind), Space(a.space), a.size, a.scalar,
                            {lane: a.address[lane] for lane in _lanes(a.lanes)}))
        observer = ACCESS_FN(take) if function else ACCESS_FN()
        self._call("observe", observer, None)
        self._observer = observer


class Grid(collections.namedtuple("Grid", "time expression rows")):
    """Lanes at an issue time: `rows` are pairs of a Wave and a list of (enabled, value), lane 0 first."""

    def _repr_html_(self):
        def cell(lane, enabled, value):
            colour = "#9ecae1" if enabled else "#eeeeee"
            text = "" if value is None else html.escape(str(value))
            return f'<td title="lane {lane}{"" if enabled else ", masked off"}" style="background:{colour};color:#000;min-width:.6em">{text}</td>'
        lines = [f'<tr><th style="white-space:nowrap">core {w.core} slot {w.slot}{f" group {w.group}" if w.has_work else ""}</th>'
                 + "".join(cell(lane, *one) for lane, one in enumerate(lanes)) + "</tr>" for w, lanes in self.rows]
        title = f"issue time {self.time}" + (f", {html.escape(self.expression)}" if self.expression else "")
        return f"<table><caption>{title}</caption>{''.join(lines)}</table>"


def version():
    """The version of the library."""
    return _load().wavetrap_version().decode()
