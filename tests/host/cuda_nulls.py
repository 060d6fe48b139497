"""Makes calls of every function of include/wavetrap/cuda.h in which one argument is none, for cuda_nulls.c."""
import re
from pathlib import Path

HEADER = Path(__file__).resolve().parents[2] / "include" / "wavetrap" / "cuda.h"
OBJECTS = {"CUdeviceptr": "memory", "CUcontext": "context", "CUmodule": "module", "CUfunction": "function", "CUstream": "stream",
           "CUevent": "event", "CUlinkState": "linker", "CUmemoryPool": "pool", "CUlibrary": "library", "CUkernel": "kernel",
           "CUmipmappedArray": "mipmapped", "CUarray": "array", "CUtexObject": "texture", "CUsurfObject": "surface", "CUgraph": "graph",
           "CUgraphNode": "node", "CUgraphExec": "exec"}
OTHER_TYPES = {"CUdevice": "0", "CUmemLocation": "good_CUmemPoolProps.location", "CUhostFn": "host", "CUstreamCallback": "called",
               "CUoccupancyB2DSize": "NULL", "const char *": '"k"'}
NOTHING = ("CUgraphEdgeData", "CUDA_RESOURCE_VIEW_DESC")  # what no call here needs
NUMBERS = {"bytes": 16, "count": 1, "size": 16, "width": 4, "height": 1, "pitch": 16, "length": 16, "attribute": 1, "levels": 1,
           "element": 4, "version": 12000, "block": 32, "channels": 1, "type": 1, "advice": 1, "blocks": 1}  # the others are 0
# What the manual lets a program leave out, and 0 for what is a handle of its own: the default stream, the current context.
OPTIONAL = {"options", "values", "jit", "jit_values", "extra", "edges", "log", "wrong", "data", "before", "behind"}
FREE = {("cuGetProcAddress_v2", "status"), ("cuCtxPopCurrent_v2", "context"), ("cuCtxSetCurrent", "context"), ("cuCtxCreate_v3", "affinities"),
        ("cuCtxCreate_v4", "more"), ("cuCtxGetDevice_v2", "context"), ("cuCtxGetStreamPriorityRange", "least"),
        ("cuCtxGetStreamPriorityRange", "greatest"), ("cuCtxGetApiVersion", "context"), ("cuCtxGetId", "context"), ("cuCtxSynchronize_v2", "context"),
        ("cuMemFree_v2", "address"), ("cuMemFreeAsync", "address"), ("cuMemFreeHost", "address"), ("cuPointerGetAttributes", "address"),
        ("cuMemGetAddressRange_v2", "base"), ("cuMemGetAddressRange_v2", "size"), ("cuTexObjectCreate", "view"), ("cuTexObjectDestroy", "object"),
        ("cuSurfObjectDestroy", "object"), ("cuModuleGetGlobal_v2", "address"), ("cuModuleGetGlobal_v2", "bytes"), ("cuLibraryGetGlobal", "address"),
        ("cuLibraryGetGlobal", "bytes"), ("cuFuncGetParamInfo", "size"), ("cuKernelGetParamInfo", "size"), ("cuLinkAddData_v2", "name"),
        ("cuLinkComplete", "size"), ("cuGraphGetNodes", "nodes"), ("cuGraphGetRootNodes", "nodes"), ("cuStreamEndCapture", "graph"),
        ("cuGraphAddMemcpyNode", "context"), ("cuGraphAddMemsetNode", "context"), ("cuGraphExecMemcpyNodeSetParams", "context"),
        ("cuGraphExecMemsetNodeSetParams", "context"),
        *((f"cuStreamGetCaptureInfo{form}", part) for form in ("", "_v2", "_v3") for part in ("id", "graph", "after", "count"))}
STALE_TOO = {("cuTexObjectDestroy", "object"), ("cuSurfObjectDestroy", "object"), ("cuPointerGetAttributes", "address")}  # as an H200's driver
# The error by the type of the argument; a pointer's is 1, any other handle's 400; and where it is another one (arrays and functions as an H200's
# driver has them).
ERRORS = {"CUdevice": 101, "CUcontext": 201, **dict.fromkeys(("CUdeviceptr", "CUmemoryPool", "CUgraph", "CUgraphNode", "CUgraphExec", "CUhostFn",
                                                              "CUstreamCallback"), 1)}
OTHER_ERRORS = {"cuDeviceGetP2PAttribute: value is 0": 101, "cuCtxDestroy_v2: context is 0": 1, "cuCtxPushCurrent_v2: context is 0": 1,
                "cuMemGetAddressRange_v2: address is gone": 500, "cuMemGetAddressRange_v2: address is 0": 500, "cuFuncGetName: function is 0": 1,
                "cuMemcpyAtoA_v2: to is 0": 1, "cuMemcpyAtoA_v2: from is 0": 1,
                **{f"cuMemcpy{f}_v2: {p} is 0": 1 for f, p in (("DtoA", "to"), ("AtoD", "from"), ("HtoA", "to"), ("HtoAAsync", "to"), ("AtoH", "from"),
                                                               ("AtoHAsync", "from"))},
                **{f"cuGraph{f}: event is {what}": 1 for what in ("0", "gone") for f in (
                    "AddEventRecordNode", "EventRecordNodeSetEvent", "AddEventWaitNode", "EventWaitNodeSetEvent")}}
