import LibC

/// Which seeds a test of random histories runs: those that an environment variable names, else its usual ones.
///
/// `5000` names the first 5,000, `1000..<2000` those from 1,000 on, so that processes share the work.
package struct Seeds {
    package let range: Range<Int>
    /// All of them run, also after one has failed.
    package let areNamed: Bool

    package init(named variable: String, usual count: Int) {
        let named = getenv(variable).map { Seeds.range(String(cString: $0)) }
        precondition(named != .some(nil), "\(variable) is 5000, say, or 1000..<2000")
        (range, areNamed) = ((named ?? nil) ?? 0..<count, named != nil)
    }

    private static func range(_ text: String) -> Range<Int>? {
        let ends = text.split(separator: "..<", maxSplits: 1).map { Int($0) ?? -1 }
        guard let last = ends.last, let first = ends.count == 2 ? ends.first : 0, 0 <= first, first <= last else {
            return nil
        }
        return first..<last
    }
}
