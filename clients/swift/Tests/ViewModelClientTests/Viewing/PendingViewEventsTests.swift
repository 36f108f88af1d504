import Examples
import Glibc
import JSON
import TestSupport
import Testing
import ViewModelClient

/// The view events that wait while there is no connection: counted, seen, sent once, or given back.
@Suite(.inTurn, .timeLimit(.minutes(4))) struct PendingViewEventsTests {
    typealias Counter = RemoteViewModel<CounterViewModel.ViewModelEvent, CounterViewModel.ViewEvent>
    typealias Orders = RemoteViewModel<OrdersViewModel.ViewModelEvent, OrdersViewModel.ViewEvent>

    /// Waits to come back until the test moves the clock.
    private func patient(_ clock: ManualClock) -> ClientOptions {
        var options = ClientOptions()
        options.clock = clock
        return options
    }

    private func closed(_ remote: RemoteServer, _ clock: ManualClock) async {
        while remote.state != .closed(nil) {
            clock.advance(by: .milliseconds(100))
            await Task.yield()
        }
    }

    private func comeBack(_ remote: RemoteServer, _ clock: ManualClock) async {
        while remote.state != .connected {
            clock.advance(by: .milliseconds(100))
            await Task.yield()
        }
    }

    @Test func `what waits is counted and can be seen, and is handled once when the connection is back`() async throws {
        try await withMemoryServer { server in
            let (clock, counts) = (ManualClock(), Recorder<PendingCount>())
            let (events, dropped) = (Recorder<CounterViewModel.ViewModelEvent>(), Recorder<Int>())
            let remote = try await RemoteServer.reach(server.target, patient(clock), on: server.loop)
            let counter: Counter = remote.viewModel("counter")
            let subscriptions = [
                counter.pendingCounts.subscribe { counts.record($0) }, counter.output.subscribe { events.record($0) },
                counter.dropped.subscribe { dropped.record($0.count.total) },
            ]
            try await counter.start()
            try await counter.handle(event: .increment(by: 1))
            #expect(counts.elements.map(\.unsent) == [1, 0, 0])
            #expect(counts.elements.map(\.unanswered) == [0, 1, 0])
            #expect(counter.pending.count.total == 0)

            server.cut()
            await until { if case .waiting = remote.state { true } else { false } }
            async let first: Void = counter.handle(event: .increment(by: 10))
            await until { counter.pending.unsent == [.increment(by: 10)] }
            async let second: Void = counter.handle(event: .increment(by: 100))
            await until { counter.pending.unsent == [.increment(by: 10), .increment(by: 100)] }
            #expect(counter.pending.unanswered.isEmpty)
            #expect(counts.elements.last?.total == 2)
            await comeBack(remote, clock)
            _ = try await (first, second)
            #expect(counter.pending.count.total == 0)
            #expect(counts.elements.last?.total == 0)
            #expect(events.elements == [.count(0), .count(1), .count(11), .count(111)])
            #expect(dropped.elements.isEmpty)
            withExtendedLifetime(subscriptions) {}
            await remote.close()
        }
    }

    @Test func `when the session is gone, what wasn't sent is given back, and what has no answer is told apart`()
        async throws
    {
        try await withMemoryServer { server in
            let (clock, steps) = (ManualClock(), Recorder<String>())
            let remote = try await RemoteServer.reach(server.target, patient(clock), on: server.loop)
            let orders: Orders = remote.viewModel("orders", arguments: OrdersViewModel.Arguments(count: 1, delay: 60))
            let subscriptions = [
                orders.dropped.subscribe { steps.record("unanswered \($0.unanswered), unsent \($0.unsent)") },
                orders.ended.subscribe { steps.record("ended: \($0)") },
                orders.pendingCounts.subscribe { steps.record("\($0.unanswered) + \($0.unsent)") },
            ]
            try await orders.start()
            let loading = Task { try await orders.handle(event: .loadOrders) }
            await server.clock.sleepers(1)
            server.setReachable(false)
            server.cut()
            await until { if case .waiting = remote.state { true } else { false } }
            let selecting = Task { try await orders.handle(event: .selectOrder(index: 0)) }
            await until { orders.pending.count.unsent == 1 }
            #expect(orders.pending.unanswered == [.loadOrders])
            #expect(steps.elements == ["0 + 1", "1 + 0", "1 + 1"])

            server.restart()
            server.setReachable(true)
            await comeBack(remote, clock)
            let gone = RemoteError.sessionEnded(.forgotten)
            await #expect(throws: gone) { try await loading.value }
            await #expect(throws: gone) { try await selecting.value }
            let given = "unanswered \([OrdersViewModel.ViewEvent.loadOrders]), "
            let unsent = "unsent \([OrdersViewModel.ViewEvent.selectOrder(index: 0)])"
            #expect(steps.elements.dropFirst(3) == ["0 + 0", given + unsent, "ended: \(gone)"])
            #expect(orders.pending.count.total == 0)
            withExtendedLifetime(subscriptions) {}
            await remote.close()
        }
    }

    @Test func `all that a bound View has sent is counted at once, and given back in one place`() async throws {
        try await withMemoryServer { server in
            let (clock, dropped) = (ManualClock(), Recorder<[CounterViewModel.ViewEvent]>())
            let remote = try await RemoteServer.reach(server.target, patient(clock), on: server.loop)
            let counter: Counter = remote.viewModel("counter")
            let subscription = counter.dropped.subscribe { dropped.record($0.unsent) }
            let view = SendingView()
            try await view.bind(with: counter)
            server.setReachable(false)
            server.cut()
            await until { if case .waiting = remote.state { true } else { false } }
            let events = [1, 2, 3].map { CounterViewModel.ViewEvent.increment(by: $0) }
            for event in events { view.output.send(event) }
            await until { counter.pending.unsent == events }
            server.restart()
            server.setReachable(true)
            await comeBack(remote, clock)
            #expect(await dropped.elements(count: 1) == [events])
            #expect(await view.failed.elements(count: 3) == events)
            await until { counter.pending.count.total == 0 }
            withExtendedLifetime(subscription) {}
            await remote.close()
        }
    }

    @Test func `an event that is given up, refused or can't be sent waits no more, and isn't dropped`() async throws {
        try await withMemoryServer { server in
            let (clock, dropped) = (ManualClock(), Recorder<Int>())
            let remote = try await RemoteServer.reach(server.target, patient(clock), on: server.loop)
            let counter: Counter = remote.viewModel("counter", arguments: CounterViewModel.Arguments(start: 1))
            let subscription = counter.dropped.subscribe { dropped.record($0.count.total) }
            try await counter.start()
            await #expect(throws: RemoteError.self) { try await counter.handle(event: .increment(by: .max)) }
            #expect(counter.pending.count.total == 0)
            server.cut()
            await until { if case .waiting = remote.state { true } else { false } }
            let given = Task { try await counter.handle(event: .reset) }
            await until { counter.pending.unsent == [.reset] }
            given.cancel()
            await #expect(throws: CancellationError.self) { try await given.value }
            #expect(counter.pending.count.total == 0)
            // Left to itself, a view model that is closed gives nothing back: its sender learns it.
            let kept = Task { try await counter.handle(event: .reset) }
            await until { counter.pending.unsent == [.reset] }
            server.setReachable(false)
            let closing = Task { await remote.close() }
            await closed(remote, clock)
            await closing.value
            await #expect(throws: RemoteError.closed) { try await kept.value }
            #expect(dropped.elements == [1])
            withExtendedLifetime(subscription) {}
        }
    }

    @Test func `closing waits for answers that are on their way, and a second at most`() async throws {
        try await withMemoryServer { server in
            for isAnswered in [true, false] {
                let (clock, dropped) = (ManualClock(), Recorder<[OrdersViewModel.ViewEvent]>())
                let remote = try await RemoteServer.reach(server.target, patient(clock), on: server.loop)
                let arguments = OrdersViewModel.Arguments(count: 1, delay: 60)
                let orders: Orders = remote.viewModel("orders", arguments: arguments)
                let subscription = orders.dropped.subscribe { dropped.record($0.unanswered) }
                try await orders.start()
                let loading = Task { try await orders.handle(event: .loadOrders) }
                await server.clock.sleepers(1)
                await until { orders.pending.unanswered == [.loadOrders] }
                let sleepers = clock.sleeperCount
                let closing = Task { await remote.close() }
                await clock.sleepers(sleepers + 1)
                #expect(remote.state == .connected)
                if isAnswered {
                    server.clock.advance(by: .seconds(60))
                    try await loading.value
                } else {
                    clock.advance(by: .seconds(1))
                    await #expect(throws: RemoteError.closed) { try await loading.value }
                }
                await closing.value
                #expect(dropped.elements == (isAnswered ? [] : [[.loadOrders]]))
                withExtendedLifetime(subscription) {}
            }
        }
    }

    @Test func `a server that is killed and started again on its socket gives back what it was never sent`()
        async throws
    {
        try await withSocketPath { path in
            let (clock, dropped) = (ManualClock(), Recorder<[CounterViewModel.ViewEvent]>())
            let reached = Locked<(remote: RemoteServer, counter: Counter)?>(nil)
            try await withRunningServer(["--unix", path]) { server in
                _ = try #require(await server.address())
                let remote = try await RemoteServer.reach(.unix(path), patient(clock))
                let counter: Counter = remote.viewModel("counter")
                try await counter.start()
                reached.with { $0 = (remote, counter) }
                server.signal(SIGKILL)
                await until { if case .waiting = remote.state { true } else { false } }
            }
            let (remote, counter) = try #require(reached.with { $0 })
            let subscription = counter.dropped.subscribe { dropped.record($0.unsent) }
            let tasks = [1, 2].map { amount in Task { try await counter.handle(event: .increment(by: amount)) } }
            await until { counter.pending.count.unsent == 2 }
            unlink(path)
            try await withRunningServer(["--unix", path]) { server in
                _ = try #require(await server.address())
                await comeBack(remote, clock)
                for task in tasks {
                    await #expect(throws: RemoteError.sessionEnded(.forgotten)) { try await task.value }
                }
                let given = try #require(await dropped.elements(count: 1).first)
                #expect(given.count == 2 && given.contains(.increment(by: 1)) && given.contains(.increment(by: 2)))
                // The program opens again, and sends what it was given back.
                let again: Counter = remote.viewModel("counter")
                let events = Recorder<CounterViewModel.ViewModelEvent>()
                let shown = again.output.subscribe { events.record($0) }
                try await again.start()
                for event in given { try await again.handle(event: event) }
                #expect(events.elements.last == .count(3))
                withExtendedLifetime((subscription, shown)) {}
                await remote.close()
            }
        }
    }
}

/// Sends what its test says, and keeps what wasn't handled.
private final class SendingView: View {
    let output = Output<CounterViewModel.ViewEvent>()
    let failed = Recorder<CounterViewModel.ViewEvent>()

    func handle(event: CounterViewModel.ViewModelEvent) {}
    func handle(failure: any Error, of event: CounterViewModel.ViewEvent) { failed.record(event) }
}
