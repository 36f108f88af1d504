#define _GNU_SOURCE
#include "limit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAXIMUM_DESCRIPTOR 65536
#define EVENTS_PER_WAIT 512

/* By descriptor. */
static struct connection {
    int is_open;
    /* How many frames came, up to 2: who it is and what it wants to see. */
    int greeted;
    /* What came and isn't stored yet, and how much was stored. */
    long owed;
    long long stored;
    struct frames frames;
} connections[MAXIMUM_DESCRIPTOR];

static int highest = -1;

static int fail(const char *what) {
    perror(what);
    return 71;
}

static void drop(int descriptor) {
    close(descriptor);
    connections[descriptor] = (struct connection){0};
}

/* Waits for a client that doesn't read: those that measure do, and nothing has to be kept for them. */
static int send_all(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = send(descriptor, bytes, count, MSG_NOSIGNAL);
        if (written < 0 && errno != EAGAIN) return -1;
        if (written < 0) {
            struct pollfd slot = {.fd = descriptor, .events = POLLOUT};
            poll(&slot, 1, -1);
            continue;
        }
        bytes += written;
        count -= (size_t)written;
    }
    return 0;
}

static int answer(int descriptor, const struct replies *replies, long owed) {
    while (owed > 0) {
        long now = owed < (long)replies->count ? owed : (long)replies->count;
        if (send_all(descriptor, replies->bytes, (size_t)now * replies->length) < 0) return -1;
        owed -= now;
    }
    return 0;
}

static void tell_others(int descriptor, const struct replies *replies) {
    for (int other = 0; other <= highest; other++) {
        if (!connections[other].is_open || other == descriptor) continue;
        if (send_all(other, replies->bytes, replies->event) < 0) drop(other);
    }
}

/* One transaction for all that came at once, and the answers after that. */
static int store_all(const struct epoll_event *events, int count, int listener, const struct replies *replies) {
    int failed = store_begin();
    for (int i = 0; i < count; i++) {
        struct connection *connection = &connections[events[i].data.fd];
        for (long n = 0; n < connection->owed; n++) failed |= store_turn(events[i].data.fd, ++connection->stored);
    }
    if (failed || store_commit() != 0) return -1;
    for (int i = 0; i < count; i++) {
        int descriptor = events[i].data.fd;
        if (descriptor == listener || connections[descriptor].owed == 0) continue;
        if (answer(descriptor, replies, connections[descriptor].owed) < 0) drop(descriptor);
        connections[descriptor].owed = 0;
    }
    return 0;
}

static void take(int descriptor, const struct replies *replies, int fans_out, int stores) {
    static char input[READ_BYTES];
    struct connection *connection = &connections[descriptor];
    ssize_t count = recv(descriptor, input, sizeof input, 0);
    if (count < 0 && errno == EAGAIN) return;
    long owed = count <= 0 ? -1 : frames_take(&connection->frames, input, (size_t)count);
    if (owed >= 0 && stores) {
        connection->owed += owed;
        return;
    }
    if (owed < 0 || answer(descriptor, replies, owed) < 0) {
        drop(descriptor);
        return;
    }
    if (!fans_out) return;
    for (; owed > 0 && connection->greeted < 2; owed--) connection->greeted++;
    for (; owed > 0; owed--) tell_others(descriptor, replies);
}

static int accept_all(int poller, int listener) {
    for (;;) {
        int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) return errno == EAGAIN ? 0 : fail("accept4");
        int on = 1;
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
        if (descriptor >= MAXIMUM_DESCRIPTOR || epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) < 0) {
            return fail("epoll_ctl");
        }
        connections[descriptor].is_open = 1;
        if (descriptor > highest) highest = descriptor;
    }
}

static int listen_on(unsigned short port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) < 0 || listen(listener, SOMAXCONN) < 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) < 0) {
        return -1;
    }
    fprintf(stderr, "listening on 127.0.0.1:%d\n", ntohs(address.sin_port));
    return listener;
}

int serve_tcp(const struct replies *replies, unsigned short port, int fans_out, int stores) {
    int listener = listen_on(port);
    if (listener < 0) return fail("listen");
    int poller = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    if (poller < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event) < 0) return fail("epoll");
    for (;;) {
        struct epoll_event events[EVENTS_PER_WAIT];
        int count = epoll_wait(poller, events, EVENTS_PER_WAIT, -1);
        if (count < 0 && errno != EINTR) return fail("epoll_wait");
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd != listener) {
                take(events[i].data.fd, replies, fans_out, stores);
            } else {
                int status = accept_all(poller, listener);
                if (status != 0) return status;
            }
        }
        if (stores && store_all(events, count, listener, replies) != 0) {
            fputs("limit-server: nothing can be stored\n", stderr);
            return 74;
        }
    }
}
