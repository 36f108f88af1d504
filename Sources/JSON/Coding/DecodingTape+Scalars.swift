extension DecodingTape {
    func isNull(at index: Int) throws -> Bool {
        let entry = try entry(index)
        return text[entry.offset] == UInt8(ascii: "n")
    }

    func boolean(at index: Int) throws -> Bool {
        switch text[try entry(index).offset] {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: throw mismatch(Bool.self, at: index, expected: "a boolean")
        }
    }

    func string(at index: Int) throws -> String {
        let entry = try entry(index)
        guard text[entry.offset] == ASCII.quote else { throw mismatch(String.self, at: index, expected: "a string") }
        return stringText(entry).string()
    }

    func integer<I: FixedWidthInteger>(_ type: I.Type, at index: Int) throws -> I {
        guard let number = try scalar(at: index) else { throw mismatch(type, at: index, expected: "an integer") }
        if let value = ShortNumber(number)?.integer(as: type) { return value }
        return try longInteger(type, at: index)
    }

    @inline(never)
    private func longInteger<I: FixedWidthInteger>(_ type: I.Type, at index: Int) throws -> I {
        guard let number = try number(at: index) else { throw mismatch(type, at: index, expected: "an integer") }
        if let value = number.integer(as: type) { return value }
        let reason =
            number.significance.exponent < 0
            ? "expected an integer but found \(shown(number))" : "\(shown(number)) does not fit \(type)"
        throw corrupted(at: index, reason)
    }

    func double(at index: Int) throws -> Double {
        guard let number = try scalar(at: index) else { throw mismatch(Double.self, at: index, expected: "a number") }
        if let value = ShortNumber(number)?.double { return value }
        return try longDouble(at: index)
    }

    @inline(never)
    private func longDouble(at index: Int) throws -> Double {
        guard let number = try number(at: index) else { throw mismatch(Double.self, at: index, expected: "a number") }
        guard let value = number.double() else { throw corrupted(at: index, "\(shown(number)) does not fit Double") }
        return value
    }

    func float(at index: Int) throws -> Float {
        guard let number = try number(at: index) else { throw mismatch(Float.self, at: index, expected: "a number") }
        guard let value = number.float() else { throw corrupted(at: index, "\(shown(number)) does not fit Float") }
        return value
    }

    func number(at index: Int) throws -> NumberText? {
        try scalar(at: index).flatMap { NumberText($0) }
    }

    /// The text of a value that is no container.
    @inline(__always)
    private func scalar(at index: Int) throws -> UnsafeRawBufferPointer? {
        let entry = try entry(index)
        // Of a container `length` counts entries, not bytes.
        return isContainer(entry) ? nil : text.part(from: entry.offset, to: entry.offset &+ entry.length)
    }

    /// As a reason quotes it: a client's text may be megabytes long.
    func shown(_ number: NumberText) -> String {
        let text = number.string()
        return text.utf8.count <= 40 ? text : "\(text.prefix(40))…"
    }
}
