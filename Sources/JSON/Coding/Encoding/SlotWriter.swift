/// The writer of one encoding, and the slots of its open values. Keeps brackets in order, whichever container is written to.
///
/// Nearly all code fills one container after the other, so writing to the innermost open slot takes only one comparison.
/// Writing to a slot further out closes those within it. Writing to a closed slot, which `Codable` allows, inserts into the
/// text.
final class SlotWriter {
    /// The writer, borrowed; nil while nothing is encoded.
    @exclusivity(unchecked) var writer: UnsafeMutablePointer<JSONWriter>?
    /// The offset in the writer where this encoding began.
    @exclusivity(unchecked) var origin = 0
    let slots = TrivialStack<Slot>(capacity: 8)
    let names = MemberNames()
    /// The index of the innermost open slot; -1 if there is none.
    @exclusivity(unchecked) private(set) var top = -1
    /// The serial number of the innermost open slot, with which a container compares its own; 0 if there is none.
    @exclusivity(unchecked) private(set) var serial = 0
    /// The serial number of the slot of an event as a whole; 0 without one.
    @exclusivity(unchecked) private(set) var eventSerial = 0
    /// The index of the first slot that can be written to. Those below belong to values that wait for the current one to end.
    @exclusivity(unchecked) var floor = 0
    /// The last serial number that was given out. No number is used twice, not even in another encoding.
    @exclusivity(unchecked) private var serials = 0
    /// The first error in a member that can't throw, such as `nestedContainer`. The next call that can throw throws it.
    @exclusivity(unchecked) private(set) var pendingError: (any Error)?
    /// The offset of the value of the event's `kind`, once written.
    @exclusivity(unchecked) var kindOffset: Int?

    deinit {
        names.deallocate()
    }

    /// Begins an encoding.
    func begin(_ writer: UnsafeMutablePointer<JSONWriter>) {
        self.writer = writer
        origin = writer.pointee.count
    }

    /// Ends the encoding: encoders and containers that were kept throw from now on.
    func end() {
        writer = nil
        slots.truncate(to: 0)
        open(-1)
        (floor, kindOffset) = (0, nil)
        if pendingError != nil { pendingError = nil }
    }

    /// Pushes a slot, which becomes the innermost.
    @inline(__always)
    func push(kind: Slot.Kind, depth: Int) -> SlotReference {
        serials &+= 1
        let start = writer?.pointee.count ?? 0
        slots.append(Slot(serial: serials, kind: kind, start: start, parent: top, depth: depth))
        top = slots.count - 1
        serial = serials
        return SlotReference(index: top, serial: serial)
    }

    /// The floor and the innermost slot before `pushValue`, to be restored by `popValue`.
    var outer: (floor: Int, top: Int) { (floor, top) }

    /// Pushes the slot of a value that encodes itself, and raises the floor to it.
    @inline(__always)
    func pushValue(isEvent: Bool) -> SlotReference {
        floor = slots.count
        let slot = push(kind: .pending, depth: top >= 0 ? slots[top].innerDepth : 0)
        if isEvent { eventSerial = slot.serial }
        return slot
    }

    /// Forgets the value's slots, and restores the floor and the innermost slot from before `pushValue`.
    @inline(__always)
    func popValue(_ outer: (floor: Int, top: Int)) {
        slots.truncate(to: floor)
        floor = outer.floor
        open(outer.top)
    }

    func open(_ index: Int) {
        (top, serial) = (index, index >= 0 ? slots[index].serial : 0)
    }

    /// Returns the writer if the slot is the innermost open one, as it nearly always is; otherwise nil.
    @inline(__always)
    func innermostWriter(_ slot: SlotReference) -> UnsafeMutablePointer<JSONWriter>? {
        slot.serial == serial ? writer : nil
    }

    /// Calls `body` with the slot innermost and open, so that a member or element can be written to it.
    @inline(__always)
    func write(in slot: SlotReference, _ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void) throws {
        if let writer = innermostWriter(slot) { return try body(writer) }
        try writeElsewhere(in: slot, body)
    }

