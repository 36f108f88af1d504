// The articles of the documentation, put into the executable as they are (C23's #embed).

#include "Manual.h"

// Clang knows #embed in older versions of C too, and says so.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char getting_started[] = {
#embed "../ViewModelServer/ViewModelServer.docc/GettingStarted.md"
};

static const unsigned char view_models[] = {
#embed "../ViewModelServer/ViewModelServer.docc/WritingViewModels.md"
};

static const unsigned char clients[] = {
#embed "../ViewModelServer/ViewModelServer.docc/WritingClients.md"
};

static const unsigned char testing_clients[] = {
#embed "../ViewModelServer/ViewModelServer.docc/TestingClients.md"
};

static const unsigned char protocol[] = {
#embed "../ViewModelServer/ViewModelServer.docc/ProtocolReference.md"
};

static const unsigned char transcripts[] = {
#embed "../ViewModelServer/ViewModelServer.docc/Transcripts.md"
};

static const unsigned char contract[] = {
#embed "../ViewModelServer/ViewModelServer.docc/TheContract.md"
};

static const unsigned char embedding[] = {
#embed "../ViewModelServer/ViewModelServer.docc/EmbeddingAServer.md"
};

static const unsigned char production[] = {
#embed "../ViewModelServer/ViewModelServer.docc/RunningInProduction.md"
};

static const unsigned char several_servers[] = {
#embed "../ViewModelServer/ViewModelServer.docc/SeveralServers.md"
};

static const unsigned char performance[] = {
#embed "../ViewModelServer/ViewModelServer.docc/Performance.md"
};

static const unsigned char troubleshooting[] = {
#embed "../ViewModelServer/ViewModelServer.docc/Troubleshooting.md"
};

#define PAGE(name, bytes, summary) { name, summary, bytes, sizeof bytes }

static const struct manual_page pages[] = {
    PAGE("getting-started", getting_started, "talk to the examples by hand, and in a terminal"),
    PAGE("view-models", view_models, "write view models: kinds, navigation, dependencies, tests"),
    PAGE("clients", clients, "write a client: connect, attach, come back after a cut"),
    PAGE("testing-clients", testing_clients, "play the rules for clients against yours"),
    PAGE("protocol", protocol, "every method, notification, error and limit"),
    PAGE("transcripts", transcripts, "record, replay and mock conversations"),
    PAGE("contract", contract, "schemas, breaking changes, and types for clients"),
    PAGE("embedding", embedding, "run a server within a program of your own"),
    PAGE("production", production, "systemd, TLS, tokens, metrics, limits"),
    PAGE("several-servers", several_servers, "Redis, HAProxy, nginx, leases, rolling deploys"),
    PAGE("performance", performance, "figures, and how to take them"),
    PAGE("troubleshooting", troubleshooting, "questions that come up"),
};

long manual_page_count(void) {
    return sizeof pages / sizeof pages[0];
}

struct manual_page manual_page(long index) {
    return pages[index];
}
