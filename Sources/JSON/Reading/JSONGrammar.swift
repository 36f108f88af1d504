/// A checker of JSON bytes: grammar (RFC 8259), UTF-8, surrogate escapes and depth.
///
/// Each `endOf…` function takes the place where something begins and returns the place behind it, so that a loop's state stays
/// in registers. No place is ever beyond the text's end, so adding to one can't overflow.
struct JSONGrammar {
    private let base: UnsafeRawPointer?
    let count: Int
    let maximumDepth: Int

    init(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int) {
        base = bytes.baseAddress
        count = bytes.count
        self.maximumDepth = maximumDepth
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// The byte at `offset`, or 0 behind the last byte. A valid text has no byte 0.
    @inline(__always)
    subscript(offset: Int) -> UInt8 {
        // Where there are bytes, there is a base.
        offset < count ? base.unsafelyUnwrapped.load(fromByteOffset: offset, as: UInt8.self) : 0
    }

    /// Returns the first place from `start` on whose byte `mask` marks, or the end. Only for a text that isn't empty.
    @inline(__always)
    func first(from start: Int, _ mask: (UInt64) -> UInt64) -> Int {
        ByteScan.first(base.unsafelyUnwrapped, count: count, from: start, mask)
    }

    /// Returns the end of the value that begins at `start`, and shows its parts to `visitor`.
    func endOfValue<Visitor: ValueVisitor>(
        from start: Int, insideOf outerDepth: Int, _ visitor: inout Visitor
    ) throws(JSONError) -> Int {
        var stack = ContainerStack()
        var offset = start
        while true {
            offset = endOfWhitespace(from: offset)
            let byte = self[offset]
            if byte == ASCII.quote {
                offset = try endOfString(from: offset, &visitor)
            } else if byte == ASCII.openBrace || byte == ASCII.openBracket {
                guard stack.depth < maximumDepth &- outerDepth else {
                    throw JSONError(.tooDeep(maximum: maximumDepth), at: offset)
                }
                let isObject = byte == ASCII.openBrace
                visitor.open(at: offset, isObject: isObject)
                offset = endOfWhitespace(from: offset &+ 1)
                // In ASCII, each closing bracket is its opening one plus two.
                if self[offset] == byte &+ 2 {
                    visitor.close(at: offset, isObject: isObject)
                    offset &+= 1
                } else {
                    stack.push(isObject: isObject)
                    if isObject { offset = try endOfMemberName(from: offset, &visitor) }
                    continue
                }
            } else {
                let end = try endOfScalar(from: offset)
                visitor.visit(from: offset, to: end, hasEscapes: false)
                offset = end
            }
            // Behind a value: passes closing brackets and commas, up to the next value.
            while true {
                if stack.depth == 0 { return offset }
                offset = endOfWhitespace(from: offset)
                let byte = self[offset]
                if byte == ASCII.comma {
                    offset &+= 1
                    if stack.isInObject { offset = try endOfMemberName(from: endOfWhitespace(from: offset), &visitor) }
                    break
                }
                guard byte == (stack.isInObject ? ASCII.closeBrace : ASCII.closeBracket) else {
                    throw unexpected(stack.isInObject ? .commaOrObjectEnd : .commaOrArrayEnd, at: offset)
                }
                visitor.close(at: offset, isObject: stack.isInObject)
                stack.pop()
                offset &+= 1
            }
        }
    }

    @inline(__always)
    private func endOfString(from start: Int, _ visitor: inout some ValueVisitor) throws(JSONError) -> Int {
        let (end, hasEscapes) = try endOfString(from: start)
        visitor.visit(from: start, to: end, hasEscapes: hasEscapes)
        return end
    }

    /// Returns the end of a member's name and the colon behind it. `start` must not be at white space.
    @inline(__always)
    private func endOfMemberName(from start: Int, _ visitor: inout some ValueVisitor) throws(JSONError) -> Int {
        guard self[start] == ASCII.quote else { throw missingName(at: start) }
        let colon = endOfWhitespace(from: try endOfString(from: start, &visitor))
        guard self[colon] == ASCII.colon else { throw unexpected(.colon, at: colon) }
        return colon &+ 1
    }

    /// Returns the end of white space, of which nearly always there is none.
    @inline(__always)
    func endOfWhitespace(from start: Int) -> Int {
        // At the end, the byte is 0, and subtracting 1 makes it the largest byte.
        self[start] &- 1 >= ASCII.space ? start : endOfWhitespaces(from: start)
    }

    private func endOfWhitespaces(from start: Int) -> Int {
        var offset = start
        while ASCII.isWhitespace(self[offset]) { offset &+= 1 }
        return offset
    }

    /// Returns the error for a missing value at `offset`.
    @inline(never)
    func missingValue(at offset: Int) -> JSONError {
        unexpected(isFirst(at: offset, behind: ASCII.openBracket) ? .elementOrEnd : .value, at: offset)
    }

    /// Returns the error for a missing member's name at `offset`.
    @inline(never)
    func missingName(at offset: Int) -> JSONError {
        unexpected(isFirst(at: offset, behind: ASCII.openBrace) ? .memberOrEnd : .member, at: offset)
    }

    private func isFirst(at offset: Int, behind bracket: UInt8) -> Bool {
        var before = offset
        while before > 0, ASCII.isWhitespace(self[before - 1]) { before -= 1 }
        return before > 0 && self[before - 1] == bracket
    }

    @inline(never)
    func unexpected(_ expected: JSONError.Expectation, at offset: Int) -> JSONError {
        guard offset < count else { return JSONError(.unexpectedEnd(expected: expected), at: count) }
        return JSONError(.unexpectedByte(self[offset], expected: expected), at: offset)
    }
}

/// A receiver of the parts of a value, in the order of the text.
protocol ValueVisitor {
    mutating func open(at offset: Int, isObject: Bool)
    /// Called for the innermost open container, at its closing bracket.
    mutating func close(at offset: Int, isObject: Bool)
    /// Called for a string, number, literal or member's name.
    mutating func visit(from start: Int, to end: Int, hasEscapes: Bool)
}

/// A visitor that ignores everything, for a pass that only checks.
struct NoVisitor: ValueVisitor {
    func open(at offset: Int, isObject: Bool) {}
    func close(at offset: Int, isObject: Bool) {}
    func visit(from start: Int, to end: Int, hasEscapes: Bool) {}
}

/// The open containers, one bit each, so that validation needs no recursion. The first 64 need no allocation.
struct ContainerStack {
    private(set) var depth = 0
    /// The innermost (up to) 64; the lowest bit is the innermost, set for an object.
    private var word: UInt64 = 0
    /// Full words for containers further out. Nil and not an empty array while there are none, so that nothing must be
    /// released.
    private var outer: [UInt64]?

    var isInObject: Bool { word & 1 == 1 }

    @inline(__always)
    mutating func push(isObject: Bool) {
        if depth & 63 == 0, depth > 0, outer?.append(word) == nil { outer = [word] }
        word = word &<< 1 | (isObject ? 1 : 0)
        depth &+= 1
    }

    @inline(__always)
    mutating func pop() {
        depth &-= 1
        word &>>= 1
        if depth & 63 == 0, let word = outer?.popLast() { self.word = word }
    }
}
