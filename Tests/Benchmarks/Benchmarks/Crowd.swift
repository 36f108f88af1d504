import Benchmarking

/// Many connections to one program, with a session each.
final class Crowd {
    let child: Child
    private let subject: Subject
    private let port: UInt16
    private let store: BenchmarkStore?
    private(set) var connections: [Connection] = []

    /// - Parameter store: keeps their sessions; it lives as long as they do.
    init(_ subject: Subject, store: BenchmarkStore? = nil) throws {
        self.subject = subject
        self.store = store
        (child, port) = try subject.tcp(store: store)
    }

    func grow(to count: Int) throws {
        while connections.count < count {
            let connection = try Connection(port: port)
            var dialogue = Dialogue(connection)
            _ = try dialogue.open(Counter.name)
            try dialogue.end()
            connections.append(connection)
        }
    }

    /// The growth of the program's memory after the first connection, which sets up what all share: that of one, in KiB.
    func memoryOfEach(of count: Int) throws -> Double {
        try grow(to: 1)
        let before = try child.privateMemory()
        try grow(to: count)
        return Double(try child.privateMemory() - before) / Double(count - 1)
    }

    /// Events for each in turn, so many at a time.
    func load(inFlight: Int) throws -> RoundLoad {
        try RoundLoad(connections, inFlight: inFlight, requests: Counter.requests(Counter.increment))
    }

    /// An event of each, all at once; returns how many were answered.
    func sendOneEach() throws -> Int {
        var load = try load(inFlight: connections.count)
        return try load.run(seconds: 0).events
    }

    /// Whether everybody has got everything.
    func check() throws {
        for connection in connections {
            try Audit.check(connection)
            var dialogue = Dialogue(connection)
            try Audit.check(subject, &dialogue, events: connection.sent)
        }
    }
}

/// The example that is measured: a number that goes up, and a hundred rows.
enum Counter {
    static let name = "counter"
    static let increment = #"{"kind":"increment","by":1}"#
    static let load = #"{"kind":"load"}"#

    /// Requests that send an event to each of so many sessions in turn.
    static func requests(_ event: String, sessions: Int = 1, framing: LoadFraming = .headers) -> RequestRing {
        let params = (1...sessions).map { #"{"session":\#($0),"event":\#(event)}"# }
        return RequestRing(method: "view/event", params: params, framing: framing)
    }
}
