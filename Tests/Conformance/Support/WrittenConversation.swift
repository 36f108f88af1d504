import Testing

/// Messages of a document, exchanged with a server over its standard input and output. A line may begin with "-->" or
/// "<--". Without either, requests and notifications of a client are sent, and all other lines are expected.
///
/// A key of the document means the one that the server made in its place, and an event's `more` isn't compared.
struct WrittenConversation {
    private let server: Program
    /// From the document's to the server's.
    private var keys: [String: String] = [:]
    private var isInitialized = false

    init() throws {
        server = try Program.server("--stdio")
    }

    mutating func run(_ block: Document.Block) throws {
        for (index, line) in block.lines.enumerated() {
            let message = line.hasPrefix("--> ") || line.hasPrefix("<-- ") ? String(line.dropFirst(4)) : line
            if line.hasPrefix("<-- ") || !line.hasPrefix("--> ") && !Self.isClients(message) {
                try expect(message, block)
            } else {
                try send(message)
                let next = block.lines.dropFirst(index + 1).first
                // The answer to `initialize` is long, and may be left out.
                if message.contains(#""initialize""#), !(next?.hasPrefix("<-- ") ?? false) {
                    #expect(Wire.isInitialized(try server.line()))
                }
            }
        }
    }

    /// Expects that the document showed everything that the server sent.
    func end() throws {
        server.closeInput()
        #expect(try server.lines() == [])
    }

    private mutating func send(_ message: String) throws {
        if !isInitialized, !message.contains(#""initialize""#) {
            try server.send(Wire.request(0, "initialize"))
            _ = try server.line()
        }
        isInitialized = true
        try server.send(withActualKeys(message))
    }

    private mutating func expect(_ message: String, _ block: Document.Block) throws {
        let actual = try #require(try server.line()).replacing(#","more":true"#, with: "")
        if let shown = Self.key(of: message), let key = Self.key(of: actual), keys[shown] == nil { keys[shown] = key }
        let expected = withActualKeys(message).replacing(#","more":true"#, with: "")
        #expect(Pattern.matches(expected, actual), "\(block.place)\nshown: \(expected)\n came: \(actual)")
    }

    private func withActualKeys(_ message: String) -> String {
        keys.reduce(message) { $0.replacing($1.key, with: $1.value) }
    }

    private static func key(of message: String) -> String? {
        message.firstMatch(of: #/"key":"([^"]*)"/#).map { String($0.1) }
    }

    /// Whether it is a request, or a notification that only clients send.
    private static func isClients(_ message: String) -> Bool {
        message.contains(#""method":"#) && message.contains(#""id":"#) || message.contains(#""method":"view/event""#)
    }
}
