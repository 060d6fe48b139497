"""The connection to wavetrap: its documents, the device as it is now, which lane is selected."""
import contextlib
import json

import gdb

from . import text

NOT_CONNECTED = ("There is no connection to wavetrap: start with 'wavetrap gdb PROGRAM', or type "
                 "'target extended-remote ADDRESS' with the address that 'wavetrap serve' prints.")
CHUNK = 0x1fff0


class Command(gdb.Command):
    """A command whose errors are shown as GDB's own are, without a word of Python."""

    def invoke(self, argument, from_tty):
        text.typed = from_tty
        try:
            self.run(argument)
        except gdb.GdbError:
            raise
        except gdb.error as problem:
            raise gdb.GdbError(str(problem)) from None


def selected_thread():
    """The selected thread; None if there is none, or if it has ended."""
    try:
        thread = gdb.selected_thread()
    except SystemError:  # what GDB 13 says of one that it has struck off its list
        return None
    return thread if thread is not None and thread.is_valid() else None


def connection():
    inferior = gdb.selected_inferior()
    there = inferior.connection
    if not isinstance(there, gdb.RemoteTargetConnection) or not there.is_valid():
        raise gdb.GdbError(NOT_CONNECTED)
    # In all-stop a packet that is sent while the program runs would be taken for an answer.
    thread = selected_thread()
    if not gdb.parameter("non-stop"):
        threads = [thread] if thread else inferior.threads()[:1]
        if any(t.is_running() for t in threads):
            raise gdb.GdbError("The program is running: type 'interrupt' (or Ctrl-C) first.")
    return there


def unescape(data):
    """Takes back the escapes of binary data in packets (GDB manual, E.1)."""
    parts = data.split(b"}")
    out = [parts[0]]
    for part in parts[1:]:
        # An escaped '}' is '}' and ']', so that no part is empty.
        out.append(bytes((part[0] ^ 0x20,)) + part[1:])
    return b"".join(out)


def document(name, annex):
    """A document of wavetrap's, read as a whole."""
    there = connection()
    whole = []
    offset = 0
    while True:
        reply = there.send_packet(f"qXfer:wavetrap-{name}:read:{annex}:{offset:x},{CHUNK:x}")
        if not reply:
            raise gdb.GdbError(f"What GDB is connected to has no document 'wavetrap-{name}', which this "
                               "command needs: wavetrap of this version has it.")
        if reply[:1] == b"E":
            said = reply[2:] if reply[1:2] == b"." else b"error " + reply[1:]
            raise gdb.GdbError(said.decode(errors="replace"))
        part = unescape(reply[1:])
        whole.append(part)
        offset += len(part)
        if reply[:1] == b"l":
            return json.loads(b"".join(whole))


class Wave:
    """One active wave."""

    def __init__(self, device, row):
        self.device = device
        self.index = row["wave"]
        self.name = row["name"]
        self.core, self.number = divmod(self.index, device.waves_per_core)
        self.running = row.get("running", False)
        self.pc = row.get("pc", 0)
        self.mask = int(row.get("mask", "0"), 16)
        self.wait = row.get("wait", "")
        self.wait_pc = row.get("wait_pc", 0)
        self.barrier = row.get("barrier")
        #: whether the device says why it waits, and which lanes wait in it
        self.told = row.get("detail", True)
        #: lanes that wait in the divergence stack, innermost first: (set, pc)
        self.waiters = [(int(lanes, 16), pc) for lanes, pc in row.get("waiters", ())]
        self.waiting_lanes = 0
        for lanes, _ in self.waiters:
            self.waiting_lanes |= lanes
        self.waiting_lanes &= ~self.mask

    @property
    def short(self):
        return f"{self.core}.{self.number}"

    @property
    def state(self):
        return ("running" if self.running else "waits" if self.wait else
                "ready" if self.told else "stopped")

    @property
    def where(self):
        """What it is at: the instruction that it waits in, or its next one."""
        return self.wait_pc if self.wait else self.pc

    def lane_state(self, lane):
        return ("active" if self.mask >> lane & 1 else
                "waits" if self.waiting_lanes >> lane & 1 else "off")

    def lane_pc(self, lane):
        """Where a lane continues, as far as it is known; of a lane that is off, where its wave is."""
        if not self.mask >> lane & 1:
            for lanes, pc in self.waiters:
                if lanes >> lane & 1:
                    return pc
        return self.pc


