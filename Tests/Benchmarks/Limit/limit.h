#ifndef LIMIT_H
#define LIMIT_H

#include <stddef.h>

/* The limit: what any server must do that frames messages and answers them, and nothing else. It parses no JSON, keeps no
   session, and writes the same bytes whatever it is asked, made before the first byte is read.

   Each message in is answered with one `viewModel/event` notification and one answer, written once for each read. */

/* Which frames end in the bytes of a stream, whatever the pieces it comes in. Zeroed, it is at the start. */
struct frames {
    /* Bytes of the current frame's body that haven't come. */
    size_t rest;
    /* The beginning of a header whose end hasn't come. */
    char header[32];
    unsigned kept;
};

/* How many frames end in these bytes, or -1 when they don't begin as `Content-Length: N\r\n\r\n`. */
long frames_take(struct frames *frames, const char *bytes, size_t count);

/* The same notification and answer many times over: what is owed for n messages is the first n of them, without a copy. */
struct replies {
    const char *bytes;
    /* Of one notification and one answer. */
    size_t length;
    /* Of the notification, which comes first. */
    size_t event;
    /* How many follow each other in `bytes`. */
    size_t count;
};

/* With a count for the event's value; with a hundred rows, as the example `counter` loads them; with a text of that length. */
struct replies replies_small(void);
struct replies replies_rows(void);
struct replies replies_text(size_t length);

/* Answers one client until its input ends. Each returns the status for the process to end with. */
int serve_stdio(const struct replies *replies);

/* Answers any number of clients on a port of 127.0.0.1 until it is killed; 0 takes a free one.
   With `fans_out` a message's notification goes to every connection, as if all of them viewed one session: all but the
   first two of each connection, with which a client says who it is and what it wants to see.
   With `stores` each message is a turn of its connection's session: all that came at once go into one transaction, and are
   answered after that. */
int serve_tcp(const struct replies *replies, unsigned short port, int fans_out, int stores);

/* Tables of sessions in an SQLite file, less than the server's. Each returns nonzero where it failed. */
int store_open(const char *path, int for_power);
int store_begin(void);
int store_turn(int session, long long number);
int store_commit(void);

/* Long enough for what 64 clients or one with 64 messages in flight send. */
#define READ_BYTES (256 << 10)

#endif
