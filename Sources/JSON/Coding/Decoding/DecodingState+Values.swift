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
            guard try tape.kind(at: index) == .string else {
                throw tape.mismatch(type, at: index, expected: "a string")
            }
            guard let value = parse(try string(at: index)) else {
                throw tape.corrupted(at: index, "expected \(expected)")
            }
            return unsafeBitCast(value, to: T.self)
        }
        if let value = try integer(Int64.self) ?? integer(Int32.self) ?? integer(Int16.self) { return value }
        if let value = try integer(Int8.self) ?? integer(UInt.self) ?? integer(UInt64.self) { return value }
        if let value = try integer(UInt32.self) ?? integer(UInt16.self) ?? integer(UInt8.self) { return value }
        if let value = try value(float) ?? value(decimal) { return value }
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
