/// What the `Encoder`s and containers of one `encode` share: the writer, and which containers are open in it.
///
/// Values go straight into the writer, nothing is built first. Nearly all code fills one container after the other, so
/// writing to the innermost open one is the hot way: one comparison. Writing to one further out closes those within.
/// Writing to one that is closed already, which `Codable` allows, inserts (`EncodingState+Splicing`).
///
/// The writer is borrowed: `end` must be called before it goes, after which all that was kept throws.
final class EncodingState {
    /// What a container looks at for each member. In memory of its own, as each access to a class's property is counted
    /// and checked for exclusivity.
    struct Front {
        /// Nil while nothing is encoded.
        var writer: UnsafeMutablePointer<JSONWriter>?
        /// Of the innermost open slot: what a container compares with its own.
        var serial = 0
    }

    let front: UnsafeMutablePointer<Front>
    /// Where in the writer this encoding began.
    var origin = 0
    let slots = TrivialStack<Slot>(capacity: 8)
    /// Index of the innermost open slot, -1 without one.
    private(set) var top = -1
    /// Slots below belong to values that wait for the one being encoded to end; they can't be written to meanwhile.
    var floor = 0
    /// The depth at which a temporary writer's value will stand.
    var baseDepth = 0
    /// How many `encode(to:)` run within each other now.
    var calls = 0
    /// Never used again, not for another encoding either.
    private var serials = 0
    /// From members whose signature can't throw, such as `nestedContainer`; thrown as soon as something can.
    var pendingError: (any Error)?
    /// Where a value of the user's code threw, for errors that carry no path of their own.
    var failedPath: [any CodingKey]?
    /// The steps that `writer` doesn't show while it is a temporary one.
    var pathPrefix: [any CodingKey] = []
    /// Where the event's `kind` begins, once it was written.
    var kindOffset: Int?
    /// The type that was last found to be encoded by its own code: the elements of an array have the same one, and to ask what
    /// else it could be takes 30 instructions.
    var ownType: ObjectIdentifier?
    /// For what is encoded to bytes of its own.
    private let scratch = UnsafeMutablePointer<JSONWriter>.allocate(capacity: 1)
    let shelf = ContainerShelf<EncodingPlace>()

    init() {
        front = .allocate(capacity: 1)
        front.initialize(to: Front())
        scratch.initialize(to: JSONWriter())
    }

    deinit {
        slots.deallocate()
        shelf.deallocate()
        front.deallocate()
        scratch.deinitialize(count: 1)
        scratch.deallocate()
    }

    private static let pool = CoderPool<EncodingState>()

    /// Lends the writer to `body`, and takes back what was written if it throws.
    static func encode(
        into writer: inout JSONWriter, _ body: (EncodingState) throws -> Void
    ) throws(JSONCodingError) {
        try withUnsafeMutablePointer(to: &writer) { writer throws(JSONCodingError) in
            var state = pool.take() ?? EncodingState()
            defer {
                state.end()
                if isKnownUniquelyReferenced(&state) { pool.put(state) }
            }
            try state.encode(into: writer, body)
        }
    }

    /// What `body` writes.
    static func encode(_ body: (EncodingState) throws -> Void) throws(JSONCodingError) -> [UInt8] {
        var state = pool.take() ?? EncodingState()
        defer {
            state.end()
            state.scratch.pointee.removeAll(keptCapacity: 16_384)
            if isKnownUniquelyReferenced(&state) { pool.put(state) }
        }
        try state.encode(into: state.scratch, body)
        return state.scratch.pointee.takeBytes()
    }

    @inline(__always)
    private func encode(
        into writer: UnsafeMutablePointer<JSONWriter>, _ body: (EncodingState) throws -> Void
    ) throws(JSONCodingError) {
        origin = writer.pointee.count
        front.pointee.writer = writer
        do {
            try body(self)
        } catch {
            let failure = codingError(error)
            writer.pointee.truncate(to: origin)
            throw failure
        }
    }

    /// Afterwards the state is used again, but only if nobody else has it: an encoder that was kept must never see another
    /// encoding.
    private func end() {
        front.pointee.writer = nil
        slots.truncate(to: 0)
        open(-1)
        shelf.clear()
        (floor, kindOffset) = (0, nil)
        if pendingError != nil { pendingError = nil }
        if failedPath != nil { failedPath = nil }
    }

    var writer: UnsafeMutablePointer<JSONWriter>? { front.pointee.writer }

    func exchangeWriter(_ other: UnsafeMutablePointer<JSONWriter>?) -> UnsafeMutablePointer<JSONWriter>? {
        let current = front.pointee.writer
        front.pointee.writer = other
        return current
    }

    /// A new innermost slot.
    @inline(__always)
    func push(kind: Slot.Kind, depth: Int) -> SlotReference {
        serials += 1
        let start = writer?.pointee.count ?? 0
        slots.append(Slot(serial: serials, kind: kind, start: start, parent: top, depth: depth))
        top = slots.count - 1
        front.pointee.serial = serials
        return SlotReference(index: top, serial: serials)
    }

    func open(_ index: Int) {
        top = index
        front.pointee.serial = index >= 0 ? slots[index].serial : 0
    }

    /// As `open`, where the slot's serial is known.
    @inline(__always)
    func reopen(_ index: Int, serial: Int) {
        top = index
        front.pointee.serial = serial
    }

    static let outlived = EncodingError.invalidValue(
        (),
        EncodingError.Context(
            codingPath: [], debugDescription: "this encoder was used after its value's encoding ended"))
}
