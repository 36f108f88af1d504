/// The requests of one connection that are not answered yet: the only place that knows which ids are taken.
package struct InFlight<Value> {
    /// So many are looked through, newest first, and only what comes beyond is hashed: a client that waits for its answers
    /// has few, and a request took 1,300 instructions of hashing where it takes 200 of looking.
    private static var fewCount: Int { 8 }

    /// Beside their values, so that looking for one copies no other's value.
    private var few: [RequestID] = []
    private var fewValues: [Value] = []
    private var others: [RequestID: Value] = [:]

    package init() {}

    package var isEmpty: Bool { few.isEmpty && others.isEmpty }

    package var count: Int { few.count + others.count }

    package var all: [Value] { fewValues + others.values }

    /// Takes `id`; false when it is in flight already.
    package mutating func begin(_ id: RequestID, _ value: Value) -> Bool {
        guard place(of: id) == nil, others.isEmpty || others[id] == nil else { return false }
        if few.count < Self.fewCount {
            few.append(id)
            fewValues.append(value)
        } else {
            others[id] = value
        }
        return true
    }

    package subscript(id: RequestID) -> Value? {
        if let place = place(of: id) { return fewValues[place] }
        return others.isEmpty ? nil : others[id]
    }

    /// Changes the value of an `id` that is in flight; false when it isn't.
    package mutating func change(_ id: RequestID, _ change: (inout Value) -> Void) -> Bool {
        if let place = place(of: id) {
            change(&fewValues[place])
            return true
        }
        guard !others.isEmpty, let index = others.index(forKey: id) else { return false }
        change(&others.values[index])
        return true
    }

    /// Gives `id` free; nil when it wasn't in flight, so that nothing is answered twice.
    package mutating func end(_ id: RequestID) -> Value? {
        if let place = place(of: id) {
            few.remove(at: place)
            return fewValues.remove(at: place)
        }
        return others.isEmpty ? nil : others.removeValue(forKey: id)
    }

    private func place(of id: RequestID) -> Int? {
        few.lastIndex(of: id)
    }
}