    @inline(never)
    private func writeElsewhere(
        in slot: SlotReference, _ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void
    ) throws {
        let index = try index(of: slot)
        guard slots[index].end == nil else { return try insert(into: index, body) }
        close(downTo: index)
        if let writer { try body(writer) }
    }

    /// Calls `body` to write the one value of a single value container. Throws if the slot has a value.
    func writeScalar(in slot: SlotReference, _ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void) throws {
        let index = try index(of: slot)
        guard slots[index].kind == .pending else { throw secondValue(in: slot) }
        try write(in: slot) { writer in
            try body(writer)
            slots[index].kind = .scalar
        }
    }

    /// Returns the index of a slot.
    ///
    /// - Throws: if the slot's value has ended, or waits for another one to end.
    func index(of slot: SlotReference) throws -> Int {
        if let pendingError { throw pendingError }
        guard writer != nil, slot.index >= floor, slot.index < slots.count, slots[slot.index].serial == slot.serial
        else { throw Self.outlived }
        return slot.index
    }

    /// Closes a value and the slots that are open within it, so that the slot at index `outer` becomes the innermost.
    @inline(__always)
    func close(_ slot: SlotReference, downTo outer: Int) {
        if top == slot.index, slots[top].kind == .object {
            writer?.pointee.endObject()
        } else {
            close(downTo: outer)
        }
    }

    /// Closes the slots that are open within the one at `index`, which becomes the innermost.
    func close(downTo index: Int) {
        while top != index, top >= 0, let writer {
            if slots[top].kind == .pending { writer.pointee.beginObject() }
            slots[top].end = writer.pointee.count
            end(slots[top].kind)
            open(slots[top].parent)
        }
    }

    /// Makes the slot an object or array. Returns the same slot if it already is of that kind: an encoder may be asked twice
    /// for the same kind of container.
    @inline(__always)
    func makeContainer(_ kind: Slot.Kind, in slot: SlotReference) -> SlotReference {
        if slot.serial == serial, slots[top].kind == .pending, slots[top].depth < CodingLimits.depth {
            begin(kind)
            slots[top].kind = kind
            return slot
        }
        return attempt {
            let index = try index(of: slot)
            if slots[index].kind == kind { return slot }
            guard slots[index].kind == .pending else { throw secondValue(in: slot) }
            guard slots[index].depth < CodingLimits.depth else { throw tooDeep(slots[index].start) }
            try write(in: slot) { _ in
                begin(kind)
                if slots[index].end != nil { end(kind) }
                slots[index].kind = kind
            }
            return slot
        } ?? .dead
    }

    /// Calls `body` for a caller that can't throw: an error becomes `pendingError`, and the result nil.
    @discardableResult
    func attempt<R>(_ body: () throws -> R) -> R? {
        do {
            return try body()
        } catch {
            pendingError = pendingError ?? error
            return nil
        }
    }

    @inline(__always)
    private func begin(_ kind: Slot.Kind) {
        switch kind {
        case .object: writer?.pointee.beginObject()
        case .array: writer?.pointee.beginArray()
        case .pending, .scalar: break
        }
    }

    private func end(_ kind: Slot.Kind) {
        switch kind {
        case .object, .pending: writer?.pointee.endObject()
        case .array: writer?.pointee.endArray()
        case .scalar: break
        }
    }

    /// Begins a container or nested encoder inside an array, or inside an object under a member's name.
    func makeNested(_ kind: Slot.Kind, in slot: SlotReference, member: String?) -> SlotReference {
        // A container that was kept from an earlier encoding must not make this one fail.
        guard slot != .dead else { return .dead }
        return attempt {
            let parent = try index(of: slot)
            let depth = slots[parent].innerDepth
            guard kind == .pending || depth < CodingLimits.depth else { throw tooDeep(slots[parent].start) }
            var nested = SlotReference.dead
            try write(in: slot) { writer in
                if let member { writer.pointee.key(member) }
                nested = push(kind: kind, depth: depth)
                begin(kind)
                if slots[parent].end != nil { close(downTo: parent) }
            }
            slots[parent].count += 1
            return nested
        } ?? .dead
    }
}

