import JSON
import TestSupport
import Testing

@testable import Sessions

/// The numbers under which a session sends events to a shared one.
@Suite(.inTurn) struct SharedNumbersTests {
    private var record = SharedRecord(viewModel: "board", arguments: .emptyObject, client: "c")

    /// What is sent, as the numbers on the wire.
    private mutating func attach(
        _ key: String = "k", handled: Int? = nil, holds: Bool = false
    ) -> (sent: [Int], lost: [Int]) {
        let attached = record.didAttach(
            SharedAttachment(key: key, epoch: "1", seq: 0, handled: handled), holds: holds)
        return (attached.sent.map { record.wireNumber(of: $0) }, attached.lost.map(\.number))
    }

    private mutating func send(_ count: Int = 1, mayGo: Bool = true) {
        for _ in 0..<count { _ = record.send(Array("{}".utf8), from: nil, now: .zero, mayGo: mayGo) }
    }

    @Test func `numbers count from 1, and what isn't answered is sent again under its own`() {
        var test = self
        #expect(test.attach().sent == [])
        test.send(3)
        #expect(test.attach(handled: 2).sent == [1, 2, 3])
        _ = test.record.didAnswer(1, inJob: 1, failure: nil)
        #expect(test.attach(handled: 2).sent == [2, 3])
        test.record.removeAnswered(upToJob: 1)
        test.send()
        #expect(test.attach(handled: 3).sent == [2, 3, 4])
    }

    @Test func `what isn't stored isn't sent`() {
        var test = self
        _ = test.attach()
        test.send(2, mayGo: false)
        #expect(test.attach(handled: 0).sent == [])
        let before = test.record.notes
        test.send(mayGo: false)
        #expect(test.record.release(before).map(\.number) == [1, 2])
        #expect(test.record.release(before).isEmpty)
        #expect(test.attach(handled: 0).sent == [1, 2])
    }

    @Test func `another session counts from 1, and gets what the first hadn't answered`() {
        var test = self
        _ = test.attach()
        test.send(5)
        for number in 1...3 { _ = test.record.didAnswer(number, inJob: number, failure: nil) }
        #expect(test.attach("other").sent == [1, 2])
        #expect(test.record.number(ofWire: 1) == 4)
        test.send()
        #expect(test.attach("other", handled: 2).sent == [1, 2, 3])
    }

    @Test func `new numbers are stored before anything is sent under them`() {
        var test = self
        _ = test.attach()
        test.send(2)
        _ = test.record.didAnswer(1, inJob: 1, failure: nil)
        #expect(test.attach("other", holds: true).sent == [])
        let stored = test.record.notes
        #expect(test.record.release(stored).map { test.record.wireNumber(of: $0) } == [1])
        // In a later life.
        test.record = SharedRecord(stored, now: .zero)
        #expect(test.attach("other", handled: 1).sent == [1])
    }

    @Test func `a session that has lost what it answered gets the numbers that it expects`() {
        var test = self
        _ = test.attach()
        test.send(6)
        for number in 1...4 { _ = test.record.didAnswer(number, inJob: number, failure: nil) }
        #expect(test.attach(handled: 2).sent == [3, 4])
        #expect(test.record.number(ofWire: 3) == 5)
    }

    @Test func `where the sender is forgotten, nobody knows what became of its events, and it counts from 1 again`() {
        var test = self
        _ = test.attach()
        test.send(3)
        _ = test.record.didAnswer(1, inJob: 1, failure: nil)
        let (sent, lost) = test.attach(handled: nil)
        #expect(sent == [] && lost == [2, 3])
        for number in lost { _ = test.record.didAnswer(number, inJob: 2, failure: nil) }
        test.send()
        #expect(test.attach(handled: 0).sent == [1])
    }

    @Test func `an answer that comes again is none`() {
        var test = self
        _ = test.attach()
        test.send()
        #expect(test.record.didAnswer(1, inJob: 1, failure: nil) != nil)
        #expect(test.record.didAnswer(1, inJob: 2, failure: nil) == nil)
        #expect(test.record.isOnItsWay(1))
        test.record.removeAnswered(upToJob: 1)
        #expect(!test.record.isOnItsWay(1))
        #expect(test.record.notes.outbox.isEmpty)
    }
}
