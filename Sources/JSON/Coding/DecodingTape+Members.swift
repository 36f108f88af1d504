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

    func value(at index: Int) throws -> JSONValue {
        let entry = try entry(index)
        let end = isContainer(entry) ? ValidatedText.endOfValue(text, from: entry.offset) : entry.offset + entry.length
        return JSONValue(validated: UnsafeRawBufferPointer(rebasing: text[entry.offset..<end]))
    }

    /// What stands between the quotes of a string or key.
    func stringText(_ entry: Entry) -> JSONStringText {
        let contents = (entry.offset + 1)..<max(entry.offset + 1, entry.offset + entry.length - 1)
        return JSONStringText(contents: UnsafeRawBufferPointer(rebasing: text[contents]), hasEscapes: entry.hasEscapes)
    }

    /// The value of a member, or nil. Looks first where the last one was found: types mostly ask in the text's order,
    /// so that a whole object costs one comparison or two a member.
    func member(_ name: String, inObject object: Int) throws -> Int? {
        var name = name
        return try name.withUTF8 { try member(UnsafeRawBufferPointer($0), inObject: object) }
    }

    private func member(_ name: UnsafeRawBufferPointer, inObject object: Int) throws -> Int? {
        let (first, end) = (object + 2, try entry(object).length)
        let cursor = try entry(object + 1).offset
        if let found = try key(name, in: cursor..<max(cursor, end)) ?? key(name, in: first..<cursor) {
            update(object + 1) { $0.start = UInt32(truncatingIfNeeded: found) }
            return found + 1
        }
        return nil
    }

    private func key(_ name: UnsafeRawBufferPointer, in range: Range<Int>) throws -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            let entry = try entry(index)
            if entry.length == name.count &+ 2 || entry.hasEscapes, !entry.isShadowed,
                stringText(entry).isEqual(to: name)
            {
                return index
            }
            index = try self.index(after: index + 1)
        }
        return nil
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

    /// Once for each object before its members are asked for, so that of duplicate names the last one counts.
    ///
    /// Sixty-four bits remember which keys were seen, by length and ends; only when two may be the same are they
    /// compared.
    func checkDuplicates(inObject object: Int) throws {
        guard try !entry(object + 1).isChecked else { return }
        update(object + 1) { $0.isChecked = true }
        let end = try entry(object).length
        var index = object + 2
        var seen: UInt64 = 0
        var mayHaveDuplicates = false
        while index < end {
            let key = try entry(index)
            let ends = Int(text[key.offset + 1]) &* 31 &+ Int(text[key.offset + max(1, key.length - 2)]) &* 7
            let bit: UInt64 = 1 << UInt64((ends &+ key.length) & 63)
            if seen & bit != 0 || key.hasEscapes { mayHaveDuplicates = true }
            seen |= bit
            index = try self.index(after: index + 1)
        }
        if mayHaveDuplicates { try shadowDuplicates(inObject: object) }
    }

    /// Few keys are compared with each other; many are hashed, with the process's own seed, so that no text can make
    /// this quadratic.
    private func shadowDuplicates(inObject object: Int) throws {
        let keys = try keys(ofObject: object)
        if keys.count <= 24, try !keys.contains(where: { try entry($0).hasEscapes }) {
            for (place, key) in keys.enumerated() {
                let contents = stringText(try entry(key)).contents
                let isShadowed = try keys[(place + 1)...].contains {
                    stringText(try entry($0)).isEqual(to: contents)
                }
                if isShadowed { update(key) { $0.isShadowed = true } }
            }
        } else {
            // Bytes, as strings of different bytes can be equal.
            var last: [[UInt8]: Int] = [:]
            for key in keys {
                let name = Array(stringText(try entry(key)).string().utf8)
                if let earlier = last.updateValue(key, forKey: name) { update(earlier) { $0.isShadowed = true } }
            }
        }
    }
}
