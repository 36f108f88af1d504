/// What the `Decoder`s and containers of one `decode` share: the tape, and what went wrong.
///
/// The tape borrows the text: `end` must be called before the text's memory goes. A decoder that outlives that throws
/// and never reads freed memory.
final class DecodingState {
    let tape = DecodingTape()
    /// How many `init(from:)` run within each other now.
    private var calls = 0
    /// The innermost entry whose `init(from:)` threw, for errors that carry no path of their own.
    private var failedEntry: Int?
    /// What the event decoders found wrong with `kind`, in case the type's own code fails for it in its own words.
    var kindFailure: String?
    let types = TypeTable()
    let shelf = ContainerShelf<DecodingPlace>()

    deinit {
        tape.deallocate()
        shelf.deallocate()
        types.deallocate()
    }

    private static let pool = CoderPool<DecodingState>()

    /// Lends `body` the tape of `value`.
    ///
    /// - Parameter failure: what is told of an error, instead of what `codingError` makes of it.
    static func decode<T>(
        _ value: JSONValue, at path: JSONPointer, _ body: (DecodingState) throws -> T,
        failure: (DecodingState, any Error) -> JSONCodingError? = { _, _ in nil }
    ) throws(JSONCodingError) -> T {
        var state = pool.take() ?? DecodingState()
        defer {
            state.end()
            // Whatever else has it, a decoder that was kept, must never see another text.
            if isKnownUniquelyReferenced(&state) { pool.put(state) }
        }
        try state.tape.fill(value.text, at: path)
        do {
            return try body(state)
        } catch {
            throw failure(state, error) ?? state.codingError(error, at: path)
        }
    }

    private func end() {
        tape.clear()
        shelf.clear()
        if failedEntry != nil { failedEntry = nil }
        if kindFailure != nil { kindFailure = nil }
    }

    /// Runs `T.init(from:)`, bounded, and remembers where it failed.
    func initialize<T: Decodable>(_ type: T.Type, at index: Int) throws -> T {
        try call(at: index) { try T(from: ValueTreeDecoder(state: self, index: index)) }
    }

    /// As `initialize`, for a value that is the event.
    func initializeEvent<T: Decodable>(_ type: T.Type) throws -> T {
        try call(at: 0) { try T(from: EventTreeDecoder(state: self)) }
    }

    @inline(__always)
    private func call<T>(at index: Int, _ body: () throws -> T) throws -> T {
        guard calls < CodingLimits.calls else { throw tape.corrupted(at: index, "nested too deep to decode") }
        calls += 1
        defer { calls -= 1 }
        if failedEntry != nil { failedEntry = nil }
        do {
            return try body()
        } catch {
            if failedEntry == nil { failedEntry = index }
            throw error
        }
    }

    /// What a user's code threw, as it is told to a client.
    private func codingError(_ error: any Error, at base: JSONPointer) -> JSONCodingError {
        guard let error = error as? DecodingError else {
            let path = failedEntry.map { base.appending(tape.codingPath(to: $0)) } ?? base
            return JSONCodingError(path: path, reason: String(describing: error))
        }
        switch error {
        case .keyNotFound(let key, let context):
            return JSONCodingError(path: base.appending(context.codingPath + [key]), reason: "missing")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            return JSONCodingError(path: base.appending(context.codingPath), reason: context.debugDescription)
        @unknown default:
            return JSONCodingError(path: base, reason: String(describing: error))
        }
    }
}