# Arguments that have to be more than any of their type.
ARGUMENTS = {"pci": ["cuDeviceGetByPCIBusId.id"], '"cuInit"': ["cuGetProcAddress.name", "cuGetProcAddress_v2.name"],
             "text": ["cuModuleLoadData.image", "cuModuleLoadDataEx.image", "cuLibraryLoadData.image"], "(void *)text": ["cuLinkAddData_v2.data"],
             '"variable"': ["cuModuleGetGlobal_v2.name", "cuLibraryGetGlobal.name"], "NULL": [], "pinned": ["cuMemHostGetDevicePointer_v2.host"],
             "managed": ["cuStreamAttachMemAsync.address", "cuMemPrefetchAsync.address", "cuMemAdvise.address", "cuMemAdvise_v2.address",
                         "cuMemPrefetchAsync_v2.address"], "parameters": ["cuLaunchKernel.parameters", "cuLaunchKernelEx.parameters",
                                                                          "cuLaunchCooperativeKernel.parameters"],
             "attributes": ["cuPointerGetAttributes.attributes"], "data": ["cuPointerGetAttributes.data"], "clone": ["cuGraphNodeFindInClone.copy",
                                                                                                                     "cuGraphAddChildGraphNode.child"],
             "capturing": ["cuStreamEndCapture.stream", "cuStreamUpdateCaptureDependencies.stream", "cuStreamUpdateCaptureDependencies_v2.stream"],
             "2": ["cuPointerGetAttribute.attribute"], "1": ["cuDeviceGetTexture1DLinearMaxWidth.format"], "6": ["cuPointerSetAttribute.attribute"],
             "4": ["cuMemPoolGetAttribute.attribute", "cuMemPoolSetAttribute.attribute", "cuStreamAttachMemAsync.flags"],
             "0": ["cuStreamAttachMemAsync.bytes", "cuMemHostRegister_v2.flags"] + [f + ".count" for f in (
                 "cuModuleLoadDataEx", "cuLibraryLoadData", "cuLibraryLoadFromFile", "cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkAddFile_v2", "cuCtxCreate_v3")],
             "sizeof text": ["cuLinkAddData_v2.size"], "&node[0]": [], "4096": ["cuMemHostRegister_v2.bytes"]}
OF = {argument: value for value, arguments in ARGUMENTS.items() for argument in arguments}
KINDS = {"Memcpy": "MEMCPY", "Memset": "MEMSET", "Host": "HOST", "EventRecord": "EVENT_RECORD", "EventWait": "WAIT_EVENT"}


def functions():
    """(name, [(type, parameter)]) of each."""
    for name, parameters in re.findall(r"^CUresult (cu\w+)\(([^;]*?)\);", HEADER.read_text(), re.M | re.S):
        parameters = " ".join(parameters.split())
        yield name, [] if parameters == "void" else [re.fullmatch(r"(.*?)\s*(\w+)", p.strip()).groups() for p in parameters.split(",")]


def good(name, number, kind, parameter):
    node = re.fullmatch(r"cuGraph(?:Exec)?(\w+?)Node[SG]et\w+", name)
    pointed = kind.removeprefix("const ").removesuffix(" *")
    if f"{name}.{parameter}" in OF:
        return OF[f"{name}.{parameter}"]
    if kind == "CUgraphNode" and node and node[1] in KINDS:
        return f"node_of[CU_GRAPH_NODE_TYPE_{KINDS[node[1]]}]"
    if kind in OBJECTS:
        return OBJECTS[kind] + "[0]"
    if kind in OTHER_TYPES:
        return OTHER_TYPES[kind]
    if kind == "const CUgraphNode *":
        return "&node[0]"
    if parameter == "count" and kind == "size_t *":
        return "&eight"
    if kind.count("*") == 1 and (kind.startswith("const CU") and pointed not in NOTHING) or pointed.endswith(("_INSTANTIATE_PARAMS", "MEM_ALLOC_NODE_PARAMS")):
        return "&good_" + pointed
    if pointed in NOTHING and kind.startswith("const") and kind.count("*") == 1:
        return "NULL"
    if kind.endswith("*"):
        return "NULL" if parameter in OPTIONAL - {"data"} else f"(void *)out[{number}]"
    return str(NUMBERS.get(parameter, 0))


def calls():
    """Lines of C: first the objects that are gone, then what is 0."""
    gone, none = [], []
    for name, parameters in functions():
        values = [good(name, i, *p) for i, p in enumerate(parameters)]
        for i, (kind, parameter) in enumerate(parameters):
            free = (name, parameter) in FREE or parameter in OPTIONAL and kind.endswith("*") and f"{name}.{parameter}" not in OF

            def line(what, value):
                what = f"{name}: {parameter} is {what}"
                error = OTHER_ERRORS.get(what, 1 if kind.endswith("*") else ERRORS.get(kind, 400))
                return f'NULLS("{what}", {name}({", ".join(values[:i] + [value] + values[i + 1:])}), {error})'

            if kind in OBJECTS and (name, parameter) not in STALE_TOO:
                gone.append(line("gone", OBJECTS[kind] + "[1]"))
            if kind == "CUdevice" and not name.startswith("cuMem"):
                none.append(line("no device", "7"))
            if (kind.endswith("*") or kind in OBJECTS or kind in ("CUhostFn", "CUstreamCallback")) and not free and \
                    (kind != "CUstream" or name == "cuStreamDestroy_v2"):
                none.append(line("0", "0"))
    return gone + none


if __name__ == "__main__":
    print("\n".join(calls()))
