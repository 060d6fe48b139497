"""LLVM's disassembler through its C API, and our own decoder."""
import ctypes
import re
import subprocess


class Llvm:
    """Disassembles one instruction at a time. Sub-dword words must be sound: others end LLVM."""

    def __init__(self, model="gfx900", version=19, lanes=64):
        lib = ctypes.CDLL(f"libLLVM.so.{version}.1")
        for part in ("TargetInfo", "TargetMC", "Target", "Disassembler"):
            getattr(lib, f"LLVMInitializeAMDGPU{part}")()
        lib.LLVMCreateDisasmCPUFeatures.restype = ctypes.c_void_p
        lib.LLVMDisasmInstruction.restype = ctypes.c_size_t
        lib.LLVMDisasmInstruction.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64,
                                              ctypes.c_char_p, ctypes.c_size_t]
        self.lib = lib
        self.context = ctypes.c_void_p(
            lib.LLVMCreateDisasmCPUFeatures(b"amdgcn-amd-amdhsa", model.encode(), self.features(model, lanes), None, 0, None, None))
        self.buffer = ctypes.create_string_buffer(1024)

    @staticmethod
    def features(model, lanes):
        """Those of the size of waves, where a model has two."""
        if not model.startswith("gfx1"):
            return b""
        return b"+wavefrontsize32,-wavefrontsize64" if lanes == 32 else b"-wavefrontsize32,+wavefrontsize64"

    def __call__(self, words):
        """(length in dwords, text); (0, "") where LLVM has no such instruction or calls it invalid."""
        code = b"".join(w.to_bytes(4, "little") for w in words)
        length = self.lib.LLVMDisasmInstruction(self.context, code, len(code), 0, self.buffer, 1024)
        text = self.raw = self.buffer.value.decode().strip() if length else ""
        if not length or re.search(r"Invalid|Warning|Error|not supported|only supports", text):
            return 0, ""
        return length // 4, text


def ours(tool, instructions, model="gfx900", lanes=64):
    """The same from our decoder, for a list of lists of dwords: (length, mnemonic or why not)."""
    text = "".join(" ".join(f"{w:x}" for w in words) + "\n" for words in instructions)
    out = subprocess.run([tool, "words", model, str(lanes)], input=text, capture_output=True, text=True, check=True).stdout
    return [(int(line.split(" ", 1)[0]), line.split(" ", 1)[1]) for line in out.splitlines()]
