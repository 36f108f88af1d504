/// A first-in, first-out queue: a ring buffer with value semantics. Adding and taking out an element take constant time
/// (amortized), and any element can be read or replaced by its offset.
///
/// Only its own code runs inside a call: an element that is taken out is moved to the caller, which releases it.
///
/// It is used for each message, in the loop and in the sessions. Without `@usableFromInline` and `@inlinable` it would be
/// neither inlined nor specialised in other modules, which the rows `stdio-*` of the benchmarks show.
@usableFromInline
package struct Deque<Element> {
    /// The ring, whose length is a power of two, or 0. The elements begin at `head` and go on at the front; all other places
    /// are nil.
    @usableFromInline var places: [Element?] = []
    @usableFromInline var head = 0
    @usableFromInline package internal(set) var count = 0

    @usableFromInline static var smallestCapacity: Int { 4 }
    /// After a burst that needed more than this, the memory is given back as soon as the deque is empty.
    @usableFromInline static var keptCapacity: Int { 1024 }

    @inlinable
    package init() {}

    @inlinable
    package var isEmpty: Bool { count == 0 }

    @inlinable
    package var first: Element? { isEmpty ? nil : places[head] }

    /// - Parameter offset: from the first element, in `0..<count`.
    @inlinable
    package subscript(offset: Int) -> Element {
        get {
            guard offset >= 0, offset < count, let element = places[place(offset)] else {
                preconditionFailure("A deque of \(count) elements has none at \(offset)")
            }
            return element
        }
        set {
            precondition(offset >= 0 && offset < count, "A deque of \(count) elements has none at \(offset)")
            places[place(offset)] = newValue
        }
    }

    @inlinable
    package mutating func append(_ element: consuming Element) {
        if count == places.count { grow() }
        places[place(count)] = element
        count &+= 1
    }

    @inlinable
    package mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = places[head].take()
        head = place(1)
        count &-= 1
        if count == 0, places.count > Self.keptCapacity { self = Deque() }
        return element
    }

    /// Takes out the first element that satisfies `predicate`, in linear time.
    @inlinable
    package mutating func remove(where predicate: (Element) -> Bool) -> Element? {
        var offset = 0
        while offset < count, !predicate(self[offset]) { offset &+= 1 }
        guard offset < count else { return nil }
        let element = self[offset]
        for next in offset..<(count &- 1) { places.swapAt(place(next), place(next &+ 1)) }
        count &-= 1
        places[place(count)] = nil
        return element
    }

    @inlinable
    func place(_ offset: Int) -> Int { (head &+ offset) & (places.count &- 1) }

    @inlinable
    mutating func grow() {
        let capacity = Swift.max(Self.smallestCapacity, places.count &* 2)
        var grown: [Element?] = []
        grown.reserveCapacity(capacity)
        for offset in 0..<capacity { grown.append(offset < count ? places[place(offset)] : nil) }
        places = grown
        head = 0
    }
}
