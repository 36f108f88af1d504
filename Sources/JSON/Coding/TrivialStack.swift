/// A growable run of plain values in raw memory.
///
/// A reference that is copied freely; `deallocate` must be called once. Not an array in a class's property, each use of
/// which is checked for uniqueness.
struct TrivialStack<Element: BitwiseCopyable> {
    private struct Storage {
        var base: UnsafeMutablePointer<Element>
        var count = 0
        var capacity: Int
    }

    private let storage: UnsafeMutablePointer<Storage>

    init(capacity: Int) {
        storage = .allocate(capacity: 1)
        storage.initialize(to: Storage(base: .allocate(capacity: max(1, capacity)), capacity: max(1, capacity)))
    }

    func deallocate() {
        storage.pointee.base.deallocate()
        storage.deallocate()
    }

    /// Valid until the next one is appended. Those behind `count` were truncated, or never there.
    var elements: UnsafeMutablePointer<Element> { storage.pointee.base }

    var count: Int { storage.pointee.count }
    var indices: Range<Int> { 0..<count }

    subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < storage.pointee.count)
            return storage.pointee.base[index]
        }
        nonmutating _modify {
            precondition(index >= 0 && index < storage.pointee.count)
            yield &storage.pointee.base[index]
        }
    }

    @inline(__always)
    func append(_ element: Element) {
        if storage.pointee.count == storage.pointee.capacity { grow() }
        (storage.pointee.base + storage.pointee.count).initialize(to: element)
        storage.pointee.count += 1
    }

    /// Forgets all from `count` on.
    func truncate(to count: Int) {
        if count < storage.pointee.count { storage.pointee.count = max(0, count) }
    }

    /// Forgets all. Gives back capacity above `keptCapacity`, so that one large text doesn't hold memory for ever.
    func removeAll(keptCapacity: Int) {
        storage.pointee.count = 0
        guard storage.pointee.capacity > keptCapacity else { return }
        storage.pointee.base.deallocate()
        storage.pointee.base = .allocate(capacity: keptCapacity)
        storage.pointee.capacity = keptCapacity
    }

    @inline(never)
    private func grow() {
        let capacity = storage.pointee.capacity * 2
        let base = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        base.initialize(from: storage.pointee.base, count: storage.pointee.count)
        storage.pointee.base.deallocate()
        storage.pointee.base = base
        storage.pointee.capacity = capacity
    }
}
