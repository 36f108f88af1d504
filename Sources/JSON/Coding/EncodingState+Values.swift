import FoundationEssentials

/// A value of any type, where the writer expects one. Each cast is to the type that the test before it has shown `T` to
/// be.
extension EncodingState {
    /// Those that JSON or the protocol has a form for directly, others by their own code.
    func encode<T: Encodable>(_ value: T) throws {
        if ownType == ObjectIdentifier(T.self) { return try encodeByItself(value) }
        guard let writer else { throw Self.outlived }
        if T.self == String.self { return writer.pointee.string(unsafeBitCast(value, to: String.self)) }
        if T.self == Int.self { return writer.pointee.integer(unsafeBitCast(value, to: Int.self)) }
        if T.self == Double.self { return try encode(double: unsafeBitCast(value, to: Double.self)) }
        if T.self == Bool.self { return writer.pointee.boolean(unsafeBitCast(value, to: Bool.self)) }
        if T.self == Float.self { return try encode(float: unsafeBitCast(value, to: Float.self)) }
        if CodableInteger.isOne(T.self) { return encode(integer: value, into: writer) }
        if FoundationValue.isOne(T.self) { return try encode(foundation: value, into: writer) }
        ownType = ObjectIdentifier(T.self)
        try encodeByItself(value)
    }

    private func encode<T>(integer value: T, into writer: UnsafeMutablePointer<JSONWriter>) {
        func write<I: FixedWidthInteger>(_ type: I.Type) {
            if T.self == I.self { writer.pointee.integer(unsafeBitCast(value, to: I.self)) }
        }
        write(Int64.self)
        write(Int32.self)
        write(Int16.self)
        write(Int8.self)
        write(UInt.self)
        write(UInt64.self)
        write(UInt32.self)
        write(UInt16.self)
        write(UInt8.self)
    }

    private func encode(double number: Double) throws {
        do throws(NonFiniteNumber) {
            try writer?.pointee.double(number)
        } catch {
            throw nonFinite(number)
        }
    }

    private func encode(float number: Float) throws {
        do throws(NonFiniteNumber) {
            try writer?.pointee.float(number)
        } catch {
            throw nonFinite(number)
        }
    }

    /// For a number that was about to be written.
    func nonFinite<F: FloatingPoint>(_ number: F) -> EncodingError {
        invalid(number, "\(number) is not a number that JSON can say")
    }

    private func encode<T>(foundation value: T, into writer: UnsafeMutablePointer<JSONWriter>) throws {
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
        }
    }
}
