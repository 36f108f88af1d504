import JSONRPC
import Serving
import Testing
import ViewModelProtocol

/// Every state with every input.
struct ConnectionLifeTests {
    typealias Life = ConnectionLife
    typealias Outcome = (phase: Life.Phase, actions: [Life.Action])

    /// What follows an input in a phase. Inputs that a phase doesn't list change nothing and ask for nothing; they are listed
    /// in `ignored`, so that a new input or phase fails the test until it is decided.
    private static let table: [Life.Phase: [Life.Input: Outcome]] = [
        .open: [
            .exit: (.flushing, [.stopReading, .startGraceTimer, .flush]),
            .endOfInput: (.answering, [.startGraceTimer, .checkQuiet]),
            .refusal: (.refusing, [.stopTakingMessages, .awaitEndOfTurn]),
            .drain: (.draining, [.stopReading, .checkQuiet]),
            .loss: (.flushing, [.stopTakingMessages, .stopReading, .startGraceTimer, .flush]),
            .conclude: (.flushing, [.stopReading, .startGraceTimer, .flush]),
        ],
        .draining: [
            .exit: (.flushing, [.stopReading, .startGraceTimer, .flush]),
            .endOfInput: (.answering, [.startGraceTimer, .checkQuiet]),
            .refusal: (.refusing, [.stopTakingMessages, .awaitEndOfTurn]),
            .drain: (.draining, [.checkQuiet]),
            .loss: (.flushing, [.stopTakingMessages, .stopReading, .startGraceTimer, .flush]),
            .conclude: (.flushing, [.stopReading, .startGraceTimer, .flush]),
            .quiet: (.draining, [.reportQuiet]),
        ],
        .answering: [
            .exit: (.flushing, [.stopReading, .startGraceTimer, .flush]),
            .refusal: (.refusing, [.stopTakingMessages, .awaitEndOfTurn]),
            .drain: (.answering, [.checkQuiet]),
            .loss: (.flushing, [.stopTakingMessages, .stopReading, .startGraceTimer, .flush]),
            .conclude: (.flushing, [.stopReading, .startGraceTimer, .flush]),
            .quiet: (.flushing, [.reportQuiet, .stopReading, .startGraceTimer, .flush]),
            .graceEnded: (.flushing, [.abandonRequests, .stopReading, .flush, .awaitWriting]),
        ],
        .refusing: [
            .exit: (.flushing, [.stopReading, .startGraceTimer, .flush]),
            .endOfTurn: (.flushing, [.stopReading, .startGraceTimer, .flush]),
            .drain: (.refusing, [.checkQuiet]),
            .conclude: (.flushing, [.stopReading, .startGraceTimer, .flush]),
            .quiet: (.refusing, [.reportQuiet]),
        ],
        .flushing: [
            .exit: (.flushing, [.flush]),
            .drain: (.flushing, [.checkQuiet]),
            .conclude: (.flushing, [.flush]),
            .quiet: (.flushing, [.reportQuiet]),
            .graceEnded: (.flushing, [.closeStream]),
            .written: (.finishing, [.detachViews, .finishStream]),
        ],
        .finishing: [
            .drain: (.finishing, [.checkQuiet]),
            .quiet: (.finishing, [.reportQuiet]),
            .graceEnded: (.finishing, [.closeStream]),
        ],
        .closed: [
            .drain: (.closed, [.reportQuiet]),
            .quiet: (.closed, [.reportQuiet]),
        ],
    ]

    private static let ignored: [Life.Phase: Set<Life.Input>] = [
        .open: [.endOfTurn, .quiet, .graceEnded, .written],
        .draining: [.endOfTurn, .graceEnded, .written],
        .answering: [.endOfInput, .endOfTurn, .written],
        .refusing: [.endOfInput, .refusal, .loss, .graceEnded, .written],
        .flushing: [.endOfInput, .refusal, .endOfTurn, .loss],
        .finishing: [.exit, .endOfInput, .refusal, .endOfTurn, .loss, .conclude, .written],
        .closed: [.exit, .endOfInput, .refusal, .endOfTurn, .loss, .conclude, .graceEnded, .written, .close],
    ]

