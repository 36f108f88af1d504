import FoundationEssentials

/// Decoding of a value of any type. Each cast is to the type that the test before it has shown `T` to be.
extension DecodingState {
    /// Decodes the value at `index`: types that JSON or the protocol has a form for by that form, others by their own code.
    func decode<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        if T.self == String.self { return unsafeBitCast(try string(at: index), to: T.self) }
        if T.self == Int.self { return unsafeBitCast(try integer(Int.self, at: index), to: T.self) }
        if T.self == Double.self { return unsafeBitCast(try double(at: index), to: T.self) }
        if T.self == Bool.self { return unsafeBitCast(try boolean(at: index), to: T.self) }
        if ownType == ObjectIdentifier(T.self) { return try initialize(type, at: index) }
        return try decodeOther(type, at: index)
    }

    /// Decodes the less frequent types. Each comparison takes a few instructions. Nothing here forms a type from `T`, such as
    /// `T?`: the runtime would look it up, which takes longer than decoding a number.
    private func decodeOther<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        func cast<Known>(_ value: Known) -> T { unsafeBitCast(value, to: T.self) }
        if T.self == Int64.self { return cast(try integer(Int64.self, at: index)) }
        if T.self == Int32.self { return cast(try integer(Int32.self, at: index)) }
        if T.self == Int16.self { return cast(try integer(Int16.self, at: index)) }
        if T.self == Int8.self { return cast(try integer(Int8.self, at: index)) }
        if T.self == UInt.self { return cast(try integer(UInt.self, at: index)) }
        if T.self == UInt64.self { return cast(try integer(UInt64.self, at: index)) }
        if T.self == UInt32.self { return cast(try integer(UInt32.self, at: index)) }
        if T.self == UInt16.self { return cast(try integer(UInt16.self, at: index)) }
        if T.self == UInt8.self { return cast(try integer(UInt8.self, at: index)) }
        if T.self == Float.self { return cast(try floatingPoint(Float.self, at: index)) }
        if T.self == Decimal.self { return cast(try decimal(at: index)) }
        if T.self == Date.self { return cast(try parsed("an RFC 3339 date and time", at: index, Timestamp.date)) }
        if T.self == Data.self { return cast(try parsed("base64", at: index, Self.data)) }
        if T.self == UUID.self { return cast(try parsed("a UUID", at: index, UUID.init(uuidString:))) }
        if T.self == URL.self { return cast(try parsed("a URL", at: index) { URL(string: $0) }) }
        ownType = ObjectIdentifier(T.self)
        return try initialize(type, at: index)
    }

    private func parsed<Known>(_ expected: String, at index: Int, _ parse: (String) -> Known?) throws -> Known {
        guard let value = parse(try string(at: index)) else { throw tape.corrupted(at: index, "expected \(expected)") }
        return value
    }

    /// Decodes RFC 4648 §4 base64; nil for white space, missing padding or stray bits, which `Data` alone would accept.
    private static func data(base64 text: String) -> Data? {
        guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
        return data
    }

    private func decimal(at index: Int) throws -> Decimal {
        let number = try number(Decimal.self, at: index, expected: "a number")
        guard let value = number.decimal() else {
            throw tape.corrupted(at: index, "\(number.shown) does not fit Decimal with all its digits")
        }
        return value
    }
}

/// Reading of booleans, numbers and strings from the tape. Each function throws if the value is of another kind or doesn't fit.
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
        guard !number.isInteger else { throw misfit(number, type, at: index) }
        throw tape.corrupted(at: index, "expected an integer but found \(number.shown)")
    }

    func double(at index: Int) throws -> Double {
        if let text = try tape.scalar(at: index), let value = ShortNumber(text)?.double { return value }
        return try floatingPoint(Double.self, at: index)
    }

    @inline(never)
    private func floatingPoint<F: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: F.Type, at index: Int
    ) throws -> F {
        let number = try number(type, at: index, expected: "a number")
        guard let value = number.floatingPoint(as: type) else { throw misfit(number, type, at: index) }
        return value
    }

    private func number(_ type: any Any.Type, at index: Int, expected: String) throws -> NumberText {
        guard let number = try tape.scalar(at: index).flatMap({ NumberText($0) }) else {
            throw tape.mismatch(type, at: index, expected: expected)
        }
        return number
    }

    private func misfit(_ number: NumberText, _ type: any Any.Type, at index: Int) -> DecodingError {
        tape.corrupted(at: index, "\(number.shown) does not fit \(type)")
    }
}
