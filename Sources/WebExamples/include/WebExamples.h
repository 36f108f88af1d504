#ifndef WEB_EXAMPLES_H
#define WEB_EXAMPLES_H

#include "WebClient.h"

long web_examples_file_count(void);

/// - Parameter index: from 0 up to the count.
struct web_client_file web_examples_file(long index);

#endif
