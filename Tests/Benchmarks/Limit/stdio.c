#include "limit.h"

#include <stdio.h>
#include <unistd.h>

static int write_all(const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written < 0) return -1;
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

int serve_stdio(const struct replies *replies) {
    static char input[READ_BYTES];
    struct frames frames = {0};
    for (;;) {
        ssize_t count = read(STDIN_FILENO, input, sizeof input);
        if (count <= 0) return count == 0 ? 0 : 74;
        long owed = frames_take(&frames, input, (size_t)count);
        if (owed < 0) {
            fputs("limit-server: this is no frame\n", stderr);
            return 65;
        }
        while (owed > 0) {
            long now = owed < (long)replies->count ? owed : (long)replies->count;
            if (write_all(replies->bytes, (size_t)now * replies->length) < 0) return 74;
            owed -= now;
        }
    }
}
