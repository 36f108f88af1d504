/// Something to do for the program that is measured.
package protocol Load: ~Copyable {
    /// Sends for that long, and waits until all that was asked for is done.
    mutating func run(seconds: Double) throws -> LoadResult
}
