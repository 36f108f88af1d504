/// The slot that a keyed container writes to.
///
/// Members are written by what is not generic: in code that is, each use of a type that depends on the key asks the
/// runtime for it.
final class EncodingPlace: ContainerPlace {
    var slot: EncodingState.SlotReference
    /// Nil once the encoding has ended.
    private var front: UnsafeMutablePointer<EncodingState.Front>?
    /// The same without counting it. Valid while `front` is there: either the shelf that this place stands on is the
    /// state's own, which makes it leave before the state can go, or `keeper` is set.
    private var uncountedState: Unmanaged<EncodingState>?
    private var keeper: EncodingState?

    /// Nowhere.
    override init() {
        slot = .dead
    }

    init(_ state: EncodingState, _ slot: EncodingState.SlotReference) {
        self.slot = slot
        front = state.front
        uncountedState = .passUnretained(state)
    }

    /// For a place that is on no shelf: what is kept of it then keeps the state from being used again.
    func keepState() {
        keeper = state
    }

    override func leave() {
        front = nil
        uncountedState = nil
        slot = .dead
    }

    var state: EncodingState? { uncountedState?.takeUnretainedValue() }

    var codingPath: [any CodingKey] { state?.codingPath(of: slot) ?? [] }
}

extension EncodingPlace {
    func encode(_ value: Int, member: String) throws {
        try write { writer in
            writer.pointee.key(member)
            writer.pointee.integer(value)
        }
    }

    func encode(_ value: String, member: String) throws {
        try write { writer in
            writer.pointee.key(member)
            writer.pointee.string(value)
        }
    }

    func encode(_ value: Bool, member: String) throws {
        try write { writer in
            writer.pointee.key(member)
            writer.pointee.boolean(value)
        }
    }

    func encode(_ value: Double, member: String) throws {
        try write { writer in
            let start = writer.pointee.count
            writer.pointee.key(member)
            do throws(NonFiniteNumber) {
                try writer.pointee.double(value)
            } catch {
                defer { writer.pointee.truncate(to: start) }
                throw state?.nonFinite(value) ?? EncodingState.outlived
            }
        }
    }

    func encodeNil(member: String) throws {
        try write { writer in
            writer.pointee.key(member)
            writer.pointee.null()
        }
    }

    /// Takes the name back if the value fails, so that code that catches the error goes on with a whole text.
    func encode<T: Encodable>(_ value: T, member: String) throws {
        try write { writer in
            let start = writer.pointee.count
            writer.pointee.key(member)
            do {
                guard let state else { throw EncodingState.outlived }
                try state.encode(value)
            } catch {
                writer.pointee.truncate(to: start)
                throw error
            }
        }
    }

    /// Calls `body` with the slot innermost and open.
    @inline(__always)
    private func write(_ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void) throws {
        guard let front, front.pointee.serial == slot.serial, let writer = front.pointee.writer else {
            return try writeElsewhere(body)
        }
        try body(writer)
    }

    @inline(never)
    private func writeElsewhere(_ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void) throws {
        guard let state else { throw EncodingState.outlived }
        try state.writeElsewhere(in: slot, body)
    }
}
