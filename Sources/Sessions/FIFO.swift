/// First in, first out, each in constant time: the standard library's array is not, at its front.
///
/// On each message's way, also in another module: without `@usableFromInline` and `@inlinable` its types are looked up
/// at run time for each use, which took 3,300 instructions of each event.
@usableFromInline
package struct FIFO<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var head = 0

    @inlinable
    package init() {}

    @inlinable
    package var count: Int { elements.count - head }

    @inlinable
    package var isEmpty: Bool { count == 0 }

    @inlinable
    package var first: Element? { isEmpty ? nil : elements[head] }

    /// - Parameter offset: from the first, 0..<count.
    @inlinable
    package subscript(offset: Int) -> Element? {
        offset >= 0 && offset < count ? elements[head + offset] : nil
    }

    @inlinable
    package mutating func append(_ element: Element) {
        elements.append(element)
    }

    @inlinable
    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        // Let go of now, although its place is given back later.
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 64)
            head = 0
        } else if head >= 64, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Takes out the first element that satisfies `predicate`; linear.
    @inlinable
    package mutating func remove(where predicate: (Element) -> Bool) -> Element? {
        guard let index = elements[head...].firstIndex(where: { $0.map(predicate) ?? false }) else { return nil }
        return elements.remove(at: index)
    }
}
