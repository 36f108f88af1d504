import JSON
import JSONRPC

/// Replaces the expected lines of a play by the content that is received.
///
/// A transcript is a sequence of runs of played lines, with expected lines in between. After a run nothing is played until the
/// other side is quiet. Whatever was received by then is placed before the next run, and expected lines that didn't come are
/// dropped. A played request without an answer in the transcript, as people write them, ends a run, too, unless the next line
/// cancels that request or has a later time of its own.
struct LineUpdater {
    /// The number of a stream's lines that are searched for a match.
    private static let maximumSearch = 256

    private var rewriting = Rewriting()
    /// The first line that is an answer still to come, or where the search for one stopped.
    private var firstOwed = 0

    /// The lines of the updated transcript, complete when the play has finished.
    var entries: [TranscriptEntry] { rewriting.entries }

    /// Whether an answer to a sent message is still to come.
    func isOwedAnAnswer(_ play: PlayState) -> Bool {
        firstOwed < play.window.nextPlayed || !rewriting.unanswered.isEmpty
    }

    /// Whether the play may go past the first line now; false if the other side must be quiet first.
    mutating func mayPass(_ play: PlayState) -> Bool {
        let line = play.window.first
        let isPlayed = line.map(play.isPlayed) ?? false
        if let line, isPlayed, waitsForNewAnswer(before: line, play) { rewriting.endRun() }
        if rewriting.mayPass(line, isPlayed: isPlayed) { return true }
        findOwedAnswer(play)
        return false
    }

    /// Notes the requests in a line that have no answer in the transcript. Must be called before the line is sent.
    mutating func willSend(_ line: TranscriptLine, _ play: PlayState) {
        for message in line.shape.messages where message.kind == .request {
            let call = CallID(id: message.id, connection: line.entry.connection)
            let isKnown = play.window.answers.first(call) != nil || play.window.batches.first(call) != nil
            guard let id = message.id, !isKnown else { continue }
            // A request without params that has the id of an unanswered request cancels that request.
            if !play.correlation.isWaiting(id, on: call.connection) || message.hasParams {
                rewriting.send(call, at: line.entry.at)
            }
        }
    }

    /// Adds a line that the play has gone past to the updated transcript.
    mutating func keep(_ line: TranscriptLine, isPlayed: Bool) {
        rewriting.keep(line, isPlayed: isPlayed)
    }

    /// Drops the expected lines before the next played one, since nothing has come for a while.
    mutating func passQuiet(_ play: inout PlayState) {
        for index in play.window.start..<play.window.nextPlayed where !play.window[index].isDone {
            if case .unframed(let text) = play.window[index].entry.content, play.window[index].comeBytes > 0 {
                play.window[index].entry.content = .unframed(
                    String(decoding: text.utf8.prefix(play.window[index].comeBytes), as: UTF8.self))
                play.window.markDone(index)
            } else {
                play.window.drop(index)
            }
        }
        rewriting.passQuiet()
    }

    /// Puts received content in its place in the updated transcript.
    mutating func place(_ content: TranscriptEntry.Content, on connection: Int, in play: inout PlayState) {
        switch content {
        case .end: placeEnd(of: connection, in: &play)
        case .unframed(let text): placeUnframed(text, on: connection, in: &play)
        case .message, .text: placeMessage(content, on: connection, in: &play)
        }
    }

    private func waitsForNewAnswer(before line: TranscriptLine, _ play: PlayState) -> Bool {
        // A paced play sends a later line at its time, even if answers are still to come.
        let isOwed = rewriting.unanswered.values.contains { !play.options.isPaced || line.entry.at <= $0 }
        guard isOwed else { return false }
        let connection = line.entry.connection
        return !line.shape.messages.contains { message in
            let id = message.namedID ?? (message.hasParams ? nil : message.id)
            return id != nil && rewriting.unanswered[CallID(id: id, connection: connection)] != nil
        }
    }

    private mutating func findOwedAnswer(_ play: PlayState) {
        let window = play.window
        firstOwed = max(firstOwed, window.start)
        while firstOwed < window.nextPlayed, !window[firstOwed].isAwaitedAnswer(from: play.checkedSide) {
            firstOwed += 1
        }
    }

    private mutating func placeMessage(
        _ content: TranscriptEntry.Content, on connection: Int, in play: inout PlayState
    ) {
        let shape = ContentShape(content)
        for message in shape.messages where message.kind == .answer {
            rewriting.answer(CallID(id: message.id, connection: connection))
        }
        let stream = play.correlation.sort(shape, line: rewriting.nextUnnamedLine(), on: connection).stream
        if let index = play.lineAnswering(shape, on: connection) {
            if isSent(play.window[index].cause, play), index > rewriting.order(of: stream) {
                fill(index, with: content, in: stream, &play)
            } else {
                move(index, with: content, in: stream, &play)
            }
        } else if let index = matchingLine(content, in: stream, play) ?? lineToReplace(in: stream, play) {
            fill(index, with: content, in: stream, &play)
        } else if let index = rewriting.passed[stream]?.first(where: { matches($0, content, play) }) {
            move(index, with: content, in: stream, &play)
        } else {
            insert(merged(content, into: nil, on: connection, &play), in: stream, on: connection, play)
        }
    }

    private func isSent(_ cause: Int?, _ play: PlayState) -> Bool {
        cause.map { $0 < play.window.nextPlayed } ?? true
    }

