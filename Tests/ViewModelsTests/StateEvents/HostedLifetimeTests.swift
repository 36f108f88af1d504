import Synchronization
import TestSupport
import Testing
import ViewModels

/// The events of a view model keep it, and never the other way round.
@Suite(.inTurn) struct HostedLifetimeTests {
    @Test func `a view model that notifies goes with its events`() async throws {
        weak var weakModel: ListActor?
        weak var weakEvents: ChangeEvents<ListActor>?
        do {
            let events = ChangeEvents(ListActor([]))
            weakEvents = events
            try await events.start()
            try await events.handle(event: .addTwice(1))
            do {
                let model = ListActor([])
                weakModel = model
                let events = ChangeEvents(model)
                try await events.start()
            }
            withExtendedLifetime(events) {}
        }
        // A read that a change asked for may let go of them a moment later.
        await until { weakModel == nil && weakEvents == nil }
    }

    @Test func `an observable view model goes with its events`() async throws {
        weak var weakModel: Ticker?
        weak var weakEvents: PropertyEvents<Ticker>?
        do {
            let model = Ticker()
            let events = PropertyEvents(model)
            (weakModel, weakEvents) = (model, events)
            try await events.start()
            try await events.handle(event: .addTwice(1))
        }
        #expect(weakEvents == nil)
        await until { weakModel == nil }
    }

    @Test func `both go while the view model's own task runs`() async throws {
        weak var weakTicker: Ticker?
        weak var weakNotifier: NotifyingTicker?
        do {
            let (ticker, notifier) = (Ticker(), NotifyingTicker())
            (weakTicker, weakNotifier) = (ticker, notifier)
            let (properties, changes) = (PropertyEvents(ticker), ChangeEvents(notifier))
            let seen = Recorder<Int>()
            let subscriptions = [
                properties.output.subscribe { _ in seen.record(1) }, changes.output.subscribe { _ in seen.record(2) },
            ]
            try await properties.start()
            try await changes.start()
            await ticker.run()
            await notifier.run()
            _ = await seen.elements(count: 100)
            withExtendedLifetime((properties, changes, subscriptions)) {}
        }
        await until { weakTicker == nil && weakNotifier == nil }
    }

    @Test func `a view model that others keep sends nothing once it isn't hosted`() async throws {
        let (ticker, list) = (Ticker(), ListActor([]))
        let seen = Recorder<String>()
        weak var weakProperties: PropertyEvents<Ticker>?
        weak var weakChanges: ChangeEvents<ListActor>?
        do {
            let (properties, changes) = (PropertyEvents(ticker), ChangeEvents(list))
            (weakProperties, weakChanges) = (properties, changes)
            let subscriptions = [
                properties.output.subscribe { _ in seen.record("property") },
                changes.output.subscribe { _ in seen.record("state") },
            ]
            try await properties.start()
            try await changes.start()
            withExtendedLifetime((properties, changes, subscriptions)) {}
        }
        await until { weakProperties == nil && weakChanges == nil }
        let count = seen.elements.count
        await ticker.tick()
        await list.add(1)
        #expect(seen.elements.count == count)
    }

    @Test func `a change that waits for its read doesn't keep its events`() async throws {
        let model = MainModel()
        let events = Mutex<ChangeEvents<MainModel>?>(ChangeEvents(model))
        try await events.withLock { $0 }?.start()
        await MainActor.run {
            weak let weakEvents = events.withLock { $0 }
            #expect(weakEvents != nil)
            // To be read in the view model's isolation, which is busy here.
            model.changed.raise()
            events.withLock { $0 = nil }
            #expect(weakEvents == nil)
        }
    }
}

private actor Ticker: ObservableViewModel {
    @Observed var count = 0

    func tick() { count += 1 }

    func run() {
        Task { [weak self] in
            while let self {
                await self.tick()
                await Task.yield()
            }
        }
    }

    func handle(event: ListEvent) { tick() }
}

private actor NotifyingTicker: NotifyingViewModel {
    let changed = Event<Void>()
    private(set) var state = 0

    func tick() {
        state += 1
        changed.raise()
    }

    func run() {
        Task { [weak self] in
            while let self {
                await self.tick()
                await Task.yield()
            }
        }
    }

    func handle(event: ListEvent) { tick() }
}

@MainActor private final class MainModel: NotifyingViewModel {
    let changed = Event<Void>()
    let state = 0

    func handle(event: ListEvent) {}
}
