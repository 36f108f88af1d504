import TestSupport
import Testing

@testable import Sessions

@Suite struct NumberedQueueTests {
    @Test func `an empty one has nothing`() {
        let queue = NumberedQueue<Int>()
        #expect(queue.count == 0)
        #expect(queue.firstNumber == nil)
        #expect(queue[0] == nil)
        #expect(queue.first(after: .min) == nil)
        #expect(queue.first(after: .max) == nil)
    }

    @Test(arguments: 0..<20)
    func `it does as a dictionary with sorted keys does`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var queue = NumberedQueue<Int>()
        var naive: [Int: Int] = [:]
        var last = 0
        let removalPercent = Int.random(in: 30...60, using: &generator)
        for _ in 0..<2_000 {
            if generator.chance(removalPercent) {
                // The oldest, a newer one, or none at all.
                let number =
                    generator.chance(50)
                    ? naive.keys.min() ?? 0 : Int.random(in: max(0, last - 50)...(last + 1), using: &generator)
                #expect(queue.remove(number) == naive.removeValue(forKey: number), "seed \(seed)")
            } else {
                last += generator.chance(80) ? 1 : Int.random(in: 2...9, using: &generator)
                queue.append(last * 10, number: last)
                naive[last] = last * 10
            }
            let probe = Int.random(in: -1...(last + 2), using: &generator)
            #expect(queue[probe] == naive[probe], "seed \(seed)")
            let next = naive.keys.filter { $0 > probe }.min()
            #expect(queue.first(after: probe)?.number == next, "seed \(seed)")
            #expect(queue.first(after: probe)?.element == next.map { $0 * 10 }, "seed \(seed)")
            #expect(queue.firstNumber == naive.keys.min(), "seed \(seed)")
            #expect(queue.count == naive.count, "seed \(seed)")
            #expect(queue.placeCount <= 2 * max(naive.count, 64) + 1, "seed \(seed)")
        }
    }
}
