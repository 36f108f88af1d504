#ifndef MANUAL_H
#define MANUAL_H

#include <stddef.h>

/// An article of `ViewModelServer.docc`.
struct manual_page {
    /// The name that `help` takes.
    const char *name;
    /// A line for the list of pages.
    const char *summary;
    /// The article's Markdown.
    const unsigned char *bytes;
    size_t length;
};

long manual_page_count(void);

/// - Parameter index: from 0 up to the count.
struct manual_page manual_page(long index);

#endif
