import JSON
package import Transcripts

/// A story of what a client must do in one situation: what its user does, what the server sends, what the client must send, and
/// what its user must see.
///
/// Stories are in files with one JSON object per line. A line with `"story"` begins a story. Its other lines are those of
/// transcripts (`from`, `connection`, and `message` or `end`), and these:
///
/// * `{"do":"send","view":"a",…}`: something that the user does; the command goes to the driver.
/// * `{"sees":{"a":{…}}}`: the views that the driver must finally report when it is told to `look`.
/// * `{"server":"away"}` and `{"server":"back"}`: between these, connections are closed as soon as they are made.
/// * `{"tries":5,"notBeforeMs":1000}`: the client has tried to connect five times since the server went away, and the fifth
///   attempt came no earlier than 1,000 ms after that.
/// * `{"server":"silent"}`: from here on, the server answers only messages that a line names, on the connections so far.
/// * `{"answers":{…},"with":{"result":…}}`: from here on, the client may send such a request, and gets this answer.
///
/// If a message of the server has `"end":true`, half of it is sent, and then the connection ends.
///
/// `"connection":"any"` stands for any connection in a message of the client, and from then on for the connection on which that
/// message came: a client may come back on the same connection or on another.
///
/// A message of the client must have the members of its line, and may have others. See `Pattern`.
package struct Story: Sendable {
    /// The name on the command line, such as "numbers".
    package let name: String
    /// The rule, as a sentence.
    package let title: String
    /// The answer to `initialize`, unless the story has its own.
    let hello: JSONText
    let lines: [StoryLine]
    let file: StoryFile
    /// The number of the story's first line in the file.
    let start: Int

    /// The story's lines, as they are in the file.
    package var text: String { file.text(from: start, through: lines.last?.number ?? start) }
}

/// The text of a file of stories, for reports.
final class StoryFile: Sendable {
    let path: String
    private let lines: [Substring]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Returns the lines around the one with this number, which counts from 1.
    func lines(around number: Int) -> [PlayerFailure.Line] {
        let first = max(1, number - PlayerFailure.linesAround)
        let last = min(lines.count, number + PlayerFailure.linesAround)
        guard first <= last else { return [] }
        return (first...last).map { PlayerFailure.Line(number: $0, text: String(lines[$0 - 1].prefix(1_000))) }
    }

    func text(from first: Int, through last: Int) -> String {
        lines[first - 1..<last].joined(separator: "\n")
    }

    var numbered: [(number: Int, text: String)] { lines.enumerated().map { ($0 + 1, String($1)) } }
}

/// One line of a story.
struct StoryLine: Sendable {
    enum Content: Sendable {
        /// A command for the driver.
        case act(JSONText)
        /// A pattern of the views that the driver must report.
        case sees(JSONText)
        /// A pattern of a message that the client must send.
        case expected(JSONText, connection: Int)
        /// The client must end a connection.
        case expectedEnd(connection: Int)
        /// A message that the server sends.
        case sent(JSONText, connection: Int)
        /// The server ends a connection.
        case cut(connection: Int)
        /// The server ends a connection in the middle of a message.
        case sentHalf(JSONText, connection: Int)
        /// Whether the server accepts connections.
        case door(isOpen: Bool)
        /// The client must try to connect this many times while the server is away. The last attempt must not come earlier than
        /// this, counted from when the server went away.
        case tries(Int, notBefore: Duration)
        /// From here on, the server answers only messages that a line names, on all connections so far.
        case silence
        /// A request that the client may send from here on, and its answer without the id.
        case standing(request: JSONText, answer: JSONText)
    }

    /// Stands for the connection of the last message that was expected on any connection.
    static let anyConnection = 0

    /// The line's number in the file, from 1.
    let number: Int
    let content: Content
}

extension Story {
    /// Returns the stories of a file.
    ///
    /// - Parameter path: the file's path, for errors and reports.
    /// - Throws: `TranscriptError` for a line that isn't valid in a story.
    package static func all(in text: String, path: String) throws(TranscriptError) -> [Story] {
        let file = StoryFile(path: path, text: text)
        var reader = StoryReader(file: file)
        for (number, text) in file.numbered where !text.allSatisfy(\.isWhitespace) {
            try reader.take(text, number)
        }
        return reader.finish()
    }
}

