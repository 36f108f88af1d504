import Contracts
import TerminalClient
import TestSupport
import Testing

/// The rules of `wait`.
@Suite(.inTurn) struct ArrivalsTests {
    private static func event(_ kind: String, _ value: Int) -> JSONTree {
        .object([.init("kind", .string(kind)), .init("value", .number("\(value)"))])
    }

    private static func arrival(_ kind: String, _ value: Int? = nil, root: Int = 1) -> Arrival {
        Arrival(kind: kind, members: value.map { [.init("value", .number("\($0)"))] } ?? [], root: root)
    }

    @Test func `an event that came since the last command counts once`() {
        var arrivals = Arrivals()
        arrivals.begin(.event(kind: "load", members: []))
        for value in 1...3 {
            let isAwaited = arrivals.add(Self.event("count", value), root: 1)
            #expect(!isAwaited)
        }
        let outcome1 = arrivals.wait(for: Self.arrival("count", 2))
        #expect(outcome1 == .came)
        let outcome2 = arrivals.wait(for: Self.arrival("count"))
        #expect(outcome2 == .came, "the third")
        let outcome3 = arrivals.wait(for: Self.arrival("count"))
        #expect(outcome3 == nil)
        #expect(arrivals.awaitedRoot == 1)
        let outcome4 = arrivals.add(Self.event("loading", 4), root: 1)
        #expect(!outcome4)
        let other = arrivals.add(Self.event("count", 4), root: 2)
        #expect(!other, "another root's")
        let outcome5 = arrivals.add(Self.event("count", 4), root: 1)
        #expect(outcome5)
    }

    @Test func `a command that may lead to events begins anew, and others don't`() {
        var arrivals = Arrivals()
        for (command, counts) in [(ConsoleCommand.list, true), (.show(kind: nil), true), (.back, false)] {
            _ = arrivals.add(Self.event("count", 1), root: 1)
            arrivals.begin(command)
            let outcome = arrivals.wait(for: Self.arrival("count"))
            #expect((outcome == .came) == counts, "\(command)")
            arrivals.stopWaiting()
        }
    }

    @Test func `no more than a bound of events is kept`() {
        var arrivals = Arrivals()
        for value in 0..<5_000 { _ = arrivals.add(Self.event("count", value), root: 1) }
        let outcome6 = arrivals.wait(for: Self.arrival("count", 4_999 - Arrivals.maximumCount))
        #expect(outcome6 == nil)
        arrivals.stopWaiting()
        let outcome7 = arrivals.wait(for: Self.arrival("count", 4_999 - Arrivals.maximumCount / 2 + 1))
        #expect(outcome7 == .came)
    }

    @Test(arguments: [
        ("wait", "it is wait KIND [member=value…]"),
        ("wait --timeout 5", "it is wait KIND [member=value…]"),
        ("wait count --timeout", "--timeout takes seconds, more than 0, not nothing"),
        ("wait count --timeout soon", "--timeout takes seconds, more than 0, not soon"),
        ("wait count --timeout=0", "--timeout takes seconds, more than 0, not 0"),
    ])
    func `a wait that can't be understood is refused with its form`(_ line: String, _ message: String) {
        let error = #expect(throws: TypedLineError.self) { try ConsoleCommand.reading(line) }
        #expect(error?.description == message)
    }

    @Test func `a wait has 60 seconds unless another time is given`() throws {
        let members = try TypedLine("value=2").words
        let plain = try ConsoleCommand.reading("wait count value=2")
        #expect(plain == .wait(kind: "count", members: members, timeout: .seconds(60)))
        for line in ["wait count value=2 --timeout 0.5", "wait --timeout=0.5 count value=2"] {
            let command = try ConsoleCommand.reading(line)
            #expect(command == .wait(kind: "count", members: members, timeout: .milliseconds(500)))
        }
    }
}
