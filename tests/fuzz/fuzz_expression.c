/* Fuzz target: expressions of the console, parsed with a few types that are known. */
#include <stdlib.h>
#include <string.h>

#include "debug/source/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_name(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "array<int, 3>") == 0 || strcmp(name, "twice<int>") == 0;
}

static const struct wt_type *find_type(void *context, const char *name)
{
    if (strcmp(name, "struct s") == 0 || strcmp(name, "T") == 0)
        return wt_types_basic(context, "long");
    return wt_types_basic(context, name);
}

/* A tree has no more nodes than a text can name, and each is reached once. */
static unsigned count(const struct wt_node *node)
{
    unsigned nodes = 0;
    for (; node; node = node->next)
        nodes += 1 + count(node->a) + count(node->b) + count(node->c);
    return nodes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct wt_types *types = wt_types_new(NULL, NULL, NULL, size & 1 ? 4 : 8);
    if (!text || !types)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    const struct wt_parse_world world = {.types = types,
                                         .find_type = find_type,
                                         .has_name = has_name,
                                         .context = types,
                                         .fortran = size % 4 > 1};
    struct wt_node *root;
    struct wt_error err = {0};
    if (wt_parse_expression(text, &world, &root, &err)) {
        if (root || !err.text[0])
            abort();
    } else if (count(root) == 0 || count(root) > 400) {
        abort();
    }
    wt_node_free(root);
    wt_types_free(types);
    free(text);
    return 0;
}
