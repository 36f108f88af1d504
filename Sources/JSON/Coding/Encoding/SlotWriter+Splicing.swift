/// Writing to a container after another one, begun later, has closed it. Rare, so it may move the text behind it.
extension SlotWriter {
    /// Writes a member or element to a temporary writer and inserts it at the slot's end.
    func splice(into index: Int, _ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void) throws {
        let text = try written(inside: index, body)
        guard let writer, let end = slots[index].end else { return }
        let needsComma = writer.pointee.withUnsafeBytes { ASCII.endsValue($0[end - 1]) }
        replace(0, at: end, with: (needsComma ? [ASCII.comma] : []) + text)
    }

    /// As `makeNested`: inserts the member with an empty container, which is closed from the start.
    func spliceNested(_ kind: Slot.Kind, into parent: Int, member: String?) throws -> SlotReference {
        try splice(into: parent) { writer in
            if let member { writer.pointee.key(member) }
            if kind == .array { writer.pointee.raw("[]") } else { writer.pointee.raw("{}") }
        }
        slots[parent].count += 1
        let outer = top
        let nested = push(kind: kind, depth: slots[parent].innerDepth)
        let end = (slots[parent].end ?? 0) - 1
        slots[nested.index].start = end - 1
        slots[nested.index].end = end
        open(outer)
        return nested
    }

    /// Puts a value in the place of the `{}` that a slot was closed with.
    func splicePending(_ index: Int, _ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void) throws {
        let text = try written(inside: index, body)
        guard let end = slots[index].end else { return }
        replace(2, at: end - 1, with: text)
        slots[index].end = end - 1 + text.count
    }

    func replacePending(_ index: Int, kind: Slot.Kind) {
        guard kind == .array, let end = slots[index].end else { return }
        replace(2, at: end - 1, with: [ASCII.openBracket, ASCII.closeBracket])
    }

    /// Replaces bytes of the text, and moves the places behind them.
    private func replace(_ removed: Int, at offset: Int, with text: [UInt8]) {
        text.withUnsafeBytes { writer?.pointee.replace(removed, at: offset, with: $0) }
        let (tail, distance) = (offset + removed, text.count - removed)
        for index in slots.indices {
            if slots[index].start >= tail { slots[index].start += distance }
            if let end = slots[index].end, end >= tail { slots[index].end = end + distance }
        }
        if let kindOffset, kindOffset >= tail { self.kindOffset = kindOffset + distance }
    }

    /// Returns the text that `body` writes, in a writer of its own; nothing outside can be written to meanwhile.
    private func written(inside index: Int, _ body: (UnsafeMutablePointer<JSONWriter>) throws -> Void) throws -> [UInt8]
    {
        let outer = (writer: writer, origin: origin, floor: floor, top: top, prefix: pathPrefix, depth: baseDepth)
        let isObject = slots[index].kind == .object
        let position: [any CodingKey] = slots[index].kind == .array ? [PathKey.index(slots[index].count)] : []
        let prefix = codingPath(at: slots[index].start) + position
        var temporary = JSONWriter()
        // Paths are read from what was written, so a member must be seen to be in an object.
        if isObject { temporary.beginObject() }
        return try withUnsafeMutablePointer(to: &temporary) { temporary in
            (writer, origin, floor, pathPrefix) = (temporary, 0, slots.count, prefix)
            baseDepth = slots[index].innerDepth
            open(-1)
            defer {
                (writer, origin, floor, pathPrefix) = (outer.writer, outer.origin, outer.floor, outer.prefix)
                baseDepth = outer.depth
                open(outer.top)
            }
            try body(temporary)
            return Array(temporary.pointee.takeBytes().dropFirst(isObject ? 1 : 0))
        }
    }
}
