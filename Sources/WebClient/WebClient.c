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

static const unsigned char here_js[] = {
#embed "../../clients/web/here.js"
};
static const unsigned char looking_js[] = {
#embed "../../clients/web/looking.js"
};
static const unsigned char yours_js[] = {
#embed "../../clients/web/yours.js"
};
static const unsigned char ended_js[] = {
#embed "../../clients/web/ended.js"
};

static const unsigned char field_row_js[] = {
#embed "../../clients/web/field-row.js"
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

static const unsigned char notice_js[] = {
#embed "../../clients/web/notice.js"
};

static const unsigned char own_view_js[] = {
#embed "../../clients/web/own-view.js"
};

static const unsigned char own_views_js[] = {
#embed "../../clients/web/own/views.js"
};

static const unsigned char palette_js[] = {
#embed "../../clients/web/palette.js"
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

static const unsigned char client_client_js[] = {
#embed "../../clients/javascript/view-model-client/client.js"
};

static const unsigned char client_connection_js[] = {
#embed "../../clients/javascript/view-model-client/connection.js"
};

static const unsigned char client_errors_js[] = {
#embed "../../clients/javascript/view-model-client/errors.js"
};

static const unsigned char client_feed_js[] = {
#embed "../../clients/javascript/view-model-client/feed.js"
};

static const unsigned char client_framing_js[] = {
#embed "../../clients/javascript/view-model-client/framing.js"
};

static const unsigned char client_heartbeat_js[] = {
#embed "../../clients/javascript/view-model-client/heartbeat.js"
};

static const unsigned char client_list_marks_js[] = {
#embed "../../clients/javascript/view-model-client/list-marks.js"
};

static const unsigned char client_list_rows_js[] = {
#embed "../../clients/javascript/view-model-client/list-rows.js"
};

static const unsigned char client_listeners_js[] = {
#embed "../../clients/javascript/view-model-client/listeners.js"
};

static const unsigned char client_lists_js[] = {
#embed "../../clients/javascript/view-model-client/lists.js"
};

static const unsigned char client_outbox_js[] = {
#embed "../../clients/javascript/view-model-client/outbox.js"
};

static const unsigned char client_peer_js[] = {
#embed "../../clients/javascript/view-model-client/peer.js"
};

static const unsigned char client_queue_js[] = {
#embed "../../clients/javascript/view-model-client/queue.js"
};

static const unsigned char client_runtime_js[] = {
#embed "../../clients/javascript/view-model-client/runtime.js"
};

static const unsigned char client_session_js[] = {
#embed "../../clients/javascript/view-model-client/session.js"
};

static const unsigned char client_transports_js[] = {
#embed "../../clients/javascript/view-model-client/transports.js"
};

static const unsigned char client_view_js[] = {
#embed "../../clients/javascript/view-model-client/view.js"
};

static const unsigned char views_js[] = {
#embed "../../clients/web/views.js"
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
    FILE("here.js", here_js),
    FILE("looking.js", looking_js),
    FILE("yours.js", yours_js),
    FILE("ended.js", ended_js),
    // Those of the examples take its place in their executable.
    FILE("examples/views.js", own_views_js),
    FILE("field-row.js", field_row_js),
    FILE("gallery.js", gallery_js),
    FILE("generic-view.js", generic_view_js),
    FILE("history-depth.js", history_depth_js),
    FILE("icon.svg", icon_svg),
    FILE("index.html", index_html),
    FILE("inspector.js", inspector_js),
    FILE("json.js", json_js),
    FILE("kept.js", kept_js),
    FILE("list-table.js", list_table_js),
    FILE("notice.js", notice_js),
    FILE("own-view.js", own_view_js),
    FILE("own/views.js", own_views_js),
    FILE("palette.js", palette_js),
    FILE("pane.js", pane_js),
    FILE("recent-sessions.js", recent_sessions_js),
    FILE("schema-form.js", schema_form_js),
    FILE("screen.js", screen_js),
    FILE("sender.js", sender_js),
    FILE("style.css", style_css),
    FILE("tab-name.js", tab_name_js),
    FILE("unsent.js", unsent_js),
    FILE("view-model-client.js", view_model_client_js),
    FILE("view-model-client/client.js", client_client_js),
    FILE("view-model-client/connection.js", client_connection_js),
    FILE("view-model-client/errors.js", client_errors_js),
    FILE("view-model-client/feed.js", client_feed_js),
    FILE("view-model-client/framing.js", client_framing_js),
    FILE("view-model-client/heartbeat.js", client_heartbeat_js),
    FILE("view-model-client/list-marks.js", client_list_marks_js),
    FILE("view-model-client/list-rows.js", client_list_rows_js),
    FILE("view-model-client/listeners.js", client_listeners_js),
    FILE("view-model-client/lists.js", client_lists_js),
    FILE("view-model-client/outbox.js", client_outbox_js),
    FILE("view-model-client/peer.js", client_peer_js),
    FILE("view-model-client/queue.js", client_queue_js),
    FILE("view-model-client/runtime.js", client_runtime_js),
    FILE("view-model-client/session.js", client_session_js),
    FILE("view-model-client/transports.js", client_transports_js),
    FILE("view-model-client/view.js", client_view_js),
    FILE("views.js", views_js),
    FILE("virtual-list.js", virtual_list_js),
    FILE("wait-sign.js", wait_sign_js),
};

long web_client_file_count(void) {
    return sizeof files / sizeof files[0];
}

struct web_client_file web_client_file(long index) {
    return files[index];
}
