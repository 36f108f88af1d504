package import JSON

/// The conversation before and after a measurement, one request at a time. Here messages are parsed.
package struct Dialogue {
    /// The program didn't do what a client may expect.
    package struct Broken: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    private let connection: Connection
    private var bytes: [UInt8] = []
    private var id = 0
    private var notifications = 0

    /// Is given the message of a notification, and when it came, by `Clock`.
    package typealias Listener = (_ message: JSONValue, _ arrival: Int) -> Void

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Sends `initialize`.
    ///
    /// - Parameter token: nil for a server that lets everybody in.
    package mutating func initialize(token: String? = nil) throws {
        try request("initialize", token.map { #"{"token":"\#($0)"}"# } ?? "{}") { _ in }
    }

    /// Initializes and opens a session. Returns its key, which the limit doesn't have.
    package mutating func open(_ viewModel: String, arguments: String = "{}") throws -> String? {
        try initialize()
        let params = #"{"viewModel":"\#(viewModel)","arguments":\#(arguments)}"#
        let key = try request("session/open", params) { $0.member("key")?.string() }
        // The view model's event on start. The limit has sent one by now, too.
        while notifications == 0 { try take { _, _ in } }
        return key
    }

    /// Opens a further session, and takes its events on start, of which it has so many.
    package mutating func openAnother(
        _ viewModel: String, arguments: String = "{}", events: Int = 1, listener: Listener = { _, _ in }
    ) throws {
        let due = notifications + events
        let params = #"{"viewModel":"\#(viewModel)","arguments":\#(arguments)}"#
        try request("session/open", params, listener: listener) { _ in }
        while notifications < due { try takeNotification(listener) }
    }

    /// Asks for rows of a list, and returns how many came.
    package mutating func rows(of list: String, first: Int, count: Int) throws -> Int {
        try request("session/rows", #"{"session":1,"list":"\#(list)","first":\#(first),"count":\#(count)}"#) { result in
            var count = 0
            result.member("rows")?.forEachElement { _ in count += 1 }
            return count
        }
    }

    /// Initializes, and attaches to a session that has sent so many events.
    package mutating func attach(_ key: String?, since number: Int = 1) throws {
        try initialize()
        try request("session/attach", #"{"key":"\#(key ?? "")","since":\#(number)}"#) { _ in }
    }

    /// Sends one event and returns the session's newest number, which the limit makes up.
    package mutating func event(
        session: Int = 1, _ event: String, listener: Listener = { _, _ in }
    ) throws -> Int? {
        try request("view/event", #"{"session":\#(session),"event":\#(event)}"#, listener: listener) {
            $0.member("seq")?.integer(as: Int.self)
        }
    }

    /// Sends the same event several times in one write, and waits for all answers.
    package mutating func events(_ event: String, count: Int) throws {
        try requests("view/event", #"{"session":1,"event":\#(event)}"#, count: count)
    }

    /// Opens further sessions, so many in one write, and waits for all answers.
    package mutating func openOthers(_ viewModel: String, count: Int) throws {
        try requests("session/open", #"{"viewModel":"\#(viewModel)"}"#, count: count)
    }

    private mutating func requests(_ method: String, _ params: String, count: Int) throws {
        let frames = (0..<count).flatMap { _ in
            id += 1
            return connection.framing.frame(
                #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#)
        }
        try frames.withUnsafeBytes { try connection.output.write($0) }
        var answers = 0
        while answers < count { try take { message, _ in if message.member("result") != nil { answers += 1 } } }
    }

    /// Waits for a message that is no answer.
    package mutating func takeNotification(_ listener: Listener = { _, _ in }) throws {
        let before = notifications
        while notifications == before { try take(listener) }
    }

    /// Waits for the answer; what comes before is counted.
    @discardableResult
    private mutating func request<Result>(
        _ method: String, _ params: String, listener: Listener = { _, _ in }, _ read: (JSONValue) -> Result
    ) throws -> Result {
        id += 1
        let body = #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
        try connection.framing.frame(body).withUnsafeBytes { try connection.output.write($0) }
        var result: Result?
        while result == nil {
            try take { message, arrival in
                if message.member("id") == nil { return listener(message, arrival) }
                guard let value = message.member("result") else {
                    throw Broken("\(method) was answered \(String(decoding: message.text, as: UTF8.self))")
                }
                result = read(value)
            }
        }
        guard let result else { throw Broken("\(method) wasn't answered") }
        return result
    }

    /// Takes one message.
    private mutating func take(_ body: (_ message: JSONValue, _ arrival: Int) throws -> Void) throws {
        while true {
            if let message = try connection.framing.takeMessage(from: &bytes) {
                let arrival = Clock.now()
                try message.withUnsafeBytes { bytes in
                    let value = try JSONValue(validating: bytes)
                    if value.member("id") == nil { notifications += 1 }
                    try body(value, arrival)
                }
                return
            }
            try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 1) { chunk in
                guard let address = chunk.baseAddress else { return }
                let count = try connection.read(into: address, count: chunk.count)
                bytes += chunk[..<count]
            }
        }
    }

    /// Nothing came that wasn't waited for.
    package func end() throws {
        guard bytes.isEmpty else {
            throw Broken("there came more than was asked for: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
        }
    }
}
