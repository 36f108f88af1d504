extension DecodingPlace {
    /// Those that the key type knows, in the order of the text.
    func allKeys<Key: CodingKey>() -> [Key] {
        // An enum's case has one.
        guard let only = try? tape.onlyKey(ofObject: index) else { return everyKey() }
        if let keys = cases.keys(of: Key.self, kind: only) { return keys }
        let keys: [Key] = everyKey()
        if !keys.isEmpty { cases.keep(keys, kind: only.string()) }
        return keys
    }

    private func everyKey<Key: CodingKey>() -> [Key] {
        let keys = try? tape.keys(ofObject: index).compactMap { key in
            Key(stringValue: tape.stringText(try tape.entry(key)).string())
        }
        return keys ?? []
    }
}
