import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct EventTests {
    private let event = Event<Int>()
    private let seen = Recorder<String>()

    @Test func `every handler is called with its owner, in the order of subscription, before raise returns`() {
        let owners = ["a", "b", "c"].map { Owner($0, seen) }
        for owner in owners { event.subscribe(owner) { $0.record($1) } }
        event.raise(1)
        event.raise(2)
        #expect(seen.elements == ["a 1", "b 1", "c 1", "a 2", "b 2", "c 2"])
        withExtendedLifetime(owners) {}
    }

    @Test func `an event that is raised before a subscription reaches nobody`() {
        let owner = Owner("a", seen)
        event.raise(1)
        event.subscribe(owner) { $0.record($1) }
        event.raise(2)
        #expect(seen.elements == ["a 2"])
        withExtendedLifetime(owner) {}
    }

    @Test func `an owner isn't kept, and isn't called once it is gone`() {
        weak var gone: Owner?
        do {
            let owner = Owner("a", seen)
            gone = owner
            event.subscribe(owner) { $0.record($1) }
            event.raise(1)
        }
        #expect(gone == nil)
        event.raise(2)
        #expect(seen.elements == ["a 1"])
    }

    @Test(arguments: [true, false])
    func `who is gone is taken out at the next raise or subscription, with what its handler held`(raises: Bool) {
        let living = Owner("living", seen)
        weak var held: Owner?
        do {
            let captured = Owner("captured", seen)
            held = captured
            event.subscribe(Owner("gone", seen)) { _, _ in captured.record("called") }
        }
        #expect(held != nil)
        if raises { event.raise(1) } else { event.subscribe(living) { $0.record($1) } }
        #expect(held == nil)
        withExtendedLifetime(living) {}
    }

    @Test func `an owner that subscribes again has one handler, the new one, at the end of the line`() {
        let (first, second) = (Owner("first", seen), Owner("second", seen))
        event.subscribe(first) { $0.record("old \($1)") }
        event.subscribe(second) { $0.record($1) }
        event.subscribe(first) { $0.record("new \($1)") }
        event.raise(1)
        #expect(seen.elements == ["second 1", "first new 1"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `who has unsubscribed isn't called, the others are`() {
        let (first, second) = (Owner("first", seen), Owner("second", seen))
        for owner in [first, second] { event.subscribe(owner) { $0.record($1) } }
        event.unsubscribe(first)
        event.unsubscribe(first)
        event.raise(1)
        #expect(seen.elements == ["second 1"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `who is unsubscribed while the event is raised isn't called for it`() {
        let (first, second) = (Owner("first", seen), Owner("second", seen))
        event.subscribe(first) { [event] owner, args in
            owner.record(args)
            event.unsubscribe(second)
        }
        event.subscribe(second) { $0.record($1) }
        event.raise(1)
        event.raise(2)
        #expect(seen.elements == ["first 1", "first 2"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a handler that unsubscribes its own owner is called no more, also not for what waits`() {
        let owner = Owner("a", seen)
        event.subscribe(owner) { [event] owner, args in
            owner.record(args)
            event.raise(args + 1)
            event.unsubscribe(owner)
        }
        event.raise(1)
        #expect(seen.elements == ["a 1"])
        withExtendedLifetime(owner) {}
    }

    @Test func `an owner that ends while the event is raised isn't called for it`() {
        let first = Owner("first", seen)
        let second = Mutex<Owner?>(Owner("second", seen))
        event.subscribe(first) { owner, args in
            owner.record(args)
            let last = second.withLock { $0.take() }
            withExtendedLifetime(last) {}
        }
        second.withLock { $0 }.map { event.subscribe($0) { $0.record($1) } }
        event.raise(1)
        #expect(seen.elements == ["first 1"])
        withExtendedLifetime(first) {}
    }

    @Test func `who subscribes while the event is raised gets the next one`() {
        let (first, second) = (Owner("first", seen), Owner("second", seen))
        event.subscribe(first) { [event] owner, args in
            owner.record(args)
            event.subscribe(second) { $0.record($1) }
        }
        event.raise(1)
        #expect(seen.elements == ["first 1"])
        event.raise(2)
        // It subscribed again meanwhile.
        #expect(seen.elements == ["first 1", "first 2"])
        event.unsubscribe(first)
        event.raise(3)
        #expect(seen.elements == ["first 1", "first 2", "second 3"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a handler that raises again doesn't cut in`() {
        let (first, second) = (Owner("first", seen), Owner("second", seen))
        event.subscribe(first) { [event] owner, args in
            owner.record(args)
            if args < 3 { event.raise(args + 1) }
        }
        event.subscribe(second) { $0.record($1) }
        event.raise(1)
        #expect(seen.elements == ["first 1", "second 1", "first 2", "second 2", "first 3", "second 3"])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `an event without arguments has handlers without`() {
        let event = Event<Void>()
        let owner = Owner("a", seen)
        event.subscribe(owner) { $0.record("called") }
        event.raise()
        #expect(seen.elements == ["a called"])
        event.unsubscribe(owner)
        event.raise()
        #expect(seen.elements == ["a called"])
        withExtendedLifetime(owner) {}
    }

    @Test func `an owner may unsubscribe as it ends, and what a handler held may raise as it goes`() {
        weak var held: Held?
        do {
            let owner = Leaver(event)
            let captured = Held()
            held = captured
            event.subscribe(owner) { _, _ in withExtendedLifetime(captured) {} }
            withExtendedLifetime(owner) {}
        }
        #expect(held == nil)
        let (first, second) = (Owner("first", seen), Owner("second", seen))
        event.subscribe(first) { $0.record($1) }
        event.subscribe(second) { [last = Raiser(event)] _, _ in withExtendedLifetime(last) {} }
        event.unsubscribe(second)
        #expect(seen.elements == ["first 0"])
        withExtendedLifetime((first, second)) {}
    }
}

/// Unsubscribes as it ends.
private final class Leaver: Sendable {
    private let event: Event<Int>

    init(_ event: Event<Int>) { self.event = event }

    deinit { event.unsubscribe(self) }
}

/// Raises 0 as it ends.
private final class Raiser: Sendable {
    private let event: Event<Int>

    init(_ event: Event<Int>) { self.event = event }

    deinit { event.raise(0) }
}
