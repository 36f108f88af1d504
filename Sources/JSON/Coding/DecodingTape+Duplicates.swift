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
        if entry.mayHaveDuplicates { try shadowDuplicates(inObject: index) }
    }

    /// Few keys are compared with each other; many are hashed, with the process's own seed, so that no text can make
    /// this quadratic.
    private func shadowDuplicates(inObject object: Int) throws {
        entries[object].mayHaveDuplicates = false
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
