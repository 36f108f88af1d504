package import JSON
import JSONRPC
import Transcripts

/// A player of a story: plays the server and the user against a client.
///
/// The lines of a story are played in order. A message of the client waits until the story reaches its line, so a client may be
/// faster than the story. Adjacent lines of the client may come in any order if their methods differ.
package struct StoryPlayer: Play {
    private enum State {
        /// Nothing is under way: the next line can be played, or waits for a message.
        case ready
        /// The driver has a command that it hasn't answered yet.
        case telling
        case pausing
        case ended
    }

    private let story: Story
    private var next = 0
    private var state = State.ready
    private var pattern = Pattern()
    private var housekeeping: Housekeeping
    /// Messages of the client that no line has taken yet, by connection.
    private var waiting: [Int: [JSONText]] = [:]
    /// The newest of the silent connections, on which only messages that a line names are answered. All earlier connections are
    /// silent, too.
    private var silentThrough = 0
    private var newestConnection = 0
    /// The messages that the client has sent since the last line was done, and that were answered without a line.
    private var passedOver: [JSONText] = []
    /// Requests that may come at any time, and their answers.
    private var standing: [(request: JSONText, answer: JSONText)] = []
    private var ended: Set<Int> = []
    /// The times of the client's failed attempts to connect, counted from when the server went away.
    private var tries: [Duration] = []
    /// The connection that `StoryLine.anyConnection` stands for now.
    private var anyConnection: Int?
    /// The actual ids of the client's requests, by the ids in the story.
    private var ids: [StoryID: JSONText] = [:]
    /// The client's views at the last look, and their difference from what the story expects.
    private var lastLook: (views: JSONText, difference: Difference)?

    package init(_ story: Story) {
        self.story = story
        housekeeping = Housekeeping(hello: story.hello)
    }

    package var progress: Int { next }

    package mutating func begin() -> [PlayAction] { proceed() }

    package mutating func receive(_ message: JSONText, on connection: Int) -> [PlayAction] {
        guard state != .ended else { return [] }
        newestConnection = max(newestConnection, connection)
        if let answer = standingAnswer(to: message) {
            passedOver.append(message)
            return [.send(answer, connection: connection)]
        }
        if !isExpected(message, on: connection), let answer = housekeeping.answer(to: message) {
            passedOver.append(message)
            guard connection > silentThrough else { return [] }
            return answer.map { [.send($0, connection: connection)] } ?? []
        }
        waiting[connection, default: []].append(message)
        return state == .ready ? proceed() : []
    }

    package mutating func receiveEnd(of connection: Int) -> [PlayAction] {
        guard state != .ended else { return [] }
        ended.insert(connection)
        return state == .ready ? proceed() : []
    }

    package mutating func turnAway(after time: Duration) -> [PlayAction] {
        guard state != .ended else { return [] }
        tries.append(time)
        return state == .ready ? proceed() : []
    }

    package mutating func receiveGarbage(_ text: String, on connection: Int) -> [PlayAction] {
        fail("what the client sent isn't JSON in a frame", actual: JSONText { $0.string(text) })
    }

    package mutating func receiveAnswer(_ answer: JSONText) -> [PlayAction] {
        guard state != .ended else { return [] }
        guard state == .telling else { return fail("the driver answered what it wasn't told", actual: answer) }
        switch (DriverAnswer(answer), line?.content) {
        case (.lacking(let thing), _): return end(.lacking(thing))
        case (.failed(let reason), _): return fail("the driver couldn't do that: \(reason)")
        case (.views(let views), .sees(let expected)?): return compare(expected, with: views)
        case (_, .sees?): return fail("the driver's answer to \"look\" has no \"views\"", actual: answer)
        default:
            state = .ready
            next += 1
            return proceed()
        }
    }

    package mutating func lookAgain() -> [PlayAction] {
        guard case .pausing = state else { return [] }
        state = .ready
        return proceed()
    }

    package mutating func giveUp(_ reason: String) -> [PlayAction] {
        guard state != .ended else { return [] }
        let early = waiting.values.joined().first { !isExpected($0, on: StoryLine.anyConnection) }
        let reason = early.map { "\(reason); nothing expects what the client has sent, \($0)" } ?? reason
        switch line?.content {
        case .sees(let expected)?:
            guard let lastLook else { return fail("the driver didn't answer \"look\"; \(reason)") }
            return fail(
                "\(lastLook.difference.reason); \(reason)", at: lastLook.difference, expected: expected,
                actual: lastLook.views)
        case .act?: return fail("the driver didn't answer; \(reason)")
        case .expected(let message, _)?:
            let others = passedOver.suffix(3).map { String("\($0)".prefix(200)) }.joined(separator: ", ")
            let sent = others.isEmpty ? "" : "; it sent \(others), which other lines or none are about"
            return fail("the client didn't send this; \(reason)\(sent)", expected: message)
        case .expectedEnd?: return fail("the client didn't end its connection; \(reason)")
        case .tries(let count, _)?:
            return fail("the client tried to connect \(tries.count) of \(count) times; \(reason)")
        default: return fail(reason)
        }
    }

    /// Returns the client's connection for the number in a line.
    private func real(_ connection: Int) -> Int {
        connection == StoryLine.anyConnection ? anyConnection ?? 1 : connection
    }

    private var line: StoryLine? { next < story.lines.count ? story.lines[next] : nil }

    /// Plays lines until one must be waited for, and returns the actions.
    private mutating func proceed() -> [PlayAction] {
        var actions: [PlayAction] = []
        while state == .ready {
            guard let line else {
                actions += finish()
                break
            }
            let count = actions.count
            switch line.content {
            case .act(let command):
                state = .telling
                actions.append(.tell(command))
            case .sees:
                state = .telling
                actions.append(.tell(DriverAnswer.look))
            case .expected(let message, let connection):
                if let failure = takeMessage(message, on: connection) { actions += failure }
            case .expectedEnd(let connection):
                if ended.contains(real(connection)) { next += 1 } else { return actions }
            case .sent(let message, let connection):
                actions.append(.send(withIDs(message, on: real(connection)), connection: real(connection)))
                next += 1
            case .cut(let connection):
                actions.append(.cut(connection: real(connection)))
                next += 1
            case .tries(let count, let earliest):
                guard tries.count >= count else { return actions }
                guard tries[count - 1] >= earliest else {
                    return actions + fail("the client tried to connect \(count) times in \(tries[count - 1])")
                }
                next += 1
            case .sentHalf(let message, let connection):
                actions.append(.sendHalf(withIDs(message, on: real(connection)), connection: real(connection)))
                actions.append(.cut(connection: real(connection)))
                next += 1
            case .door(let isOpen):
                tries = []
                actions.append(.door(isOpen: isOpen))
                next += 1
            case .silence:
                silentThrough = newestConnection
                next += 1
            case .standing(let request, let answer):
                standing.append((request, answer))
                next += 1
            }
            // The message that the line expects hasn't come yet.
            if case .expected = line.content, actions.count == count, self.line?.number == line.number { break }
        }
        return actions
    }

    private mutating func finish() -> [PlayAction] {
        if let (connection, messages) = waiting.first(where: { !$0.value.isEmpty }) {
            return fail(
                "the client sent this on connection \(connection), and nothing more was expected",
                actual: messages.first)
        }
        return end(.kept)
    }

    private mutating func compare(_ expected: JSONText, with views: JSONText) -> [PlayAction] {
        let difference: Difference?
        do throws(Difference) {
            try expected.withValue { (expected) throws(Difference) in
                try views.withValue { (views) throws(Difference) in try pattern.compare(expected, with: views) }
            }
            difference = nil
        } catch {
            difference = error
        }
        guard let difference else {
            lastLook = nil
            state = .ready
            next += 1
            return proceed()
        }
        lastLook = (views, difference)
        state = .pausing
        return [.pause]
    }

    // Messages of the client

    /// Takes the message that the next line expects from those that have come.
    ///
    /// - Returns: the failure, if another message has come; nil if the message was taken, or none has come.
    private mutating func takeMessage(_ expected: JSONText, on wanted: Int) -> [PlayAction]? {
        let isAny = wanted == StoryLine.anyConnection
        let number = line?.number
        for connection in isAny ? waiting.keys.sorted() : [wanted] {
            let failure = takeMessage(expected, on: connection, wanted: wanted)
            if failure != nil || line?.number != number { return failure }
        }
        guard !isAny, ended.contains(wanted) else { return nil }
        return fail("connection \(wanted) ended, and this was expected", expected: expected)
    }

    private mutating func takeMessage(
        _ expected: JSONText, on connection: Int, wanted: Int
    ) -> [PlayAction]? {
        let method = expected.method
        for (place, message) in waiting[connection, default: []].enumerated() {
            guard message.method == method else {
                if isInRun(message.method, on: connection) { continue }
                return fail("the client sent something else", expected: expected, actual: message)
            }
            do throws(Difference) {
                try compare(expected, with: message, on: connection)
            } catch {
                return fail(error.reason, at: error, expected: expected, actual: message)
            }
            waiting[connection]?.remove(at: place)
            passedOver = []
            if wanted == StoryLine.anyConnection { anyConnection = connection }
            next += 1
            return nil
        }
        return nil
    }

    /// Whether a line with this method is among the adjacent lines of the client that begin with the next line.
    private func isInRun(_ method: String?, on connection: Int) -> Bool {
        for line in story.lines[next...] {
            guard case .expected(let message, let wanted) = line.content, isMeant(connection, by: wanted) else {
                return false
            }
            if message.method == method { return true }
        }
        return false
    }

    private mutating func standingAnswer(to message: JSONText) -> JSONText? {
        for (request, answer) in standing where request.method == message.method {
            let isMeant = request.withValue { request in
                message.withValue { message in
                    (try? pattern.compare(request, with: message)) != nil
                }
            }
            if isMeant { return message.withValue { $0.member("id").map { Self.complete(answer, with: $0) } } }
        }
        return nil
    }

    /// Returns the story's answer as a message, with the id of a request.
    private static func complete(_ answer: JSONText, with id: JSONValue) -> JSONText {
        JSONText { writer in
            writer.literal(#"{"jsonrpc":"2.0","id":"#)
            writer.compact(id)
            answer.withValue { answer in
                answer.forEachMember { name, value in
                    writer.key(name.string())
                    writer.compact(value)
                }
            }
            writer.endObject()
        }
    }

    /// Whether any line that isn't done yet expects a message with this method.
    private func isExpected(_ message: JSONText, on connection: Int) -> Bool {
        let method = message.method
        return story.lines[next...].contains { line in
            guard case .expected(let expected, let wanted) = line.content else { return false }
            return isMeant(connection, by: wanted) && expected.method == method
        }
    }

    private func isMeant(_ connection: Int, by wanted: Int) -> Bool {
        wanted == connection || wanted == StoryLine.anyConnection || connection == StoryLine.anyConnection
    }

    private mutating func compare(
        _ expected: JSONText, with message: JSONText, on connection: Int
    ) throws(Difference) {
        var pattern = pattern
        var ids = ids
        // In an answer, the id is compared like any member: it must be that of the server's request.
        let method = expected.method
        try expected.withValue { (expected) throws(Difference) in
            try message.withValue { (message) throws(Difference) in
                try expected.forEachMember { (name, value) throws(Difference) in
                    let found = ObjectMembers(message).value(of: name)
                    do throws(Difference) {
                        guard let found else { throw Difference("the member is missing") }
                        if name == "id", method != nil {
                            ids[StoryID(value, connection)] = JSONText(found)
                        } else {
                            try pattern.compare(value, with: found)
                        }
                    } catch {
                        throw error.inside(name)
                    }
                }
            }
        }
        self.pattern = pattern
        self.ids = ids
    }

    /// Returns a message of the server in which the story's ids are replaced by those of the client.
    private func withIDs(_ message: JSONText, on connection: Int) -> JSONText {
        JSONText { writer in
            writer.literal(#"{"jsonrpc":"2.0""#)
            message.withValue { message in
                message.forEachMember { name, value in
                    guard !(name == "jsonrpc") else { return }
                    writer.key(name.string())
                    let id = name == "id" && message.member("method") == nil ? ids[StoryID(value, connection)] : nil
                    if let id { writer.raw(id.bytes) } else { writer.compact(value) }
                }
            }
            writer.endObject()
        }
    }

    // The end

    private mutating func end(_ outcome: PlayOutcome) -> [PlayAction] {
        state = .ended
        return [.end(outcome)]
    }

    private mutating func fail(
        _ reason: String, at difference: Difference? = nil, expected: JSONText? = nil, actual: JSONText? = nil
    ) -> [PlayAction] {
        let (expected, actual) = pattern.reported(expected, actual)
        let number = (line ?? story.lines.last)?.number ?? 1
        let pointer = difference?.pointer == .root ? nil : difference?.pointer
        return end(
            .broken(
                PlayerFailure(
                    path: story.file.path, line: number, reason: reason, difference: pointer,
                    expected: expected?.description, actual: actual?.description,
                    around: story.file.lines(around: number))))
    }
}

/// The id of a request in the story.
private struct StoryID: Hashable {
    let text: JSONText
    let connection: Int

    init(_ value: JSONValue, _ connection: Int) {
        text = JSONText(value)
        self.connection = connection
    }
}

extension JSONText {
    var method: String? { withValue { $0.member("method")?.string() } }

    /// Whether this message has this method.
    func isOf(_ method: StaticString) -> Bool { withValue { $0.member("method")?.isString(method) ?? false } }
}

extension ObjectMembers {
    fileprivate func value(of name: JSONKey) -> JSONValue? { place(of: name, hint: 0).map { all[$0].value } }
}
