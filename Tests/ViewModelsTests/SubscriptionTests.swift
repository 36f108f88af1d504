import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct SubscriptionTests {
    private let output = Output<Int>()
    private let seen = Recorder<Int>()

    @Test func `cancelling any number of times ends it, and no other`() {
        let subscription = output.subscribe { [seen] in seen.record($0) }
        let other = output.subscribe { [seen] in seen.record(-$0) }
        subscription.cancel()
        subscription.cancel()
        output.send(1)
        #expect(seen.elements == [-1])
        withExtendedLifetime((subscription, other)) {}
    }

    @Test(arguments: [true, false])
    func `it ends when it is cancelled or released, with what its handler held`(cancels: Bool) {
        let ends = Recorder<Void>()
        do {
            let held = Held { ends.record(()) }
            let subscription = output.subscribe { [seen] number in withExtendedLifetime(held) { seen.record(number) } }
            output.send(1)
            if cancels { subscription.cancel() }
            withExtendedLifetime(subscription) {}
        }
        #expect(ends.elements.count == 1)
        output.send(2)
        #expect(seen.elements == [1])
    }

    @Test func `many tasks may cancel at once`() async {
        let subscription = output.subscribe { [seen] in seen.record($0) }
        await withTaskGroup { group in
            for _ in 0..<100 { group.addTask { subscription.cancel() } }
        }
        output.send(1)
        #expect(seen.elements.isEmpty)
    }
}
