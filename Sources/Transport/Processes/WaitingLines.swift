/// Printed lines that wait for a reader. They are bounded: while there is no room, whole lines are left out, and counted.
///
/// Where lines are missing, a line in their place says how many.
package struct WaitingLines {
    private let maximumBytes: Int
    package private(set) var bytes: [UInt8] = []
    /// Whether lines are left out as there was no room, until half of the room is free again. Otherwise every other line
    /// would be missing.
    private var isFull = false
    /// Whether the text so far ends inside a line that is kept, or inside one that is left out. Both are false at a line's
    /// beginning.
    private var isKeeping = false
    private var isLeavingOut = false
    /// The number of lines left out since the last line that was kept.
    private var missing = 0

    /// - Parameter maximumBytes: the bound in bytes. A line that says how many are missing may exceed it.
    package init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Adds printed text.
    ///
    /// - Returns: the number of lines that were left out.
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

    /// Adds a piece of a line. Returns false when there is no room for the piece.
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

    /// Removes bytes that were written from the front.
    package mutating func drop(_ count: Int) {
        bytes.removeFirst(count)
    }

    /// Adds the line that says how many are missing, although no line follows, once all others are written.
    package mutating func noteMissingIfEmpty() {
        if bytes.isEmpty, !isKeeping { noteMissing() }
    }
}
