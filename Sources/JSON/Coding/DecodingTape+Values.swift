import FoundationEssentials

extension DecodingTape {
    /// A value of any type: those that JSON or the protocol has a form for directly, others by their own code.
    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        // Each cast is to the type that the test before it has shown `T` to be.
        if T.self == String.self { return unsafeBitCast(try string(at: index), to: T.self) }
        if T.self == Int.self { return unsafeBitCast(try integer(Int.self, at: index), to: T.self) }
        if T.self == Double.self { return unsafeBitCast(try double(at: index), to: T.self) }
        if T.self == Bool.self { return unsafeBitCast(try boolean(at: index), to: T.self) }
        return try decodeOther(type, at: index)
    }

    private func decodeOther<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        if CodableInteger.isOne(T.self), let integer = T.self as? any FixedWidthInteger.Type,
            let value = try self.integer(integer, at: index) as? T
        {
            return value
        }
        if T.self == Float.self { return unsafeBitCast(try float(at: index), to: T.self) }
        if let value = try foundationValue(type, at: index) { return value }
        return try initialize(type, at: index, from: ValueTreeDecoder(tape: self, index: index))
    }

    private func foundationValue<T>(_ type: T.Type, at index: Int) throws -> T? {
        if T.self == Date.self { return try parsed(at: index, "an RFC 3339 date and time", Timestamp.date) as? T }
        if T.self == Data.self { return try parsed(at: index, "base64", Base64.decode) as? T }
        if T.self == UUID.self { return try parsed(at: index, "a UUID", UUID.init(uuidString:)) as? T }
        if T.self == URL.self { return try parsed(at: index, "a URL", { URL(string: $0) }) as? T }
        if T.self == Decimal.self { return try decimal(at: index) as? T }
        return nil
    }

    private func parsed<T>(at index: Int, _ expected: String, _ parse: (String) -> T?) throws -> T {
        guard try kind(at: index) == .string else { throw mismatch(T.self, at: index, expected: "a string") }
        guard let value = parse(try string(at: index)) else { throw corrupted(at: index, "expected \(expected)") }
        return value
    }

    private func decimal(at index: Int) throws -> Decimal {
        guard let number = try number(at: index) else { throw mismatch(Decimal.self, at: index, expected: "a number") }
        guard let value = number.decimal() else {
            throw corrupted(at: index, "\(shown(number)) does not fit Decimal with all its digits")
        }
        return value
    }
}
