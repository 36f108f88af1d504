/// A line of what was expected beside the line of what came that belongs there.
struct ComparedLine {
    /// Nil where only the other side has one.
    var expected: String?
    var actual: String?
    var differs: Bool
}
