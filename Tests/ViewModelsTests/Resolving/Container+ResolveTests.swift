import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct ContainerResolveTests {
    private let container = Container()

    @Test func `a type that is made for each request is a new one each time`() throws {
        let first: Details = try container.resolve(arguments: 7)
        let second: Details = try container.resolve(arguments: 7)
        #expect(first !== second)
        #expect(first.order == 7)
    }

    @Test func `a singleton is the same for all who ask`() throws {
        let first: Settings = try container.resolve()
        #expect(try container.resolve(Settings.self) === first)
        #expect(try Container(in: container).resolve(Settings.self) === first)
    }

    @Test func `the type that is wanted picks what is resolved`() throws {
        container.register((any Provider).self) { _ in FixedProvider(name: "fixed") }
        let provider: any Provider = try container.resolve()
        let settings: Settings = try container.resolve()
        let list: List = try container.resolve()
        let details: Details = try container.resolve(arguments: 7)
        #expect(provider.name == "fixed")
        #expect(list.settings === settings)
        #expect(list.provider.name == "fixed")
        #expect(details.order == 7)
    }

    @Test func `an optional that is wanted is what it holds`() throws {
        container.register((any Provider).self) { _ in FixedProvider(name: "fixed") }
        let settings: Settings? = try? container.resolve()
        let provider: (any Provider)? = try? container.resolve()
        let list: List? = try container.resolve()
        let details: Details? = try? container.resolve(arguments: 7)
        #expect(provider?.name == "fixed")
        #expect(settings != nil && list?.settings === settings)
        #expect(details?.order == 7)
    }

    @Test func `actors, structs and classes of the main actor can be made`() async throws {
        let counter: Counter = try container.resolve(arguments: 3)
        #expect(await counter.count == 3)
        let range: Span = try container.resolve(arguments: (1, 2))
        #expect(range.bounds == [1, 2])
        let window: Window = try container.resolve(arguments: "Orders")
        #expect(await window.title == "Orders")
        let shared: Shared = try container.resolve()
        #expect(try container.resolve(Shared.self) === shared)
    }

    @Test func `a type that isn't registered is named`() {
        #expect(throws: ContainerError.notRegistered("Provider")) { try container.resolve((any Provider).self) }
        #expect(throws: ContainerError.notRegistered("Provider")) { try container.resolve(List.self) }
    }

    @Test func `an error of a making is the asker's`() {
        #expect(throws: TestFailure()) { try container.resolve(Failing.self) }
    }

    @Test func `a singleton whose making failed is made again for the next who asks`() throws {
        let attempts = Atomic(0)
        container.register(Settings.self) { container in
            if attempts.add(1, ordering: .relaxed).newValue == 1 { throw TestFailure() }
            return try Settings(container: container, arguments: ())
        }
        #expect(throws: TestFailure()) { try container.resolve(Settings.self) }
        let settings: Settings = try container.resolve()
        #expect(try container.resolve(Settings.self) === settings)
        #expect(attempts.load(ordering: .relaxed) == 2)
    }
}

private final class Details: PerRequest {
    let order: Int

    init(container: Container, arguments: Int) {
        order = arguments
    }
}

private final class Settings: Singleton {
    init(container: Container, arguments: Void) throws {}
}

private protocol Provider: Sendable {
    var name: String { get }
}

private struct FixedProvider: Provider {
    let name: String
}

private final class List: PerRequest {
    let provider: any Provider
    let settings: Settings

    init(container: Container, arguments: Void) throws {
        provider = try container.resolve()
        settings = try container.resolve()
    }
}

private actor Counter: PerRequest {
    var count: Int

    init(container: Container, arguments: Int) {
        count = arguments
    }
}

private actor Shared: Singleton {
    init(container: Container, arguments: Void) {}
}

private struct Span: PerRequest {
    let bounds: [Int]

    init(container: Container, arguments: (Int, Int)) {
        bounds = [arguments.0, arguments.1]
    }
}

@MainActor private final class Window: PerRequest {
    var title: String

    nonisolated init(container: Container, arguments: String) {
        title = arguments
    }
}

private struct Failing: PerRequest {
    init(container: Container, arguments: Void) throws {
        throw TestFailure()
    }
}
