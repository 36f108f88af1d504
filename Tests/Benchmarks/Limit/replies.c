#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As much as is written at once at most; one reply may be longer. */
#define BLOCK_BYTES (512 << 10)

static const char answer[] = "{\"jsonrpc\":\"2.0\",\"id\":100000000,\"result\":{\"seq\":123456}}";
static const char head[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"viewModel/event\",\"params\":{\"session\":1,\"seq\":123456,\"event\":";

static void *allocate(size_t length) {
    void *bytes = malloc(length);
    if (bytes == NULL) {
        perror("malloc");
        exit(70);
    }
    return bytes;
}

static struct replies replies_of(const char *event) {
    size_t body = strlen(head) + strlen(event) + strlen("}}");
    size_t room = body + 256;
    char *reply = allocate(room);
    size_t first = (size_t)snprintf(reply, room, "Content-Length: %zu\r\n\r\n%s%s}}", body, head, event);
    size_t length =
        first + (size_t)snprintf(reply + first, room - first, "Content-Length: %zu\r\n\r\n%s", strlen(answer), answer);
    if (length >= BLOCK_BYTES) return (struct replies){.bytes = reply, .length = length, .event = first, .count = 1};
    size_t count = BLOCK_BYTES / length;
    char *bytes = allocate(length * count);
    for (size_t i = 0; i < count; i++) memcpy(bytes + i * length, reply, length);
    free(reply);
    return (struct replies){.bytes = bytes, .length = length, .event = first, .count = count};
}

struct replies replies_small(void) { return replies_of("{\"kind\":\"count\",\"value\":123456}"); }

struct replies replies_rows(void) {
    char *event = allocate(16 << 10);
    int length = sprintf(event, "{\"kind\":\"rows\",\"value\":[");
    for (int i = 0; i < 100; i++) {
        length += sprintf(
            event + length, "%s{\"id\":%d,\"name\":\"Order #%d\",\"status\":\"shipped\",\"total\":123.45}", i > 0 ? "," : "", i, i);
    }
    sprintf(event + length, "]}");
    struct replies replies = replies_of(event);
    free(event);
    return replies;
}

struct replies replies_text(size_t length) {
    static const char before[] = "{\"kind\":\"text\",\"value\":\"", after[] = "\"}";
    char *event = allocate(length + sizeof before + sizeof after);
    memcpy(event, before, sizeof before - 1);
    memset(event + sizeof before - 1, 'x', length);
    memcpy(event + sizeof before - 1 + length, after, sizeof after);
    struct replies replies = replies_of(event);
    free(event);
    return replies;
}
