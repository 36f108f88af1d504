import FoundationEssentials

extension EncodingState {
    /// A value of any type where the writer expects one: those that JSON or the protocol has a form for directly,
    /// others by their own code.
    @inline(__always)
    func encode<T: Encodable>(_ value: T) throws {
        guard let writer else { throw Self.outlived }
        // Each cast is to the type that the test before it has shown `T` to be.
        if T.self == String.self { return writer.pointee.string(unsafeBitCast(value, to: String.self)) }
        if T.self == Int.self { return writer.pointee.integer(unsafeBitCast(value, to: Int.self)) }
        if T.self == Double.self { return try encode(double: unsafeBitCast(value, to: Double.self)) }
        if T.self == Bool.self { return writer.pointee.boolean(unsafeBitCast(value, to: Bool.self)) }
        try encodeOther(value, into: writer)
    }

    private func encodeOther<T: Encodable>(_ value: T, into writer: UnsafeMutablePointer<JSONWriter>) throws {
        if try encodeFoundation(value, into: writer) { return }
        if T.self == Float.self { return try encode(float: unsafeBitCast(value, to: Float.self)) }
        if CodableInteger.isOne(T.self), let integer = value as? any FixedWidthInteger {
            return writer.pointee.integer(integer)
        }
        try encode(value) { ValueTreeEncoder(state: self, slot: $0) }
    }

    private func encode(double number: Double) throws {
        try finite(number) { () throws(NonFiniteNumber) in try writer?.pointee.double(number) }
    }

    private func encode(float number: Float) throws {
        try finite(number) { () throws(NonFiniteNumber) in try writer?.pointee.float(number) }
    }

    private func finite<F: FloatingPoint>(_ number: F, _ write: () throws(NonFiniteNumber) -> Void) throws {
        do {
            try write()
        } catch {
            throw invalid(number, "\(number) is not a number that JSON can say")
        }
    }

    private func encodeFoundation<T>(_ value: T, into writer: UnsafeMutablePointer<JSONWriter>) throws -> Bool {
        if T.self == Date.self, let date = value as? Date {
            guard let text = Timestamp.text(date) else { throw invalid(date, "the date has no RFC 3339 form") }
            writer.pointee.string(text)
        } else if T.self == Data.self, let data = value as? Data {
            writer.pointee.string(data.base64EncodedString())
        } else if T.self == UUID.self, let uuid = value as? UUID {
            writer.pointee.string(uuid.uuidString)
        } else if T.self == URL.self, let url = value as? URL {
            writer.pointee.string(url.absoluteString)
        } else if T.self == Decimal.self, let decimal = value as? Decimal {
            guard decimal.isFinite else { throw invalid(decimal, "NaN is not a number that JSON can say") }
            writer.pointee.beginValue()
            writer.pointee.text(decimal.description)
        } else {
            return false
        }
        return true
    }
}
