/// A queue of elements under ascending numbers, any of which may be removed. Finding one takes logarithmic time at most, and
/// removing one takes amortized constant time after that.
struct NumberedQueue<Element> {
    private struct Slot {
        let number: Int
        /// The element; nil once it was removed.
        var element: Element?
    }

    private var slots: [Slot] = []
    /// The index of the first slot with an element, or `slots.count`.
    private var head = 0
    private(set) var count = 0
    /// The number of slots, those of removed elements among them.
    var placeCount: Int { slots.count }

    init() {}

    var firstNumber: Int? { head < slots.count ? slots[head].number : nil }

    /// Adds an element at the end.
    ///
    /// - Parameter number: greater than any before.
    mutating func append(_ element: Element, number: Int) {
        slots.append(Slot(number: number, element: element))
        count += 1
    }

    subscript(number: Int) -> Element? {
        let index = index(notBefore: number)
        guard index < slots.count, slots[index].number == number else { return nil }
        return slots[index].element
    }

    /// Returns the first element beyond `number`.
    func first(after number: Int) -> (number: Int, element: Element)? {
        number == .max ? nil : filled(from: index(notBefore: number + 1))
    }

    mutating func removeFirst() -> Element? {
        remove(at: head)
    }

    mutating func remove(_ number: Int) -> Element? {
        let index = index(notBefore: number)
        return index < slots.count && slots[index].number == number ? remove(at: index) : nil
    }

    private mutating func remove(at index: Int) -> Element? {
        guard index < slots.count, let element = slots[index].element else { return nil }
        slots[index].element = nil
        count -= 1
        while head < slots.count, slots[head].element == nil { head += 1 }
        // Only when this gives back half of the slots, so that each removal pays for one element moved.
        if slots.count - count > max(count, 64) {
            slots.removeAll { $0.element == nil }
            head = 0
        }
        return element
    }

    private func filled(from index: Int) -> (number: Int, element: Element)? {
        for slot in slots[index...] {
            if let element = slot.element { return (slot.number, element) }
        }
        return nil
    }

    /// Returns the index of the slot with `number`, or else of the first slot beyond it.
    private func index(notBefore number: Int) -> Int {
        guard head < slots.count, let last = slots.last, number <= last.number else { return slots.count }
        guard number > slots[head].number else { return head }
        // Numbers rise by one or more from slot to slot, so this slot is the earliest possible one; without gaps it is the
        // right one.
        var low = max(head, slots.count - 1 - (last.number - number))
        if slots[low].number == number { return low }
        var high = slots.count - 1
        while low < high {
            let middle = low + (high - low) / 2
            if slots[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
