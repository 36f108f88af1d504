import Queues
import TestSupport
import Testing

@Suite(.inTurn) struct DequeTests {
    @Test func `first in, first out`() {
        var deque = Deque<Int>()
        #expect(deque.isEmpty && deque.first == nil && deque.popFirst() == nil)
        for element in 1...3 { deque.append(element) }
        #expect(deque.count == 3)
        #expect(deque.first == 1)
        let popped = (0..<4).map { _ in deque.popFirst() }
        #expect(popped == [1, 2, 3, nil])
        #expect(deque.isEmpty && deque.first == nil)
    }

    @Test func `elements have their place from the first on`() {
        var deque = Deque<Int>()
        for element in 0..<5 { deque.append(element) }
        _ = deque.popFirst()
        deque[1] = 20
        #expect((0..<4).map { deque[$0] } == [1, 20, 3, 4])
    }

    @Test(arguments: [-1, 2])
    func `a place beyond the elements ends the process`(_ offset: Int) async {
        await #expect(processExitsWith: .failure) { [offset] in
            var deque = Deque<Int>()
            for element in 0..<3 { deque.append(element) }
            _ = deque.popFirst()
            _ = deque[offset]
        }
    }

    @Test func `a copy goes its own way`() {
        var deque = Deque<Int>()
        for element in 0..<3 { deque.append(element) }
        var copy = deque
        copy[0] = 7
        copy.append(3)
        #expect(deque.popFirst() == 0)
        #expect((0..<4).map { copy[$0] } == [7, 1, 2, 3])
        #expect((0..<2).map { deque[$0] } == [1, 2])
    }

    @Test(arguments: 0..<4)
    func `it behaves as an array does, however it is used`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var deque = Deque<Int>()
        var array: [Int] = []
        var next = 0
        // Rising and falling, over the size at which it gives memory back.
        for limit in [3, 40, 3000, 1, 1500, 17] {
            for _ in 0..<limit * 4 {
                if array.count < limit, generator.chance(50) {
                    deque.append(next)
                    array.append(next)
                    next += 1
                } else if generator.chance(80) {
                    #expect(deque.popFirst() == (array.isEmpty ? nil : array.removeFirst()))
                } else {
                    let middle = array.isEmpty ? -1 : array[array.count / 2]
                    #expect(deque.remove { $0 == middle } == (array.isEmpty ? nil : array.remove(at: array.count / 2)))
                }
                #expect(deque.count == array.count && deque.first == array.first)
                if let last = array.last { #expect(deque[array.count - 1] == last) }
            }
            while let element = deque.popFirst() { #expect(element == array.removeFirst()) }
            #expect(array.isEmpty)
        }
    }

    @Test func `an element is let go of when it is taken out, and the others with the deque`() {
        final class Element {
            let number: Int
            init(_ number: Int) { self.number = number }
        }
        weak var first: Element?
        weak var middle: Element?
        weak var last: Element?
        do {
            var deque = Deque<Element>()
            // The elements go on at the front of the ring.
            for number in 0..<20 { deque.append(Element(number)) }
            for number in 0..<18 { #expect(deque.popFirst()?.number == number) }
            do {
                let elements = (Element(20), Element(21), Element(22))
                (first, middle, last) = elements
                deque.append(elements.0)
                deque.append(elements.1)
                deque.append(elements.2)
            }
            for number in 18...20 { #expect(deque.popFirst()?.number == number) }
            #expect(first == nil)
            #expect(deque.remove { $0.number == 21 } != nil)
            #expect(middle == nil)
            #expect(last?.number == 22)
        }
        #expect(last == nil)
    }
}