    /// Returns a line of the stream that the content matches: any before the next played line, or else the stream's next line
    /// if that may come early.
    private func matchingLine(
        _ content: TranscriptEntry.Content, in stream: MessageStream, _ play: PlayState
    ) -> Int? {
        let order = rewriting.order(of: stream)
        var offset = 0
        while offset < Self.maximumSearch, let index = play.window.streams.line(stream, at: offset) {
            let line = play.window[index]
            if index >= play.window.nextPlayed {
                guard offset == 0, isSent(line.cause, play) else { return nil }
                return index > order && matches(index, content, play) ? index : nil
            }
            if index > order, !line.isDone, matches(index, content, play) { return index }
            offset += 1
        }
        return nil
    }

    /// Returns the stream's next line before the next played one; nil if that is an answer.
    private func lineToReplace(in stream: MessageStream, _ play: PlayState) -> Int? {
        guard let index = play.window.streams.first(stream), index < play.window.nextPlayed,
            !play.window[index].hasAnswersID, index > rewriting.order(of: stream)
        else { return nil }
        return index
    }

    private func matches(_ index: Int, _ content: TranscriptEntry.Content, _ play: PlayState) -> Bool {
        do throws(Difference) {
            _ = try play.bindings(from: play.window[index], and: content)
            return true
        } catch {
            return false
        }
    }

    /// Puts the content in the place of the line. Lines of its stream before it are dropped, except answers, which may still
    /// come.
    private mutating func fill(
        _ index: Int, with content: TranscriptEntry.Content, in stream: MessageStream, _ play: inout PlayState
    ) {
        let expected = play.window[index].stream
        while let first = play.window.streams.first(expected), first < index {
            rewriting.pass(first, in: stream)
            if play.window[first].hasAnswersID { play.window.pass(first) } else { play.window.drop(first) }
        }
        let content = merged(content, into: play.window[index], on: play.window[index].entry.connection, &play)
        play.window.markDone(index)
        play.window[index].entry.content = content
        play.window[index].entry.at = max(play.window[index].entry.at, stamp(play))
        rewriting.place(index, in: stream, before: play.window.nextPlayed)
    }

    private func stamp(_ play: PlayState) -> Int { play.options.stampsTimes ? play.time : 0 }

    /// Puts the content where it was received, merged with the line, and drops the line.
    private mutating func move(
        _ index: Int, with content: TranscriptEntry.Content, in stream: MessageStream, _ play: inout PlayState
    ) {
        let connection = play.window[index].entry.connection
        let content = merged(content, into: play.window[index], on: connection, &play)
        play.window.drop(index)
        rewriting.takePassed(index, in: stream)
        insert(content, in: stream, on: connection, play)
    }

    private mutating func insert(
        _ content: TranscriptEntry.Content, in stream: MessageStream, on connection: Int, _ play: PlayState
    ) {
        let entry = TranscriptEntry(
            from: play.checkedSide, connection: connection, at: stamp(play), content: content)
        let window = play.window
        let next = window.streams.first(stream).flatMap { $0 < window.nextPlayed ? $0 : nil }
        rewriting.insert(entry, in: stream, before: next, anchoredFrom: window.start) { window[$0].entry.at }
    }

    /// Returns the content with those parts of the line that still hold: matchers, keys and ids.
    private func merged(
        _ content: TranscriptEntry.Content, into line: TranscriptLine?, on connection: Int, _ play: inout PlayState
    ) -> TranscriptEntry.Content {
        if let line, let learnt = try? play.bindings(from: line, and: content) {
            play.bindings.formUnion(learnt)
            return line.entry.content
        }
        guard case .message(let actual) = content else { return content }
        var merge = MessageMerge(play.comparison(hasMatchers: line?.hasMatchers ?? false, on: connection))
        var expected: JSONText?
        if case .message(let message) = line?.entry.content { expected = message }
        let message = merge.merge(actual, into: expected)
        play.bindings.formUnion(merge.comparison.learnt)
        return .message(message)
    }

    private mutating func placeUnframed(_ text: String, on connection: Int, in play: inout PlayState) {
        let stream = MessageStream.rest(connection: connection)
        var rest = text.utf8[...]
        while !rest.isEmpty {
            guard let index = play.window.streams.first(stream), index < play.window.nextPlayed,
                case .unframed(let expected) = play.window[index].entry.content
            else {
                return insert(.unframed(String(decoding: rest, as: UTF8.self)), in: stream, on: connection, play)
            }
            let missing = expected.utf8.dropFirst(play.window[index].comeBytes)
            let count = min(rest.count, missing.count)
            let isSame = rest.prefix(count).elementsEqual(missing.prefix(count))
            if isSame, count < missing.count {
                play.window[index].comeBytes += count
                return
            }
            play.window.markDone(index)
            rewriting.place(index, in: stream, before: play.window.nextPlayed)
            if !isSame {
                let come = Array(expected.utf8.prefix(play.window[index].comeBytes))
                play.window[index].entry.content = .unframed(String(decoding: come + rest, as: UTF8.self))
                return
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Puts the end of a connection in its place. An end is written only if lines that were to be sent follow it.
    private mutating func placeEnd(of connection: Int, in play: inout PlayState) {
        guard play.ended.insert(connection).inserted else { return }
        let end = play.window.ends.first(connection)
        let isCut = (play.window.start..<min(play.window.end, end ?? .max)).contains {
            play.window[$0].isExpected(from: play.options.side, on: connection)
                && play.window[$0].entry.content != .end
        }
        if let end, !isCut { return play.window.markDone(end) }
        if let end { play.window.drop(end) }
        if isCut { insert(.end, in: .line(rewriting.nextUnnamedLine()), on: connection, play) }
    }
}
