import JSON
import TestSupport
import Testing

@testable import Sessions

@Suite(.inTurn) struct SharedRecordTests {
    private static let client = "me"

    private func record() -> SharedRecord {
        SharedRecord(viewModel: "sum", arguments: JSONText { $0.literal("{}") }, client: Self.client)
    }

    private func attachment(_ key: String = "key", seq: Int? = nil, handled: Int? = 0) -> SharedAttachment {
        SharedAttachment(key: key, epoch: "1", seq: seq, handled: handled)
    }

    /// Three events that may go.
    private func recordThatSends() -> SharedRecord {
        var record = record()
        _ = record.didAttach(attachment(seq: 0), holds: true)
        for _ in 1...3 { _ = record.send([0x31], from: nil, now: .zero, mayGo: true) }
        return record
    }

    @Test func `what has come and waits to be taken isn't asked for again, but in a later life`() {
        var record = record()
        _ = record.didAttach(attachment(seq: 4), holds: true)
        record.didTake(record.come)
        for number in 5...7 { record.didReceive(upTo: number) }
        record.didTake(upTo: 5)
        #expect(record.opening == SharedOpening(client: Self.client, key: "key", since: 7, epoch: "1"))
        #expect(SharedRecord(record.notes, now: .zero).opening.since == 5)
        // The connection is lost, and the missing events follow.
        _ = record.didAttach(attachment(), holds: true)
        #expect(record.opening.since == 7)
        #expect(record.notes.seq == 5)
    }

    @Test func `a later life looks for the shared session whose events were taken last`() {
        var record = record()
        _ = record.didAttach(attachment(seq: 4), holds: true)
        record.didTake(record.come)
        // The first has gone, and of the second nothing is taken yet.
        _ = record.didAttach(attachment("other", seq: 0), holds: true)
        let later = SharedRecord(record.notes, now: .zero).opening
        #expect(later == SharedOpening(client: Self.client, key: "key", since: 4, epoch: "1"))
        #expect(record.opening == SharedOpening(client: Self.client, key: "other", since: 0, epoch: "1"))
        record.didTake(record.come)
        #expect(SharedRecord(record.notes, now: .zero).opening == record.opening)
    }

    @Test func `events with other numbers wait until these are stored, and not for notes of before`() {
        var record = recordThatSends()
        _ = record.didAnswer(1, inJob: 1, failure: nil)
        let before = record.notes
        let attached = record.didAttach(attachment("other", seq: 0), holds: true)
        #expect(attached.isRenumbered && attached.sent.isEmpty)
        #expect(record.wireNumber(of: before.outbox[0]) == 1)
        // They were handed to the store before, and are stored now.
        #expect(record.release(before).isEmpty)
        #expect(record.release(record.notes).map(\.number) == [2, 3])
        #expect(record.release(record.notes).isEmpty)
    }

    @Test func `events that aren't stored yet keep their numbers`() {
        var record = record()
        _ = record.didAttach(attachment(seq: 0), holds: true)
        let number = record.send([0x31], from: nil, now: .zero, mayGo: false)
        // The connection is lost before they may go.
        let attached = record.didAttach(attachment(), holds: true)
        #expect(!attached.isRenumbered && attached.sent.isEmpty)
        let released = record.release(record.notes)
        #expect(released.map(\.number) == [number])
        #expect(released.map(record.wireNumber) == [1])
    }

    @Test func `the events that a client's event has led to are known in a later life`() {
        var record = record()
        let cause = ClientNumber(client: "ada", number: 7)
        for cause in [nil, cause, cause] { _ = record.send([0x31], from: nil, for: cause, now: .zero, mayGo: true) }
        _ = record.didAnswer(2, inJob: 1, failure: nil)
        #expect(record.numbers(for: cause) == [2, 3])
        #expect(SharedRecord(record.notes, now: .zero).numbers(for: cause) == [3])
        record.removeAnswered(upToJob: 1)
        #expect(record.numbers(for: cause) == [3])
    }
}
