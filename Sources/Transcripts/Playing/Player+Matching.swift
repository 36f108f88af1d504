import JSON
import JSONRPC

/// What comes, held against what is expected.
extension Player {
    /// Nil when it is what was expected.
    mutating func match(
        _ content: TranscriptEntry.Content, on connection: Int
    ) throws(TranscriptError) -> PlayerFailure? {
        switch content {
        case .end: matchEnd(of: connection)
        case .unframed(let text): matchUnframed(text, on: connection)
        case .message, .text: try matchMessage(content, on: connection)
        }
    }

    private mutating func matchMessage(
        _ content: TranscriptEntry.Content, on connection: Int
    ) throws(TranscriptError) -> PlayerFailure? {
        let shape = ContentShape(content)
        let stream = correlation.sort(shape, line: script.end, on: connection).stream
        var expected = expectedLine(for: shape, in: stream, on: connection)
        while expected == nil, try script.readFurther() {
            expected = expectedLine(for: shape, in: stream, on: connection)
        }
        guard let index = expected else { return unexpected(content, on: connection) }
        let line = script[index]
        if let first = script.streams.first(line.stream), first != index {
            let number = script[first].entry.line
            return failure(
                at: first, "line \(number) was expected first, and the answer of line \(line.entry.line) came",
                expected: script[first].entry.content.text, actual: content.text)
        }
        let difference = compare(line, with: content)
        if let cause = line.cause, cause >= script.nextPlayed, !waitsOnlyForItsTime(cause) {
            let number = script[cause].entry.line
            guard difference == nil else { return unexpected(content, on: connection, before: number) }
            return failure(
                at: index, "this came before line \(number) was sent", expected: line.entry.content.text,
                actual: content.text)
        }
        if let difference {
            return failure(
                at: index, difference.reason, difference.pointer == .root ? nil : difference.pointer,
                expected: line.entry.content.text,
                actual: content.text)
        }
        script.markDone(index)
        return nil
    }

    /// Whether a line would have been sent by now, were the play not paced: then the other side is only faster than it was.
    private func waitsOnlyForItsTime(_ index: Int) -> Bool {
        guard options.isPaced else { return false }
        return !(script.start..<index).contains { !script[$0].isDone && script[$0].entry.from != options.side }
    }

    /// The line with which a message is compared.
    func expectedLine(for shape: ContentShape, in stream: MessageStream, on connection: Int) -> Int? {
        if options.side == .client {
            switch shape {
            case .message(let message) where message.kind == .answer && message.id != nil:
                if let line = script.answers.first(CallID(id: message.id, connection: connection)) { return line }
            case .batch(let messages):
                return messages.lazy.compactMap {
                    script.batches.first(CallID(id: $0.id, connection: connection))
                }.first
            default: break
            }
        }
        if let line = script.streams.first(stream) { return line }
        // A matcher may stand where a message says what it belongs to.
        guard options.side == .client, case .message(let message) = shape else { return nil }
        if message.kind == .answer { return script.streams.first(.rest(connection: connection)) }
        return message.method.flatMap { script.streams.first(.method($0, connection: connection)) }
            ?? script.streams.first(.anyMethod(connection: connection))
    }

    /// Nil when they fit; then what was learnt is kept, unless the line can't have come yet.
    private mutating func compare(_ line: ScriptLine, with content: TranscriptEntry.Content) -> Difference? {
        do throws(Difference) {
            bindings.formUnion(try learn(from: line, and: content))
            return nil
        } catch {
            return error
        }
    }

