import JSONRPC
import Testing

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

    @Test func `all that is in flight can be had`() {
        var inFlight = InFlight<Int>()
        #expect(inFlight.isEmpty)
        for id in 1...3 { _ = inFlight.begin(RequestID(Int64(id)), id) }
        #expect(inFlight.all.sorted() == [1, 2, 3])
    }
}
