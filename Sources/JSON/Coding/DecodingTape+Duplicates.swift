/// Of members with the same name the last one counts.
extension DecodingTape {
    /// For a container that reads it.
    ///
    /// - Throws: where there is no object.
    func beginObject(_ index: Int) throws {
        let entry = try entry(index)
        guard text[entry.offset] == ASCII.openBrace else {
            throw mismatch([String: Any].self, at: index, expected: "an object")
        }
        if try !self.entry(index &+ 1).isChecked { try checkDuplicates(inObject: index, end: entry.length) }
    }

    /// Once for each object before its members are asked for.
    ///
    /// Sixty-four bits remember which keys were seen, by length and ends; only when two may be the same are they
    /// compared.
    private func checkDuplicates(inObject object: Int, end: Int) throws {
        entries[object &+ 1].isChecked = true
        var index = object &+ 2
        var seen: UInt64 = 0
        var mayHaveDuplicates = false
        while index < end {
            let key = try entry(index)
            let first = Int(text[key.offset &+ 1])
            let last = Int(text[key.offset &+ max(1, key.length &- 2)])
            let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: first &* 31 &+ last &* 7 &+ key.length)
            if seen & bit != 0 || key.hasEscapes { mayHaveDuplicates = true }
            seen |= bit
            index = try self.index(after: index &+ 1)
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
                if isShadowed { entries[key].isShadowed = true }
            }
        } else {
            // Bytes, as strings of different bytes can be equal.
            var last: [[UInt8]: Int] = [:]
            for key in keys {
                let name = Array(stringText(try entry(key)).string().utf8)
                if let earlier = last.updateValue(key, forKey: name) { entries[earlier].isShadowed = true }
            }
        }
    }
}
