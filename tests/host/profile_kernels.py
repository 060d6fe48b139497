"""Run by test_profile_programs.py under `wavetrap exec`: launches kernel k(in, out) as a host program does.

profile_kernels.py gfx900|sm FILE… loads each file with code, in turn, launches its kernel and unloads it; gen9 SOURCE builds OpenCL C. Words that
are numbers launch so often from there on; "devices=2" does it on both. "abort", "kill", "exit" and "fork" end the process so, or go on in a child.
"""
import ctypes
import os
import signal
import sys

GRID, GROUP, BYTES = 256, 64, 65536
DATA = b"".join(n.to_bytes(4, "little") for n in range(BYTES // 4))


def check(result, name):
    assert result == 0, (name, result)


class Driver:
    """HIP's and CUDA's driver interface, which differ in names."""

    def __init__(self, library, names):
        self.library, self.names = ctypes.CDLL(library), names
        self.call("init", 0)

    def call(self, name, *words):
        check(getattr(self.library, self.names[name])(*words), name)

    def allocate(self, data):
        at = ctypes.c_uint64()
        self.call("allocate", ctypes.byref(at), ctypes.c_size_t(len(data)))
        self.call("write", at, data, ctypes.c_size_t(len(data)))
        return at

    def begin(self, device):
        self.call("device", device) if "device" in self.names else self.context(device)

    def context(self, device):
        context = ctypes.c_void_p()
        self.call("create", ctypes.byref(context), 0, device)

    def run(self, path, times):
        given, out = self.allocate(DATA), self.allocate(bytes(BYTES))
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("load", ctypes.byref(module), path.encode())
        self.call("function", ctypes.byref(function), module, b"k")
        words = (ctypes.c_void_p * 2)(ctypes.addressof(given), ctypes.addressof(out))
        for _ in range(times):
            self.call("launch", function, GRID // GROUP, 1, 1, GROUP, 1, 1, 0, None, words, None)
        self.call("wait")
        back = ctypes.create_string_buffer(BYTES)
        self.call("read", back, out, ctypes.c_size_t(BYTES))
        self.call("unload", module)
        print(sum(back.raw) % 65521, flush=True)


HIP = {"init": "hipInit", "device": "hipSetDevice", "allocate": "hipMalloc", "write": "hipMemcpyHtoD", "read": "hipMemcpyDtoH", "load": "hipModuleLoad",
       "function": "hipModuleGetFunction", "launch": "hipModuleLaunchKernel", "unload": "hipModuleUnload", "wait": "hipDeviceSynchronize"}
CUDA = {"init": "cuInit", "create": "cuCtxCreate_v2", "allocate": "cuMemAlloc_v2", "write": "cuMemcpyHtoD_v2", "read": "cuMemcpyDtoH_v2",
        "load": "cuModuleLoad", "function": "cuModuleGetFunction", "launch": "cuLaunchKernel", "unload": "cuModuleUnload", "wait": "cuCtxSynchronize"}


class OpenCl:
    def begin(self, device):
        import pyopencl as cl
        self.cl = cl
        self.context = cl.Context([cl.get_platforms()[0].get_devices()[device]])
        self.queue = cl.CommandQueue(self.context)

    def run(self, path, times):
        cl = self.cl
        with open(path, encoding="utf-8") as file:
            program = cl.Program(self.context, file.read()).build(["-g"])
        given, out = (cl.Buffer(self.context, cl.mem_flags.COPY_HOST_PTR, hostbuf=bytearray(data)) for data in (DATA, bytes(BYTES)))
        for _ in range(times):
            program.k(self.queue, (GRID,), (GROUP,), given, out)
        back = bytearray(BYTES)
        cl.enqueue_copy(self.queue, back, out)
        print(sum(back) % 65521, flush=True)


def main(gpu, *words):
    driver = {"gfx900": lambda: Driver("libamdhip64.so.5", HIP), "sm": lambda: Driver("libcuda.so.1", CUDA), "gen9": OpenCl}[gpu]
    times, devices, made = 1, 1, None
    for word in words:
        if word.isdigit():
            times = int(word)
        elif word.startswith("devices="):
            devices = int(word[8:])
        elif word == "abort":
            os.abort()
        elif word == "kill":
            os.kill(os.getpid(), signal.SIGTERM)
            signal.pause()
        elif word == "exit":
            os._exit(3)
        elif word == "fork":
            if child := os.fork():
                assert os.waitpid(child, 0)[1] == 0
                return
        else:
            made = made or driver()
            for device in range(devices):
                made.begin(device)
                made.run(word, times)


main(*sys.argv[1:])
