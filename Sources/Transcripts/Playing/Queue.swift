/// First in, first out, each in constant time, with the elements between within reach.
struct Queue<Element> {
    private var elements: [Element] = []
    private var head = 0

    var count: Int { elements.count - head }

    var isEmpty: Bool { count == 0 }

    var first: Element? { isEmpty ? nil : elements[head] }

    /// - Parameter offset: from the first, 0..<count.
    subscript(offset: Int) -> Element {
        get { elements[head + offset] }
        set { elements[head + offset] = newValue }
    }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
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
}
