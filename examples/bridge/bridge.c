/*
 * Serves the registers of a board's Debug Module to `wavetrap attach --dm=tcp:localhost:PORT` and
 * `wavetrap dm check`, by the line protocol of docs/attach.md. How the registers are reached is in
 * window.c. One client at a time; loopback only.
 *
 *     cc -o bridge bridge.c window.c && ./bridge WINDOW PORT
 */
#include "window.h"

#include <ctype.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 8, LINE = 256 };

/* Takes hexadecimal numbers with commas between; returns how many, 0 if that is none. */
static int numbers(char **at, uint32_t list[MOST])
{
    int count = 0;
    do {
        char *end;
        if (count == MOST || !isxdigit((unsigned char)**at))
            return 0;
        list[count++] = (uint32_t)strtoul(*at, &end, 16);
        *at = end;
    } while (**at == ',' && (*at)++);
    return count;
}

static void answer(char *line, FILE *to)
{
    uint32_t address[MOST], value[MOST];
    const char what = *line;
    char *at = line + 1;
    if ((what == 'p' || what == 's') && !*at) {
        fputs(what == 'p' ? "+P\n" : "+\n", to); /* a board's program needs no start */
        return;
    }
    const int count = strchr("rRwW", what) ? numbers(&at, address) : 0;
    const int most = isupper((unsigned char)what) ? MOST : 1;
    if (toupper((unsigned char)what) == 'R' && count && count <= most && !*at) {
        for (int i = 0; i < count; i++)
            fprintf(to, "%c%08x", i ? ',' : '+', (unsigned)read_register(address[i]));
        fputc('\n', to);
    } else if (toupper((unsigned char)what) == 'W' && count && count <= most &&
               (*at == ':' || *at == ';') && at++ && numbers(&at, value) == count && !*at) {
        for (int i = 0; i < count; i++)
            write_register(address[i], value[i]);
        fputs("+\n", to);
    } else {
        fputs("-\n", to);
    }
}

static void serve(FILE *client, FILE *to)
{
    char line[LINE];
    while (fgets(line, sizeof line, client)) {
        if (!strchr(line, '\n')) { /* it is too long, or cut */
            int c;
            while ((c = getc(client)) != EOF && c != '\n')
                continue;
            fputs("-\n", to);
        } else {
            line[strcspn(line, "\r\n")] = 0;
            if (*line)
                answer(line, to);
        }
        fflush(to);
    }
    fclose(client);
    fclose(to);
}

int main(int argc, char **argv)
{
    const int one = 1, server = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof place;
    if (argc != 3) {
        fprintf(stderr, "usage: %s WINDOW PORT\n", argv[0]);
        return 2;
    }
    if (!open_window(argv[1])) {
        perror(argv[1]);
        return 1;
    }
    place.sin_port = htons((uint16_t)atoi(argv[2]));
    setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(server, (void *)&place, sizeof place) || listen(server, 1) ||
        getsockname(server, (void *)&place, &size)) {
        perror(argv[2]);
        return 1;
    }
    printf("serving %s at tcp:localhost:%u\n", argv[1], ntohs(place.sin_port));
    fflush(stdout);
    for (;;) {
        const int fd = accept(server, NULL, NULL);
        if (fd >= 0)
            serve(fdopen(fd, "r"), fdopen(dup(fd), "w"));
    }
}
