extension EncodingPlace {
    func encode(_ value: Int, member: String) throws {
        guard let innermostWriter else { return try encodeElsewhere(value, member: member) }
        names.write(member, to: innermostWriter)
        innermostWriter.pointee.number(value)
    }

    func encode(_ value: String, member: String) throws {
        guard let innermostWriter else { return try encodeElsewhere(value, member: member) }
        names.write(member, to: innermostWriter)
        innermostWriter.pointee.quoted(value)
    }

    func encode(_ value: Bool, member: String) throws {
        guard let innermostWriter else { return try encodeElsewhere(value, member: member) }
        names.write(member, to: innermostWriter)
        innermostWriter.pointee.boolean(value)
    }

    func encode(_ value: Double, member: String) throws {
        guard let innermostWriter, value.isFinite else { return try encodeElsewhere(value, member: member) }
        names.write(member, to: innermostWriter)
        innermostWriter.pointee.number(value)
    }

    func encodeNil(member: String) throws {
        try encodeElsewhere(Int?.none, member: member)
    }

    /// Takes the name back if the value fails, so that code that catches the error goes on with a whole text.
    func encode<T: Encodable>(_ value: T, member: String) throws {
        guard let innermostWriter, let state else { return try encodeElsewhere(value, member: member) }
        let start = innermostWriter.pointee.count
        names.write(member, to: innermostWriter)
        do {
            try state.encode(value)
        } catch {
            innermostWriter.pointee.truncate(to: start)
            throw error
        }
    }

    /// The writer, where the slot is the innermost one and open: nearly always.
    @inline(__always)
    private var innermostWriter: UnsafeMutablePointer<JSONWriter>? {
        guard let front, front.pointee.serial == slot.serial else { return nil }
        return front.pointee.writer
    }

    /// As `encode`, wherever the slot is.
    @inline(never)
    private func encodeElsewhere<T: Encodable>(_ value: T, member: String) throws {
        guard let state else { throw EncodingState.outlived }
        try state.write(in: slot) { writer in
            let start = writer.pointee.count
            writer.pointee.key(member)
            do {
                try state.encode(value)
            } catch {
                writer.pointee.truncate(to: start)
                throw error
            }
        }
    }
}
