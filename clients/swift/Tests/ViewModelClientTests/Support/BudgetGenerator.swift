import TestSupport

/// Lengths of connections, the same for the same seed.
final class BudgetGenerator: Sendable {
    private let generator: Locked<SeededGenerator>
    private let longest: Int

    /// - Parameter longest: in bytes, in each direction; more than the longest message takes, which would never arrive.
    init(seed: Int, longest: Int) {
        generator = Locked(SeededGenerator(seed: seed))
        self.longest = longest
    }

    func budget() -> CutRelay.Budget {
        generator.with { [longest] generator in
            CutRelay.Budget(
                toServer: Int.random(in: 0...longest, using: &generator),
                toClient: Int.random(in: 0...longest, using: &generator))
        }
    }
}
