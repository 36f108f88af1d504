import JSONRPC
import TestSupport
import Testing

@Suite(.inTurn) struct InFlightTests {
    @Test func `an id is taken once until it is given free`() {
        var inFlight = InFlight()
        let one = Call(id: RequestID(1), batch: nil)
        let taken = [inFlight.begin(one), inFlight.begin(one)]
        #expect(taken == [true, false])
        #expect(inFlight.contains(one.id) && inFlight.count == 1)
        let ended = [inFlight.end(one.id), inFlight.end(one.id)]
        #expect(ended == [true, false])
        #expect(inFlight.isEmpty)
        let isTaken = inFlight.begin(one)
        #expect(isTaken)
    }

    @Test(arguments: 0..<20)
    func `few or many, what is in flight is what was taken and not given free`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var inFlight = InFlight()
        var expected: [Call: Int?] = [:]
        // Sometimes few, sometimes a lot more than are kept in one place.
        for step in 0..<2_000 {
            let number = Int64.random(in: 0..<(step % 400 < 200 ? 6 : 60), using: &generator)
            let call = Call(id: RequestID(number), batch: number % 3 == 0 ? nil : Int(number))
            let wasTaken = expected[call] != nil
            switch Int.random(in: 0..<5, using: &generator) {
            case 0, 1:
                let isTaken = inFlight.begin(call)
                #expect(isTaken == !wasTaken)
                if isTaken { expected[call] = .some(nil) }
            case 2:
                inFlight.note(PendingWork(Worker.shared, step, outlivesConnection: step % 2 == 0), for: call.id)
                if let known = expected[call], known == nil { expected[call] = step }
            default:
                let ended = inFlight.end(call.id)
                #expect(ended == wasTaken)
                expected[call] = nil
            }
            #expect(inFlight.contains(call.id) == (expected[call] != nil))
            #expect(
                inFlight.work(for: call.id)?.outlivesConnection == expected[call].flatMap { $0 }.map { $0 % 2 == 0 })
            #expect(inFlight.count == expected.count)
            #expect(inFlight.isEmpty == expected.isEmpty)
        }
        #expect(Set(inFlight.calls) == Set(expected.keys) && inFlight.calls.count == expected.count)
        #expect(inFlight.works.count == expected.values.count { $0 != nil })
    }

    private final class Worker: PendingWork.Worker, Sendable {
        static let shared = Worker()

        func cancel(_ number: Int) {}
    }
}

@Suite(.inTurn) struct BatchTests {
    @Test(arguments: [(["{}"], "[{}]"), (["1", "{}", "3"], "[1,{},3]")])
    func `the array is there with the last answer owed, in the order of the answers`(answers: [String], array: String) {
        var batch = Batch(owed: answers.count)
        let results = answers.map { answer in
            var message = LongMessage()
            message.append(Array(answer.utf8))
            return batch.add(message)?.text
        }
        #expect(results == answers.dropLast().map { _ in nil } + [Array(array.utf8)])
    }
}
