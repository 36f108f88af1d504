import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct PropertyEventsTests {
    private let seen = Recorder<String>()

    @Test func `each property is sent first, superclasses' ahead, in order of declaration, and then what start set`()
        async throws
    {
        let events = PropertyEvents(Stopwatch())
        let subscription = events.record(in: seen)
        try await events.start()
        #expect(seen.elements == ["title watch", "elapsed 0.0", "laps []", "note nil", "title started"])
        withExtendedLifetime(subscription) {}
    }

    @Test func `values that a handler set are sent in order, each time, before it is done`() async throws {
        let events = PropertyEvents(Stopwatch())
        try await events.start()
        let subscription = events.record(in: seen)
        try await events.handle(event: .tick)
        #expect(seen.elements == ["elapsed 1.0", "laps [1.0]", #"note Optional("one")"#, "elapsed 1.5"])
        withExtendedLifetime(subscription) {}
    }

    @Test func `values that a handler set before it failed are sent, and then the error is thrown`() async throws {
        let events = PropertyEvents(Stopwatch())
        try await events.start()
        let subscription = events.record(in: seen)
        await #expect(throws: TestFailure()) { try await events.handle(event: .fail) }
        #expect(seen.elements == ["elapsed 7.0"])
        withExtendedLifetime(subscription) {}
    }

    @Test func `an actor's properties and a plain class's dynamics are sent the same way`() async throws {
        let (actor, plain) = (PropertyEvents(Hello()), PropertyEvents(PlainHello()))
        let subscriptions = [actor.record(in: seen), plain.record(in: seen)]
        try await actor.start()
        try await plain.start()
        try await actor.handle(event: .tick)
        try await plain.handle(event: .tick)
        #expect(seen.elements == ["text ", "count 0", "label ", "text Hello", "count 1", "label Hello"])
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `a value that is set outside a handler is sent at once`() async throws {
        let model = Hello()
        let events = PropertyEvents(model)
        try await events.start()
        let subscription = events.record(in: seen)
        await model.say("Hi")
        #expect(seen.elements == ["text Hi", "count 1"])
        withExtendedLifetime((events, subscription)) {}
    }

    @Test func `a view model without properties has no events`() async throws {
        let events = PropertyEvents(Nothing())
        let subscription = events.record(in: seen)
        try await events.start()
        try await events.handle(event: .tick)
        #expect(seen.elements.isEmpty)
        withExtendedLifetime(subscription) {}
    }

    @Test func `the listener of a dynamic stays, and so do the owners`() async throws {
        let model = PlainHello()
        let owner = Owner("owner", seen)
        model.label.bind { [seen] in seen.record("listener \($0)") }
        model.label.bind(owner) { $0.record($1) }
        let events = PropertyEvents(model)
        try await events.start()
        let subscription = events.record(in: seen)
        try await events.handle(event: .tick)
        #expect(seen.elements == ["listener Hello", "owner Hello", "label Hello"])
        withExtendedLifetime((owner, subscription)) {}
    }

    @Test func `a property that can't be encoded is an error that names it, and nothing is sent`() async {
        let events = PropertyEvents(Unencodable())
        let subscription = events.record(in: seen)
        let error = PropertyError.notEncodable(property: "handler", of: "Unencodable", type: "Thing")
        await #expect(throws: error) { try await events.start() }
        #expect(
            error.description == """
                'handler' of Unencodable can't be sent to a View, since Thing isn't Encodable; make it so, or keep the \
                value in a property that is neither @Observed nor a Dynamic
                """)
        #expect(seen.elements.isEmpty)
        withExtendedLifetime(subscription) {}
    }

    @Test func `two properties of one name are an error that names it`() async {
        let events = PropertyEvents(Ambiguous())
        let error = PropertyError.ambiguous(property: "title", of: "Ambiguous")
        await #expect(throws: error) { try await events.start() }
        #expect(
            error.description
                == "Ambiguous and its superclasses have more than one property 'title'; give one another name")
    }

    @Test func `properties are read in an actor's own isolation, and otherwise on the main actor`() async throws {
        let (own, main) = (PropertyEvents(SelfWatching()), PropertyEvents(MainWatching()))
        let subscriptions = [own.record(in: seen), main.record(in: seen)]
        try await own.start()
        try await main.start()
        #expect(seen.elements == ["found true", "found true"])
        withExtendedLifetime(subscriptions) {}
    }

    @Test(arguments: [TickEvent.tick, .fail])
    func `values that a handler set are sent before it is done, also where another thread sets the same property`(
        event: TickEvent
    ) async throws {
        for _ in 0..<20 {
            let order = Recorder<String>()
            let (isSetting, mayGoOn) = (Gate(), Gate())
            let model = PlainHello()
            model.label.bind { _ in
                isSetting.open()
                mayGoOn.block()
            }
            let events = PropertyEvents(model)
            try await events.start()
            let subscription = events.record(in: order)
            async let other: Void = onThread { model.label.value = "other" }
            await isSetting.wait()
            async let handled: Void = {
                try? await events.handle(event: event)
                order.record("handled")
            }()
            await until { model.label.value == "Hello" }
            for _ in 0..<100 { await Task.yield() }
            mayGoOn.open()
            _ = await (handled, other)
            #expect(order.elements == ["label other", "label Hello", "handled"])
            withExtendedLifetime(subscription) {}
        }
    }

    @Test func `a snapshot is what was sent last of each property, whenever it is asked for`() async throws {
        let model = PlainHello()
        let events = PropertyEvents(model)
        #expect(events.snapshot().isEmpty)
        let subscription = events.record(in: seen)
        try await events.start()
        let snapshots = Recorder<(count: Int, events: [String])>()
        async let setter: Void = onThread { for index in 0..<3_000 { model.label.value = "\(index)" } }
        await onThread {
            while events.output.sentCount <= 3_000 {
                let count = events.output.sentCount
                let snapshot = events.snapshot()
                guard events.output.sentCount == count else { continue }
                snapshots.record((count, snapshot.map { "\($0.name) \($0.value)" }))
            }
        }
        await setter
        let sent = seen.elements
        #expect(sent.count == 3_001)
        #expect(events.snapshot().map { "\($0.name) \($0.value)" } == ["label 2999"])
        let wrong = snapshots.elements.filter { $0.events != [sent[$0.count - 1]] }
        #expect(wrong.isEmpty)
        withExtendedLifetime(subscription) {}
    }

    @Test func `its events replace each other, property by property`() async throws {
        let events = PropertyEvents(PlainHello())
        try await events.start()
        #expect(events.snapshot().map(\.coalescingKey) == ["label"])
    }
}

