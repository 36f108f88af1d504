/// What keeps a value that refers to itself, or a hostile text, from exhausting the stack.
enum CodingLimits {
    /// Of objects and arrays within each other, in both directions.
    static let depth = JSONReader.defaultMaximumDepth
    /// Of `init(from:)` or `encode(to:)` within each other. More than `depth`, as wrappers such as `Optional` add calls
    /// but no depth.
    static let calls = 2 * depth
}
