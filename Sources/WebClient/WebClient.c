// The files of `clients` that a browser loads, embedded in the executable unchanged (C23's #embed).

#include "WebClient.h"

// Clang warns about #embed in older versions of C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char address_js[] = {
#embed "../../clients/web/address.js"
};

static const unsigned char app_js[] = {
#embed "../../clients/web/app.js"
};

static const unsigned char away_bar_js[] = {
#embed "../../clients/web/away-bar.js"
};

static const unsigned char build_state_js[] = {
#embed "../../clients/web/build-state.js"
};

static const unsigned char connection_light_js[] = {
#embed "../../clients/web/connection-light.js"
};

static const unsigned char dialogs_js[] = {
#embed "../../clients/web/dialogs.js"
};

static const unsigned char dom_js[] = {
#embed "../../clients/web/dom.js"
};

static const unsigned char ended_js[] = {
#embed "../../clients/web/ended.js"
};

static const unsigned char field_row_js[] = {
#embed "../../clients/web/field-row.js"
};

static const unsigned char finder_palette_js[] = {
#embed "../../clients/web/finder-palette.js"
};

static const unsigned char finder_css[] = {
#embed "../../clients/web/finder.css"
};

static const unsigned char gallery_js[] = {
#embed "../../clients/web/gallery.js"
};

static const unsigned char generic_view_js[] = {
#embed "../../clients/web/generic-view.js"
};

static const unsigned char history_depth_js[] = {
#embed "../../clients/web/history-depth.js"
};

static const unsigned char icon_svg[] = {
#embed "../../clients/web/icon.svg"
};

static const unsigned char index_html[] = {
#embed "../../clients/web/index.html"
};

static const unsigned char inspector_js[] = {
#embed "../../clients/web/inspector.js"
};

static const unsigned char json_js[] = {
#embed "../../clients/web/json.js"
};

static const unsigned char kept_js[] = {
#embed "../../clients/web/kept.js"
};

static const unsigned char list_table_js[] = {
#embed "../../clients/web/list-table.js"
};

static const unsigned char matched_text_js[] = {
#embed "../../clients/web/matched-text.js"
};

static const unsigned char notice_js[] = {
#embed "../../clients/web/notice.js"
};

static const unsigned char own_view_js[] = {
#embed "../../clients/web/own-view.js"
};

static const unsigned char own_views_js[] = {
#embed "../../clients/web/own/views.js"
};

static const unsigned char pane_js[] = {
#embed "../../clients/web/pane.js"
};

static const unsigned char recent_sessions_js[] = {
#embed "../../clients/web/recent-sessions.js"
};

static const unsigned char schema_form_js[] = {
#embed "../../clients/web/schema-form.js"
};

static const unsigned char screen_js[] = {
#embed "../../clients/web/screen.js"
};

static const unsigned char sender_js[] = {
#embed "../../clients/web/sender.js"
};

static const unsigned char style_css[] = {
#embed "../../clients/web/style.css"
};

static const unsigned char tab_name_js[] = {
#embed "../../clients/web/tab-name.js"
};

static const unsigned char unsent_js[] = {
#embed "../../clients/web/unsent.js"
};

static const unsigned char view_model_client_js[] = {
#embed "../../clients/javascript/view-model-client.js"
};

static const unsigned char views_js[] = {
#embed "../../clients/web/views.js"
};

static const unsigned char views_confirm_cancel_js[] = {
#embed "../../clients/web/views/confirm-cancel.js"
};

static const unsigned char views_counter_js[] = {
#embed "../../clients/web/views/counter.js"
};

static const unsigned char views_finder_preview_js[] = {
#embed "../../clients/web/views/finder-preview.js"
};

static const unsigned char views_finder_query_js[] = {
#embed "../../clients/web/views/finder-query.js"
};

static const unsigned char views_finder_rows_js[] = {
#embed "../../clients/web/views/finder-rows.js"
};

static const unsigned char views_finder_js[] = {
#embed "../../clients/web/views/finder.js"
};

static const unsigned char views_hello_js[] = {
#embed "../../clients/web/views/hello.js"
};

static const unsigned char views_order_details_js[] = {
#embed "../../clients/web/views/order-details.js"
};

static const unsigned char views_orders_js[] = {
#embed "../../clients/web/views/orders.js"
};

static const unsigned char views_stopwatch_js[] = {
#embed "../../clients/web/views/stopwatch.js"
};

static const unsigned char views_todos_js[] = {
#embed "../../clients/web/views/todos.js"
};

static const unsigned char virtual_list_js[] = {
#embed "../../clients/web/virtual-list.js"
};

static const unsigned char wait_sign_js[] = {
#embed "../../clients/web/wait-sign.js"
};

#define FILE(name, bytes) { name, bytes, sizeof bytes }

static const struct web_client_file files[] = {
    FILE("address.js", address_js),
    FILE("app.js", app_js),
    FILE("away-bar.js", away_bar_js),
    FILE("build-state.js", build_state_js),
    FILE("connection-light.js", connection_light_js),
    FILE("dialogs.js", dialogs_js),
    FILE("dom.js", dom_js),
    FILE("ended.js", ended_js),
    FILE("field-row.js", field_row_js),
    FILE("finder-palette.js", finder_palette_js),
    FILE("finder.css", finder_css),
    FILE("gallery.js", gallery_js),
    FILE("generic-view.js", generic_view_js),
    FILE("history-depth.js", history_depth_js),
    FILE("icon.svg", icon_svg),
    FILE("index.html", index_html),
    FILE("inspector.js", inspector_js),
    FILE("json.js", json_js),
    FILE("kept.js", kept_js),
    FILE("list-table.js", list_table_js),
    FILE("matched-text.js", matched_text_js),
    FILE("notice.js", notice_js),
    FILE("own-view.js", own_view_js),
    FILE("own/views.js", own_views_js),
    FILE("pane.js", pane_js),
    FILE("recent-sessions.js", recent_sessions_js),
    FILE("schema-form.js", schema_form_js),
    FILE("screen.js", screen_js),
    FILE("sender.js", sender_js),
    FILE("style.css", style_css),
    FILE("tab-name.js", tab_name_js),
    FILE("unsent.js", unsent_js),
    FILE("view-model-client.js", view_model_client_js),
    FILE("views.js", views_js),
    FILE("views/confirm-cancel.js", views_confirm_cancel_js),
    FILE("views/counter.js", views_counter_js),
    FILE("views/finder-preview.js", views_finder_preview_js),
    FILE("views/finder-query.js", views_finder_query_js),
    FILE("views/finder-rows.js", views_finder_rows_js),
    FILE("views/finder.js", views_finder_js),
    FILE("views/hello.js", views_hello_js),
    FILE("views/order-details.js", views_order_details_js),
    FILE("views/orders.js", views_orders_js),
    FILE("views/stopwatch.js", views_stopwatch_js),
    FILE("views/todos.js", views_todos_js),
    FILE("virtual-list.js", virtual_list_js),
    FILE("wait-sign.js", wait_sign_js),
};

long web_client_file_count(void) {
    return sizeof files / sizeof files[0];
}

struct web_client_file web_client_file(long index) {
    return files[index];
}
