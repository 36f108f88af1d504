// The rules for clients, put into the executable as they are (C23's #embed).

#include "ClientStories.h"

// Clang knows #embed in older versions of C too, and says so.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char opening[] = {
#embed "../../clients/rules/opening.jsonl"
};

static const unsigned char numbers[] = {
#embed "../../clients/rules/numbers.jsonl"
};

static const unsigned char coming_back[] = {
#embed "../../clients/rules/coming-back.jsonl"
};

static const unsigned char endings[] = {
#embed "../../clients/rules/endings.jsonl"
};

static const unsigned char navigation[] = {
#embed "../../clients/rules/navigation.jsonl"
};

static const unsigned char stores[] = {
#embed "../../clients/rules/stores.jsonl"
};

static const unsigned char scopes[] = {
#embed "../../clients/rules/scopes.jsonl"
};

#define FILE(name, bytes) { name, bytes, sizeof bytes }

static const struct client_stories files[] = {
    FILE("opening.jsonl", opening),
    FILE("numbers.jsonl", numbers),
    FILE("coming-back.jsonl", coming_back),
    FILE("endings.jsonl", endings),
    FILE("navigation.jsonl", navigation),
    FILE("stores.jsonl", stores),
    FILE("scopes.jsonl", scopes),
};

long client_stories_count(void) {
    return sizeof files / sizeof files[0];
}

struct client_stories client_stories(long index) {
    return files[index];
}
