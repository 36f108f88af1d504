/// Passes over bytes and checks each: RFC 8259, UTF-8, surrogate escapes, and depth.
///
/// What passes over something takes the place where it begins and returns the place behind it, so that a loop's state
/// stays in registers: a short message takes 6 instructions a byte, a third of what it took with the place in memory. No
/// place is ever beyond the text's end, so adding to one can't overflow.
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

    /// 0, which no text has outside of a string's error, at the end.
    @inline(__always)
    subscript(offset: Int) -> UInt8 {
        // Where there are bytes, there is a base.
        offset < count ? base.unsafelyUnwrapped.load(fromByteOffset: offset, as: UInt8.self) : 0
    }

    /// The end of the value that begins at `start`, whatever it holds.
    ///
    /// - Parameter expected: what may stand there.
    func endOfValue(
        from start: Int, insideOf outerDepth: Int, _ expected: JSONError.Expectation
    ) throws(JSONError) -> Int {
        var stack = ContainerStack()
        var expected = expected
        var offset = start
        while true {
            offset = endOfWhitespace(from: offset)
            let byte = self[offset]
            if byte == ASCII.quote {
                offset = try endOfString(from: offset)
            } else if byte == ASCII.openBrace || byte == ASCII.openBracket {
                guard stack.depth < maximumDepth &- outerDepth else {
                    throw JSONError(.tooDeep(maximum: maximumDepth), at: offset)
                }
                offset = endOfWhitespace(from: offset &+ 1)
                // Each closing bracket is its opening one plus two.
                if self[offset] == byte &+ 2 {
                    offset &+= 1
                } else {
                    let isObject = byte == ASCII.openBrace
                    stack.push(isObject: isObject)
                    expected = isObject ? .value : .elementOrEnd
                    if isObject { offset = try endOfMemberName(from: offset, .memberOrEnd) }
                    continue
                }
            } else {
                offset = try endOfScalar(from: offset, expected)
            }
            // Behind a value: what closes containers, up to the next value.
            while true {
                if stack.depth == 0 { return offset }
                offset = endOfWhitespace(from: offset)
                let byte = self[offset]
                if byte == ASCII.comma {
                    offset &+= 1
                    if stack.isInObject { offset = try endOfMemberName(from: endOfWhitespace(from: offset), .member) }
                    break
                }
                guard byte == (stack.isInObject ? ASCII.closeBrace : ASCII.closeBracket) else {
                    throw unexpected(stack.isInObject ? .commaOrObjectEnd : .commaOrArrayEnd, at: offset)
                }
                stack.pop()
                offset &+= 1
            }
            expected = .value
        }
    }

    /// Of a name and the colon behind it; `start` is no white space.
    @inline(__always)
    private func endOfMemberName(from start: Int, _ expected: JSONError.Expectation) throws(JSONError) -> Int {
        guard self[start] == ASCII.quote else { throw unexpected(expected, at: start) }
        let colon = endOfWhitespace(from: try endOfString(from: start))
        guard self[colon] == ASCII.colon else { throw unexpected(.colon, at: colon) }
        return colon &+ 1
    }

    /// Nearly never is there any.
    @inline(__always)
    func endOfWhitespace(from start: Int) -> Int {
        // 0, at the end, becomes the largest byte.
        self[start] &- 1 >= ASCII.space ? start : endOfWhitespaces(from: start)
    }

    private func endOfWhitespaces(from start: Int) -> Int {
        var offset = start
        while ASCII.isWhitespace(self[offset]) { offset &+= 1 }
        return offset
    }

    @inline(never)
    func unexpected(_ expected: JSONError.Expectation, at offset: Int) -> JSONError {
        guard offset < count else { return JSONError(.unexpectedEnd(expected: expected), at: count) }
        return JSONError(.unexpectedByte(self[offset], expected: expected), at: offset)
    }
}
