import FoundationEssentials

/// A value of any type. Each cast is to the type that the test before it has shown `T` to be.
extension DecodingState {
    /// Those that JSON or the protocol has a form for directly, others by their own code.
    func decode<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        if T.self == String.self { return unsafeBitCast(try tape.string(at: index), to: T.self) }
        if T.self == Int.self { return unsafeBitCast(try tape.integer(Int.self, at: index), to: T.self) }
        if T.self == Double.self { return unsafeBitCast(try tape.double(at: index), to: T.self) }
        if T.self == Bool.self { return unsafeBitCast(try tape.boolean(at: index), to: T.self) }
        guard let plan = types.plan(of: T.self) else { return try decodeOther(type, at: index) }
        guard let plan else { return try initialize(type, at: index) }
        // Under this type there is always a plan for it.
        return try unsafeDowncast(plan, to: DecodingPlan<T>.self).decode(at: index, in: self)
    }

    @inline(never)
    private func decodeOther<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        if T.self == Float.self { return unsafeBitCast(try tape.float(at: index), to: T.self) }
        if CodableInteger.isOne(T.self) { return try integer(type, at: index) }
        if FoundationValue.isOne(T.self) { return try foundationValue(type, at: index) }
        types.keep((T.self as? any PlannedDecodable.Type)?.decodingPlan, of: T.self)
        return try decode(type, at: index)
    }

    private func integer<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        if T.self == Int64.self { return unsafeBitCast(try tape.integer(Int64.self, at: index), to: T.self) }
        if T.self == Int32.self { return unsafeBitCast(try tape.integer(Int32.self, at: index), to: T.self) }
        if T.self == Int16.self { return unsafeBitCast(try tape.integer(Int16.self, at: index), to: T.self) }
        if T.self == Int8.self { return unsafeBitCast(try tape.integer(Int8.self, at: index), to: T.self) }
        if T.self == UInt.self { return unsafeBitCast(try tape.integer(UInt.self, at: index), to: T.self) }
        if T.self == UInt64.self { return unsafeBitCast(try tape.integer(UInt64.self, at: index), to: T.self) }
        if T.self == UInt32.self { return unsafeBitCast(try tape.integer(UInt32.self, at: index), to: T.self) }
        if T.self == UInt16.self { return unsafeBitCast(try tape.integer(UInt16.self, at: index), to: T.self) }
        if T.self == UInt8.self { return unsafeBitCast(try tape.integer(UInt8.self, at: index), to: T.self) }
        return try initialize(type, at: index)
    }

    private func foundationValue<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        if T.self == Date.self {
            return unsafeBitCast(try parsed(at: index, "an RFC 3339 date and time", Timestamp.date), to: T.self)
        }
        if T.self == Data.self { return unsafeBitCast(try parsed(at: index, "base64", Base64.decode), to: T.self) }
        if T.self == UUID.self {
            return unsafeBitCast(try parsed(at: index, "a UUID", UUID.init(uuidString:)), to: T.self)
        }
        if T.self == URL.self {
            return unsafeBitCast(try parsed(at: index, "a URL", { URL(string: $0) }), to: T.self)
        }
        if T.self == Decimal.self { return unsafeBitCast(try decimal(at: index), to: T.self) }
        return try initialize(type, at: index)
    }

    private func parsed<T>(at index: Int, _ expected: String, _ parse: (String) -> T?) throws -> T {
        guard try tape.kind(at: index) == .string else { throw tape.mismatch(T.self, at: index, expected: "a string") }
        guard let value = parse(try tape.string(at: index)) else {
            throw tape.corrupted(at: index, "expected \(expected)")
        }
        return value
    }

    private func decimal(at index: Int) throws -> Decimal {
        guard let number = try tape.number(at: index) else {
            throw tape.mismatch(Decimal.self, at: index, expected: "a number")
        }
        guard let value = number.decimal() else {
            throw tape.corrupted(at: index, "\(tape.shown(number)) does not fit Decimal with all its digits")
        }
        return value
    }
}
