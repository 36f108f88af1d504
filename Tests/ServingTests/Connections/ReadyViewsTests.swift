import TestSupport
import Testing

@testable import Serving

@Suite(.inTurn) struct ReadyViewsTests {
    @Test func `numbers come in the order in which they were put in`() {
        let queue = ReadyViews()
        for number in [3, 1, 2] { queue.append(number) }
        #expect(queue.count == 3)
        let numbers = [queue.popFirst(), queue.popFirst(), queue.popFirst(), queue.popFirst()]
        #expect(numbers == [3, 1, 2, nil])
        #expect(queue.count == 3, "who is popped is counted until it is forgotten")
        for _ in 1...3 { queue.forget() }
        #expect(queue.count == 0)
    }

    @Test func `a number that is put back is the first again, before those that came meanwhile`() {
        let queue = ReadyViews()
        queue.append(1)
        queue.append(2)
        for expected in [1, 2] {
            let number = queue.popFirst()
            #expect(number == expected)
            queue.append(expected + 10)
            queue.putBack(expected)
            let again = queue.popFirst()
            #expect(again == expected)
        }
        let rest = [queue.popFirst(), queue.popFirst(), queue.popFirst()]
        #expect(rest == [11, 12, nil])
        #expect(queue.count == 4)
    }

    @Test func `numbers of those that are forgotten don't pile up`() {
        let queue = ReadyViews()
        for number in 1...3 {
            queue.append(number)
            queue.append(number + 10)
            queue.forget()
            queue.forget()
        }
        #expect(queue.count == 0)
        queue.append(7)
        let numbers = [queue.popFirst(), queue.popFirst()]
        #expect(numbers == [7, nil])
        queue.append(8)
        queue.append(9)
        queue.removeAll()
        #expect(queue.count == 0 && queue.popFirst() == nil)
    }
}
