import Glibc
import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct MakingTests {
    private let container = Container()

    @Test func `a singleton is made once, however many ask for it at once, and nobody gets half of it`() async {
        let rounds = 50
        let threads = 3
        let containers = (0..<rounds).map { _ in Container() }
        let start = Rendezvous()
        let makings = Atomic(0)
        let seen = Recorder<[ObjectIdentifier]>()
        for container in containers {
            container.register(Slow.self) { container in
                makings.add(1, ordering: .relaxed)
                return try Slow(container: container, arguments: ())
            }
        }
        await withTaskGroup { group in
            for thread in 0..<threads {
                group.addTask {
                    await onThread {
                        var instances: [ObjectIdentifier] = []
                        for (round, container) in containers.enumerated() {
                            // All ask at the same moment, some of them through a container inside.
                            start.meet(threads * (round + 1))
                            let asked = thread.isMultiple(of: 2) ? container : Container(in: container)
                            guard let slow = try? asked.resolve(Slow.self) else { continue }
                            let isMade = slow.isMade.load(ordering: .acquiring)
                            #expect(isMade)
                            instances.append(ObjectIdentifier(slow))
                        }
                        seen.record(instances)
                    }
                }
            }
        }
        #expect(makings.load(ordering: .relaxed) == rounds)
        #expect(seen.elements.map(\.count) == Array(repeating: rounds, count: threads))
        #expect(Set(seen.elements).count == 1)
    }

    @Test func `many tasks may resolve, register and nest at once`() async {
        container.register(Int.self) { _ in 0 }
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for index in 0..<200 {
                        let session = Container(in: container)
                        container.register(Int.self) { _ in task * 1_000 + index }
                        #expect(throws: Never.self) {
                            _ = try session.resolve(Slow.self)
                            _ = try session.resolve(Part.self)
                            _ = try session.resolve(Int.self)
                        }
                    }
                }
            }
        }
    }

    @Test func `who waits for a making that fails makes it itself`() async throws {
        let isMaking = Gate()
        let mayFail = Gate()
        let attempts = Atomic(0)
        container.register(Slow.self) { container in
            if attempts.add(1, ordering: .relaxed).newValue == 1 {
                isMaking.open()
                mayFail.block()
                throw TestFailure()
            }
            return try Slow(container: container, arguments: ())
        }
        async let first: Void = onThread { [container] in
            #expect(throws: TestFailure()) { try container.resolve(Slow.self) }
        }
        await isMaking.wait()
        async let second: Void = onThread { [container] in
            #expect(throws: Never.self) { try container.resolve(Slow.self) }
        }
        mayFail.open()
        _ = await (first, second)
        #expect(attempts.load(ordering: .relaxed) == 2)
    }

    @Test func `a making of one session holds no other session up`() async throws {
        let isMaking = Gate()
        let mayGoOn = Gate()
        let slow = Container(in: container)
        slow.register(Slow.self) { container in
            isMaking.open()
            mayGoOn.block()
            return try Slow(container: container, arguments: ())
        }
        async let making: Void = onThread {
            #expect(throws: Never.self) { try slow.resolve(Slow.self) }
        }
        await isMaking.wait()
        #expect(throws: Never.self) { try Container(in: container).resolve(Slow.self) }
        mayGoOn.open()
        await making
    }

    @Test func `a singleton may use the container that it kept, for itself too`() throws {
        let later: Later = try container.resolve()
        #expect(try later.container.resolve(Later.self) === later)
        #expect(try later.container.resolve(Needs<Later>.self).needed === later)
    }

    @Test func `a task that a making began is no part of it and waits for what is made`() async {
        let seen = Recorder<String>()
        let isAsking = Gate()
        container.register(Later.self) { container in
            Task {
                isAsking.open()
                do {
                    _ = try container.resolve(Needs<Later>.self)
                    seen.record("resolved")
                } catch {
                    seen.record("\(error)")
                }
            }
            isAsking.block()
            // Gives the task the time to ask too early; it is right either way.
            for _ in 0..<50 where seen.elements.isEmpty { sched_yield() }
            return Later(container: container, arguments: ())
        }
        await onThread { [container] in
            #expect(throws: Never.self) { try container.resolve(Later.self) }
        }
        #expect(await seen.elements(count: 1) == ["resolved"])
    }
}

/// Holds each thread until as many as it expects have come.
private final class Rendezvous: Sendable {
    private let arrived = Atomic(0)

    func meet(_ count: Int) {
        arrived.add(1, ordering: .relaxed)
        while arrived.load(ordering: .relaxed) < count { sched_yield() }
    }
}

/// Takes long enough to be seen half-made.
private final class Slow: Singleton {
    let isMade = Atomic(false)

    init(container: Container, arguments: Void) throws {
        for _ in 0..<100 { _ = try container.resolve(Part.self) }
        isMade.store(true, ordering: .releasing)
    }
}

private struct Part: PerRequest {
    init(container: Container, arguments: Void) {}
}

private final class Later: Singleton {
    let container: Container

    init(container: Container, arguments: Void) {
        self.container = container
    }
}

private final class Needs<Needed: Singleton>: PerRequest {
    let needed: Needed

    init(container: Container, arguments: Void) throws {
        needed = try container.resolve()
    }
}
