import JSON
import Synchronization
import TestSupport
import Testing

@testable import Sessions
@testable import ViewModels

/// View models without an enum of events, as a client sees them.
@Suite struct HostedObservingTests {
    @Test func `an observable view model's properties are events, each with its name`() async throws {
        let session = Session(host: HostedView { AnyViewModel(PropertyEvents(Stopwatch())) })
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
        let session = Session(host: HostedView { AnyViewModel(ChangeEvents(Notifier())) })
        let view = try session.attach(TestViewer(), number: 1, client: nil).view
        #expect(await session.opened() == ["ready", "started"])
        #expect(await session.outcome(from: view, of: try session.decoded(#"{"kind":"lap"}"#)) == "handled 2")
        #expect(
            session.taken(view) == [
                #"1 {"kind":"changed","value":{"laps":0}}"#, #"2 {"kind":"changed","value":{"laps":2}}"#,
            ])
    }

    @Test func `a property that can't be encoded fails the start with its name`() async throws {
        let session = Session(host: HostedView { AnyViewModel(PropertyEvents(Unencodable())) })
        let viewer = TestViewer()
        let view = try session.attach(viewer, number: 1, client: nil).view
        _ = await session.opened()
        #expect(session.take(view).end == .failed)
        #expect(
            viewer.reports.elements.first?.hasPrefix(
                "1: test failed to start: 'thing' of Unencodable can't be sent to a View, since Thing isn't Encodable")
                == true)
    }

    @Test func `a property's event is encoded as a case of its name with one value would be`() throws {
        func check<Value: Codable & Sendable>(_ value: Value, _ event: AsEnum<Value>) throws {
            let expected = try json(event)
            #expect(try json(PropertyEvent(name: "changed", value: value)) == expected)
            #expect(try json(ChangeEvent(state: value)) == expected)
        }
        try check(1, .changed(1))
        try check("text", .changed("text"))
        try check(true, .changed(true))
        try check([1, 2], .changed([1, 2]))
        try check([Int?.none], .changed([nil]))
        try check(["a": 1], .changed(["a": 1]))
        try check(Nested(name: "a", inner: .two(1, "b")), .changed(Nested(name: "a", inner: .two(1, "b"))))
        try check(Inner.one, .changed(.one))
        try check(Raw.left, .changed(.left))
    }

    @Test func `a property that is nil is left out, as a case's value would be`() throws {
        func check<Value: Codable & Sendable>(_ value: Value, _ event: some Encodable) throws {
            let expected = try json(event)
            #expect(try json(PropertyEvent(name: "changed", value: value)) == expected)
            #expect(try json(ChangeEvent(state: value)) == expected)
        }
        try check(Int?.none, AsOptional.changed(nil))
        try check(Int?.some(1), AsOptional.changed(1))
        try check(Int??.none, AsTwiceOptional.changed(nil))
        try check(Int??.some(nil), AsTwiceOptional.changed(.some(nil)))
        try check(Int??.some(1), AsTwiceOptional.changed(1))
        #expect(try json(AsOptional.changed(nil)) == #"{"kind":"changed"}"#)
    }

    @Test func `a property may be called as the wire calls things of its own`() throws {
        for name in ["kind", "value", "jsonrpc", "_0", "a name"] {
            #expect(try json(PropertyEvent(name: name, value: 1)) == #"{"kind":"\#(name)","value":1}"#)
        }
    }

    @Test func `a value that JSON can't express is an error, and so is one of no encodable type`() {
        #expect(throws: JSONCodingError.self) { try json(PropertyEvent(name: "ratio", value: Double.nan)) }
        #expect(throws: JSONCodingError.self) { try json(PropertyEvent(name: "thing", value: Thing())) }
    }

    private func json(_ event: some Encodable) throws -> String {
        var writer = JSONWriter()
        try EventEncoder().encode(event, into: &writer)
        return String(decoding: writer.takeBytes(), as: UTF8.self)
    }
}

extension Session {
    fileprivate func decoded(_ event: String) throws -> @Sendable () async throws -> Void {
        try Array(event.utf8).withUnsafeBytes { try decode(JSONValue(validating: $0), at: "/event") }
    }
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
