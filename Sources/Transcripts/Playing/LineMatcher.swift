import JSON
import JSONRPC

/// Matches received content against the expected lines of a play.
struct LineMatcher {
    /// Connections whose unframed bytes were redacted in the transcript.
    private var redacted: Set<Int> = []

    /// Finds the line that received content matches, and marks it as done.
    ///
    /// - Returns: nil if the content was expected.
    /// - Throws: `TranscriptError` if a line that had to be read in the search is invalid.
    mutating func match(
        _ content: TranscriptEntry.Content, on connection: Int, in play: inout PlayState
    ) throws(TranscriptError) -> PlayerFailure? {
        switch content {
        case .end: matchEnd(of: connection, in: &play)
        case .unframed(let text): matchUnframed(text, on: connection, in: &play)
        case .message, .text: try matchMessage(content, on: connection, in: &play)
        }
    }

    private func matchMessage(
        _ content: TranscriptEntry.Content, on connection: Int, in play: inout PlayState
    ) throws(TranscriptError) -> PlayerFailure? {
        let shape = ContentShape(content)
        let stream = play.correlation.sort(shape, line: play.window.end, on: connection).stream
        var expected = expectedLine(for: shape, in: stream, on: connection, play)
        while expected == nil, try play.window.readFurther() {
            expected = expectedLine(for: shape, in: stream, on: connection, play)
        }
        guard let index = expected else { return unexpected(content, on: connection, in: &play) }
        return match(content, with: index, in: &play)
    }

    private func match(
        _ content: TranscriptEntry.Content, with index: Int, in play: inout PlayState
    ) -> PlayerFailure? {
        let line = play.window[index]
        if let first = play.window.streams.first(line.stream), first != index {
            let entry = play.window[first].entry
            return play.failure(
                at: first, "line \(entry.line) was expected first, and the answer of line \(line.entry.line) came",
                expected: entry.content.text, actual: content.text)
        }
        let difference = compare(line, with: content, in: &play)
        if let cause = line.cause, cause >= play.window.nextPlayed, !waitsOnlyForItsTime(cause, play) {
            let number = play.window[cause].entry.line
            guard difference == nil else {
                return unexpected(content, on: line.entry.connection, before: number, in: &play)
            }
            return play.failure(
                at: index, "this came before line \(number) was sent", expected: line.entry.content.text,
                actual: content.text)
        }
        if let difference {
            return play.failure(
                at: index, difference.reason, difference.pointer == .root ? nil : difference.pointer,
                expected: line.entry.content.text, actual: content.text)
        }
        play.window.markDone(index)
        return nil
    }

    /// Whether a line isn't sent yet only because its time hasn't come. Then the other side is merely faster than it was in the
    /// recording.
    private func waitsOnlyForItsTime(_ index: Int, _ play: PlayState) -> Bool {
        guard play.options.isPaced else { return false }
        return !(play.window.start..<index).contains { !play.window[$0].isDone && !play.isPlayed(play.window[$0]) }
    }

    /// Returns the index of the line that a message must match; nil if none is expected.
    private func expectedLine(
        for shape: ContentShape, in stream: MessageStream, on connection: Int, _ play: PlayState
    ) -> Int? {
        let isClient = play.options.side == .client
        if isClient, let line = play.lineAnswering(shape, on: connection) { return line }
        if isClient, case .batch = shape { return nil }
        let streams = play.window.streams
        if let line = streams.first(stream) { return line }
        // The transcript may have a matcher in the member that decides the stream.
        guard isClient, case .message(let message) = shape else { return nil }
        if message.kind == .answer { return streams.first(.rest(connection: connection)) }
        return message.method.flatMap { streams.first(.method($0, connection: connection)) }
            ?? streams.first(.anyMethod(connection: connection))
    }

    /// Compares content with a line, and adopts the bindings if they match.
    ///
    /// - Returns: nil if they match.
    private func compare(
        _ line: TranscriptLine, with content: TranscriptEntry.Content, in play: inout PlayState
    ) -> Difference? {
        do throws(Difference) {
            play.bindings.formUnion(try play.bindings(from: line, and: content))
            return nil
        } catch {
            return error
        }
    }

    /// Matches unframed bytes. They are split differently in each play, so they are compared across lines.
    private mutating func matchUnframed(
        _ text: String, on connection: Int, in play: inout PlayState
    ) -> PlayerFailure? {
        var rest = text.utf8[...]
        while !rest.isEmpty {
            guard let index = play.window.streams.first(.rest(connection: connection)) else {
                return redacted.contains(connection) ? nil : unexpected(.unframed(text), on: connection, in: &play)
            }
            guard case .unframed(let expected) = play.window[index].entry.content else {
                return play.failure(
                    at: index, "expected a message but bytes without framing came",
                    expected: play.window[index].entry.content.text, actual: text)
            }
            if expected == "\(TranscriptEntry.redacted)" {
                redacted.insert(connection)
                play.window.markDone(index)
                return nil
            }
            let missing = expected.utf8.dropFirst(play.window[index].comeBytes)
            let count = min(rest.count, missing.count)
            guard rest.prefix(count).elementsEqual(missing.prefix(count)) else {
                return play.failure(at: index, "other bytes came", expected: expected, actual: text)
            }
            play.window[index].comeBytes += count
            rest = rest.dropFirst(count)
            if count == missing.count { play.window.markDone(index) }
        }
        return nil
    }

    private func matchEnd(of connection: Int, in play: inout PlayState) -> PlayerFailure? {
        guard play.ended.insert(connection).inserted else { return nil }
        let expectedEnd = play.window.ends.first(connection)
        if let expectedEnd { play.window.markDone(expectedEnd) }
        for index in play.window.start..<play.window.end where !play.window[index].isDone {
            let line = play.window[index]
            if line.isExpected(from: play.checkedSide, on: connection) { return play.missing(index) }
            guard line.entry.connection == connection else { continue }
            if line.entry.content != .end, index < expectedEnd ?? .max {
                return play.failure(
                    at: index, "the connection ended before line \(line.entry.line) was sent",
                    expected: line.entry.content.text)
            }
        }
        return nil
    }

    private func unexpected(
        _ content: TranscriptEntry.Content, on connection: Int, before number: Int? = nil, in play: inout PlayState
    ) -> PlayerFailure {
        let window = play.window
        // For a client under test, the report shows the message that the client should have sent.
        let other = (window.start..<window.end).first { window[$0].isExpected(from: .client, on: connection) }
        if play.options.side == .server, let other {
            return play.failure(
                at: other, "something else was expected", expected: window[other].entry.content.text,
                actual: content.text)
        }
        let reason = number.map { "nothing more was expected before line \($0) is sent" } ?? "nothing more was expected"
        var failure = play.failure(at: window.start - 1, reason, actual: content.text)
        failure.line = window.number(before: window.start)
        return failure
    }
}
