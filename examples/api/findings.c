/* Runs a program with checks and prints what they have found: findings --check=LIST WORD... */
#include <stdio.h>
#include <wavetrap/wavetrap.h>

int main(int argc, char **argv)
{
    const struct wavetrap_finding *found;
    struct wavetrap_stop stop;
    struct wavetrap_error err;
    struct wavetrap *session;
    size_t count;
    if (argc < 3)
        return 2;
    if (wavetrap_open((const char *const *)argv + 1, NULL, NULL, &session, &err) != WAVETRAP_OK) {
        fprintf(stderr, "%s: %s\n", wavetrap_status_text(err.status), err.text);
        return 1;
    }
    do {
        if (wavetrap_continue(session, false, &stop, &err) != WAVETRAP_OK)
            break;
    } while (stop.kind != WAVETRAP_ENDED);
    if (wavetrap_findings(session, &found, &count, &err) == WAVETRAP_OK)
        for (size_t i = 0; i < count; i++)
            printf("%u: at time %llu: %s\n", found[i].number, (unsigned long long)found[i].time,
                   found[i].text);
    else
        fprintf(stderr, "%s\n", err.text);
    wavetrap_close(session);
    return 0;
}
