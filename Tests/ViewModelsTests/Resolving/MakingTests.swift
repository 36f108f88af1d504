import Synchronization
import TestSupport
import Testing
import ViewModels

@Suite struct MakingTests {
    private let container = Container()

    @Test func `a singleton is made once, however many ask for it at once`() async {
        let makings = Atomic(0)
        let session = Container(in: container)
        container.register(Slow.self) { container in
            makings.add(1, ordering: .relaxed)
            return try Slow(container: container, arguments: ())
        }
        let gate = Gate()
        let seen = Recorder<Slow>()
        await withTaskGroup { group in
            for index in 0..<16 {
                group.addTask {
                    await onThread {
                        gate.block()
                        let asked = index.isMultiple(of: 2) ? session : container
                        if let slow = try? asked.resolve(Slow.self) { seen.record(slow) }
                    }
                }
            }
            gate.open()
        }
        #expect(seen.elements.count == 16)
        #expect(Set(seen.elements.map { ObjectIdentifier($0) }).count == 1)
        #expect(seen.elements.allSatisfy { $0.isMade.load(ordering: .relaxed) })
        #expect(makings.load(ordering: .relaxed) == 1)
    }
}

/// Takes long enough to be seen half-made.
private final class Slow: Singleton {
    let isMade = Atomic(false)

    init(container: Container, arguments: Void) throws {
        for _ in 0..<100 { _ = try container.resolve(Part.self) }
        isMade.store(true, ordering: .relaxed)
    }
}

private struct Part: PerRequest {
    init(container: Container, arguments: Void) {}
}
