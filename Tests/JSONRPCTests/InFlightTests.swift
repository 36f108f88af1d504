import JSONRPC
import Testing
import TestSupport

@Suite struct InFlightTests {
    @Test func `an id is taken once until it is given free`() {
        var inFlight = InFlight<String>()
        let one = RequestID(1)
        let taken = ["first", "second"].map { inFlight.begin(one, $0) }
        #expect(taken == [true, false])
        #expect(inFlight[one] == "first")
        #expect(inFlight.count == 1)
        let ended = [inFlight.end(one), inFlight.end(one)]
        #expect(ended == ["first", nil])
        #expect(inFlight.isEmpty)
        let isTaken = inFlight.begin(one, "again")
        #expect(isTaken)
    }

    @Test(arguments: 0..<20)
    func `few or many, what is in flight is what was taken and not given free`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var inFlight = InFlight<Int>()
        var expected: [RequestID: Int] = [:]
        // Sometimes none, sometimes a lot more than are kept in one place.
        for step in 0..<2_000 {
            let id = RequestID(Int64.random(in: 0..<(step % 400 < 200 ? 6 : 60), using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                let isTaken = inFlight.begin(id, step)
                #expect(isTaken == (expected[id] == nil))
                if isTaken { expected[id] = step }
            case 2:
                let isChanged = inFlight.change(id) { $0 += 1 }
                #expect(isChanged == (expected[id] != nil))
                expected[id]? += 1
            default:
                let ended = inFlight.end(id)
                #expect(ended == expected.removeValue(forKey: id))
            }
            #expect(inFlight[id] == expected[id])
            #expect(inFlight.count == expected.count)
            #expect(inFlight.isEmpty == expected.isEmpty)
        }
        #expect(inFlight.all.sorted() == expected.values.sorted())
    }

    @Test func `all that is in flight can be had`() {
        var inFlight = InFlight<Int>()
        #expect(inFlight.isEmpty)
        for id in 1...3 { _ = inFlight.begin(RequestID(Int64(id)), id) }
        #expect(inFlight.all.sorted() == [1, 2, 3])
    }
}
