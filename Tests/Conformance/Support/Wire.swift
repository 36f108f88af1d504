/// Messages as they are on the wire, to be compared byte by byte.
enum Wire {
    static let initialize = request(1, "initialize")
    static let shutdown = request(9, "shutdown")
    static let exit = notification("exit")

    static func request(_ id: Int, _ method: String, _ params: String? = nil) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"\#(params.map { #","params":\#($0)"# } ?? "")}"#
    }

    static func notification(_ method: String, _ params: String? = nil) -> String {
        #"{"jsonrpc":"2.0","method":"\#(method)"\#(params.map { #","params":\#($0)"# } ?? "")}"#
    }

    static func result(_ id: Int, _ result: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
    }

    static func open(_ id: Int, _ viewModel: String, _ arguments: String = "{}") -> String {
        request(id, "session/open", #"{"viewModel":"\#(viewModel)","arguments":\#(arguments)}"#)
    }

    static func viewEvent(_ id: Int, _ session: Int, _ event: String) -> String {
        request(id, "view/event", #"{"session":\#(session),"event":\#(event)}"#)
    }

    static func viewModelEvent(_ session: Int, _ seq: Int, _ event: String) -> String {
        notification("viewModel/event", #"{"session":\#(session),"seq":\#(seq),"event":\#(event)}"#)
    }

    static func count(_ session: Int, _ seq: Int, _ count: Int) -> String {
        viewModelEvent(session, seq, #"{"kind":"count","value":\#(count)}"#)
    }

    static func closed(_ session: Int, _ reason: String) -> String {
        notification("session/closed", #"{"session":\#(session),"reason":"\#(reason)"}"#)
    }

    /// Whether a line is the good answer to `initialize`.
    static func isInitialized(_ line: String?) -> Bool {
        line?.hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"1.2","#) ?? false
    }
}
