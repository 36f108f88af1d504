import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct MakingCycleTests {
    private let container = Container()

    @Test func `singletons that need each other are named`() {
        #expect(throws: ContainerError.cycle(["Chicken", "Egg", "Chicken"])) { try container.resolve(Chicken.self) }
        #expect(throws: ContainerError.cycle(["Egg", "Chicken", "Egg"])) { try container.resolve(Egg.self) }
    }

    @Test func `only those that are in the cycle are named`() {
        #expect(throws: ContainerError.cycle(["Chicken", "Egg", "Chicken"])) { try container.resolve(Farm.self) }
    }

    @Test func `a singleton that needs itself is named, through sessions and view models too`() {
        container.register(Later.self) { try Later($0.resolve(Needs<Later>.self).needed) }
        let session = Container(in: container)
        #expect(throws: ContainerError.cycle(["Later", "Needs<Later>", "Later"])) { try session.resolve(Later.self) }
        session.register(Later.self) { try $0.resolve() }
        #expect(throws: ContainerError.cycle(["Later", "Later"])) { try session.resolve(Later.self) }
    }

    @Test func `a cycle through a container that was captured is found as well`() async {
        let container = container
        container.register(Later.self) { _ in try container.resolve() }
        container.register(Part.self) { _, _ in try container.resolve() }
        #expect(throws: ContainerError.cycle(["Later", "Later"])) { try container.resolve(Later.self) }
        #expect(throws: ContainerError.cycle(["Part", "Part"])) { try container.resolve(Part.self) }
        // On a thread that runs no task, too.
        await onThread {
            #expect(throws: ContainerError.cycle(["Later", "Later"])) { try container.resolve(Later.self) }
            #expect(throws: ContainerError.cycle(["Part", "Part"])) { try container.resolve(Part.self) }
        }
        // A captured container would keep itself alive.
        container.register(Later.self) { _ in throw TestFailure() }
        container.register(Part.self) { _, _ in throw TestFailure() }
    }

    @Test func `a cycle leaves nothing half-made`() throws {
        #expect(throws: ContainerError.self) { try container.resolve(Chicken.self) }
        container.register(Egg.self) { _ in Egg() }
        let egg: Egg = try container.resolve()
        #expect(try container.resolve(Chicken.self).egg === egg)
    }

    @Test(arguments: 2...4)
    func `singletons that need each other from several threads are told so, and nobody waits for ever`(count: Int) async
    {
        let arrivals = (0..<count).map { _ in Gate() }
        // Each is begun on a thread of its own before any asks for the next.
        for index in 0..<count {
            ring(index) { [container] in
                arrivals[index].open()
                for arrival in arrivals { arrival.block() }
                try resolve((index + 1) % count, in: container)
            }
        }
        let errors = Recorder<[String]>()
        await withTaskGroup { [container] group in
            for index in 0..<count {
                group.addTask {
                    await onThread {
                        do {
                            try resolve(index, in: container)
                        } catch ContainerError.cycle(let names) {
                            errors.record(names)
                        } catch {}
                    }
                }
            }
        }
        #expect(errors.elements.count == count)
        let names = ["Ring<One>", "Ring<Two>", "Ring<Three>", "Ring<Four>"].prefix(count)
        let cycles = (0..<count).map { start in (0...count).map { names[(start + $0) % count] } }
        for error in errors.elements { #expect(cycles.contains(error)) }
        for index in 0..<count { ring(index) { throw TestFailure() } }
    }

    @Test func `a type that needs itself for each request is named, and not by a stack that runs over`() {
        #expect(throws: ContainerError.cycle(["Loop", "Loop"])) { try container.resolve(Loop.self) }
        #expect(throws: ContainerError.cycle(["Ping", "Pong", "Ping"])) {
            try container.resolve(Ping.self, arguments: 0)
        }
    }

    @Test func `types without an end are named`() {
        let error = #expect(throws: ContainerError.self) { try container.resolve(Nest<Int>.self) }
        guard case .tooDeep(let names) = error else {
            Issue.record("not too deep: \(error as (any Error)?)")
            return
        }
        #expect(names.prefix(2) == ["Nest<Int>", "Nest<Array<Int>>"])
    }

    @Test func `a type that needs itself with an end is made`() throws {
        let folder: Folder = try container.resolve(arguments: 50)
        #expect(folder.depth == 50)
    }

    private func ring(_ index: Int, _ body: @escaping @Sendable () throws -> Void) {
        switch index {
        case 0: container.register(Ring<One>.self) { _ in try Ring(body) }
        case 1: container.register(Ring<Two>.self) { _ in try Ring(body) }
        case 2: container.register(Ring<Three>.self) { _ in try Ring(body) }
        default: container.register(Ring<Four>.self) { _ in try Ring(body) }
        }
    }
}

private func resolve(_ index: Int, in container: Container) throws {
    switch index {
    case 0: _ = try container.resolve(Ring<One>.self)
    case 1: _ = try container.resolve(Ring<Two>.self)
    case 2: _ = try container.resolve(Ring<Three>.self)
    default: _ = try container.resolve(Ring<Four>.self)
    }
}

private enum One {}
private enum Two {}
private enum Three {}
private enum Four {}

private final class Ring<Place>: Sendable {
    init(_ body: () throws -> Void) throws {
        try body()
    }
}

private final class Chicken: Singleton {
    let egg: Egg

    init(container: Container, arguments: Void) throws {
        egg = try container.resolve()
    }
}

private final class Egg: Singleton {
    init() {}

    init(container: Container, arguments: Void) throws {
        _ = try container.resolve(Chicken.self)
    }
}

private final class Farm: Singleton {
    init(container: Container, arguments: Void) throws {
        _ = try container.resolve(Needs<Chicken>.self)
    }
}

private final class Later: Singleton {
    init(_ other: Later) {}

    init(container: Container, arguments: Void) {}
}

private final class Needs<Needed: Singleton>: PerRequest {
    let needed: Needed

    init(container: Container, arguments: Void) throws {
        needed = try container.resolve()
    }
}

private struct Part: PerRequest {
    init(container: Container, arguments: Void) {}
}

private struct Loop: PerRequest {
    init(container: Container, arguments: Void) throws {
        self = try container.resolve()
    }
}

private final class Ping: PerRequest {
    init(container: Container, arguments: Int) throws {
        _ = try container.resolve(Pong.self, arguments: arguments + 1)
    }
}

private final class Pong: PerRequest {
    init(container: Container, arguments: Int) throws {
        _ = try container.resolve(Ping.self, arguments: arguments + 1)
    }
}

private struct Nest<Inner>: PerRequest {
    init(container: Container, arguments: Void) throws {
        _ = try container.resolve(Nest<[Inner]>.self)
    }
}

private final class Folder: PerRequest {
    let depth: Int

    init(container: Container, arguments: Int) throws {
        depth = arguments == 0 ? 0 : try container.resolve(Folder.self, arguments: arguments - 1).depth + 1
    }
}
