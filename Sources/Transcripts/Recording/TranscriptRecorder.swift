import JSON

/// Makes the lines of a transcript from the bytes of its connections. Does no I/O: the same bytes at the same times give the
/// same transcript.
///
/// The header names the server, so all lines are held back until the server's first answer, up to a limit.
package struct TranscriptRecorder {
    /// The number of lines at which they are held back no longer.
    package static let heldLines = 1_000
    /// The number of bytes of lines at which they are held back no longer.
    package static let heldBytes = 1 << 20

    /// One side of a connection.
    private struct Place: Hashable {
        let connection: Int
        let side: TranscriptSide
    }

    private struct Flow {
        var decoder = ContentDecoder()
        var hasEnded = false
    }

    /// The lines to write next.
    package private(set) var output: [UInt8] = []
    private var header: TranscriptHeader
    /// Lines that are held back; nil once the header is written.
    private var held: (lines: Int, bytes: [UInt8])? = (0, [])
    private var redaction: Redaction?
    private var flows: [Place: Flow] = [:]

    /// Makes a recorder.
    ///
    /// - Parameter header: the header to write. The server's first answer completes it.
    package init(header: TranscriptHeader, redacts: Bool = false) {
        self.header = header
        redaction = redacts ? Redaction() : nil
    }

    /// Adds bytes that a side has sent.
    ///
    /// - Parameter at: milliseconds since the transcript began.
    package mutating func pass(
        _ bytes: UnsafeRawBufferPointer, from side: TranscriptSide, on connection: Int, at: Int
    ) {
        let place = Place(connection: connection, side: side)
        // Taken out of the dictionary, so that the decoder's buffer has one owner and isn't copied.
        var flow = flows.removeValue(forKey: place) ?? Flow()
        flow.decoder.decode(bytes) { add($0, at: at, place) }
        flows[place] = flow
    }

    /// Adds that the side sends nothing more on this connection.
    package mutating func end(_ side: TranscriptSide, on connection: Int, at: Int) {
        let place = Place(connection: connection, side: side)
        var flow = flows.removeValue(forKey: place) ?? Flow()
        if !flow.hasEnded { flow.decoder.finish { add($0, at: at, place) } }
        flow.hasEnded = true
        flows[place] = flow
    }

    /// Closes a connection. For a side that hasn't ended, incomplete content is added, but no `end`.
    package mutating func close(_ connection: Int, at: Int) {
        for side in TranscriptSide.allCases {
            let place = Place(connection: connection, side: side)
            guard var flow = flows.removeValue(forKey: place), !flow.hasEnded else { continue }
            flow.decoder.finish { if $0 != .end { add($0, at: at, place) } }
        }
    }

    /// Ends the transcript.
    ///
    /// - Parameter keepsIncomplete: whether incomplete content is added, as `close` does.
    package mutating func finish(at: Int, keepsIncomplete: Bool = true) {
        if keepsIncomplete {
            for connection in Set(flows.keys.map(\.connection)).sorted() { close(connection, at: at) }
        }
        release()
    }

    package mutating func takeOutput() -> [UInt8] {
        defer { output.removeAll(keepingCapacity: output.count <= Self.heldBytes) }
        return output
    }

    private mutating func add(_ content: TranscriptEntry.Content, at: Int, _ place: Place) {
        let isAnswer = held != nil && place.side == .server && takeAnswer(content)
        let redacted = redaction?.redact(content) ?? content
        let kept = place.side == .server ? Self.loosened(redacted) : redacted
        let line = TranscriptEncoder.encode(
            TranscriptEntry(from: place.side, connection: place.connection, at: at, content: kept))
        guard held != nil else { return output.append(contentsOf: line) }
        held?.lines += 1
        held?.bytes.append(contentsOf: line)
        if let held, isAnswer || held.lines >= Self.heldLines || held.bytes.count >= Self.heldBytes { release() }
    }

    /// Returns an answer to `initialize` with matchers for what changes with each release of a server: its version, and the
    /// lists of its view models and children. Returns other content as it is.
    private static func loosened(_ content: TranscriptEntry.Content) -> TranscriptEntry.Content {
        guard case .message(let message) = content else { return content }
        let loose = message.withValue { value -> JSONText? in
            guard let result = value.member("result"), let info = result.member("serverInfo") else { return nil }
            var edits = Edits(of: value)
            if let version = info.member("version"), version.kind == .string { edits.loosen(version) }
            for name in ["viewModels", "children"] as [StaticString] {
                guard let list = result.member("capabilities")?.member(name), list.kind == .array else { continue }
                edits.loosen(list)
            }
            return edits.applied()
        }
        return loose.map { .message($0) } ?? content
    }

    private mutating func release() {
        guard let held else { return }
        output.append(contentsOf: TranscriptEncoder.encode(header))
        output.append(contentsOf: held.bytes)
        self.held = nil
    }

    /// Completes the header from an answer that names the server.
    ///
    /// - Returns: whether the content is or contains an answer.
    private mutating func takeAnswer(_ content: TranscriptEntry.Content) -> Bool {
        guard case .message(let message) = content else { return false }
        return message.withValue { value in
            var isAnswer = takeAnswer(value)
            value.forEachElement { if takeAnswer($0) { isAnswer = true } }
            return isAnswer
        }
    }

    private mutating func takeAnswer(_ message: JSONValue) -> Bool {
        guard let result = message.member("result") else { return message.member("error") != nil }
        if let info = result.member("serverInfo"), let name = info.member("name")?.string() {
            header.server = [name, info.member("version")?.string()].compactMap { $0 }.joined(separator: " ")
        }
        header.protocolVersion = result.member("protocolVersion")?.string() ?? header.protocolVersion
        return true
    }
}
