import JSON
import TestSupport
import Testing

@testable import Serving
import Sessions

@Suite(.timeLimit(.minutes(4)))
struct ViewTableTests {
    @Test(arguments: 0..<20)
    func `views are found by their numbers, in order, whichever have left`(seed: Int) async throws {
        try await withServer { server in
            let session = try #require(
                try server.core.makeSession("hello", arguments: nil, at: "", on: server.loops[0]))
            var generator = SeededGenerator(seed: seed)
            let table = ViewTable()
            var expected: [Int: Int] = [:]
            var last = 0
            for _ in 0..<300 {
                if Bool.random(using: &generator) {
                    last += Int.random(in: 1...3, using: &generator)
                    table.append(AttachedView(number: last, session: session, id: last * 10))
                    expected[last] = last * 10
                } else {
                    let number = Int.random(in: 0...last + 2, using: &generator)
                    let removed = table.remove(number)?.id
                    #expect(removed == expected.removeValue(forKey: number))
                }
                for number in -1...last + 2 { #expect(table[number]?.id == expected[number]) }
                #expect(table.attached.map(\.number) == expected.keys.sorted())
                #expect(table.count == expected.count)
            }
            table.detachAll()
            #expect(table[last] == nil && table.count == 0)
            session.end(.closed)
        }
    }
}
