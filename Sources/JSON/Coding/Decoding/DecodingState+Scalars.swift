/// Numbers, strings and booleans of the tape. Each throws where there is a value of another kind, or one that doesn't
/// fit.
extension DecodingState {
    func boolean(at index: Int) throws -> Bool {
        switch tape.text[try tape.entry(index).offset] {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: throw tape.mismatch(Bool.self, at: index, expected: "a boolean")
        }
    }

    func string(at index: Int) throws -> String {
        let entry = try tape.entry(index)
        guard tape.text[entry.offset] == ASCII.quote else {
            throw tape.mismatch(String.self, at: index, expected: "a string")
        }
        return tape.stringText(entry).string()
    }

    func integer<I: FixedWidthInteger>(_ type: I.Type, at index: Int) throws -> I {
        guard let text = try tape.scalar(at: index) else {
            throw tape.mismatch(type, at: index, expected: "an integer")
        }
        if let value = ShortNumber(text)?.integer(as: type) { return value }
        return try longInteger(type, at: index)
    }

    @inline(never)
    private func longInteger<I: FixedWidthInteger>(_ type: I.Type, at index: Int) throws -> I {
        let number = try number(type, at: index, expected: "an integer")
        if let value = number.integer(as: type) { return value }
        guard number.significance.exponent < 0 else { throw misfit(number, type, at: index) }
        throw tape.corrupted(at: index, "expected an integer but found \(number.shown)")
    }

    func double(at index: Int) throws -> Double {
        if let text = try tape.scalar(at: index), let value = ShortNumber(text)?.double { return value }
        return try longDouble(at: index)
    }

    @inline(never)
    private func longDouble(at index: Int) throws -> Double {
        let number = try number(Double.self, at: index, expected: "a number")
        guard let value = number.double() else { throw misfit(number, Double.self, at: index) }
        return value
    }

    func float(at index: Int) throws -> Float {
        let number = try number(Float.self, at: index, expected: "a number")
        guard let value = number.float() else { throw misfit(number, Float.self, at: index) }
        return value
    }

    func number(_ type: any Any.Type, at index: Int, expected: String) throws -> NumberText {
        guard let number = try tape.scalar(at: index).flatMap({ NumberText($0) }) else {
            throw tape.mismatch(type, at: index, expected: expected)
        }
        return number
    }

    private func misfit(_ number: NumberText, _ type: any Any.Type, at index: Int) -> DecodingError {
        tape.corrupted(at: index, "\(number.shown) does not fit \(type)")
    }
}

extension NumberText {
    /// As a reason quotes it: a client's text may be megabytes long.
    var shown: String {
        let text = string()
        return text.utf8.count <= 40 ? text : "\(text.prefix(40))…"
    }
}
