import TestSupport
import Testing

@testable import ViewModels

@Suite struct SubscriptionTests {
    @Test func `cancelling any number of times ends it once`() {
        let ends = Recorder<Void>()
        let subscription = Subscription { ends.record(()) }
        subscription.cancel()
        subscription.cancel()
        #expect(ends.elements.count == 1)
    }

    @Test func `releasing it ends it, unless it was cancelled before`() {
        let ends = Recorder<String>()
        do { _ = Subscription { ends.record("released") } }
        #expect(ends.elements == ["released"])
        do { Subscription { ends.record("cancelled") }.cancel() }
        #expect(ends.elements == ["released", "cancelled"])
    }

    @Test func `many tasks that cancel at once end it once`() async {
        let ends = Recorder<Void>()
        let subscription = Subscription { ends.record(()) }
        await withTaskGroup { group in
            for _ in 0..<100 { group.addTask { subscription.cancel() } }
        }
        #expect(ends.elements.count == 1)
    }
}
