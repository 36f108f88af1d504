/// Printed lines that wait for a reader. Bounded: while there is no room, whole lines are left out, and counted.
///
/// A line in the place of those that are missing says how many they are.
package struct WaitingLines {
    private let maximumBytes: Int
    package private(set) var bytes: [UInt8] = []
    /// Set when there was no room, until half of it is free again: otherwise every other line would be missing.
    private var isFull = false
    /// Inside a line that is kept, or that is left out; neither at a line's beginning.
    private var isKeeping = false
    private var isLeavingOut = false
    /// Since the last line that was kept.
    private var missing = 0

    /// - Parameter maximumBytes: may be exceeded by one line that says what is missing.
    package init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// - Returns: how many lines were left out.
    package mutating func append(_ printed: UnsafeRawBufferPointer) -> Int {
        var leftOut = 0
        var rest = printed[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
            let piece = rest[..<(end ?? rest.endIndex)]
            rest = rest[piece.endIndex...]
            if !isLeavingOut, !take(piece) {
                leftOut += 1
                isLeavingOut = true
            }
            if end != nil { (isKeeping, isLeavingOut) = (false, false) }
        }
        missing += leftOut
        return leftOut
    }

    /// False when there is no room for it.
    private mutating func take(_ piece: UnsafeRawBufferPointer.SubSequence) -> Bool {
        if isFull, bytes.count <= maximumBytes / 2 { isFull = false }
        guard !isFull, bytes.count + piece.count <= maximumBytes else {
            // The line that was begun ends here.
            if isKeeping { bytes.append(UInt8(ascii: "\n")) }
            (isFull, isKeeping) = (true, false)
            return false
        }
        if !isKeeping { noteMissing() }
        bytes.append(contentsOf: piece)
        isKeeping = true
        return true
    }

    private mutating func noteMissing() {
        guard missing > 0 else { return }
        bytes.append(contentsOf: "\(missing) lines left out: nobody read them in time\n".utf8)
        missing = 0
    }

    /// Takes bytes off the front, which are written.
    package mutating func drop(_ count: Int) {
        bytes.removeFirst(count)
    }

    /// Says what is missing although no line follows, once all others are written.
    package mutating func noteMissingIfEmpty() {
        if bytes.isEmpty, !isKeeping { noteMissing() }
    }
}
