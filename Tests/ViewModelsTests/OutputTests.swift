import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct OutputTests {
    private let output = Output<Int>()

    @Test func `every handler gets each event, in the order of subscription`() {
        let seen = Recorder<String>()
        let subscriptions = ["a", "b", "c"].map { name in output.subscribe { seen.record("\(name)\($0)") } }
        output.send(1)
        output.send(2)
        #expect(seen.elements == ["a1", "b1", "c1", "a2", "b2", "c2"])
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `events that are sent before a subscription reach nobody`() {
        let seen = Recorder<Int>()
        output.send(1)
        let subscription = output.subscribe { seen.record($0) }
        output.send(2)
        #expect(seen.elements == [2])
        withExtendedLifetime(subscription) {}
    }

    @Test func `a handler that sends again does not cut in`() {
        let seen = Recorder<String>()
        let first = output.subscribe { [output] event in
            seen.record("first \(event)")
            if event < 3 { output.send(event + 1) }
        }
        let second = output.subscribe { seen.record("second \($0)") }
        output.send(1)
        #expect(seen.elements == ["first 1", "second 1", "first 2", "second 2", "first 3", "second 3"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a handler that sends a thousand events keeps their order`() {
        let seen = Recorder<Int>()
        let first = output.subscribe { [output] event in
            if event < 1_000 { output.send(event * 2 + 1) }
            if event < 1_000 { output.send(event * 2 + 2) }
        }
        let second = output.subscribe { seen.record($0) }
        output.send(0)
        #expect(seen.elements == Array(0...2_000))
        withExtendedLifetime((first, second)) {}
    }

    @Test func `many tasks that send at once lose nothing, and all handlers see one order`() async {
        let left = Recorder<Int>()
        let right = Recorder<Int>()
        let subscriptions = [output.subscribe { left.record($0) }, output.subscribe { right.record($0) }]
        let senders = 8
        let each = 2_000
        await withTaskGroup { group in
            for sender in 0..<senders {
                group.addTask { [output] in
                    for index in 0..<each { output.send(sender * each + index) }
                }
            }
        }
        let order = await left.elements(count: senders * each)
        #expect(await right.elements(count: senders * each) == order)
        #expect(order.sorted() == Array(0..<(senders * each)))
        for sender in 0..<senders {
            let own = order.filter { $0 / each == sender }
            #expect(own == own.sorted(), "the events of sender \(sender) changed places")
        }
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `a cancelled subscription is not called, the others are`() {
        let seen = Recorder<String>()
        let first = output.subscribe { seen.record("first \($0)") }
        let second = output.subscribe { seen.record("second \($0)") }
        first.cancel()
        first.cancel()
        output.send(1)
        #expect(seen.elements == ["second 1"])
        withExtendedLifetime(second) {}
    }

    @Test func `a released subscription is not called`() {
        let seen = Recorder<Int>()
        var subscription: Subscription? = output.subscribe { seen.record($0) }
        output.send(1)
        withExtendedLifetime(subscription) {}
        subscription = nil
        output.send(2)
        #expect(seen.elements == [1])
    }

    @Test func `a handler that cancels itself gets nothing more`() {
        let seen = Recorder<Int>()
        let own = Mutex<Subscription?>(nil)
        let subscription = output.subscribe { [output] event in
            seen.record(event)
            output.send(event + 1)
            own.withLock { $0 }?.cancel()
        }
        own.withLock { $0 = subscription }
        output.send(1)
        #expect(seen.elements == [1])
        own.withLock { $0 = nil }
    }

    @Test func `a handler that cancels another one stops it from the next event on`() {
        let seen = Recorder<String>()
        let victim = Mutex<Subscription?>(nil)
        let first = output.subscribe { event in
            seen.record("first \(event)")
            if event == 2 { victim.withLock { $0 }?.cancel() }
        }
        victim.withLock { $0 = output.subscribe { seen.record("second \($0)") } }
        for event in 1...3 { output.send(event) }
        #expect(seen.elements.filter { $0 != "second 2" } == ["first 1", "second 1", "first 2", "first 3"])
        withExtendedLifetime(first) {}
    }

    @Test func `who subscribes inside a handler gets what is sent later and not what waits already`() {
        let seen = Recorder<Int>()
        let late = Mutex<Subscription?>(nil)
        let subscription = output.subscribe { [output] event in
            guard event == 1 else { return }
            output.send(2)
            late.withLock { $0 = output.subscribe { seen.record($0) } }
            output.send(3)
        }
        output.send(1)
        #expect(seen.elements == [3])
        withExtendedLifetime(subscription) {}
    }

    @Test func `an object that a handler captured may send on the same output while it is released`() {
        let seen = Recorder<Int>()
        let listener = output.subscribe { seen.record($0) }
        let subscription = output.subscribe { [farewell = Farewell(output)] _ in withExtendedLifetime(farewell) {} }
        subscription.cancel()
        #expect(seen.elements == [0])
        withExtendedLifetime(listener) {}
    }

    @Test func `an object that an action captured may send on the same output while it is released`() {
        let seen = Recorder<Int>()
        let listener = output.subscribe { [output] event in
            seen.record(event)
            guard event == 1 else { return }
            output.afterPending { [farewell = Farewell(output)] in withExtendedLifetime(farewell) {} }
        }
        output.send(1)
        #expect(seen.elements == [1, 0])
        withExtendedLifetime(listener) {}
    }

    @Test func `a subscription may outlive its output`() {
        var output: Output<Int>? = Output()
        let subscription = output?.subscribe { _ in }
        output = nil
        subscription?.cancel()
    }

    @Test func `an action after what is pending runs at once when nothing is`() {
        let seen = Recorder<String>()
        output.afterPending { seen.record("action") }
        #expect(seen.elements == ["action"])
    }

    @Test func `an action inside a handler waits for the handlers behind and the events before`() {
        let seen = Recorder<String>()
        let first = output.subscribe { [output] event in
            seen.record("first \(event)")
            guard event == 1 else { return }
            output.send(2)
            output.afterPending { seen.record("action") }
            output.send(3)
        }
        let second = output.subscribe { seen.record("second \($0)") }
        output.send(1)
        #expect(seen.elements == ["first 1", "second 1", "first 2", "second 2", "action", "first 3", "second 3"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `an action waits for the event that another thread delivers`() async {
        let seen = Recorder<String>()
        let isDelivering = Gate()
        let mayGoOn = Gate()
        let first = output.subscribe { _ in
            isDelivering.open()
            mayGoOn.block()
            seen.record("delivered")
        }
        async let delivery: Void = onThread { [output] in output.send(1) }
        await isDelivering.wait()
        output.afterPending { seen.record("action") }
        #expect(seen.elements.isEmpty)
        mayGoOn.open()
        await delivery
        #expect(seen.elements == ["delivered", "action"])
        withExtendedLifetime(first) {}
    }

    @Test func `only one caller may start`() {
        #expect((0..<3).map { _ in output.claimStart() } == [true, false, false])
    }

    @Test func `the object that an output retains goes with its successor, which may unsubscribe from that output`() {
        let seen = Recorder<Int>()
        output.retained = output.subscribe { seen.record($0) }
        output.send(1)
        output.retained = nil
        output.send(2)
        #expect(seen.elements == [1])
    }
}

/// Sends 0 when it ends.
private final class Farewell: Sendable {
    private let output: Output<Int>

    init(_ output: Output<Int>) {
        self.output = output
    }

    deinit {
        output.send(0)
    }
}
