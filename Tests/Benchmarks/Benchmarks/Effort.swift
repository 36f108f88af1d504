/// How long is measured.
struct Effort {
    /// How often the server and the limit have their turn.
    var rounds = 5
    /// One turn's length, after the warming up.
    var seconds = 1.0
    /// The starts of one turn.
    var starts = 20
    /// The largest crowd of connections.
    var connections = 10_000

    /// For whoever wants to know only whether it runs.
    static let short = Effort(rounds: 1, seconds: 0.1, starts: 3, connections: 1_000)

    var warmUp: Double { seconds / 4 }
}
