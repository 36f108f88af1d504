/// The requests of one connection that are not answered yet: the only place that knows which ids are taken.
package struct InFlight<Value> {
    private var values: [RequestID: Value] = [:]

    package init() {}

    package var isEmpty: Bool { values.isEmpty }

    package var count: Int { values.count }

    package var all: [Value] { Array(values.values) }

    /// Takes `id`; false when it is in flight already.
    package mutating func begin(_ id: RequestID, _ value: Value) -> Bool {
        guard values[id] == nil else { return false }
        values[id] = value
        return true
    }

    package subscript(id: RequestID) -> Value? {
        values[id]
    }

    /// Gives `id` free; nil when it wasn't in flight, so that nothing is answered twice.
    package mutating func end(_ id: RequestID) -> Value? {
        values.removeValue(forKey: id)
    }
}
