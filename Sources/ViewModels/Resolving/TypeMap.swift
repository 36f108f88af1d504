/// Values by the types that they belong to, sorted by these.
///
/// No dictionary: the first one with such keys takes the runtime 0.1 ms, which looks at all conformances of the process to
/// find that an `ObjectIdentifier` can be hashed. Containers are filled while the process starts.
struct TypeMap<Value> {
    private var entries: [(type: ObjectIdentifier, value: Value)] = []

    subscript(type: ObjectIdentifier) -> Value? {
        let index = index(notBefore: type)
        return isEntry(at: index, of: type) ? entries[index].value : nil
    }

    /// Returns the value before.
    mutating func updateValue(_ value: Value, forType type: ObjectIdentifier) -> Value? {
        let index = index(notBefore: type)
        guard isEntry(at: index, of: type) else {
            entries.insert((type, value), at: index)
            return nil
        }
        let old = entries[index].value
        entries[index].value = value
        return old
    }

    /// Returns what was removed.
    mutating func removeValue(forType type: ObjectIdentifier) -> Value? {
        let index = index(notBefore: type)
        return isEntry(at: index, of: type) ? entries.remove(at: index).value : nil
    }

    private func isEntry(at index: Int, of type: ObjectIdentifier) -> Bool {
        index < entries.count && entries[index].type == type
    }

    private func index(notBefore type: ObjectIdentifier) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].type < type { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
