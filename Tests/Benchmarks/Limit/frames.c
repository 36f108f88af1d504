#include "limit.h"

#include <string.h>

#define NAME_LENGTH 16 /* "Content-Length: " */

/* The length of the header at `bytes` with its empty line, 0 when its end hasn't come, -1 when it isn't one. */
static int header_length(const char *bytes, size_t count, size_t *body) {
    size_t value = 0, i = NAME_LENGTH;
    if (count > 0 && bytes[0] != 'C') return -1;
    while (i < count && bytes[i] >= '0' && bytes[i] <= '9') value = value * 10 + (size_t)(bytes[i++] - '0');
    if (i + 4 > count) return 0;
    if (i == NAME_LENGTH || memcmp(bytes + i, "\r\n\r\n", 4) != 0) return -1;
    *body = value;
    return (int)i + 4;
}

/* Completes the header that began in an earlier piece. Returns how many of these bytes were its own, or -1. */
static long complete_header(struct frames *frames, const char *bytes, size_t count) {
    char header[sizeof frames->header];
    size_t room = sizeof header - frames->kept, added = count < room ? count : room;
    memcpy(header, frames->header, frames->kept);
    memcpy(header + frames->kept, bytes, added);
    int length = header_length(header, frames->kept + added, &frames->rest);
    if (length < 0 || (length == 0 && added == room)) return -1;
    if (length == 0) {
        memcpy(frames->header, header, frames->kept + added);
        frames->kept += (unsigned)added;
        return (long)added;
    }
    long own = length - (long)frames->kept;
    frames->kept = 0;
    return own;
}

long frames_take(struct frames *frames, const char *bytes, size_t count) {
    size_t at = 0;
    long ended = 0;
    if (frames->kept > 0) {
        long own = complete_header(frames, bytes, count);
        if (own < 0) return -1;
        if (frames->kept > 0) return 0;
        at = (size_t)own;
        if (frames->rest == 0) ended++;
    }
    while (at < count) {
        if (frames->rest == 0) {
            int length = header_length(bytes + at, count - at, &frames->rest);
            if (length < 0 || (length == 0 && count - at >= sizeof frames->header)) return -1;
            if (length == 0) {
                frames->kept = (unsigned)(count - at);
                memcpy(frames->header, bytes + at, frames->kept);
                return ended;
            }
            at += (size_t)length;
        }
        size_t taken = frames->rest < count - at ? frames->rest : count - at;
        frames->rest -= taken;
        at += taken;
        if (frames->rest == 0) ended++;
    }
    return ended;
}
