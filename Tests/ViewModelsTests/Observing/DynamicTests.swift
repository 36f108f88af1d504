import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct DynamicTests {
    private let dynamic = Dynamic("a")
    private let seen = Recorder<String>()

    @Test func `bind tells each new value, and not the one there is`() {
        dynamic.bind { [seen] in seen.record($0) }
        #expect(seen.elements.isEmpty)
        dynamic.value = "b"
        dynamic.value = "b"
        #expect(seen.elements == ["b", "b"])
        #expect(dynamic.value == "b")
    }

    @Test func `bindAndFire tells the value there is at once, and then each new one`() {
        dynamic.bindAndFire { [seen] in seen.record($0) }
        #expect(seen.elements == ["a"])
        dynamic.value = "b"
        #expect(seen.elements == ["a", "b"])
    }

    @Test func `there is one listener: a new one replaces it, and nil takes it off`() {
        dynamic.bind { [seen] in seen.record("first \($0)") }
        dynamic.bindAndFire { [seen] in seen.record("second \($0)") }
        dynamic.value = "b"
        dynamic.bind { [seen] in seen.record("third \($0)") }
        dynamic.value = "c"
        dynamic.bind(nil)
        dynamic.value = "d"
        dynamic.bindAndFire { [seen] in seen.record("fourth \($0)") }
        dynamic.bindAndFire(nil)
        dynamic.value = "e"
        #expect(seen.elements == ["second a", "second b", "third c", "fourth d"])
    }

    @Test func `owners have a listener each, beside the one without an owner, and are held weakly`() {
        let first = Owner("first", seen)
        weak var gone: Owner?
        dynamic.bind { [seen] in seen.record("nobody's \($0)") }
        dynamic.bindAndFire(first) { $0.record($1) }
        do {
            let second = Owner("second", seen)
            gone = second
            dynamic.bind(second) { $0.record($1) }
            dynamic.value = "b"
            withExtendedLifetime(second) {}
        }
        #expect(gone == nil)
        dynamic.value = "c"
        dynamic.bind(first) { $0.record("again \($1)") }
        dynamic.value = "d"
        dynamic.unbind(first)
        dynamic.value = "e"
        #expect(
            seen.elements == [
                "first a", "nobody's b", "first b", "second b", "nobody's c", "first c", "nobody's d", "first again d",
                "nobody's e",
            ])
        withExtendedLifetime(first) {}
    }

    @Test func `a listener of a main actor's View is called there, in order`() async {
        let view = await Label(seen)
        await MainActor.run {
            view.follow(dynamic)
            dynamic.value = "b"
            dynamic.value = "c"
            #expect(seen.elements.isEmpty)
        }
        #expect(await seen.elements(count: 6) == ["one a", "two a", "one b", "two b", "one c", "two c"])
        withExtendedLifetime(view) {}
    }

    @Test func `a listener of an actor is called in its isolation, and doesn't keep it`() async {
        weak var gone: LabelActor?
        do {
            let label = LabelActor(seen)
            gone = label
            await label.follow(dynamic)
            #expect(await seen.elements(count: 1) == ["a"])
            dynamic.value = "b"
            #expect(await seen.elements(count: 2) == ["a", "b"])
            await label.followNext(dynamic)
            dynamic.value = "c"
            #expect(await seen.elements(count: 3) == ["a", "b", "next c"])
            withExtendedLifetime(label) {}
        }
        await until { gone == nil }
    }

    @Test func `an object that a listener captured is let go of with it`() {
        weak var captured: Owner?
        do {
            let owner = Owner("captured", seen)
            captured = owner
            dynamic.bind { _ in owner.record("called") }
        }
        #expect(captured != nil)
        dynamic.bind(nil)
        #expect(captured == nil)
    }

    @Test func `several tasks that set it leave every listener with the newest value`() async {
        let number = Dynamic(0)
        let (first, second) = (Recorder<Int>(), Recorder<Int>())
        let owner = Owner("owner", seen)
        number.bind { first.record($0) }
        number.bind(owner) { second.record($1) }
        await withTaskGroup { group in
            for setter in 0..<4 { group.addTask { for index in 1...200 { number.value = setter * 200 + index } } }
        }
        let order = await first.elements(count: 800)
        #expect(await second.elements(count: 800) == order)
        #expect(order.last == number.value)
        #expect(order.sorted() == Array(1...800))
        withExtendedLifetime(owner) {}
    }
}

@MainActor private final class Label {
    private let seen: Recorder<String>
    private var text = ""

    init(_ seen: Recorder<String>) { self.seen = seen }

    func follow(_ dynamic: Dynamic<String>) {
        dynamic.bindAndFire { [weak self] text in
            MainActor.assertIsolated()
            self?.text = "one \(text)"
            self.map { $0.seen.record($0.text) }
        }
        dynamic.bindAndFire(self) { this, text in
            MainActor.assertIsolated()
            this.text = "two \(text)"
            this.seen.record(this.text)
        }
    }
}

private actor LabelActor {
    private let seen: Recorder<String>
    private var text = ""

    init(_ seen: Recorder<String>) { self.seen = seen }

    func follow(_ dynamic: Dynamic<String>) {
        dynamic.bindAndFire(self) { this, text in
            this.text = text
            this.seen.record(this.text)
        }
    }

    func followNext(_ dynamic: Dynamic<String>) {
        dynamic.bind(self) { this, text in
            this.text = "next \(text)"
            this.seen.record(this.text)
        }
    }
}
