import FoundationEssentials

/// Transcripts that tests write themselves.
enum TranscriptText {
    static let header = #"{"transcript":1,"title":"made by a test"}"#

    static func client(_ message: String, connection: Int = 1, at: Int = 0) -> String {
        line("client", message, connection, at)
    }

    static func server(_ message: String, connection: Int = 1, at: Int = 0) -> String {
        line("server", message, connection, at)
    }

    /// Any answer to `initialize`.
    static let initialized = server(#"{"jsonrpc":"2.0","id":1,"result":{"$match":"object","value":{}}}"#)

    /// A counter that goes from 0 to 2.
    static let counter = [
        header, client(Wire.initialize), initialized, client(Wire.open(2, "counter")),
        server(Wire.result(2, #"{"session":1,"key":"a key","viewModel":"counter"}"#)), server(Wire.count(1, 1, 0)),
        client(Wire.viewEvent(3, 1, #"{"kind":"increment","by":2}"#)), server(Wire.count(1, 2, 2)),
        server(Wire.result(3, #"{"seq":2}"#)), client(Wire.shutdown), server(Wire.result(9, "null")), client(Wire.exit),
    ]

    /// Two connections, one counter.
    static let shared =
        Array(counter[..<6]) + [
            client(Wire.initialize, connection: 2),
            server(#"{"jsonrpc":"2.0","id":1,"result":{"$match":"object","value":{}}}"#, connection: 2),
            client(Wire.request(2, "session/attach", #"{"key":"a key","since":0}"#), connection: 2),
            server(Wire.result(2, #"{"session":1,"viewModel":"counter","seq":1}"#), connection: 2),
            server(Wire.count(1, 1, 0), connection: 2),
        ]

    private static func line(_ side: String, _ message: String, _ connection: Int, _ at: Int) -> String {
        #"{"from":"\#(side)","connection":\#(connection),"at":\#(at),"message":\#(message)}"#
    }
}

extension TemporaryFolder {
    /// Writes a file and returns its path.
    func write(_ lines: [String], to name: String) throws -> String {
        try lines.map { $0 + "\n" }.joined().write(toFile: file(name), atomically: false, encoding: .utf8)
        return file(name)
    }

    func read(_ name: String) throws -> [String] {
        try String(contentsOfFile: file(name), encoding: .utf8).split(separator: "\n").map(String.init)
    }
}

/// The lines of a recorded file, without their times.
struct Transcript: Equatable {
    let header: String
    let lines: [String]

    init(_ path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        // Each line has an end, the last one too.
        if lines.popLast() != "" { throw CocoaError(.fileReadCorruptFile) }
        header = lines.first.map(String.init) ?? ""
        self.lines = lines.dropFirst().map { String($0.replacing(/"at":\d+,/, with: "")) }
    }

    /// The messages of one side, as they are in the file.
    func messages(from side: String, connection: Int = 1) -> [String] {
        let start = "{\"from\":\"\(side)\",\"connection\":\(connection),\"message\":"
        return lines.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count).dropLast()) }
    }

    /// The server's messages as they came: without the matchers that a recording puts into the answer to `initialize`.
    func messagesOfServer(connection: Int = 1) -> [String] {
        messages(from: "server", connection: connection).map { message in
            message.replacing(#/\{"\$match":"(?:string|array)","value":("[^"]*"|\[[^\]]*\])\}/#) { $0.1 }
        }
    }

    static func message(_ side: String, _ message: String, connection: Int = 1) -> String {
        "{\"from\":\"\(side)\",\"connection\":\(connection),\"message\":\(message)}"
    }

    static func end(_ side: String, connection: Int = 1) -> String {
        "{\"from\":\"\(side)\",\"connection\":\(connection),\"end\":true}"
    }
}
