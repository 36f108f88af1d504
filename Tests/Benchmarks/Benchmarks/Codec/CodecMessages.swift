/// What goes over the wire, as both codecs see it.
enum CodecMessages {
    enum ViewEvent: Codable {
        case increment(by: Int)
        case reset
    }

    enum ViewModelEvent: Codable {
        case count(Int)
        case rows([Row])
    }

    struct Row: Codable {
        var id: Int
        var name: String
        var status: String
        var total: Double
    }

    struct Request: Codable {
        struct Params: Codable {
            var session: Int
            var event: ViewEvent
        }

        var jsonrpc = "2.0"
        var id = 123_456
        var method = "view/event"
        var params = Params(session: 1, event: CodecMessages.increment)
    }

    struct Notification: Encodable {
        struct Params: Encodable {
            var session = 1
            var seq = 123_456
            var event = CodecMessages.count
        }

        var jsonrpc = "2.0"
        var method = "viewModel/event"
        var params = Params()
    }

    static let increment = ViewEvent.increment(by: 1)
    static let count = ViewModelEvent.count(123_456)
    static let loaded = ViewModelEvent.rows(rows)
    static let rows = (0..<100).map { Row(id: $0, name: "Order #\($0)", status: "shipped", total: 123.45) }
}
