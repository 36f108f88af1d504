#ifndef CLIENT_STORIES_H
#define CLIENT_STORIES_H

#include <stddef.h>

/// A file of `clients/rules`.
struct client_stories {
    /// The file's name, without its folder.
    const char *name;
    const unsigned char *bytes;
    size_t length;
};

long client_stories_count(void);

/// - Parameter index: from 0 up to the count.
struct client_stories client_stories(long index);

#endif