class Device:
    """The device and those of its waves that were asked for, as they are now."""

    def __init__(self, annex=""):
        told = document("waves", annex)
        self.family = told["family"]
        self.wave_word = told["wave_word"]
        self.lane_word = told["lane_word"]
        self.cores = told["cores"]
        self.waves_per_core = told["waves_per_core"]
        self.lanes = told["lanes"]
        self.digits = told["address_bits"] // 4
        self.threads_are_lanes = told["threads"] == "lanes"
        self.chosen_lane = told["chosen_lane"]
        self.time = told.get("time")
        self.ended = told["ended"]
        self._threads = None
        self.waves = {row["wave"]: Wave(self, row) for row in told["waves"]}

    def address(self, pc):
        return f"0x{pc:0{self.digits}x}"

    def index(self, core, number):
        return core * self.waves_per_core + number

    def place(self):
        """The wave and lane of the selected thread."""
        thread = selected_thread()
        if thread is None:
            raise gdb.GdbError("No thread is selected: the program "
                               + ("has ended; 'run' starts it afresh." if self.ended else
                                  "has none that is active; see 'info warps -all'."))
        wave, lane = divmod(thread.ptid[1] - 1, self.lanes)
        return wave, lane if self.threads_are_lanes else self.chosen_lane

    def thread_of(self, wave, lane):
        """GDB's thread that shows a lane; None if GDB knows of none."""
        wanted = 1 + wave * self.lanes + (lane if self.threads_are_lanes else 0)
        if self._threads is None:
            self._threads = {t.ptid[1]: t for t in gdb.selected_inferior().threads()}
        thread = self._threads.get(wanted)
        return thread if thread is not None and thread.is_valid() else None

    def select(self, wave, lane):
        """Selects a lane, as `thread` does: frame 0 of it."""
        there = self.waves.get(wave)
        if there is None:
            raise gdb.GdbError(f"core {wave // self.waves_per_core}, {self.wave_word} {wave % self.waves_per_core} "
                               "is not active; see 'info warps'.")
        thread = self.thread_of(wave, lane)
        if thread is None:
            raise gdb.GdbError(f"GDB has no thread for {there.name}: type 'info threads', which makes it "
                               "ask for the threads that there are now.")
        if not self.threads_are_lanes and lane != self.chosen_lane:
            gdb.execute(f"monitor lane {lane}", to_string=True)
            self.chosen_lane = lane
            gdb.execute("maintenance flush register-cache", to_string=True)
        thread.switch()


def selected_device():
    """The device with the selected wave, which must be stopped; and that wave and lane."""
    device = Device("-")
    index, lane = device.place()
    device = Device(f"{index:x}")
    wave = device.waves.get(index)
    if wave is None:
        raise gdb.GdbError("The selected thread has ended; see 'info threads'.")
    if wave.running:
        raise gdb.GdbError(f"{wave.name} is running: type 'interrupt' first.")
    return device, wave, lane


def frame_level():
    try:
        return gdb.selected_frame().level()
    except gdb.error:
        return 0


def select_frame(level):
    """Selects the frame at a level, or the outermost one if there are fewer."""
    try:
        frame = gdb.newest_frame()
        while level and frame.older() is not None:
            frame = frame.older()
            level -= 1
        frame.select()
    except gdb.error:
        pass


@contextlib.contextmanager
def selection_kept(device):
    """What is selected stays selected, whatever is selected inside."""
    thread, level, lane = selected_thread(), frame_level(), device.chosen_lane
    try:
        yield
    finally:
        moved = selected_thread() is not thread
        if not device.threads_are_lanes and device.chosen_lane != lane:
            gdb.execute(f"monitor lane {lane}", to_string=True)
            device.chosen_lane = lane
            gdb.execute("maintenance flush register-cache", to_string=True)
            moved = True
        if thread is not None and thread.is_valid():
            if moved:
                thread.switch()
            if frame_level() != level:
                select_frame(level)