enum TickEvent: Sendable {
    case tick
    case fail
}

@MainActor private class Titled {
    @Observed var title = "watch"
    var plain = 1
}

private final class Stopwatch: Titled, ObservableViewModel {
    @Observed private(set) var elapsed = 0.0
    let laps = Dynamic<[Double]>([])
    weak var other: Stopwatch?
    let guarded = Mutex(1)
    @Observed private var note: String?

    func start() { title = "started" }

    func handle(event: TickEvent) throws {
        switch event {
        case .tick:
            elapsed = 1
            laps.value.append(elapsed)
            note = "one"
            elapsed = 1.5
        case .fail:
            elapsed = 7
            throw TestFailure()
        }
    }
}

private actor Hello: ObservableViewModel {
    @Observed var text = ""
    let count = Dynamic(0)

    func say(_ text: String) {
        self.text = text
        count.value += 1
    }

    func handle(event: TickEvent) { say("Hello") }
}

private final class PlainHello: ObservableViewModel {
    let label = Dynamic("")

    func handle(event: TickEvent) throws {
        label.value = "Hello"
        if event == .fail { throw TestFailure() }
    }
}

private final class Nothing: ObservableViewModel {
    func handle(event: TickEvent) {}
}

private struct Thing: Sendable {}

private final class Unencodable: ObservableViewModel {
    let first = Dynamic(1)
    let handler = Dynamic(Thing())

    func handle(event: TickEvent) {}
}

@MainActor private class Secretive {
    @Observed private var title = "a"
}

private final class Ambiguous: Secretive, ObservableViewModel {
    private let title = Dynamic(1)

    func handle(event: TickEvent) {}
}

/// Says how it is reflected.
private actor SelfWatching: ObservableViewModel, CustomReflectable {
    nonisolated var customMirror: Mirror {
        preconditionIsolated()
        return Mirror(self, children: ["found": Dynamic(true)])
    }

    func handle(event: TickEvent) {}
}

private final class MainWatching: ObservableViewModel, CustomReflectable {
    var customMirror: Mirror {
        MainActor.preconditionIsolated()
        return Mirror(self, children: ["found": Dynamic(true)])
    }

    func handle(event: TickEvent) {}
}

extension PropertyEvents {
    fileprivate func record(in seen: Recorder<String>) -> Subscription {
        output.subscribe { seen.record("\($0.name) \($0.value)") }
    }
}
