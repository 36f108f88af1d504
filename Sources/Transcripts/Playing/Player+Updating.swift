import JSON
import JSONRPC

/// What comes takes the place of what is expected.
///
/// A transcript is taken as runs of played lines with what is expected between them. After a run nothing is played until it
/// has been quiet; so what came belongs before the next run, and what didn't come is dropped. A request without an answer in
/// the transcript, as hands write them, ends a run too, unless what follows gives it up.
extension Player {
    /// How many lines of a stream are searched for one that says what came.
    private static let maximumSearch = 256

    /// When updating: whether an answer is missing to what was sent, for which it is worth to wait long. Otherwise a short
    /// quiet time is enough before `receiveNothing`.
    package var isOwedAnAnswer: Bool {
        guard options.isUpdating, state == .running else { return false }
        return firstOwed < script.nextPlayed || !rewriting.unanswered.isEmpty
    }

    /// Drops what hasn't come.
    mutating func passQuiet() throws(TranscriptError) -> [Action] {
        for index in script.start..<script.nextPlayed where !script[index].isDone {
            if case .unframed(let text) = script[index].entry.content, script[index].comeBytes > 0 {
                script[index].entry.content = .unframed(
                    String(decoding: text.utf8.prefix(script[index].comeBytes), as: UTF8.self))
                script.markDone(index)
            } else {
                script.drop(index)
            }
        }
        rewriting.passQuiet()
        return try proceed()
    }

    /// Whether what was sent before this line, which is the next, is to be answered first.
    func waitsForNewAnswer(before line: ScriptLine) -> Bool {
        guard !rewriting.unanswered.isEmpty else { return false }
        let connection = line.entry.connection
        return !line.shape.messages.contains { message in
            let id = message.namedID ?? (message.hasParams ? nil : message.id)
            return id != nil && rewriting.unanswered.contains(CallID(id: id, connection: connection))
        }
    }

    /// Moves on to the first line that is an answer that hasn't come.
    mutating func findOwedAnswer() {
        firstOwed = max(firstOwed, script.start)
        while firstOwed < script.nextPlayed, !script[firstOwed].isAwaitedAnswer(from: options.side.opposite) {
            firstOwed += 1
        }
    }

    mutating func place(_ content: TranscriptEntry.Content, on connection: Int) {
        switch content {
        case .end: placeEnd(of: connection)
        case .unframed(let text): placeUnframed(text, on: connection)
        case .message, .text: placeMessage(content, on: connection)
        }
    }

    private mutating func placeMessage(_ content: TranscriptEntry.Content, on connection: Int) {
        let shape = ContentShape(content)
        for message in shape.messages where message.kind == .answer {
            rewriting.answer(CallID(id: message.id, connection: connection))
        }
        let stream = correlation.sort(shape, line: rewriting.nextUnnamedLine(), on: connection).stream
        if let index = line(withIDOf: shape, on: connection) {
            let isSent = script[index].cause.map { $0 < script.nextPlayed } ?? true
            if isSent, index > rewriting.order(of: stream) {
                fill(index, with: content, in: stream)
            } else {
                move(index, with: content, in: stream)
            }
        } else if let index = lineSaying(content, in: stream) ?? lineToReplace(by: shape, in: stream) {
            fill(index, with: content, in: stream)
        } else if let index = rewriting.passed[stream]?.first(where: { fits($0, content) }) {
            move(index, with: content, in: stream)
        } else {
            insert(merged(content, into: nil, on: connection), in: stream, on: connection)
        }
    }

    /// An answer has its line wherever that is.
    private func line(withIDOf shape: ContentShape, on connection: Int) -> Int? {
        switch shape {
        case .message(let message) where message.kind == .answer && message.id != nil:
            script.answers.first(CallID(id: message.id, connection: connection))
        case .batch(let messages):
            messages.lazy.compactMap { script.batches.first(CallID(id: $0.id, connection: connection)) }.first
        default: nil
        }
    }

    /// The line that says just this: in this part of the transcript, or the stream's next where that may come early.
    private func lineSaying(_ content: TranscriptEntry.Content, in stream: MessageStream) -> Int? {
        var offset = 0
        while offset < Self.maximumSearch, let index = script.streams.line(stream, at: offset) {
            if index >= script.nextPlayed {
                guard offset == 0, script[index].cause.map({ $0 < script.nextPlayed }) ?? true else { return nil }
                return index > rewriting.order(of: stream) && fits(index, content) ? index : nil
            }
            if index > rewriting.order(of: stream), !script[index].isDone, fits(index, content) { return index }
            offset += 1
        }
        return nil
    }

