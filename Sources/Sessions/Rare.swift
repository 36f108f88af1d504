/// A value that few sessions have: to the others it costs a word of memory.
@propertyWrapper
struct Rare<Value> {
    private final class Box {
        var value: Value?

        init(_ value: Value?) {
            self.value = value
        }
    }

    private var box: Box?

    init(wrappedValue: Value?) {
        box = wrappedValue.map { Box($0) }
    }

    /// Whether there never was a value. This costs less than reading the value.
    var isUnused: Bool { box == nil }

    var wrappedValue: Value? {
        _read { yield box?.value }
        _modify {
            guard let box = ownBox() else {
                var value: Value?
                defer { if value != nil { self.box = Box(value) } }
                yield &value
                return
            }
            yield &box.value
        }
    }

    /// Returns the box after making sure that no copy of this value shares it.
    private mutating func ownBox() -> Box? {
        if !isKnownUniquelyReferenced(&box), let shared = box { box = Box(shared.value) }
        return box
    }
}