    /// What is learnt from a line and what came, if they fit.
    func learn(from line: ScriptLine, and content: TranscriptEntry.Content) throws(Difference) -> Bindings {
        switch (line.entry.content, content) {
        case (.message(let expected), .message(let actual)):
            var comparison = comparison(hasMatchers: line.hasMatchers, on: line.entry.connection)
            try comparison.compare(expected, actual)
            return comparison.learnt
        case (.text(let expected), .text(let actual)):
            guard expected == "\(TranscriptEntry.redacted)" || ScalarString(expected) == ScalarString(actual) else {
                throw Difference("another text came")
            }
            return Bindings()
        case (.message, _): throw Difference("expected a message but text came that is no JSON")
        case (.text, _): throw Difference("expected text that is no JSON but a message came")
        case (.unframed, _): throw Difference("expected bytes without framing but a message came")
        case (.end, _): throw Difference("expected the end of the connection but a message came")
        }
    }

    func comparison(hasMatchers: Bool, on connection: Int) -> MessageComparison {
        MessageComparison(
            sender: options.side.opposite, connection: connection, hasMatchers: hasMatchers,
            matchers: script.matchers, known: bindings)
    }

    /// Bytes come in other pieces each time: only all of them together mean something.
    private mutating func matchUnframed(_ text: String, on connection: Int) -> PlayerFailure? {
        var rest = text.utf8[...]
        while !rest.isEmpty {
            guard let index = script.streams.first(.rest(connection: connection)) else {
                return redacted.contains(connection) ? nil : unexpected(.unframed(text), on: connection)
            }
            guard case .unframed(let expected) = script[index].entry.content else {
                return failure(
                    at: index, "expected a message but bytes without framing came",
                    expected: script[index].entry.content.text, actual: text)
            }
            if expected == "\(TranscriptEntry.redacted)" {
                redacted.insert(connection)
                script.markDone(index)
                return nil
            }
            let missing = expected.utf8.dropFirst(script[index].comeBytes)
            let count = min(rest.count, missing.count)
            guard rest.prefix(count).elementsEqual(missing.prefix(count)) else {
                return failure(at: index, "other bytes came", expected: expected, actual: text)
            }
            script[index].comeBytes += count
            rest = rest.dropFirst(count)
            if count == missing.count { script.markDone(index) }
        }
        return nil
    }

    private mutating func matchEnd(of connection: Int) -> PlayerFailure? {
        guard state == .running, ended.insert(connection).inserted else { return nil }
        let expectedEnd = script.ends.first(connection)
        if let expectedEnd { script.markDone(expectedEnd) }
        for index in script.start..<script.end where !script[index].isDone {
            let entry = script[index].entry
            if script[index].isExpected(from: options.side.opposite, on: connection) { return missing(index) }
            guard entry.connection == connection else { continue }
            if entry.content != .end, index < expectedEnd ?? .max {
                return failure(
                    at: index, "the connection ended before line \(entry.line) was sent", expected: entry.content.text)
            }
        }
        return nil
    }

    /// It can't come any more.
    mutating func missing(_ index: Int) -> PlayerFailure {
        failure(
            at: index, "the connection ended, and line \(script[index].entry.line) was expected",
            expected: script[index].entry.content.text)
    }

    private mutating func unexpected(
        _ content: TranscriptEntry.Content, on connection: Int, before number: Int? = nil
    ) -> PlayerFailure {
        // Who tests a client wants to know what it should have sent.
        let other = (script.start..<script.end).first { script[$0].isExpected(from: .client, on: connection) }
        if options.side == .server, let other {
            let expected = script[other].entry.content.text
            return failure(at: other, "something else was expected", expected: expected, actual: content.text)
        }
        let reason = number.map { "nothing more was expected before line \($0) is sent" } ?? "nothing more was expected"
        var failure = failure(at: script.start - 1, reason, actual: content.text)
        failure.line = script.number(before: script.start)
        return failure
    }

    mutating func failure(
        at index: Int, _ reason: String, _ difference: JSONPointer? = nil, expected: String? = nil,
        actual: String? = nil
    ) -> PlayerFailure {
        let around = script.lines(around: index)
        let number = index >= script.start && index < script.end ? script[index].entry.line : 0
        return PlayerFailure(
            path: script.reader.path, line: number, reason: reason, difference: difference, expected: expected,
            actual: actual, around: around)
    }
}
