extension EncodingState {
    /// One run of an `encode(to:)`.
    private struct Call {
        let slot: SlotReference
        /// Where in the writer its value begins.
        let start: Int
        let outerFloor: Int
        let outerTop: Int
        let outerSerial: Int
    }

    /// Runs `encode(to:)` where the writer expects a value. The value's containers are closed afterwards and its slots
    /// forgotten, and if it throws, what it wrote is taken back.
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

    @inline(__always)
    private func begin<T>(_ value: T) throws -> Call {
        guard let start = writer?.pointee.count else { throw Self.outlived }
        guard calls < CodingLimits.calls else { throw invalid(value, at: start, "nested too deep to encode") }
        let (outerFloor, outerTop, outerSerial) = (floor, top, front.pointee.serial)
        calls += 1
        floor = slots.count
        if failedPath != nil { failedPath = nil }
        let depth = top >= 0 ? slots[top].innerDepth : baseDepth
        let slot = push(kind: .pending, depth: depth)
        return Call(slot: slot, start: start, outerFloor: outerFloor, outerTop: outerTop, outerSerial: outerSerial)
    }

    @inline(__always)
    private func close(_ call: Call) throws {
        if let pendingError { throw pendingError }
        if top == call.slot.index, slots[top].kind == .object {
            writer?.pointee.endObject()
        } else {
            close(downTo: call.outerTop)
        }
    }

    private func takeBack(_ call: Call) {
        if failedPath == nil { failedPath = codingPath(at: call.start) }
        writer?.pointee.truncate(to: call.start)
    }

    @inline(__always)
    private func end(_ call: Call) {
        calls -= 1
        slots.truncate(to: floor)
        floor = call.outerFloor
        reopen(call.outerTop, serial: call.outerSerial)
    }
}
