/// The text that the `Encoder`s and containers of one `encode` write, and its failures.
///
/// Values go straight into the writer, nothing is built first.
///
/// An encoder or container may be used until the `encode(to:)` that asked for it returns. One that is kept beyond the
/// encoding throws and never touches the writer. Until the encoding ends it may throw, or write to the value that has
/// its slot by then.
///
/// Not checked for exclusive access: an encoding runs on one thread, and each property is read or written in one
/// statement; only `scratch` is lent, to the encoding that writes to it.
final class EncodingState {
    typealias SlotReference = SlotWriter.SlotReference

    let text = SlotWriter()
    /// How many `encode(to:)` run within each other now.
    @exclusivity(unchecked) private var calls = 0
    /// Where a value of the user's code threw, for errors that carry no path of their own.
    @exclusivity(unchecked) private var failedPath: [any CodingKey]?
    /// The type that was last found to be encoded by its own code: the elements of an array have the same one.
    @exclusivity(unchecked) var ownType: ObjectIdentifier?
    @exclusivity(unchecked) private var keyTypes = KeyFactsTable()
    /// The containers of the calls that run. Not counted: `keyTypes` has them.
    private let lent = TrivialStack<Unmanaged<KeyFacts>>(capacity: 8)
    /// For a value that is encoded to bytes of its own.
    @exclusivity(unchecked) private var scratch = JSONWriter()

    var isCalling: Bool { calls > 0 }

    /// Of containers that were kept: whatever is written to it throws.
    static var ended: EncodingState { EncodingState() }

    deinit {
        lent.deallocate()
    }

    private static let pool = CoderPool<EncodingState>()

    /// Lends the writer to `body`; takes its text back if it throws.
    static func encode(
        into writer: inout JSONWriter, _ body: (EncodingState) throws -> Void
    ) throws(JSONCodingError) {
        var state = pool.take() ?? EncodingState()
        defer { putBack(&state) }
        try state.encode(into: &writer, body)
    }

    /// Returns the text that `body` writes.
    static func encode(_ body: (EncodingState) throws -> Void) throws(JSONCodingError) -> [UInt8] {
        var state = pool.take() ?? EncodingState()
        defer {
            state.scratch.removeAll(keptCapacity: 16_384)
            putBack(&state)
        }
        try state.encode(into: &state.scratch, body)
        return state.scratch.takeBytes()
    }

    private static func putBack(_ state: inout EncodingState) {
        state.end()
        // An encoder that was kept, and has it too, must never see another encoding.
        if isKnownUniquelyReferenced(&state) { pool.put(state) }
    }

    @inline(__always)
    private func encode(
        into writer: inout JSONWriter, _ body: (EncodingState) throws -> Void
    ) throws(JSONCodingError) {
        try withUnsafeMutablePointer(to: &writer) { writer throws(JSONCodingError) in
            text.begin(writer)
            do {
                try body(self)
            } catch {
                let failure = codingError(error)
                writer.pointee.truncate(to: text.origin)
                throw failure
            }
        }
    }

    private func end() {
        text.end()
        if failedPath != nil { failedPath = nil }
    }

    /// Runs `encode(to:)` where the writer expects a value. The value's containers are closed afterwards and its slots
    /// forgotten, and if it throws, its text is taken back.
    ///
    /// - Parameter isEvent: the value is the event.
    func encodeByItself<T: Encodable>(_ value: T, isEvent: Bool = false) throws {
        guard let start = text.writer?.pointee.count else { throw SlotWriter.outlived }
        guard calls < CodingLimits.calls else { throw invalid(value, at: start, "nested too deep to encode") }
        calls += 1
        if failedPath != nil { failedPath = nil }
        let (outer, lent) = (text.outer, lent.count)
        let slot = text.pushValue()
        do {
            if isEvent {
                try value.encode(to: EventTreeEncoder(state: self, slot: slot))
            } else {
                try value.encode(to: ValueTreeEncoder(state: self, slot: slot))
            }
            if let pendingError = text.pendingError { throw pendingError }
            text.close(slot, downTo: outer.top)
            end(outer, lent: lent)
        } catch {
            if failedPath == nil { failedPath = text.codingPath(at: start) }
            text.writer?.pointee.truncate(to: start)
            end(outer, lent: lent)
            throw error
        }
    }

    @inline(__always)
    private func end(_ outer: SlotWriter.Outer, lent: Int) {
        calls -= 1
        self.lent.takeBack(downTo: lent)
        text.popValue(outer)
    }
}

/// Keyed containers.
extension EncodingState {
    func container<Key: CodingKey>(_ role: ObjectRole, in slot: SlotReference) -> KeyedEncodingContainer<Key> {
        guard let facts = keyTypes[Key.self] else {
            return newKeyFacts(Key.self).container(of: self, slot: slot, role: role)
        }
        return facts._withUnsafeGuaranteedRef {
            // It was kept for this key type, for which it is always of this type.
            unsafeDowncast($0, to: EncodingKeys<Key>.self).container(of: self, slot: slot, role: role)
        }
    }

    /// A container of the innermost call, which is used again after it.
    func note(_ container: KeyFacts) { lent.append(.passUnretained(container)) }

    @inline(__always)
    func keyFacts<Key: CodingKey>(_ type: Key.Type) -> EncodingKeys<Key> {
        if let facts = keyTypes[type] {
            // It was kept for this key type, for which it is always of this type.
            return unsafeDowncast(facts.takeUnretainedValue(), to: EncodingKeys<Key>.self)
        }
        return newKeyFacts(type)
    }

    @inline(never)
    private func newKeyFacts<Key: CodingKey>(_ type: Key.Type) -> EncodingKeys<Key> {
        let facts = EncodingKeys<Key>()
        keyTypes.insert(facts, for: type)
        return facts
    }
}

/// Failures.
extension EncodingState {
    func invalid(_ value: Any, at offset: Int, _ reason: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: text.codingPath(at: offset), debugDescription: reason))
    }

    /// For a value that was about to be written.
    func invalid(_ value: Any, _ reason: String) -> EncodingError {
        invalid(value, at: text.writer?.pointee.count ?? 0, reason)
    }

    /// An error of the user's code, as people see it.
    private func codingError(_ error: any Error) -> JSONCodingError {
        guard case .invalidValue(_, let context)? = error as? EncodingError else {
            return JSONCodingError(
                path: JSONPointer.root.appending(failedPath ?? []), reason: String(describing: error))
        }
        return JSONCodingError(
            path: JSONPointer.root.appending(context.codingPath), reason: context.debugDescription)
    }
}
