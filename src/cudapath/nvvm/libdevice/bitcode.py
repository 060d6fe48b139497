#!/usr/bin/env python3
"""bitcode.py VERSION TEXT OUT: writes an LLVM module as bitcode by the library of clang's LLVM. clang itself would write its own data layout into it,
and each other version of clang would warn of that."""
import ctypes
import sys

version, text, out = sys.argv[1:]
llvm = ctypes.CDLL(f"libLLVM.so.{version}.1")
pointer = ctypes.c_void_p
for function in ("LLVMContextCreate", "LLVMCreateMemoryBufferWithMemoryRangeCopy"):
    getattr(llvm, function).restype = pointer
content, module, said = open(text, "rb").read(), pointer(), ctypes.c_char_p()
source = pointer(llvm.LLVMCreateMemoryBufferWithMemoryRangeCopy(content, ctypes.c_size_t(len(content)), text.encode()))
if llvm.LLVMParseIRInContext(pointer(llvm.LLVMContextCreate()), source, ctypes.byref(module), ctypes.byref(said)):
    sys.exit(said.value.decode())
if llvm.LLVMWriteBitcodeToFile(module, out.encode()):
    sys.exit(f"{out} cannot be written")
