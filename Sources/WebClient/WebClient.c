// The files of `clients` that a browser is given, put into the executable as they are (C23's #embed).

#include "WebClient.h"

// Clang knows #embed in older versions of C too, and says so.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "../../clients/web/index.html"
};

#define FILE(name, bytes) { name, bytes, sizeof bytes }

static const struct web_client_file files[] = {
    FILE("index.html", index_html),
};

long web_client_file_count(void) {
    return sizeof files / sizeof files[0];
}

struct web_client_file web_client_file(long index) {
    return files[index];
}
