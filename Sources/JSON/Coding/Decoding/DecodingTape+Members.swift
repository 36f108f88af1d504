/// Navigation between the entries of objects, arrays and the values in them.
extension DecodingTape {
    func isContainer(_ entry: Entry) -> Bool {
        text[entry.offset] | 0x20 == ASCII.openBrace
    }

    /// Returns the index of the entry behind a value and all that is in it.
    func index(after index: Int) throws -> Int {
        let entry = try entry(index)
        return isContainer(entry) ? entry.length : index + 1
    }

    func isNull(at index: Int) throws -> Bool {
        let entry = try entry(index)
        return text[entry.offset] == UInt8(ascii: "n")
    }

    /// Returns the text of a value; nil for an object or array.
    @inline(__always)
    func scalar(at index: Int) throws -> UnsafeRawBufferPointer? {
        let entry = try entry(index)
        // A container's `length` counts entries, not bytes.
        return isContainer(entry) ? nil : text.part(from: entry.offset, to: entry.offset &+ entry.length)
    }

    func kind(at index: Int) throws -> JSONValue.Kind {
        let entry = try entry(index)
        return JSONValue.Kind(firstByte: text[entry.offset]) ?? .null
    }

    /// Returns the text between the quotes of a string or key.
    func stringText(_ entry: Entry) -> JSONStringText {
        let contents = text.part(from: entry.offset &+ 1, to: entry.offset &+ entry.length &- 1)
        return JSONStringText(contents: contents, hasEscapes: entry.hasEscapes)
    }

    /// Returns the entry of a member's value, or nil. Looks first behind the member that was found last: types mostly ask in
    /// the order of the text, so that a whole object costs one comparison a member.
    @inline(__always)
    func member(_ name: String, inObject object: Int) throws -> Int? {
        try name.withBytes { try member($0, inObject: object) }
    }

    func member(_ name: UnsafeRawBufferPointer, inObject object: Int) throws -> Int? {
        guard object < entries.count else { throw Self.outlived }
        let entries = entries.elements
        let (cursor, end) = (entries[object &+ 1].offset, entries[object].length)
        if cursor < end, isKey(entries[cursor], name) { return found(cursor, inObject: object) }
        return otherMember(name, inObject: object)
    }

    @inline(never)
    private func otherMember(_ name: UnsafeRawBufferPointer, inObject object: Int) -> Int? {
        let entries = entries.elements
        let (cursor, end) = (entries[object &+ 1].offset, entries[object].length)
        let key = key(name, from: cursor, to: end) ?? key(name, from: object &+ 2, to: cursor)
        return key.map { found($0, inObject: object) }
    }

    private func key(_ name: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
        var index = start
        while index < end {
            if isKey(entries.elements[index], name) { return index }
            index = indexAfter(index &+ 1)
        }
        return nil
    }

    /// Returns the entry of the value of `key`, and notes where the search for the next member begins.
    @inline(__always)
    private func found(_ key: Int, inObject object: Int) -> Int {
        entries.elements[object &+ 1].start = UInt32(truncatingIfNeeded: indexAfter(key &+ 1))
        return key &+ 1
    }

    /// Returns the index of the entry behind a value, as `index(after:)` does, without checking that the entry exists.
    @inline(__always)
    func indexAfter(_ value: Int) -> Int {
        let entry = entries.elements[value]
        return isContainer(entry) ? entry.length : value &+ 1
    }

    @inline(__always)
    private func isKey(_ entry: Entry, _ name: UnsafeRawBufferPointer) -> Bool {
        guard !entry.hasEscapes, !entry.isShadowed else {
            return !entry.isShadowed && stringText(entry).isEqual(to: name)
        }
        return entry.length == name.count &+ 2 && ByteScan.isEqual(stringText(entry).contents, name)
    }

    /// Returns the entries of an object's keys in the order of the text. Of duplicate keys only the last is among them.
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

/// Duplicate members: the last one of a name counts.
extension DecodingTape {
    /// Prepares an object for reading: marks its duplicate keys, once.
    ///
    /// - Throws: if the value isn't an object.
    func beginObject(_ index: Int) throws {
        let entry = try entry(index)
        guard text[entry.offset] == ASCII.openBrace else {
            throw mismatch([String: Any].self, at: index, expected: "an object")
        }
        guard !entries[index + 1].isShadowed else { return }
        entries[index + 1].isShadowed = true
        shadowDuplicates(of: index + 2, to: entry.length)
    }

    /// Marks every key that a later key repeats. Few keys are compared with each other. Many are hashed with the process's
    /// random seed, so that no text can make this quadratic.
    private func shadowDuplicates(of first: Int, to end: Int) {
        var (key, count) = (first, 0)
        while key < end {
            if entries[key].hasEscapes || count == 24 { return shadowManyDuplicates(of: first, to: end) }
            var other = first
            while other < key {
                if isKey(entries[other], stringText(entries[key]).contents) { entries[other].isShadowed = true }
                other = indexAfter(other + 1)
            }
            (key, count) = (indexAfter(key + 1), count + 1)
        }
    }

    @inline(never)
    private func shadowManyDuplicates(of first: Int, to end: Int) {
        // Keys are compared as bytes, because strings of different bytes can be equal.
        var last: [[UInt8]: Int] = [:]
        var key = first
        while key < end {
            if let earlier = last.updateValue(key, forKey: stringText(entries[key]).unescaped) {
                entries[earlier].isShadowed = true
            }
            key = indexAfter(key + 1)
        }
    }
}
