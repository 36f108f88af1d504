extension EncodingState {
    /// The steps to the value that begins at `offset`, read from what was written before it: so a path costs nothing
    /// until somebody asks.
    func codingPath(at offset: Int) -> [any CodingKey] {
        guard let writer else { return [] }
        return writer.pointee.withUnsafeBytes { bytes in
            let end = min(offset, bytes.count)
            guard origin < end else { return pathPrefix }
            return pathPrefix + WrittenPath.keys(in: UnsafeRawBufferPointer(rebasing: bytes[origin..<end]))
        }
    }

    func codingPath(of slot: SlotReference) -> [any CodingKey] {
        guard let index = try? index(of: slot) else { return [] }
        return codingPath(at: slots[index].start)
    }

    func invalid(_ value: Any, at offset: Int, _ reason: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath(at: offset), debugDescription: reason))
    }

    /// For a value that was about to be written.
    func invalid(_ value: Any, _ reason: String) -> EncodingError {
        invalid(value, at: writer?.pointee.count ?? 0, reason)
    }

    func tooDeep(_ offset: Int) -> EncodingError {
        invalid((), at: offset, "nested deeper than \(CodingLimits.depth)")
    }

    func secondValue(in slot: SlotReference) -> EncodingError {
        .invalidValue(
            (),
            EncodingError.Context(
                codingPath: codingPath(of: slot), debugDescription: "more than one value was encoded in one place"))
    }

    /// What a user's code threw, as it is told to people.
    func codingError(_ error: any Error) -> JSONCodingError {
        guard case .invalidValue(_, let context)? = error as? EncodingError else {
            return JSONCodingError(
                path: JSONPointer.root.appending(failedPath ?? []), reason: String(describing: error))
        }
        return JSONCodingError(
            path: JSONPointer.root.appending(context.codingPath), reason: context.debugDescription)
    }
}
