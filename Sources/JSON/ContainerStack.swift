/// Which containers are open, a bit each: what makes validating iterative. The first 64 take no memory.
struct ContainerStack {
    private(set) var depth = 0
    /// The innermost (up to) 64; the lowest bit is the innermost, set for an object.
    private var word: UInt64 = 0
    /// Full words of containers further out.
    private var outer: [UInt64] = []

    var isInObject: Bool { word & 1 == 1 }

    mutating func push(isObject: Bool) {
        if depth > 0, depth % 64 == 0 { outer.append(word) }
        word = word << 1 | (isObject ? 1 : 0)
        depth += 1
    }

    mutating func pop() {
        depth -= 1
        word >>= 1
        if depth > 0, depth % 64 == 0, let word = outer.popLast() { self.word = word }
    }
}
