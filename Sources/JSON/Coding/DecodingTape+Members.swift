extension DecodingTape {
    func isContainer(_ entry: Entry) -> Bool {
        text[entry.offset] | 0x20 == ASCII.openBrace
    }

    /// The entry behind a value and all that is in it.
    func index(after index: Int) throws -> Int {
        let entry = try entry(index)
        return isContainer(entry) ? entry.length : index + 1
    }

    func kind(at index: Int) throws -> JSONValue.Kind {
        let entry = try entry(index)
        return JSONValue.Kind(firstByte: text[entry.offset]) ?? .null
    }

    /// What stands between the quotes of a string or key.
    func stringText(_ entry: Entry) -> JSONStringText {
        let contents = text.part(from: entry.offset &+ 1, to: entry.offset &+ entry.length &- 1)
        return JSONStringText(contents: contents, hasEscapes: entry.hasEscapes)
    }

    /// The value of a member, or nil. Looks first behind the last one that was found: types mostly ask in the text's
    /// order, so that a whole object costs one comparison a member.
    func member(_ name: String, inObject object: Int) throws -> Int? {
        let found = try name.utf8.withContiguousStorageIfAvailable {
            try member(UnsafeRawBufferPointer($0), inObject: object)
        }
        if let found { return found }
        var native = name
        return try native.withUTF8 { try member(UnsafeRawBufferPointer($0), inObject: object) }
    }

    func member(_ name: UnsafeRawBufferPointer, inObject object: Int) throws -> Int? {
        let (first, end) = (object &+ 2, try entry(object).length)
        let cursor = try entry(object + 1).offset
        let found = try key(name, from: cursor, to: end) ?? key(name, from: first, to: cursor)
        guard let found else { return nil }
        entries[object + 1].start = UInt32(truncatingIfNeeded: try index(after: found &+ 1))
        return found &+ 1
    }

    @inline(__always)
    private func key(_ name: UnsafeRawBufferPointer, from start: Int, to end: Int) throws -> Int? {
        var index = start
        while index < end {
            let entry = try entry(index)
            if isKey(entry, name) { return index }
            index = try self.index(after: index &+ 1)
        }
        return nil
    }

    @inline(__always)
    private func isKey(_ entry: Entry, _ name: UnsafeRawBufferPointer) -> Bool {
        if entry.isShadowed { return false }
        if entry.hasEscapes { return stringText(entry).isEqual(to: name) }
        guard entry.length == name.count &+ 2, let name = name.baseAddress, let text = text.baseAddress else {
            return entry.length == 2 && name.isEmpty
        }
        return ByteScan.isEqual(text + (entry.offset &+ 1), name, count: entry.length &- 2)
    }

    /// The name of the only member; nil where there are none or several.
    func onlyKey(ofObject object: Int) throws -> JSONStringText? {
        let end = try entry(object).length
        guard object + 2 < end, try index(after: object + 3) == end else { return nil }
        return stringText(try entry(object + 2))
    }

    /// The keys that count, in the order of the text.
    func keys(ofObject object: Int) throws -> [Int] {
        let end = try entry(object).length
        var keys: [Int] = []
        var index = object + 2
        while index < end {
            if try !entry(index).isShadowed { keys.append(index) }
            index = try self.index(after: index + 1)
        }
        return keys
    }
}