    /// The stream's next line in this part of the transcript, unless it waits for an answer.
    private func lineToReplace(by shape: ContentShape, in stream: MessageStream) -> Int? {
        guard let index = script.streams.first(stream), index < script.nextPlayed, !script[index].hasAnswersID,
            index > rewriting.order(of: stream)
        else { return nil }
        return index
    }

    private func fits(_ index: Int, _ content: TranscriptEntry.Content) -> Bool {
        do throws(Difference) {
            _ = try learn(from: script[index], and: content)
            return true
        } catch {
            return false
        }
    }

    /// What came stands in the place of the line; the lines of the stream before it are passed over.
    private mutating func fill(_ index: Int, with content: TranscriptEntry.Content, in stream: MessageStream) {
        let expected = script[index].stream
        while let first = script.streams.first(expected), first < index {
            rewriting.pass(first, in: stream)
            if script[first].hasAnswersID { script.pass(first) } else { script.drop(first) }
        }
        let content = merged(content, into: script[index], on: script[index].entry.connection)
        script.markDone(index)
        script[index].entry.content = content
        script[index].entry.at = max(script[index].entry.at, stamp)
        rewriting.place(index, in: stream, before: script.nextPlayed)
    }

    private var stamp: Int { options.stampsTimes ? time : 0 }

    /// What came stands where it came, and keeps what it has in common with the line.
    private mutating func move(_ index: Int, with content: TranscriptEntry.Content, in stream: MessageStream) {
        let connection = script[index].entry.connection
        let content = merged(content, into: script[index], on: connection)
        script.drop(index)
        rewriting.takePassed(index, in: stream)
        insert(content, in: stream, on: connection)
    }

    private mutating func insert(_ content: TranscriptEntry.Content, in stream: MessageStream, on connection: Int) {
        let entry = TranscriptEntry(from: options.side.opposite, connection: connection, at: stamp, content: content)
        let next = script.streams.first(stream).flatMap { $0 < script.nextPlayed ? $0 : nil }
        rewriting.insert(entry, in: stream, before: next, anchoredFrom: script.start) { [script] in script[$0].entry.at
        }
    }

    /// What came, with what the line has that is as good: matchers, and names for keys and ids.
    private mutating func merged(
        _ content: TranscriptEntry.Content, into line: ScriptLine?, on connection: Int
    ) -> TranscriptEntry.Content {
        if let line, let learnt = try? learn(from: line, and: content) {
            bindings.formUnion(learnt)
            return line.entry.content
        }
        guard case .message(let actual) = content else { return content }
        let (message, learnt) = merge(actual, into: line, on: connection)
        bindings.formUnion(learnt)
        return .message(message)
    }

    private func merge(_ actual: JSONText, into line: ScriptLine?, on connection: Int) -> (JSONText, Bindings) {
        var merge = MessageMerge(comparison(hasMatchers: line?.hasMatchers ?? false, on: connection))
        var expected: JSONText?
        if case .message(let message) = line?.entry.content { expected = message }
        let message = merge.merge(actual, into: expected)
        return (message, merge.comparison.learnt)
    }

    private mutating func placeUnframed(_ text: String, on connection: Int) {
        let stream = MessageStream.rest(connection: connection)
        var rest = text.utf8[...]
        while !rest.isEmpty {
            guard let index = script.streams.first(stream), index < script.nextPlayed,
                case .unframed(let expected) = script[index].entry.content
            else { return insert(.unframed(String(decoding: rest, as: UTF8.self)), in: stream, on: connection) }
            let missing = expected.utf8.dropFirst(script[index].comeBytes)
            let count = min(rest.count, missing.count)
            let isSame = rest.prefix(count).elementsEqual(missing.prefix(count))
            if isSame, count < missing.count {
                script[index].comeBytes += count
                return
            }
            script.markDone(index)
            rewriting.place(index, in: stream, before: script.nextPlayed)
            if !isSame {
                let come = Array(expected.utf8.prefix(script[index].comeBytes))
                script[index].entry.content = .unframed(String(decoding: come + rest, as: UTF8.self))
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    /// An end is written down only where it cuts something off.
    private mutating func placeEnd(of connection: Int) {
        guard state == .running, ended.insert(connection).inserted else { return }
        let end = script.ends.first(connection)
        let isCut = (script.start..<min(script.end, end ?? .max)).contains {
            script[$0].isExpected(from: options.side, on: connection) && script[$0].entry.content != .end
        }
        if let end, !isCut { return script.markDone(end) }
        if let end { script.drop(end) }
        if isCut { insert(.end, in: .line(rewriting.nextUnnamedLine()), on: connection) }
    }
}
