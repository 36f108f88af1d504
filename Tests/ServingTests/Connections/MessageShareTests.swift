import Serving
import TestSupport
import Testing

@Suite(.inTurn) struct MessageShareTests {
    /// An input, or a question.
    enum Step {
        /// So many bytes have come, at this number of the loop's ready work, while so many are held.
        case bytes(Int, at: UInt64, held: Int = 0)
        case took(leavesWork: Bool = false)
        case end(leavesMessages: Bool, at: UInt64)
        case next, resume, takeAll
        case yields(Bool), waits(Bool)
    }

    struct Case: CustomTestStringConvertible {
        let testDescription: String
        /// Each with what it returns, where it returns anything.
        let steps: [(Step, Bool?)]
    }

    private static let many = Array(repeating: (Step.took(), Bool?.none), count: MessageShare.messages - 1)

    @Test(arguments: [
        Case(
            testDescription: "a few messages without work are taken one after the other",
            steps: [
                (.bytes(10, at: 1), false), (.took(), nil), (.yields(false), nil), (.bytes(10, at: 1), false),
                (.took(), nil), (.yields(false), nil),
            ]),
        Case(
            testDescription: "work comes before the next message, in a later read too",
            steps: [
                (.bytes(10, at: 1), false), (.took(leavesWork: true), nil), (.yields(true), nil),
                (.end(leavesMessages: false, at: 1), false), (.bytes(10, at: 1), false), (.yields(true), nil),
                (.end(leavesMessages: true, at: 1), true), (.waits(true), nil), (.next, nil), (.yields(false), nil),
                (.waits(false), nil),
            ]),
        Case(
            testDescription: "when the work has run, the next read goes on at once",
            steps: [
                (.bytes(10, at: 1), false), (.took(leavesWork: true), nil),
                (.end(leavesMessages: false, at: 1), false), (.bytes(10, at: 2), false), (.yields(false), nil),
            ]),
        Case(
            testDescription: "after a number of messages others have their share",
            steps: [(.bytes(10, at: 1), false)] + many + [
                (.yields(false), nil), (.took(), nil), (.yields(true), nil),
                (.end(leavesMessages: true, at: 1), true), (.next, nil), (.took(), nil), (.yields(false), nil),
            ]),
        Case(
            testDescription: "long messages wait for those of others",
            steps: [
                (.bytes(MessageShare.longBytes, at: 1), false), (.yields(false), nil),
                (.bytes(MessageShare.longBytes + 1, at: 1), false), (.yields(true), nil),
            ]),
        Case(
            testDescription: "the stream is paused once where much is left, and goes on when all is taken",
            steps: [
                (.bytes(10, at: 1), false), (.took(leavesWork: true), nil),
                (.end(leavesMessages: true, at: 1), true),
                (.bytes(10, at: 1, held: MessageShare.keptBytes), false),
                (.bytes(10, at: 1, held: MessageShare.keptBytes + 1), true),
                (.bytes(10, at: 1, held: MessageShare.keptBytes + 11), false), (.next, nil), (.takeAll, true),
                (.takeAll, false),
            ]),
        Case(
            testDescription: "a share that was held up for another reason goes on where it was",
            steps: [(.bytes(10, at: 1), false)] + many + [
                (.resume, nil), (.yields(false), nil), (.took(), nil), (.yields(true), nil),
            ]),
        Case(
            testDescription: "a turn that is asked for isn't asked for twice",
            steps: [
                (.took(leavesWork: true), nil), (.end(leavesMessages: true, at: 1), true),
                (.end(leavesMessages: true, at: 1), false), (.waits(true), nil),
            ]),
    ])
    func `a share`(_ test: Case) {
        var share = MessageShare()
        for (number, (step, expected)) in test.steps.enumerated() {
            #expect(Self.take(step, &share) == expected, "step \(number + 1): \(step)")
        }
    }

    /// A question is answered with nil where it is as the step says.
    private static func take(_ step: Step, _ share: inout MessageShare) -> Bool? {
        switch step {
        case .bytes(let count, let number, let held): return share.begin(count, readyWork: number, heldBytes: held)
        case .took(let leavesWork): share.didTakeMessage(leavesWork: leavesWork)
        case .end(let leavesMessages, let number): return share.end(leavesMessages: leavesMessages, readyWork: number)
        case .next: share.takeNext()
        case .resume: share.resume()
        case .takeAll: return share.didTakeAll()
        case .yields(let isYielding): return share.isYielding == isYielding ? nil : share.isYielding
        case .waits(let isWaiting): return share.isWaiting == isWaiting ? nil : share.isWaiting
        }
        return nil
    }
}
