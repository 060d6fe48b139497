/* The AMD GPU that a file's code is for. See gcn_target.h. */
#include "object/gcn_target.h"

#include <string.h>

/* EF_AMDGPU_MACH (LLVM, "User Guide for AMDGPU Backend"), of GPUs that HIP has had. */
static const struct {
    uint8_t mach;
    const char *name;
} machines[] = {
    {0x22, "gfx701"},       {0x28, "gfx801"},          {0x29, "gfx802"},         {0x2a, "gfx803"},
    {0x2b, "gfx810"},       {0x2c, "gfx900"},          {0x2d, "gfx902"},         {0x2e, "gfx904"},
    {0x2f, "gfx906"},       {0x30, "gfx908"},          {0x31, "gfx909"},         {0x32, "gfx90c"},
    {0x33, "gfx1010"},      {0x34, "gfx1011"},         {0x35, "gfx1012"},        {0x36, "gfx1030"},
    {0x37, "gfx1031"},      {0x38, "gfx1032"},         {0x39, "gfx1033"},        {0x3d, "gfx1035"},
    {0x3e, "gfx1034"},      {0x45, "gfx1036"},         {0x3f, "gfx90a"},         {0x40, "gfx940"},
    {0x41, "gfx1100"},      {0x46, "gfx1102"},         {0x47, "gfx1101"},        {0x4c, "gfx942"},
    {0x51, "gfx9-generic"}, {0x53, "gfx10-3-generic"}, {0x5f, "gfx9-4-generic"},
};

const char *gcn_machine_name(unsigned machine)
{
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        if (machines[i].mach == machine)
            return machines[i].name;
    return NULL;
}

bool gcn_target_takes(const struct gcn_target *target, const char *features, size_t length)
{
    const char *end = features + length;
    while (features < end) {
        const char *next = memchr(features + 1, ':', (size_t)(end - features - 1));
        const size_t size = (size_t)((next ? next : end) - features);
        const char *ecc = target->sramecc ? ":sramecc+" : ":sramecc-";
        const char *other = target->xnack == GCN_XNACK_OFF ? ":xnack+" : ":xnack-";
        const bool xnack = size == strlen(other) && memcmp(features, ":xnack", 6) == 0 &&
                           (target->xnack == GCN_XNACK_EITHER || features[6] != other[6]);
        if (!xnack && !(size == strlen(ecc) && memcmp(features, ecc, size) == 0))
            return false;
        features += size;
    }
    return true;
}