extension Story {
    /// Returns the simulated server's answer to `initialize`.
    static func hello(hosts: [String], isDurable: Bool, rows: Int = 1_000) -> JSONText {
        JSONText { writer in
            writer.literal(#"{"protocolVersion":"1.2","serverInfo":{"name":"conform","version":"1"},"capabilities":"#)
            writer.literal(#"{"viewModels":["#)
            for host in hosts {
                writer.beginObject()
                writer.key("name")
                writer.string(host)
                writer.endObject()
            }
            writer.literal(#"],"resume":true,"durable":"#)
            writer.literal(isDurable ? "true" : "false")
            writer.literal(#"},"limits":{"messageBytes":16777216,"sessions":1024,"pendingEvents":4096,"#)
            writer.literal(#""replayEvents":1024,"rows":"#)
            writer.integer(rows)
            writer.literal(#","rowBytes":1048576}}"#)
        }
    }
}

/// Collects the lines of stories.
private struct StoryReader {
    let file: StoryFile
    private var stories: [Story] = []
    private var header: JSONText?
    private var start = 1
    private var lines: [StoryLine] = []

    init(file: StoryFile) {
        self.file = file
    }

    mutating func take(_ text: String, _ number: Int) throws(TranscriptError) {
        let line: JSONText
        do throws(JSONError) {
            let bytes = Array(text.utf8)
            line = try bytes.withUnsafeBytes { bytes in
                Result { () throws(JSONError) in try JSONText(validating: bytes) }
            }.get()
        } catch {
            throw self.error(number, "not JSON: \(error)")
        }
        let isHeader = line.withValue { $0.member("story") != nil }
        if isHeader {
            takeStory()
            try check(header: line, number)
            header = line
            start = number
        } else {
            guard header != nil else { throw error(number, "a story begins with a line that has \"story\"") }
            lines.append(StoryLine(number: number, content: try content(of: line, number)))
        }
    }

    mutating func finish() -> [Story] {
        takeStory()
        return stories
    }

    private mutating func takeStory() {
        guard let header else { return }
        stories.append(
            header.withValue { header in
                Story(
                    name: header.member("story")?.string() ?? "", title: header.member("title")?.string() ?? "",
                    hello: Self.hello(header), lines: lines, file: file, start: start)
            })
        lines = []
        self.header = nil
    }

    private func check(header: JSONText, _ number: Int) throws(TranscriptError) {
        let isWhole = header.withValue { header in
            header.member("story")?.string()?.isEmpty == false && header.member("title")?.string() != nil
        }
        guard isWhole else { throw error(number, "\"story\" is the story's name, and \"title\" its rule") }
    }

    /// Returns the answer to `initialize` from a story's header: `hosts` are the view models, and `durable` tells whether the
    /// server has a store.
    private static func hello(_ header: JSONValue) -> JSONText {
        Story.hello(
            hosts: header.member("hosts")?.strings ?? ["counter"],
            isDurable: header.member("durable")?.boolean() ?? false)
    }

    private func content(of line: JSONText, _ number: Int) throws(TranscriptError) -> StoryLine.Content {
        let content = line.withValue { (line) -> StoryLine.Content? in
            if let command = line.member("do")?.string() {
                return Self.commands.contains(command) ? .act(JSONText(line)) : nil
            }
            if let seen = line.member("sees"), seen.kind == .object { return .sees(JSONText(seen)) }
            switch line.member("server")?.string() {
            case "away"?: return .door(isOpen: false)
            case "back"?: return .door(isOpen: true)
            case "silent"?: return .silence
            default: break
            }
            if let count: Int = line.member("tries")?.integer(), count > 0,
                let earliest: Int = line.member("notBeforeMs")?.integer()
            {
                return .tries(count, notBefore: .milliseconds(earliest))
            }
            if let request = line.member("answers"), let answer = line.member("with") {
                return .standing(request: JSONText(request), answer: JSONText(answer))
            }
            guard let connection = Self.connection(line.member("connection")) else { return nil }
            let message = line.member("message").map { JSONText($0) }
            let isEnd = line.member("end")?.boolean() == true
            switch (line.member("from")?.string(), message) {
            case ("client", let message?): return .expected(message, connection: connection)
            case ("client", nil) where isEnd: return .expectedEnd(connection: connection)
            case ("server", let message?) where isEnd: return .sentHalf(message, connection: connection)
            case ("server", let message?): return .sent(message, connection: connection)
            case ("server", nil) where isEnd: return .cut(connection: connection)
            default: return nil
            }
        }
        guard let content else {
            let known = "\"do\", \"sees\", \"server\", \"tries\", \"answers\", or \"from\" with \"message\" or \"end\""
            throw error(number, "a line of a story has \(known)")
        }
        switch content {
        case .expected(let pattern, _), .sees(let pattern), .standing(let pattern, _):
            do throws(InvalidMatcher) {
                try pattern.withValue { (pattern) throws(InvalidMatcher) in try Pattern.check(pattern) }
            } catch {
                throw self.error(number, error.reason)
            }
        default: break
        }
        return content
    }

    /// The commands of drivers that stories may contain; `connect` and `look` come from the runner and the player.
    private static let commands: Set = ["open", "attach", "send", "back", "detach", "close", "leave", "show", "select"]

    private static func connection(_ value: JSONValue?) -> Int? {
        guard let value else { return 1 }
        return value.isString("any") ? StoryLine.anyConnection : value.integer()
    }

    private func error(_ line: Int, _ reason: String) -> TranscriptError {
        TranscriptError(path: file.path, line: line, reason: reason)
    }
}

extension JSONValue {
    fileprivate var strings: [String] {
        var strings: [String] = []
        forEachElement { if let string = $0.string() { strings.append(string) } }
        return strings
    }
}
