/// Short ways to write messages in tests.
enum Wire {
    static func request(_ id: String, _ method: String, _ params: String? = nil) -> String {
        let params = params.map { #","params":\#($0)"# } ?? ""
        return #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"\#(params)}"#
    }

    static func notification(_ method: String, _ params: String? = nil) -> String {
        let params = params.map { #","params":\#($0)"# } ?? ""
        return #"{"jsonrpc":"2.0","method":"\#(method)"\#(params)}"#
    }

    static func result(_ id: String, _ result: String = "null") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
    }

    /// The answer to a `ping` while the store can't be used, for this reason.
    static func storeTrouble(_ id: String, _ reason: String?) -> String {
        result(id, #"{"storeUnavailable":"the store can't be used: \#(reason ?? "")"}"#)
    }

    static func open(_ id: String, _ viewModel: String, _ arguments: String = "{}") -> String {
        request(id, "session/open", #"{"viewModel":"\#(viewModel)","arguments":\#(arguments)}"#)
    }

    static func opened(
        _ id: String, _ session: Int, _ key: String, _ viewModel: String, epoch: String = "1"
    ) -> String {
        result(id, #"{"session":\#(session),"key":"\#(key)","viewModel":"\#(viewModel)","epoch":"\#(epoch)"}"#)
    }

    static func viewEvent(_ id: String, _ session: Int, _ event: String, _ more: String = "") -> String {
        request(id, "view/event", #"{"session":\#(session),"event":\#(event)\#(more)}"#)
    }

    static func event(_ session: Int, _ seq: Int, _ event: String, more: Bool = false) -> String {
        let more = more ? #","more":true"# : ""
        return notification("viewModel/event", #"{"session":\#(session),"seq":\#(seq),"event":\#(event)\#(more)}"#)
    }

    /// The probe's event `one(value)`.
    static func one(_ session: Int, _ seq: Int, _ value: Int, more: Bool = false) -> String {
        event(session, seq, #"{"kind":"one","value":\#(value)}"#, more: more)
    }

    static func closed(_ session: Int, _ reason: String) -> String {
        notification("session/closed", #"{"session":\#(session),"reason":"\#(reason)"}"#)
    }

    static func logMessage(_ type: Int, _ message: String) -> String {
        notification("window/logMessage", #"{"type":\#(type),"message":"\#(message)"}"#)
    }
}
