// The views that the page has of the examples, embedded as the page is. They are in the executable of the examples alone.

#include "WebExamples.h"

// Clang warns about #embed in older versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char board_card_js[] = {
#embed "../../clients/web/examples/board-card.js"
};

static const unsigned char board_column_js[] = {
#embed "../../clients/web/examples/board-column.js"
};

static const unsigned char board_css[] = {
#embed "../../clients/web/examples/board.css"
};

static const unsigned char board_js[] = {
#embed "../../clients/web/examples/board.js"
};

static const unsigned char confirm_cancel_js[] = {
#embed "../../clients/web/examples/confirm-cancel.js"
};

static const unsigned char counter_js[] = {
#embed "../../clients/web/examples/counter.js"
};

static const unsigned char examples_css[] = {
#embed "../../clients/web/examples/examples.css"
};

static const unsigned char finder_preview_js[] = {
#embed "../../clients/web/examples/finder-preview.js"
};

static const unsigned char finder_query_js[] = {
#embed "../../clients/web/examples/finder-query.js"
};

static const unsigned char finder_rows_js[] = {
#embed "../../clients/web/examples/finder-rows.js"
};

static const unsigned char finder_css[] = {
#embed "../../clients/web/examples/finder.css"
};

static const unsigned char finder_js[] = {
#embed "../../clients/web/examples/finder.js"
};

static const unsigned char hello_js[] = {
#embed "../../clients/web/examples/hello.js"
};

static const unsigned char matched_text_js[] = {
#embed "../../clients/web/examples/matched-text.js"
};

static const unsigned char order_details_js[] = {
#embed "../../clients/web/examples/order-details.js"
};

static const unsigned char orders_js[] = {
#embed "../../clients/web/examples/orders.js"
};

static const unsigned char stopwatch_js[] = {
#embed "../../clients/web/examples/stopwatch.js"
};

static const unsigned char todos_js[] = {
#embed "../../clients/web/examples/todos.js"
};

static const unsigned char views_js[] = {
#embed "../../clients/web/examples/views.js"
};

#define FILE(name, bytes) {"examples/" name, bytes, sizeof bytes}

static const struct web_client_file files[] = {
    FILE("board-card.js", board_card_js),
    FILE("board-column.js", board_column_js),
    FILE("board.css", board_css),
    FILE("board.js", board_js),
    FILE("confirm-cancel.js", confirm_cancel_js),
    FILE("counter.js", counter_js),
    FILE("examples.css", examples_css),
    FILE("finder-preview.js", finder_preview_js),
    FILE("finder-query.js", finder_query_js),
    FILE("finder-rows.js", finder_rows_js),
    FILE("finder.css", finder_css),
    FILE("finder.js", finder_js),
    FILE("hello.js", hello_js),
    FILE("matched-text.js", matched_text_js),
    FILE("order-details.js", order_details_js),
    FILE("orders.js", orders_js),
    FILE("stopwatch.js", stopwatch_js),
    FILE("todos.js", todos_js),
    FILE("views.js", views_js),
};

long web_examples_file_count(void) {
    return sizeof files / sizeof files[0];
}

struct web_client_file web_examples_file(long index) {
    return files[index];
}
