/// A growable array of plain values in raw memory. An `Array` in a class's property would be checked for uniqueness at each
/// use.
final class TrivialStack<Element: BitwiseCopyable> {
    /// The values. The pointer is valid until the next `append`. Memory at and behind `count` must not be read.
    @exclusivity(unchecked) private(set) var elements: UnsafeMutablePointer<Element>
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var capacity: Int

    init(capacity: Int) {
        self.capacity = max(1, capacity)
        elements = .allocate(capacity: self.capacity)
    }

    deinit {
        elements.deallocate()
    }

    subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count)
            return elements[index]
        }
        _modify {
            precondition(index >= 0 && index < count)
            yield &elements[index]
        }
    }

    @inline(__always)
    func append(_ element: Element) {
        if count == capacity { setCapacity(capacity * 2) }
        (elements + count).initialize(to: element)
        count += 1
    }

    /// Replaces all values with those of `new`.
    func replaceAll(with new: UnsafeBufferPointer<Element>) {
        count = 0
        if capacity < new.count { setCapacity(new.count) }
        guard let first = new.baseAddress else { return }
        elements.initialize(from: first, count: new.count)
        count = new.count
    }

    /// Removes all values from index `count` on.
    func truncate(to count: Int) {
        if count < self.count { self.count = max(0, count) }
    }

    /// Removes all values. Frees capacity above `keptCapacity`, so that one large text doesn't hold memory for ever.
    func removeAll(keptCapacity: Int) {
        count = 0
        if capacity > keptCapacity { setCapacity(keptCapacity) }
    }

    @inline(never)
    private func setCapacity(_ capacity: Int) {
        let old = elements
        elements = .allocate(capacity: capacity)
        elements.initialize(from: old, count: count)
        old.deallocate()
        self.capacity = capacity
    }
}
