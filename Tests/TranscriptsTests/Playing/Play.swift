import JSON
import Testing
import Transcripts

/// A play in a test, with a short notation for the lines of a transcript and the actions of a player.
///
/// A line of a transcript is `> {…}` for the client's and `< {…}` for the server's, with a connection other than 1 and
/// a time in front: `2>@50 {…}`. What isn't a message is `text …`, `unframed …` or `end`. The first one is line 2, as
/// in a file.
final class Play {
    let lines: [String]
    var player: Player

    init(_ text: String, as side: TranscriptSide = .client, _ configure: (inout Player.Options) -> Void = { _ in })
        throws
    {
        lines = text.split(separator: "\n").map(Self.line)
        var options = Player.Options(side: side)
        configure(&options)
        player = Player(try Self.reader(lines), options)
    }

    static func reader(_ lines: [String]) throws -> TranscriptReader {
        let header = #"{"transcript":1,"title":"a play"}"#
        return try TranscriptReader(path: "a.jsonl", text: ([header] + lines).joined(separator: "\n") + "\n")
    }

    func advance(to time: Int = 0) throws -> [String] { try player.advance(to: time).map(Self.describe) }

    func receive(_ text: String, on connection: Int = 1) throws -> [String] {
        try player.receive(Self.content(text), on: connection).map(Self.describe)
    }

    func receiveNothing() throws -> [String] { try player.receiveNothing().map(Self.describe) }

    /// The failure with which the play ends when this comes.
    func failure(receiving text: String, on connection: Int = 1) throws -> PlayerFailure {
        guard case .fail(let failure) = try player.receive(Self.content(text), on: connection).last else {
            throw NoFailure()
        }
        return failure
    }

    func updated() -> [String] { player.updated().map(Self.describe) }

    struct NoFailure: Error {}

    static func content(_ text: String) -> TranscriptEntry.Content {
        if text == "end" { return .end }
        if text.hasPrefix("text ") { return .text(String(text.dropFirst(5))) }
        if text.hasPrefix("unframed ") { return .unframed(String(text.dropFirst(9))) }
        let message = Array(text.utf8).withUnsafeBytes { try? JSONText(validating: $0) }
        return message.map { .message($0) } ?? .text(text)
    }

    /// The line of a file for a short line; any other text as it is.
    static func line(_ text: some StringProtocol) -> String {
        guard let arrow = text.firstIndex(where: { $0 == ">" || $0 == "<" }), let space = text.firstIndex(of: " "),
            arrow < space, !text.hasPrefix("{")
        else { return String(text) }
        let content = text[text.index(after: space)...]
        let time = text[text.index(after: arrow)..<space].dropFirst()
        let members =
            switch Self.content(String(content)) {
            case .end: #""end":true"#
            case .text(let text): #""text":\#(JSONText { $0.string(text) })"#
            case .unframed(let text): #""unframed":\#(JSONText { $0.string(text) })"#
            case .message: #""message":\#(content)"#
            }
        let from = text[arrow] == ">" ? "client" : "server"
        let connection = text[..<arrow].isEmpty ? "1" : String(text[..<arrow])
        return #"{"from":"\#(from)","connection":\#(connection),"at":\#(time.isEmpty ? "0" : time),\#(members)}"#
    }

    static func describe(_ entry: TranscriptEntry) -> String {
        let connection = entry.connection == 1 ? "" : "\(entry.connection)"
        let time = entry.at == 0 ? "" : "@\(entry.at)"
        return "\(connection)\(entry.from == .client ? ">" : "<")\(time) \(describe(entry.content))"
    }

    private static func describe(_ content: TranscriptEntry.Content) -> String {
        switch content {
        case .message(let message): message.description
        case .text(let text): "text \(text)"
        case .unframed(let text): "unframed \(text)"
        case .end: "end"
        }
    }

    private static func describe(_ action: Player.Action) -> String {
        switch action {
        case .connect(let connection): "connect \(connection)"
        case .send(let content, let connection): "\(connection == 1 ? "" : "\(connection) ")\(describe(content))"
        case .end(let connection): "end \(connection)"
        case .wait(let time): "wait \(time)"
        case .fail(let failure):
            "line \(failure.line)\(failure.difference.map { " \($0)" } ?? ""): \(failure.reason)"
        case .finish: "finish"
        }
    }
}
