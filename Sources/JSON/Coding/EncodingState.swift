/// What the `Encoder`s and containers of one `encode` share: the writer, and which containers are open in it.
///
/// Values go straight into the writer, nothing is built first. Nearly all code fills one container after the other, so
/// writing to the innermost open one is the hot way: one comparison. Writing to one further out closes those within.
/// Writing to one that is closed already, which `Codable` allows, inserts (`EncodingState+Splicing`).
///
/// The writer is borrowed: `invalidate` must be called before it goes, after which all that was kept throws. A pointer
/// and not a class's property, each access to which would be checked for exclusivity.
final class EncodingState {
    /// Nil once encoding has ended.
    private(set) var writer: UnsafeMutablePointer<JSONWriter>?
    /// Where in the writer this encoding began.
    var origin: Int
    let slots = TrivialStack<Slot>(capacity: 8)
    /// Index of the innermost open slot, -1 without one.
    var top = -1
    /// Its serial: what a container compares with its own.
    var topSerial = 0
    /// Slots below belong to values that wait for the one being encoded to end; they can't be written to meanwhile.
    var floor = 0
    /// How many `encode(to:)` run within each other now.
    private var calls = 0
    private var serials = 0
    /// From members whose signature can't throw, such as `nestedContainer`; thrown as soon as something can.
    var pendingError: (any Error)?
    /// Where a value of the user's code threw, for errors that carry no path of their own.
    private(set) var failedPath: [any CodingKey]?
    /// The steps that `writer` doesn't show while it is a temporary one.
    var pathPrefix: [any CodingKey] = []
    /// Where the event's `kind` begins, once it was written.
    var kindOffset: Int?

    init(_ writer: UnsafeMutablePointer<JSONWriter>) {
        self.writer = writer
        origin = writer.pointee.count
    }

    deinit { slots.deallocate() }

    func invalidate() {
        writer = nil
        slots.truncate(to: 0)
        (top, topSerial, floor) = (-1, 0, 0)
    }

    func exchangeWriter(_ other: UnsafeMutablePointer<JSONWriter>?) -> UnsafeMutablePointer<JSONWriter>? {
        let current = writer
        writer = other
        return current
    }

    /// A new innermost slot.
    func push(kind: Slot.Kind, depth: Int) -> SlotReference {
        serials += 1
        let start = writer?.pointee.count ?? 0
        slots.append(Slot(serial: serials, kind: kind, start: start, parent: top, depth: depth))
        top = slots.count - 1
        topSerial = serials
        return SlotReference(index: top, serial: serials)
    }

    func open(_ index: Int) {
        top = index
        topSerial = index >= 0 ? slots[index].serial : 0
    }

    /// Runs `encode(to:)` where the writer expects a value. The value's containers are closed afterwards and its slots
    /// forgotten, and if it throws, what it wrote is taken back.
    func encode<T: Encodable>(
        _ value: T, to makeEncoder: (SlotReference) -> any Encoder
    ) throws {
        guard let start = writer?.pointee.count else { throw Self.outlived }
        guard calls < CodingLimits.calls else { throw invalid(value, at: start, "nested too deep to encode") }
        let outer = (floor: floor, top: top)
        calls += 1
        floor = slots.count
        failedPath = nil
        defer {
            calls -= 1
            slots.truncate(to: floor)
            floor = outer.floor
            open(outer.top)
        }
        let depth = top >= 0 ? slots[top].innerDepth : baseDepth
        let slot = push(kind: .pending, depth: depth)
        do {
            try value.encode(to: makeEncoder(slot))
            if let pendingError { throw pendingError }
            close(downTo: outer.top)
        } catch {
            if failedPath == nil { failedPath = codingPath(at: start) }
            writer?.pointee.truncate(to: start)
            throw error
        }
    }

    /// The depth at which a temporary writer's value will stand.
    var baseDepth = 0

    static let outlived = EncodingError.invalidValue(
        (),
        EncodingError.Context(
            codingPath: [], debugDescription: "this encoder was used after its value's encoding ended"))
}
