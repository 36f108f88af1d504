extension EncodingState {
    /// Calls `body` with the slot innermost and open, so that a member or element can be written to it.
    @inline(__always)
    func write(in slot: SlotReference, _ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void) throws {
        if slot.serial == front.pointee.serial, let writer { return try body(writer) }
        try writeElsewhere(in: slot, body)
    }

    @inline(never)
    func writeElsewhere(
        in slot: SlotReference, _ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void
    ) throws {
        let index = try index(of: slot)
        if slots[index].end == nil {
            close(downTo: index)
            if let writer { try body(writer) }
        } else {
            try splice(into: index, body)
        }
    }

    /// Throws where the slot's value has ended or waits for another one to end.
    func index(of slot: SlotReference) throws -> Int {
        if let pendingError { throw pendingError }
        guard writer != nil, slot.index >= floor, slot.index < slots.count, slots[slot.index].serial == slot.serial
        else { throw Self.outlived }
        return slot.index
    }

    /// Closes what is open within the slot at `index`, which becomes the innermost.
    func close(downTo index: Int) {
        while top != index, top >= 0 {
            closeTop()
        }
    }

    private func closeTop() {
        guard let writer else { return }
        switch slots[top].kind {
        case .object:
            slots[top].end = writer.pointee.count
            writer.pointee.endObject()
        case .array:
            slots[top].end = writer.pointee.count
            writer.pointee.endArray()
        case .pending:
            writer.pointee.beginObject()
            slots[top].end = writer.pointee.count
            writer.pointee.endObject()
        case .scalar:
            slots[top].end = writer.pointee.count
        }
        open(slots[top].parent)
    }

    /// Makes the slot an object or array, or finds it to be one already: asking an encoder twice for the same kind of
    /// container gives the same one.
    @inline(__always)
    func makeContainer(_ kind: Slot.Kind, in slot: SlotReference) -> SlotReference {
        guard slot.serial == front.pointee.serial, slots[top].kind == .pending, slots[top].depth < CodingLimits.depth
        else { return makeContainerElsewhere(kind, in: slot) }
        begin(kind)
        slots[top].kind = kind
        return slot
    }

    @inline(never)
    private func makeContainerElsewhere(_ kind: Slot.Kind, in slot: SlotReference) -> SlotReference {
        do {
            let index = try index(of: slot)
            if slots[index].kind == kind { return slot }
            guard slots[index].kind == .pending else { throw secondValue(in: slot) }
            guard slots[index].depth < CodingLimits.depth else { throw tooDeep(slots[index].start) }
            if slots[index].end != nil {
                replacePending(index, kind: kind)
            } else {
                close(downTo: index)
                begin(kind)
            }
            slots[index].kind = kind
            return slot
        } catch {
            pendingError = pendingError ?? error
            return .dead
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

    /// A container or encoder inside of an object (with the member's name) or array.
    func makeNested(_ kind: Slot.Kind, in slot: SlotReference, member: String?) -> SlotReference {
        do {
            let parent = try index(of: slot)
            guard kind == .pending || slots[parent].innerDepth < CodingLimits.depth else {
                throw tooDeep(slots[parent].start)
            }
            if slots[parent].end != nil { return try spliceNested(kind, into: parent, member: member) }
            close(downTo: parent)
            if let member { writer?.pointee.key(member) }
            slots[parent].count += 1
            let nested = push(kind: kind, depth: slots[parent].innerDepth)
            begin(kind)
            return nested
        } catch {
            pendingError = pendingError ?? error
            return .dead
        }
    }

    /// For the one value of a single value container.
    func writeScalar(
        in slot: SlotReference, _ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void
    ) throws {
        let index = try index(of: slot)
        guard slots[index].kind == .pending else { throw secondValue(in: slot) }
        if slots[index].end == nil {
            close(downTo: index)
            if let writer { try body(writer) }
        } else {
            try splicePending(index, body)
        }
        slots[index].kind = .scalar
    }
}
