/// Finds a text in bytes, by Horspool's algorithm: it looks at the end of where the text might be first, and mostly goes on
/// by the length of the text.
struct LiteralSearch: Sendable {
    private let text: [UInt8]
    /// How far to go on, by the byte at the end.
    private let steps: [Int]
    /// What a byte counts as.
    private let folded: [UInt8]

    /// - Parameters:
    ///   - text: isn't empty.
    ///   - ignoresCase: of letters of ASCII.
    init(_ text: some Sequence<UInt8>, ignoresCase: Bool) {
        let folded = (0...UInt8.max).map { byte in
            ignoresCase && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        let text = text.map { folded[Int($0)] }
        var steps = [Int](repeating: max(1, text.count), count: 256)
        for (index, byte) in text.dropLast().enumerated() { steps[Int(byte)] = text.count - 1 - index }
        self.text = text
        self.folded = folded
        self.steps = folded.map { steps[Int($0)] }
    }

    var count: Int { text.count }

    /// Where the text is, from an index on; nil where it isn't.
    func first(in bytes: UnsafeBufferPointer<UInt8>, from start: Int = 0) -> Int? {
        guard let last = text.last else { return nil }
        return text.withUnsafeBufferPointer { text in
            folded.withUnsafeBufferPointer { folded in
                steps.withUnsafeBufferPointer { steps in
                    var end = start + text.count - 1
                    while end < bytes.count {
                        let byte = Int(bytes[end])
                        if folded[byte] == last {
                            var (place, index) = (end - 1, text.count - 2)
                            while index >= 0, folded[Int(bytes[place])] == text[index] {
                                place -= 1
                                index -= 1
                            }
                            if index < 0 { return end - text.count + 1 }
                        }
                        end += steps[byte]
                    }
                    return nil
                }
            }
        }
    }
}

/// The places of several texts in the same bytes, in order.
struct LiteralPlaces {
    private let texts: [LiteralSearch]
    private let bytes: UnsafeBufferPointer<UInt8>
    /// Where each text is next, so that one that is rare isn't looked for again and again.
    private var places: [Int]

    /// - Parameter bytes: outlive it.
    init(of texts: [LiteralSearch], in bytes: UnsafeBufferPointer<UInt8>) {
        self.texts = texts
        self.bytes = bytes
        places = texts.map { _ in -1 }
    }

    /// The first place of any, from an index on that is not before the one of the last call; nil where there is none.
    mutating func next(from start: Int) -> Int? {
        for index in texts.indices where places[index] < start {
            places[index] = texts[index].first(in: bytes, from: start) ?? .max
        }
        return places.min().flatMap { $0 < .max ? $0 : nil }
    }
}
