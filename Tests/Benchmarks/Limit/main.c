#include "limit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(void) {
    fputs("usage: limit-server [--rows | --text BYTES] [--tcp PORT [--fan-out | --store PATH [--sync process|power]]]\n", stderr);
    return 64;
}

int main(int argc, char **argv) {
    enum { small, rows, text } event = small;
    size_t length = 0;
    const char *store = NULL;
    int port = -1, fans_out = 0, for_power = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rows") == 0) {
            event = rows;
        } else if (strcmp(argv[i], "--text") == 0 && i + 1 < argc) {
            event = text;
            length = strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--tcp") == 0 && i + 1 < argc) {
            port = atoi(argv[++i]);
        } else if (strcmp(argv[i], "--fan-out") == 0) {
            fans_out = 1;
        } else if (strcmp(argv[i], "--store") == 0 && i + 1 < argc) {
            store = argv[++i];
        } else if (strcmp(argv[i], "--sync") == 0 && i + 1 < argc) {
            for_power = strcmp(argv[++i], "power") == 0;
        } else if (strcmp(argv[i], "--stdio") != 0) {
            return usage();
        }
    }
    if ((fans_out || store) && port < 0) return usage();
    if (store && store_open(store, for_power) != 0) return 74;
    /* A client that is gone is found by the write's error. */
    signal(SIGPIPE, SIG_IGN);
    struct replies replies = event == rows ? replies_rows() : event == text ? replies_text(length) : replies_small();
    return port < 0 ? serve_stdio(&replies) : serve_tcp(&replies, (unsigned short)port, fans_out, store != NULL);
}
