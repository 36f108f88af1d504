import FoundationEssentials

/// Encoding of a value of any type, where the writer expects one. Each cast is to the type that the test before it has shown
/// `T` to be.
extension EncodingState {
    /// Encodes a value: types that JSON or the protocol has a form for in that form, others by their own code.
    func encode<T: Encodable>(_ value: T) throws {
        if ownType == ObjectIdentifier(T.self) { return try encodeByItself(value) }
        guard let writer = text.writer else { throw SlotWriter.outlived }
        if T.self == String.self { return writer.pointee.string(unsafeBitCast(value, to: String.self)) }
        if T.self == Int.self { return writer.pointee.integer(unsafeBitCast(value, to: Int.self)) }
        if T.self == Double.self { return try encode(double: unsafeBitCast(value, to: Double.self), into: writer) }
        if T.self == Bool.self { return writer.pointee.boolean(unsafeBitCast(value, to: Bool.self)) }
        if try encodeOther(value, into: writer) { return }
        ownType = ObjectIdentifier(T.self)
        try encodeByItself(value)
    }

    /// Encodes the less frequent types. Returns false, with nothing written, if neither JSON nor the protocol has a form for
    /// the type.
    private func encodeOther<T>(_ value: T, into writer: UnsafeMutablePointer<JSONWriter>) throws -> Bool {
        func encode<I: FixedWidthInteger>(_ type: I.Type) -> Bool {
            guard T.self == type else { return false }
            writer.pointee.integer(unsafeBitCast(value, to: type))
            return true
        }
        if encode(Int64.self) || encode(Int32.self) || encode(Int16.self) || encode(Int8.self) { return true }
        if encode(UInt64.self) || encode(UInt32.self) || encode(UInt16.self) || encode(UInt8.self) { return true }
        if encode(UInt.self) { return true }
        if T.self == Float.self {
            // The shortest text that tells one `Float` from the next has fewer digits than that of the same `Double`.
            let number = try finite(unsafeBitCast(value, to: Float.self))
            writer.pointee.beginValue()
            writer.pointee.text(number.description)
        } else if T.self == Date.self {
            let date = unsafeBitCast(value, to: Date.self)
            guard let text = Timestamp.text(date) else { throw invalid(date, "the date has no RFC 3339 form") }
            writer.pointee.string(text)
        } else if T.self == Data.self {
            writer.pointee.string(unsafeBitCast(value, to: Data.self).base64EncodedString())
        } else if T.self == UUID.self {
            writer.pointee.string(unsafeBitCast(value, to: UUID.self).uuidString)
        } else if T.self == URL.self {
            writer.pointee.string(unsafeBitCast(value, to: URL.self).absoluteString)
        } else if T.self == Decimal.self {
            let decimal = unsafeBitCast(value, to: Decimal.self)
            guard decimal.isFinite else { throw invalid(decimal, "NaN is not a number that JSON can say") }
            writer.pointee.beginValue()
            writer.pointee.text(decimal.description)
        } else {
            return false
        }
        return true
    }

    private func encode(double number: Double, into writer: UnsafeMutablePointer<JSONWriter>) throws {
        let number = try finite(number)
        writer.pointee.beginValue()
        writer.pointee.number(number)
    }

    private func finite<F: FloatingPoint>(_ number: F) throws -> F {
        guard number.isFinite else { throw invalid(number, "\(number) is not a number that JSON can say") }
        return number
    }
}
