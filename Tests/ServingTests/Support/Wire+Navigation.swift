extension Wire {
    static func attach(_ id: String, _ key: String, since: Int? = nil) -> String {
        request(id, "session/attach", #"{"key":"\#(key)"\#(since.map { #","since":\#($0)"# } ?? "")}"#)
    }

    static func attached(
        _ id: String, _ session: Int, _ viewModel: String, seq: Int = 0, snapshot: String? = "[]",
        epoch: String = "1", handled: Int? = nil, navigation: String? = nil
    ) -> String {
        let snapshot = snapshot.map { #","snapshot":\#($0)"# } ?? ""
        let navigation = navigation.map { #","navigation":\#($0)"# } ?? ""
        let place = #""session":\#(session),"viewModel":"\#(viewModel)","seq":\#(seq),"epoch":"\#(epoch)""#
        let handled = handled.map { #","handled":\#($0)"# } ?? ""
        return result(id, "{\(place)\(snapshot)\(handled)\(navigation)}")
    }

    static func back(_ id: String, _ session: Int) -> String {
        request(id, "navigation/back", #"{"session":\#(session)}"#)
    }

    /// `navigation/push` or `navigation/present`.
    static func shown(_ kind: String, _ session: Int, _ seq: Int, _ viewModel: String, _ key: String) -> String {
        notification(
            "navigation/\(kind)", #"{"session":\#(session),"seq":\#(seq),"viewModel":"\#(viewModel)","key":"\#(key)"}"#)
    }

    /// `navigation/pop` or `navigation/dismiss`.
    static func takenOff(_ kind: String, _ session: Int, _ seq: Int, _ key: String) -> String {
        notification("navigation/\(kind)", #"{"session":\#(session),"seq":\#(seq),"key":"\#(key)"}"#)
    }

    static func child(_ viewModel: String, _ key: String) -> String {
        #"{"viewModel":"\#(viewModel)","key":"\#(key)"}"#
    }

    static func navigation(_ stack: [String] = [], presented: String? = nil) -> String {
        #"{"stack":[\#(stack.joined(separator: ","))],"presented":\#(presented ?? "null")}"#
    }

    static func seq(_ id: String, _ seq: Int) -> String { result(id, #"{"seq":\#(seq)}"#) }
}
