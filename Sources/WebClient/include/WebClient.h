#ifndef WEB_CLIENT_H
#define WEB_CLIENT_H

#include <stddef.h>

/// A file of the web client.
struct web_client_file {
    /// The path below the site's root, without a slash before it.
    const char *name;
    const unsigned char *bytes;
    size_t length;
};

long web_client_file_count(void);

/// - Parameter index: from 0 up to the count.
struct web_client_file web_client_file(long index);

#endif
