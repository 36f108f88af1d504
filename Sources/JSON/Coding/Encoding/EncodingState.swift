/// The text that the `Encoder`s and containers of one `encode` write, and its failures.
///
/// Values go straight into the writer, nothing is built first.
///
/// An encoder or container may be used until the `encode(to:)` that asked for it returns. One that is kept beyond the
/// encoding throws and never touches the writer. Until the encoding ends it may throw, or write to the value that has
/// its slot by then.
///
/// Not checked for exclusive access: an encoding runs on one thread, and each property is read or written in one
/// statement.
final class EncodingState: PooledCoder {
    typealias SlotReference = SlotWriter.SlotReference

    let text = SlotWriter()
    /// How many `encode(to:)` run within each other now.
    @exclusivity(unchecked) private var calls = 0
    /// Where a value of the user's code threw, for errors that carry no path of their own.
    @exclusivity(unchecked) private var failedPath: [any CodingKey]?
    /// The type that was last found to be encoded by its own code: the elements of an array have the same one.
    @exclusivity(unchecked) var ownType: ObjectIdentifier?
    /// Whether a value of a class was met; nil where nobody asks.
    @exclusivity(unchecked) private var hasMetObject: Bool?
    @exclusivity(unchecked) var nextInPool: Unmanaged<EncodingState>?
    @exclusivity(unchecked) var keyTypes = KeyTypes<ObjectEncoder>()

    var isCalling: Bool { calls > 0 }

    private static let pool = CoderPool<EncodingState>()

    /// Lends the writer to `body`; takes its text back if it throws.
    static func encode(
        into writer: inout JSONWriter, _ body: (EncodingState) throws -> Void
    ) throws(JSONCodingError) {
        let lent = pool.take() ?? .passRetained(EncodingState())
        let failure = lent._withUnsafeGuaranteedRef { $0.failure(ofEncodingInto: &writer, body) }
        // An encoder that was kept, and has it too, must never see another encoding.
        if lent.isOnlyReference { pool.put(lent) } else { lent.release() }
        if let failure { throw failure }
    }

    @inline(__always)
    private func failure(
        ofEncodingInto writer: inout JSONWriter, _ body: (EncodingState) throws -> Void
    ) -> JSONCodingError? {
        defer { end() }
        return withUnsafeMutablePointer(to: &writer) { writer in
            text.begin(writer)
            do {
                try body(self)
                return nil
            } catch {
                let failure = codingError(error)
                writer.pointee.truncate(to: text.origin)
                return failure
            }
        }
    }

    /// - Returns: whether an object is in the value.
    func encodeNotingObjects<T: Encodable>(_ value: T) throws -> Bool {
        hasMetObject = false
        defer { hasMetObject = nil }
        try encode(value)
        return hasMetObject == true
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
        guard calls < CodingLimits.calls else { throw text.invalid(value, at: start, "nested too deep to encode") }
        calls += 1
        if failedPath != nil { failedPath = nil }
        if hasMetObject == false, T.self is AnyObject.Type { hasMetObject = true }
        let (outer, lent) = (text.outer, keyTypes.lent)
        let slot = text.pushValue(isEvent: isEvent)
        do {
            try value.encode(to: ValueTreeEncoder(state: self, slot: slot))
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
    private func end(_ outer: (floor: Int, top: Int), lent: Unmanaged<KeyFacts<ObjectEncoder>>?) {
        calls -= 1
        keyTypes.takeBack(downTo: lent)
        text.popValue(outer)
    }
}

/// Keyed containers.
extension EncodingState {
    func container<Key: CodingKey>(_ role: ObjectRole, in slot: SlotReference) -> KeyedEncodingContainer<Key> {
        keyFacts(Key.self)._withUnsafeGuaranteedRef { $0.container(of: self, slot: slot, role: role) }
    }

    /// Not counted: `keyTypes` has them.
    @inline(__always)
    func keyFacts<Key: CodingKey>(_ type: Key.Type) -> Unmanaged<EncodingKeys<Key>> {
        // Those that were kept for this key type are always of this type.
        .fromOpaque((keyTypes[type] ?? newKeyFacts(type)).toOpaque())
    }

    @inline(never)
    private func newKeyFacts<Key: CodingKey>(_ type: Key.Type) -> Unmanaged<KeyFacts<ObjectEncoder>> {
        keyTypes.insert(EncodingKeys<Key>(), for: type)
    }
}

/// Failures.
extension EncodingState {
    /// For a value that was about to be written.
    func invalid(_ value: Any, _ reason: String) -> EncodingError {
        text.invalid(value, at: text.writer?.pointee.count ?? 0, reason)
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