extension SlotWriter {
    /// The state of one value that is being written; each `Encoder` has one.
    struct Slot: BitwiseCopyable {
        enum Kind: BitwiseCopyable {
            /// Nothing was written yet. If it is closed like that, it becomes `{}`, as in Foundation's encoder.
            case pending
            case object, array, scalar
        }

        let serial: Int
        var kind: Kind
        /// The offset in the writer where the value begins.
        var start: Int
        /// The offset of the closing bracket, once closed.
        var end: Int?
        let parent: Int
        /// The number of containers around this value.
        let depth: Int
        /// How many elements an array has so far.
        var count = 0

        /// The depth of the values inside this one.
        var innerDepth: Int { kind == .object || kind == .array ? depth + 1 : depth }
    }

    /// A reference from a container to its slot. Indices are used again, serial numbers never.
    struct SlotReference: BitwiseCopyable, Equatable {
        let index: Int
        let serial: Int

        /// Stands for a container that could not be made: whatever is written to it throws.
        static let dead = SlotReference(index: -1, serial: -1)
    }

    static let outlived = EncodingError.invalidValue(
        (),
        EncodingError.Context(
            codingPath: [], debugDescription: "this encoder was used after its value's encoding ended"))

    func invalid(_ value: Any = (), at offset: Int, _ reason: String) -> EncodingError {
        .invalidValue(value, EncodingError.Context(codingPath: codingPath(at: offset), debugDescription: reason))
    }

    private func tooDeep(_ offset: Int) -> EncodingError {
        invalid(at: offset, "nested deeper than \(CodingLimits.depth)")
    }

    func secondValue(in slot: SlotReference) -> EncodingError {
        let start = (try? slots[index(of: slot)].start) ?? 0
        return invalid(at: start, "more than one value was encoded in one place")
    }

    /// Returns the steps to the value that begins at `offset`, read from the text before it. So a path costs nothing until
    /// somebody asks.
    func codingPath(at offset: Int) -> [any CodingKey] {
        guard let writer else { return [] }
        return writer.pointee.withUnsafeBytes { bytes in
            let end = min(offset, bytes.count)
            guard origin < end else { return [] }
            return WrittenPath.keys(in: UnsafeRawBufferPointer(rebasing: bytes[origin..<end]))
        }
    }

    func codingPath(of slot: SlotReference) -> [any CodingKey] {
        guard let index = try? index(of: slot) else { return [] }
        return codingPath(at: slots[index].start)
    }
}

/// Insertion into a container that was closed when a later one began. As this is rare, moving the text behind it is acceptable.
extension SlotWriter {
    /// Calls `body` to write at the end of the slot's value, or in place of the `{}` of a slot that was closed while pending.
    func insert(into index: Int, _ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void) throws {
        guard let writer, let end = slots[index].end else { throw Self.outlived }
        let isPending = slots[index].kind == .pending
        let (start, tail) = isPending ? (end - 1, end + 1) : (end, end)
        let text = writer.pointee.withUnsafeBytes { Array($0[start...]) }
        writer.pointee.truncate(to: start)
        let (outer, count) = (self.outer, slots.count)
        // No slot outside this one may be written to meanwhile.
        floor = count
        open(index)
        defer {
            floor = outer.floor
            open(outer.top)
        }
        do {
            try body(writer)
        } catch {
            writer.pointee.truncate(to: start)
            text.withUnsafeBytes { writer.pointee.append($0) }
            throw error
        }
        slots[index].end = writer.pointee.count - (isPending && slots[index].kind != .scalar ? 1 : 0)
        let distance = writer.pointee.count - tail
        for other in 0..<count where other != index {
            if slots[other].start >= tail { slots[other].start += distance }
            if let end = slots[other].end, end >= tail { slots[other].end = end + distance }
        }
        if let kindOffset, kindOffset >= tail { self.kindOffset = kindOffset + distance }
        text.dropFirst(tail - start).withUnsafeBytes { writer.pointee.append($0) }
    }
}
