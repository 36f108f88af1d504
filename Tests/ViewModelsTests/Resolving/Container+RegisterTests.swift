import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct ContainerRegisterTests {
    private let process = Container()

    @Test func `one dependency is replaced without touching the rest`() throws {
        process.register((any Greeting).self) { _ in Words(text: "Hello") }
        let session = Container(in: process)
        session.register((any Greeting).self) { _ in Words(text: "Hi") }
        let replaced: Page = try session.resolve()
        let untouched: Page = try process.resolve()
        #expect(replaced.greeting.text == "Hi")
        #expect(untouched.greeting.text == "Hello")
        #expect(replaced.theme === untouched.theme)
        #expect(try Container(in: process).resolve(Page.self).greeting.text == "Hello")
    }

    @Test func `a type for each request is made as it was registered, with the container that was asked`() throws {
        process.register((any Greeting).self) { _ in Words(text: "process") }
        process.register(Label.self) { container, number in
            Label(text: "\(try container.resolve((any Greeting).self).text) \(number)")
        }
        let session = Container(in: process)
        session.register((any Greeting).self) { _ in Words(text: "session") }
        #expect(try process.resolve(Label.self, arguments: 1).text == "process 1")
        #expect(try session.resolve(Label.self, arguments: 2).text == "session 2")
        session.register(Label.self) { _, number in Label(text: "own \(number)") }
        #expect(try session.resolve(Label.self, arguments: 3).text == "own 3")
        #expect(try process.resolve(Label.self, arguments: 4).text == "process 4")
    }

    @Test func `the clock is the container's: the real one unless another is given`() throws {
        let clock = ManualClock()
        #expect(try process.resolve((any Clock<Duration>).self) is ContinuousClock)
        let session = Container(in: Container(clock: clock))
        #expect(try session.resolve((any Clock<Duration>).self) as? ManualClock === clock)
        session.register((any Clock<Duration>).self) { _ in SuspendingClock() }
        #expect(try session.resolve((any Clock<Duration>).self) is SuspendingClock)
    }

    @Test func `the nearest container that knows wins`() throws {
        let containers = [process, Container(in: process), Container(in: Container(in: process))]
        let inner = Container(in: containers[1])
        containers[0].register((any Greeting).self) { _ in Words(text: "outer") }
        containers[1].register((any Greeting).self) { _ in Words(text: "middle") }
        #expect(try inner.resolve((any Greeting).self).text == "middle")
        #expect(try containers[2].resolve((any Greeting).self).text == "outer")
        inner.register((any Greeting).self) { _ in Words(text: "inner") }
        #expect(try inner.resolve((any Greeting).self).text == "inner")
        #expect(try containers[1].resolve((any Greeting).self).text == "middle")
    }

    @Test func `a registered type is made once for its container and shared by those inside`() throws {
        let makings = Atomic(0)
        process.register((any Greeting).self) { _ in
            Words(text: "\(makings.add(1, ordering: .relaxed).newValue)")
        }
        #expect(try Container(in: process).resolve((any Greeting).self).text == "1")
        #expect(try Container(in: process).resolve((any Greeting).self).text == "1")
        #expect(try process.resolve((any Greeting).self).text == "1")
    }

    @Test func `a singleton of the process that a session replaced is that session's own`() throws {
        let session = Container(in: process)
        session.register(Theme.self) { try Theme(container: $0, arguments: ()) }
        let own: Theme = try session.resolve()
        #expect(try session.resolve(Theme.self) === own)
        #expect(try Container(in: session).resolve(Theme.self) === own)
        #expect(try process.resolve(Theme.self) !== own)
        #expect(try Container(in: process).resolve(Theme.self) !== own)
    }

    @Test func `a singleton of the session is each session's own, registered or not`() throws {
        for isRegistered in [false, true] {
            if isRegistered { process.register(Cart.self) { try Cart(container: $0, arguments: ()) } }
            let sessions = [Container(in: process), Container(in: process)]
            for (index, session) in sessions.enumerated() {
                session.register((any Greeting).self) { _ in Words(text: "session \(index)") }
            }
            let carts = try sessions.map { try $0.resolve(Cart.self) }
            #expect(carts[0] !== carts[1])
            #expect(carts.map(\.greeting.text) == ["session 0", "session 1"])
            #expect(try sessions[0].resolve(Cart.self) === carts[0])
        }
    }

    @Test func `a container without others stands for a session too`() throws {
        process.register((any Greeting).self) { _ in Words(text: "Hello") }
        #expect(try process.resolve(Cart.self) === process.resolve(Cart.self))
    }

    @Test func `a singleton of the process can't take what belongs to a session`() throws {
        process.register((any Greeting).self) { _ in Words(text: "process") }
        let session = Container(in: process)
        session.register((any Greeting).self) { _ in Words(text: "session") }
        #expect(try session.resolve(Banner.self).greeting.text == "process")
    }

    @Test func `registering again replaces for whoever asks from then on`() throws {
        let session = Container(in: process)
        for text in ["first", "second"] {
            process.register((any Greeting).self) { _ in Words(text: text) }
            process.register(Label.self) { _, _ in Label(text: text) }
            #expect(try session.resolve((any Greeting).self).text == text)
            #expect(try session.resolve(Label.self, arguments: 1).text == text)
        }
        let theme: Theme = try session.resolve()
        let cart: Cart = try session.resolve()
        process.register(Theme.self) { try Theme(container: $0, arguments: ()) }
        process.register(Cart.self) { try Cart(container: $0, arguments: ()) }
        let second: Cart = try session.resolve()
        #expect(try session.resolve(Theme.self) !== theme)
        #expect(second !== cart)
        #expect(try session.resolve(Cart.self) === second)
    }

    @Test func `an object that is replaced while it is made is made anew for the next who asks`() throws {
        process.register((any Greeting).self) { container in
            container.register((any Greeting).self) { _ in Words(text: "new") }
            return Words(text: "old around \(try container.resolve((any Greeting).self).text)")
        }
        #expect(try process.resolve((any Greeting).self).text == "old around new")
        #expect(try process.resolve((any Greeting).self).text == "new")
    }

    @Test func `a session may wrap what the process has`() throws {
        process.register((any Greeting).self) { _ in Words(text: "Hello") }
        let session = Container(in: process)
        session.register((any Greeting).self) { [process] _ in
            Words(text: "\(try process.resolve((any Greeting).self).text)!")
        }
        #expect(try session.resolve((any Greeting).self).text == "Hello!")
    }
}

private protocol Greeting: Sendable {
    var text: String { get }
}

private struct Words: Greeting {
    let text: String
}

private final class Theme: Singleton {
    init(container: Container, arguments: Void) throws {}
}

private final class Banner: Singleton {
    let greeting: any Greeting

    init(container: Container, arguments: Void) throws {
        greeting = try container.resolve()
    }
}

private final class Cart: Singleton {
    static let scope = SingletonScope.session
    let greeting: any Greeting

    init(container: Container, arguments: Void) throws {
        let greeting: (any Greeting)? = try? container.resolve()
        self.greeting = greeting ?? Words(text: "nobody")
    }
}

private final class Page: PerRequest {
    let greeting: any Greeting
    let theme: Theme

    init(container: Container, arguments: Void) throws {
        greeting = try container.resolve()
        theme = try container.resolve()
    }
}

private struct Label: PerRequest {
    let text: String

    init(text: String) {
        self.text = text
    }

    init(container: Container, arguments: Int) {
        text = "unregistered"
    }
}
