import TestSupport
import Testing

@testable import Sessions

@Suite(.inTurn) struct SilentStateTests {
    typealias Turn = (sent: Int, differs: Bool)

    /// How many events there were at the end of each turn that saved something, whether the state was then another one than
    /// Views were told, and in which turn that is said.
    static let turns: [(turns: [Turn], said: [Int])] = [
        ([(1, true), (1, true), (1, true), (1, true)], [2]),
        ([(1, false), (1, false), (1, true), (1, true)], [3]),
        // The change is told late, by a task of the view model's own.
        ([(1, true), (1, true), (2, true), (3, true)], []),
        ([(1, true), (1, true), (2, false), (2, true), (2, false), (2, true)], []),
        ([(1, true), (2, true), (2, true), (2, true)], [3]),
        // What is saved isn't part of the state.
        ([(1, false), (1, false), (1, false)], []),
    ]

    @Test(arguments: Self.turns)
    func `two changes in turns one after the other that nobody was told of are said once`(
        _ turns: [Turn], said: [Int]
    ) {
        var rules = SilentTurns()
        var found: [Int] = []
        for (index, turn) in turns.enumerated() {
            guard rules.isSuspect(sent: turn.sent) else { continue }
            if rules.isSilent(sent: turn.sent, differs: turn.differs) { found.append(index) }
        }
        #expect(found == said)
    }
}
