/// The text that the `Encoder`s and containers of one `encode` call write, and its failures.
///
/// Values go straight into the writer; no tree is built first.
///
/// An encoder or container may be used until the `encode(to:)` that asked for it returns. From then until the whole encoding
/// ends, using it may throw, or write to the value that has its slot by then. After that it throws and never touches the
/// writer.
///
/// Exclusive access isn't checked: an encoding runs on one thread, and each property is read or written in one statement.
final class EncodingState: PooledCoder {
    typealias SlotReference = SlotWriter.SlotReference

    let text = SlotWriter()
    /// How many calls of `encode(to:)` are nested in each other now.
    @exclusivity(unchecked) private var calls = 0
    /// The path to the value whose `encode(to:)` threw, for errors that carry no path of their own.
    @exclusivity(unchecked) private var failedPath: [any CodingKey]?
    /// The type that was last found to be encoded by its own code: the elements of an array have the same one.
    @exclusivity(unchecked) var ownType: ObjectIdentifier?
    /// Whether an instance of a class was met; nil if the caller didn't ask.
    @exclusivity(unchecked) private var hasMetObject: Bool?
    @exclusivity(unchecked) var nextInPool: Unmanaged<EncodingState>?
    @exclusivity(unchecked) var keyTypes = KeyTypes<ObjectEncoder>()

    var isCalling: Bool { calls > 0 }

    private static let pool = CoderPool<EncodingState>()

    /// Calls `body` to encode into `writer`. If it throws, the text that it has written is taken back.
    static func encode(
        into writer: inout JSONWriter, _ body: (EncodingState) throws -> Void
    ) throws(JSONCodingError) {
        let lent = pool.take() ?? .passRetained(EncodingState())
        let failure = lent._withUnsafeGuaranteedRef { $0.failure(ofEncodingInto: &writer, body) }
        // An encoder that the user's code has kept refers to this state, and must never see another encoding.
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

    /// Encodes a value, and returns whether it contains an instance of a class.
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

    /// Calls `encode(to:)` where the writer expects a value. Afterwards the value's containers are closed and its slots
    /// forgotten. If it throws, its text is taken back.
    ///
    /// - Parameter isEvent: whether the value is an event as a whole.
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

    /// Returns the facts about a key type, as a reference that isn't counted: `keyTypes` owns them.
    @inline(__always)
    func keyFacts<Key: CodingKey>(_ type: Key.Type) -> Unmanaged<EncodingKeys<Key>> {
        // Facts that are kept for `Key` are always of this type.
        .fromOpaque((keyTypes[type] ?? newKeyFacts(type)).toOpaque())
    }

    @inline(never)
    private func newKeyFacts<Key: CodingKey>(_ type: Key.Type) -> Unmanaged<KeyFacts<ObjectEncoder>> {
        keyTypes.insert(EncodingKeys<Key>(), for: type)
    }
}

/// Failures.
extension EncodingState {
    /// Returns an error about a value that was about to be written, with the path to the place of writing.
    func invalid(_ value: Any, _ reason: String) -> EncodingError {
        text.invalid(value, at: text.writer?.pointee.count ?? 0, reason)
    }

    /// Converts an error of the user's code to one with a path and a reason.
    private func codingError(_ error: any Error) -> JSONCodingError {
        guard case .invalidValue(_, let context)? = error as? EncodingError else {
            return JSONCodingError(
                path: JSONPointer.root.appending(failedPath ?? []), reason: String(describing: error))
        }
        return JSONCodingError(
            path: JSONPointer.root.appending(context.codingPath), reason: context.debugDescription)
    }
}
