import TerminalClient
import TestSupport
import Testing
import ViewModelClient

/// What `connect` does while its server is away, and when a session is gone.
@Suite(.inTurn) struct AwayTests {
    @Test func `what the person closes uncovers another, and what ends by itself uncovers none`() {
        var screens = Screens()
        let first = screens.add("todos", key: "a", .root)
        let second = screens.add("orders", key: "b", .root)
        let child = screens.add("orderDetails", key: "c", .pushed(host: second))
        #expect(screens.current == child)
        #expect(screens.root(of: child) == second)
        screens.remove(second)
        #expect(screens.all.map(\.number) == [first])
        #expect(screens.current == first)
        screens.leaveFront()
        #expect(screens.onScreen == nil)
        screens.use(first)
        #expect(screens.onScreen?.viewModel == "todos")
    }

    @Test func `an event that was sent may have been handled, another was not`() {
        let mark = SentMark("count")
        #expect(mark.fate(after: .sessionEnded(.forgotten)) == "was not sent")
        mark.note(.waits)
        mark.note(.sent)
        #expect(mark.fate(after: .connectionLost("cut")) == "may not have been handled")
        mark.note(.waits)
        mark.note(.over)
        #expect(mark.fate(after: .closed) == "was not sent")
        #expect(mark.fate(after: .refused(.init(code: -32014, message: "no"))) == nil)
    }
}