    /// A life that has come to a stage and a phase.
    private static func life(_ stage: Life.Stage, _ phase: Life.Phase) -> Life {
        var life = Life()
        let inputs: [Life.Input] =
            switch stage {
            case .connected: []
            case .initialized: [.initialize]
            case .shutDown: [.initialize, .shutdown]
            }
        let more: [Life.Input] =
            switch phase {
            case .open: []
            case .draining: [.drain]
            case .answering: [.endOfInput]
            case .refusing: [.refusal]
            case .flushing: [.exit]
            case .finishing: [.exit, .written]
            case .closed: [.close]
            }
        for input in inputs + more { _ = life.take(input) }
        #expect(life.stage == stage && life.phase == phase)
        return life
    }

    private static func expected(_ stage: Life.Stage, _ phase: Life.Phase, _ input: Life.Input) -> Outcome? {
        switch input {
        case .initialize, .shutdown, .failure: (phase, [])
        case .close where phase != .closed:
            (.closed, [.stopGraceTimer, .detachViews, .reportQuiet, .reportClosed(status: stage == .shutDown ? 0 : 1)])
        default: table[phase]?[input] ?? (ignored[phase]?.contains(input) == true ? (phase, []) : nil)
        }
    }

    @Test(arguments: Life.Phase.allCases, Life.Input.allCases)
    func `every phase knows what follows every input`(_ phase: Life.Phase, _ input: Life.Input) throws {
        for stage in Life.Stage.allCases {
            var life = Self.life(stage, phase)
            let expected = try #require(Self.expected(stage, phase, input), "\(phase) lacks \(input)")
            #expect(life.take(input) == expected.actions)
            #expect(life.phase == expected.phase)
        }
    }

    @Test(arguments: Life.Stage.allCases)
    func `output that a failure of the system lost decides the status`(_ stage: Life.Stage) {
        var life = Self.life(stage, .flushing)
        #expect(life.take(.failure) == [])
        #expect(life.take(.close).last == .reportClosed(status: 74))
    }

    @Test(arguments: Life.Stage.allCases, Life.Phase.allCases)
    func `the client moves on only while its messages are taken`(_ stage: Life.Stage, _ phase: Life.Phase) {
        let takes: Set<Life.Phase> = [.open, .draining, .answering]
        var initialized = Self.life(stage, phase)
        #expect(initialized.takesMessages == takes.contains(phase))
        _ = initialized.take(.initialize)
        #expect(initialized.stage == (stage == .connected && takes.contains(phase) ? .initialized : stage))
        var shutDown = Self.life(stage, phase)
        _ = shutDown.take(.shutdown)
        #expect(shutDown.stage == (takes.contains(phase) ? .shutDown : stage))
    }

    @Test(arguments: Life.Stage.allCases, Life.Phase.allCases)
    func `every stage and phase judges every kind of method`(_ stage: Life.Stage, _ phase: Life.Phase) {
        let life = Self.life(stage, phase)
        let isOver = !life.takesMessages || stage == .shutDown
        for method in Methods.all {
            let isFirst = method.allowance == .first
            switch life.judgeRequest(method) {
            case .allowed:
                #expect(!isOver && (stage == .connected ? isFirst : !isFirst && method.kind != .notification))
            case .refused(let error):
                let code: ErrorCode =
                    !isOver && stage == .connected ? .serverNotInitialized : .invalidRequest
                #expect(error.code == code, "\(method.name)")
            case .dropped: Issue.record("a request is owed an answer")
            }
            switch life.judgeNotification(method) {
            case .allowed:
                #expect(method.allowance == .always || (life.isInitialized && method.kind != .request))
            case .dropped:
                #expect(method.allowance != .always && (!life.isInitialized || method.kind == .request))
            case .refused: Issue.record("a notification has no answer")
            }
        }
        let unknown: ErrorCode =
            isOver ? .invalidRequest : stage == .connected ? .serverNotInitialized : .methodNotFound
        #expect(life.refusalOfUnknown("x").code == unknown)
    }
}
