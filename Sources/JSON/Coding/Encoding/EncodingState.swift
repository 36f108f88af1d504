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
    let names = MemberNames()
    /// How many `encode(to:)` run within each other now.
    @exclusivity(unchecked) private var calls = 0
    /// Where a value of the user's code threw, for errors that carry no path of their own.
    @exclusivity(unchecked) private var failedPath: [any CodingKey]?
    /// The type that was last found to be encoded by its own code: the elements of an array have the same one.
    @exclusivity(unchecked) var ownType: ObjectIdentifier?
    @exclusivity(unchecked) private var keyTypes = KeyFactsTable()
    @exclusivity(unchecked) private var eventKeyTypes = KeyFactsTable()
    /// Containers that the event's own code has. Not counted: `eventKeyTypes` has them.
    private let lent = TrivialStack<Unmanaged<KeyFacts>>(capacity: 8)
    /// Those of `keyTypes` that have a container.
    @exclusivity(unchecked) private var containers: [any ContainerKeeping] = []
    @exclusivity(unchecked) private var row: Row?
    /// For a value that is encoded to bytes of its own.
    @exclusivity(unchecked) private var scratch = JSONWriter()

    /// Of containers that were kept: whatever is written to it throws.
    static var ended: EncodingState { EncodingState() }

    deinit {
        names.deallocate()
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
        for index in lent.indices { lent[index]._withUnsafeGuaranteedRef { $0.takeBack() } }
        lent.truncate(to: 0)
        if failedPath != nil { failedPath = nil }
        if !containers.isEmpty {
            row = nil
            for container in containers { container.forgetContainer() }
            containers.removeAll(keepingCapacity: true)
        }
    }

    /// Runs `encode(to:)` where the writer expects a value. The value's containers are closed afterwards and its slots
    /// forgotten, and if it throws, its text is taken back.
    func encodeByItself<T: Encodable>(_ value: T) throws {
        let call = try begin(value)
        defer { end(call) }
        do {
            try value.encode(to: ValueTreeEncoder(state: self, slot: call.slot))
            try close(call)
        } catch {
            takeBack(call)
            throw error
        }
    }

    /// As `encodeByItself`, for a value that is the event.
    func encodeEvent<T: Encodable>(_ event: T) throws {
        let call = try begin(event)
        defer { end(call) }
        do {
            try event.encode(to: EventTreeEncoder(state: self, slot: call.slot))
            try close(call)
        } catch {
            takeBack(call)
            throw error
        }
    }
}

/// One run of an `encode(to:)`.
extension EncodingState {
    private struct Call {
        let slot: SlotReference
        /// Where in the writer its value begins.
        let start: Int
        let outerFloor: Int
        let outerTop: Int
        let outerSerial: Int
    }

    @inline(__always)
    private func begin<T>(_ value: T) throws -> Call {
        guard let start = text.writer?.pointee.count else { throw SlotWriter.outlived }
        guard calls < CodingLimits.calls else { throw invalid(value, at: start, "nested too deep to encode") }
        let (outerFloor, outerTop, outerSerial) = (text.floor, text.top, text.serial)
        calls += 1
        if failedPath != nil { failedPath = nil }
        let slot = text.push(valueOf: ObjectIdentifier(T.self))
        return Call(slot: slot, start: start, outerFloor: outerFloor, outerTop: outerTop, outerSerial: outerSerial)
    }

    @inline(__always)
    private func close(_ call: Call) throws {
        if let pendingError = text.pendingError { throw pendingError }
        text.close(call.slot, downTo: call.outerTop)
    }

    private func takeBack(_ call: Call) {
        if failedPath == nil { failedPath = text.codingPath(at: call.start) }
        text.writer?.pointee.truncate(to: call.start)
    }

    @inline(__always)
    private func end(_ call: Call) {
        calls -= 1
        text.slots.truncate(to: text.floor)
        text.floor = call.outerFloor
        text.reopen(call.outerTop, serial: call.outerSerial)
    }
}

/// Keyed containers.
extension EncodingState {
    /// The container of an array's last element, which the next one has too.
    private struct Row {
        let keys: ObjectIdentifier
        let slot: SlotReference
        /// A `Kept` container. Not counted, as that takes longer than to copy it: the `EncodingKeys` of its key type has
        /// it until `end`, or until `makeRow` puts another one there and here.
        let container: Unmanaged<AnyObject>
    }

    func container<Key: CodingKey>(in slot: SlotReference) -> KeyedEncodingContainer<Key> {
        guard text.isElement(slot) else { return newContainer(keyFacts(Key.self), in: slot) }
        var last = row
        if last?.keys != ObjectIdentifier(Key.self) || last?.slot != slot { last = nil }
        return (last ?? makeRow(Key.self, slot)).container._withUnsafeGuaranteedRef {
            // It was kept for this key type, for which it is always of this type.
            unsafeDowncast($0, to: Kept<KeyedEncodingContainer<Key>>.self).copy()
        }
    }

    @inline(never)
    private func makeRow<Key: CodingKey>(_ type: Key.Type, _ slot: SlotReference) -> Row {
        let keys = keyFacts(type)
        let kept = keys.kept.flatMap { keys.slot == slot ? $0 : nil } ?? keepContainer(keys, for: slot)
        let row = Row(keys: ObjectIdentifier(type), slot: slot, container: .passUnretained(kept))
        self.row = row
        return row
    }

    // Apart from the way that rows take: code that makes one asks the runtime for types first.
    @inline(never)
    private func newContainer<Key: CodingKey>(
        _ keys: EncodingKeys<KeyedEncoder<Key>>, in slot: SlotReference
    ) -> KeyedEncodingContainer<Key> {
        keys.makeContainer(KeyedEncoder<Key>(state: self, slot: slot))
    }

    @inline(never)
    private func keepContainer<Key: CodingKey>(
        _ keys: EncodingKeys<KeyedEncoder<Key>>, for slot: SlotReference
    ) -> AnyObject {
        if keys.kept == nil { containers.append(keys) }
        let kept = Kept(newContainer(keys, in: slot))
        (keys.kept, keys.slot) = (kept, slot)
        return kept
    }

    @inline(__always)
    func eventKeys<Key: CodingKey>(_ type: Key.Type) -> EventEncodingKeys<Key> {
        if let facts = eventKeyTypes[type] {
            // It was kept for this key type, for which it is always of this type.
            return unsafeDowncast(facts, to: EventEncodingKeys<Key>.self)
        }
        return newEventKeys(type)
    }

    @inline(never)
    private func newEventKeys<Key: CodingKey>(_ type: Key.Type) -> EventEncodingKeys<Key> {
        let facts = EventEncodingKeys<Key>()
        eventKeyTypes.insert(facts, for: type)
        return facts
    }

    /// A container of the event that is encoded, which is used again after it.
    func note(_ container: KeyFacts) { lent.append(.passUnretained(container)) }

    @inline(__always)
    func keyFacts<Key: CodingKey>(_ type: Key.Type) -> EncodingKeys<KeyedEncoder<Key>> {
        if let facts = keyTypes[type] {
            // It was kept for this key type, for which it is always of this type.
            return unsafeDowncast(facts, to: EncodingKeys<KeyedEncoder<Key>>.self)
        }
        return newKeyFacts(type)
    }

    @inline(never)
    private func newKeyFacts<Key: CodingKey>(_ type: Key.Type) -> EncodingKeys<KeyedEncoder<Key>> {
        let facts = EncodingKeys<KeyedEncoder<Key>>()
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
