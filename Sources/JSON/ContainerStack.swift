/// Which containers are open, a bit each: what makes validating iterative. The first 64 take no memory.
struct ContainerStack {
    private(set) var depth = 0
    /// The innermost (up to) 64; the lowest bit is the innermost, set for an object.
    private var word: UInt64 = 0
    /// Full words of containers further out. None, instead of an empty one, has nothing that must be given back.
    private var outer: [UInt64]?

    var isInObject: Bool { word & 1 == 1 }

    @inline(__always)
    mutating func push(isObject: Bool) {
        if depth & 63 == 0, depth > 0 { keepWord() }
        word = word &<< 1 | (isObject ? 1 : 0)
        depth &+= 1
    }

    @inline(never)
    private mutating func keepWord() {
        if outer == nil { outer = [] }
        outer?.append(word)
    }

    @inline(__always)
    mutating func pop() {
        depth &-= 1
        word &>>= 1
        if depth & 63 == 0, depth > 0, let word = outer?.popLast() { self.word = word }
    }
}
