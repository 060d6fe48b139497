/* The page as a file. */
#include "frontend/view/view.h"

void wt_view_write_page(FILE *out, struct json_object *recording)
{
    const char *text =
        recording ? json_object_to_json_string_ext(recording, JSON_C_TO_STRING_PLAIN) : "null";
    fwrite(wt_view_before, 1, wt_view_before_size, out);
    /* Within JSON it is in a text: so nothing there ends the page's script. */
    for (; *text; text++)
        if (*text == '<')
            fputs("\\u003c", out);
        else
            fputc(*text, out);
    fwrite(wt_view_behind, 1, wt_view_behind_size, out);
}
