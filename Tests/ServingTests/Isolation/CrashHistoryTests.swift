import Serving
import Testing

struct CrashHistoryTests {
    @Test func `so many crashes within a minute are one too many, until the first of them is a minute old`() {
        var history = CrashHistory()
        #expect(history.wait(at: .zero, maximum: 2) == nil)
        history.note(.seconds(10), maximum: 2)
        #expect(history.wait(at: .seconds(10), maximum: 2) == nil)
        history.note(.seconds(30), maximum: 2)
        #expect(history.wait(at: .seconds(30), maximum: 2) == .seconds(40))
        #expect(history.wait(at: .seconds(70) - .nanoseconds(1), maximum: 2) == .nanoseconds(1))
        #expect(history.wait(at: .seconds(70), maximum: 2) == nil)
        history.note(.seconds(71), maximum: 2)
        #expect(history.wait(at: .seconds(71), maximum: 2) == .seconds(19))
    }

    @Test func `what is a minute old makes no difference`() {
        var history = CrashHistory()
        for second in 0..<5 { history.note(.seconds(second), maximum: 3) }
        #expect(!history.isOver(at: .seconds(63)))
        #expect(history.isOver(at: .seconds(64)))
    }
}
