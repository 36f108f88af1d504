import Sessions
import Testing

@Suite struct FIFOTests {
    @Test func `first in, first out`() {
        var fifo = FIFO<Int>()
        #expect(fifo.isEmpty)
        for element in 1...3 { fifo.append(element) }
        #expect(fifo.count == 3)
        #expect(fifo.first == 1)
        let popped = (0..<4).map { _ in fifo.popFirst() }
        #expect(popped == [1, 2, 3, nil])
        #expect(fifo.isEmpty)
        #expect(fifo.first == nil)
    }

    @Test func `elements have their place from the first on`() {
        var fifo = FIFO<Int>()
        for element in 0..<5 { fifo.append(element) }
        _ = fifo.popFirst()
        #expect([-1, 0, 3, 4].map { fifo[$0] } == [nil, 1, 4, nil])
    }

    @Test func `an element is taken out of the middle`() {
        var fifo = FIFO<Int>()
        for element in 0..<5 { fifo.append(element) }
        _ = fifo.popFirst()
        let removed = [0, 2, 2].map { wanted in fifo.remove { $0 == wanted } }
        #expect(removed == [nil, 2, nil])
        let rest = (0..<3).map { _ in fifo.popFirst() }
        #expect(rest == [1, 3, 4])
    }

    @Test func `it behaves as an array does, however it is used`() {
        var fifo = FIFO<Int>()
        var array: [Int] = []
        var next = 0
        for step in 0..<20_000 {
            // Grows for a while and shrinks for a while.
            if (step / 500) % 2 == 0 ? step % 3 != 0 : step % 3 == 0 {
                fifo.append(next)
                array.append(next)
                next += 1
            } else {
                let popped = fifo.popFirst()
                #expect(popped == (array.isEmpty ? nil : array.removeFirst()))
            }
            if step % 97 == 0 {
                let middle = fifo[array.count / 2]
                let removed = fifo.remove { $0 == middle }
                #expect(removed == (array.isEmpty ? nil : array.remove(at: array.count / 2)))
            }
            #expect(fifo.count == array.count && fifo.first == array.first && fifo[array.count - 1] == array.last)
        }
    }

    @Test func `an element is let go of when it is popped`() {
        final class Element {}
        var fifo = FIFO<Element>()
        weak var first: Element?
        do {
            let element = Element()
            first = element
            fifo.append(element)
        }
        fifo.append(Element())
        #expect(first != nil)
        _ = fifo.popFirst()
        #expect(first == nil)
    }
}
