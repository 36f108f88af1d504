import FoundationEssentials

/// A value of any type. Each cast is to the type that the test before it has shown `T` to be.
extension DecodingState {
    /// Types that JSON or the protocol has a form for directly, others by their own code.
    func decode<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        if T.self == String.self { return unsafeBitCast(try string(at: index), to: T.self) }
        if T.self == Int.self { return unsafeBitCast(try integer(Int.self, at: index), to: T.self) }
        if T.self == Double.self { return unsafeBitCast(try double(at: index), to: T.self) }
        if T.self == Bool.self { return unsafeBitCast(try boolean(at: index), to: T.self) }
        if ownType == ObjectIdentifier(T.self) { return try initialize(type, at: index) }
        if let value = try other(type, at: index) { return value }
        ownType = ObjectIdentifier(T.self)
        return try initialize(type, at: index)
    }

    /// Nil where neither JSON nor the protocol has a form for the type.
    private func other<T>(_ type: T.Type, at index: Int) throws -> T? {
        func integer<I: FixedWidthInteger>(_ type: I.Type) throws -> T? {
            T.self == type ? unsafeBitCast(try self.integer(type, at: index), to: T.self) : nil
        }
        func value<Known>(_ read: (Int) throws -> Known) throws -> T? {
            T.self == Known.self ? unsafeBitCast(try read(index), to: T.self) : nil
        }
        func parsed<Known>(_ expected: String, _ parse: (String) -> Known?) throws -> T? {
            guard T.self == Known.self else { return nil }
            guard let value = parse(try string(at: index)) else {
                throw tape.corrupted(at: index, "expected \(expected)")
            }
            return unsafeBitCast(value, to: T.self)
        }
        if let value = try integer(Int64.self) ?? integer(Int32.self) ?? integer(Int16.self) { return value }
        if let value = try integer(Int8.self) ?? integer(UInt.self) ?? integer(UInt64.self) { return value }
        if let value = try integer(UInt32.self) ?? integer(UInt16.self) ?? integer(UInt8.self) { return value }
        if let value = try value({ try floatingPoint(Float.self, at: $0) }) ?? value(decimal) { return value }
        if let value = try parsed("an RFC 3339 date and time", Timestamp.date) { return value }
        if let value = try parsed("base64", Self.data) { return value }
        if let value = try parsed("a UUID", UUID.init(uuidString:)) { return value }
        return try parsed("a URL", { URL(string: $0) })
    }

    /// RFC 4648 §4, strict: no white space, no missing padding, no bits set that belong to no byte.
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
