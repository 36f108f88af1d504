import JSON
import Sessions
import Synchronization
import Testing
import ViewModels
import TestSupport
/// View models without an enum of events, as a client sees them.
@Suite(.inTurn) struct HostedModelObservingTests {
    @Test func `an observable view model's properties are events, each with its name`() async throws {
        let session = try Session.of { Stopwatch() }
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        #expect(await session.opened() == ["ready", "started"])
        #expect(await session.outcome(from: view, of: try session.decoded(#"{"kind":"lap"}"#)) == "handled 6")
        #expect(
            session.taken(view) == [
                #"1 {"kind":"elapsed","value":0.0}"#, #"2 {"kind":"laps","value":[]}"#, #"3 {"kind":"note"}"#,
                #"4 {"kind":"elapsed","value":1.5}"#, #"5 {"kind":"laps","value":[1.5]}"#,
                #"6 {"kind":"note","value":"lap 1"}"#,
            ])
    }

    @Test func `a view model that notifies sends its state`() async throws {
        let session = try Session.of { @MainActor in Notifier() }
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        #expect(await session.opened() == ["ready", "started"])
        #expect(await session.outcome(from: view, of: try session.decoded(#"{"kind":"lap"}"#)) == "handled 2")
        #expect(
            session.taken(view) == [
                #"1 {"kind":"changed","value":{"laps":0}}"#, #"2 {"kind":"changed","value":{"laps":2}}"#,
            ])
    }

    @Test func `a property that can't be encoded fails the start with its name`() async throws {
        let session = try Session.of { Unencodable() }
        let viewer = TestViewer()
        let view = try session.attach(viewer, number: 1, client: nil).view
        _ = await session.opened()
        #expect(session.take(view).end == .failed)
        #expect(
            viewer.reports.elements.first?.hasPrefix(
                "1: test failed to start: 'thing' of Unencodable can't be sent to a View, since Thing isn't Encodable")
                == true)
    }

    @Test func `a property's event is encoded as a case of its name with one value would be`() async throws {
        try await check(1, AsEnum.changed(1))
        try await check("text", AsEnum.changed("text"))
        try await check(true, AsEnum.changed(true))
        try await check([1, 2], AsEnum.changed([1, 2]))
        try await check([Int?.none], AsEnum.changed([Int?.none]))
        try await check(["a": 1], AsEnum.changed(["a": 1]))
        try await check(Nested(name: "a", inner: .two(1, "b")), AsEnum.changed(Nested(name: "a", inner: .two(1, "b"))))
        try await check(Inner.one, AsEnum.changed(Inner.one))
        try await check(Raw.left, AsEnum.changed(Raw.left))
    }

    @Test func `a property that is nil is left out, as a case's value would be`() async throws {
        try await check(Int?.none, AsOptional.changed(nil))
        try await check(Int?.some(1), AsOptional.changed(1))
        try await check(Int??.none, AsTwiceOptional.changed(nil))
        try await check(Int??.some(nil), AsTwiceOptional.changed(.some(nil)))
        try await check(Int??.some(1), AsTwiceOptional.changed(1))
        #expect(try json(AsOptional.changed(nil)) == #"{"kind":"changed"}"#)
    }

    @Test func `a property may be called as the wire calls things of its own`() async throws {
        let (events, _) = try await started { OddNames() }
        #expect(
            events
                == ["kind", "value", "jsonrpc", "_0", "a name"].enumerated().map { index, name in
                    #"\#(index + 1) {"kind":"\#(name)","value":1}"#
                })
    }

    @Test func `a value that JSON can't express is reported, and takes no number`() async throws {
        let (events, reports) = try await started { OneProperty(Double.nan) }
        #expect(events.isEmpty)
        #expect(reports.count == 1)
        #expect(reports.first?.hasPrefix("1: test sent an event that JSON can't express: ") == true)
    }

    /// Expects the first event of a view model that holds `value` to be encoded as `event` is.
    private func check<Value: Codable & Sendable>(_ value: Value, _ event: some Encodable) async throws {
        let expected = "1 \(try json(event))"
        #expect(try await started { OneProperty(value) }.events == [expected])
        #expect(try await started { OneState(value) }.events == [expected])
    }

    /// The events and reports of a view model's start.
    private func started<Model: HostableViewModel>(
        _ make: @escaping @Sendable () -> Model
    ) async throws -> (events: [String], reports: [String])
    where Model.HostedEvent: Encodable, Model.HostedViewEvent: Decodable {
        let session = try Session.of(make)
        let viewer = TestViewer()
        let view = try session.attach(viewer, number: 1, client: nil).view
        #expect(await session.opened() == ["ready", "started"])
        defer { session.end(.closed) }
        return (session.taken(view), viewer.reports.elements)
    }

    private func json(_ event: some Encodable) throws -> String {
        var writer = JSONWriter()
        try EventEncoder().encode(event, into: &writer)
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
}

private final class OneProperty<Value: Sendable>: ObservableViewModel {
    let changed: Dynamic<Value>

    init(_ value: Value) { changed = Dynamic(value) }

    func handle(event: Input) {}
}

private final class OneState<State: Sendable>: NotifyingViewModel {
    let changed = Event<Void>()
    let state: State

    init(_ state: State) { self.state = state }

    func handle(event: Input) {}
}

private final class OddNames: ObservableViewModel {
    let kind = Dynamic(1)
    let value = Dynamic(1)
    let jsonrpc = Dynamic(1)
    let _0 = Dynamic(1)
    let `a name` = Dynamic(1)

    func handle(event: Input) {}
}

private enum AsEnum<Value: Codable>: Codable {
    case changed(Value)
}

private enum AsOptional: Codable {
    case changed(Int?)
}

private enum AsTwiceOptional: Codable {
    case changed(Int??)
}

private enum Input: String, Codable {
    case lap
}

private actor Stopwatch: ObservableViewModel {
    @Observed private var elapsed = 0.0
    private let laps = Dynamic<[Double]>([])
    @Observed private var note: String?
    private var plain = 0

    func handle(event: Input) {
        elapsed += 1.5
        laps.value.append(elapsed)
        plain += 1
        note = "lap \(plain)"
    }
}

@MainActor private final class Notifier: NotifyingViewModel {
    struct State: Encodable, Sendable {
        var laps = 0
    }

    let changed = Event<Void>()
    private(set) var state = State()

    func handle(event: Input) {
        for _ in 0..<2 {
            state.laps += 1
            changed.raise()
        }
    }
}

private struct Thing: Sendable {}

private final class Unencodable: ObservableViewModel {
    let thing = Dynamic(Thing())

    func handle(event: Input) {}
}

private struct Nested: Codable {
    var name: String
    var inner: Inner
}

private enum Inner: Codable {
    case one
    case two(Int, String)
}

private enum Raw: String, Codable {
    case left
}
