/* libcudart: functions that are refused. Each reports its name and returns an error. */
#include "base/refused.h"
#include "runtime/cuda/checks.h"
#include "runtime/cudart/cudart.h"

#define GRAPH "libcudart does not have this part of graphs"
#define GRAPHICS "there are no graphics on the emulated GPU"
#define PROCESS "an emulated GPU belongs to one process"
#define EXTERNAL "no other driver has memory or work for the emulated GPU"
#define LEVEL "levels of textures are those of cudaMallocMipmappedArray"
#define REFERENCE "texture and surface references are not there: use objects"
#define LIBRARY "the runtime's libraries are not there: use cuLibraryLoadData or cuModuleLoadData"
#define BATCH "give each copy to the stream by itself"
#define GPU "an emulated GPU does not reach another one's memory"
#define ARRAY "arrays are dense, and of one plane"
#define LOG "there is no log: wavetrap exec --log-calls writes one"
#define CLUSTER "clusters have one block"
#define OTHER "libcudart does not have it"

#define R(name, why)                                                                               \
    EXPORT cudaError_t name(void)                                                                  \
    {                                                                                              \
        wavetrap_cudart_refused(#name, why);                                                       \
        return cudart_result(cudaErrorNotSupported);                                               \
    }
#include "runtime/cudart/refused.def"
#undef R

WT_REFUSED_FUNCTIONS static const char refused[] =
#define R(name, why) #name "\0" why "\0"
#include "runtime/cudart/refused.def"
    ;
