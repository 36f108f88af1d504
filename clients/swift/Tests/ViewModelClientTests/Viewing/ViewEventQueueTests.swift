import JSON
import TestSupport
import Testing
import ViewModelClient

/// The numbers of view events, and what becomes of them.
@Suite(.inTurn) struct ViewEventQueueTests {
    /// A queue with events of these tickets.
    private func queue(_ tickets: ClosedRange<Int>) -> ViewEventQueue {
        var queue = ViewEventQueue()
        for ticket in tickets { queue.append(event(ticket)) }
        return queue
    }

    private func event(_ ticket: Int, _ stages: Recorder<String> = Recorder()) -> PendingEvent {
        PendingEvent(
            JSONText { $0.null() }, ticket: ticket, progress: nil, note: { stages.record("\(ticket) \($0)") },
            reply: { _ in })
    }

    /// Sends what may be sent: tickets and numbers.
    private func send(_ queue: inout ViewEventQueue, window: Int = 64) -> [[Int]] {
        var sent: [[Int]] = []
        while let event = queue.sendNext(window: window) { sent.append([event.ticket, event.number ?? 0]) }
        return sent
    }

    @Test func `events are numbered as they are sent, and no more than a window are on their way`() {
        var queue = queue(11...14)
        #expect(send(&queue, window: 2) == [[11, 1], [12, 2]])
        #expect(queue.didAnswer(11, .settled)?.ticket == 11)
        #expect(send(&queue, window: 2) == [[13, 3]])
        #expect(queue.didAnswer(11, .settled) == nil, "it was answered before")
    }

    @Test func `those behind one for which there was no room come back, and are sent again with its number`() {
        var queue = queue(11...14)
        #expect(send(&queue) == [[11, 1], [12, 2], [13, 3], [14, 4]])
        #expect(queue.didAnswer(11, .settled) != nil)
        #expect(queue.didAnswer(12, .noRoom)?.ticket == 12)
        queue.append(event(15))
        #expect(send(&queue).isEmpty, "not before all are back")
        #expect(queue.didAnswer(13, .wrongNumber) == nil)
        #expect(queue.didAnswer(14, .wrongNumber) == nil)
        #expect(send(&queue) == [[13, 2], [14, 3], [15, 4]])
    }

    @Test func `those that a server without its store refused wait until it may work again, and keep their order`() {
        var queue = queue(11...13)
        #expect(send(&queue) == [[11, 1], [12, 2], [13, 3]])
        for ticket in 12...13 { #expect(queue.didAnswer(ticket, .notStored) == nil) }
        // The first was taken before, and is stored at last.
        #expect(queue.didAnswer(11, .settled) != nil)
        queue.append(event(14))
        #expect(send(&queue).isEmpty, "not before it may work")
        queue.goOn()
        #expect(send(&queue) == [[12, 2], [13, 3], [14, 4]])
    }

    @Test(arguments: [ViewEventQueue.Outcome.noRoom, .notStored])
    func `one that was taken is asked after again, and its number is no other's`(
        _ outcome: ViewEventQueue.Outcome
    ) {
        let stages = Recorder<String>()
        var queue = ViewEventQueue()
        for ticket in 11...12 { queue.append(event(ticket, stages)) }
        _ = send(&queue)
        queue.didLoseConnection()
        queue.renumber(after: 2)
        #expect(send(&queue) == [[11, 1], [12, 2]])
        #expect(queue.didAnswer(11, outcome) == nil)
        #expect(queue.didAnswer(12, .settled)?.ticket == 12)
        queue.append(event(13))
        #expect(send(&queue).isEmpty)
        queue.goOn()
        #expect(send(&queue) == [[11, 1], [13, 3]])
        #expect(stages.elements.suffix(2) == ["12 sent", "11 sent"], "it may have been handled")
    }

    @Test func `a wrong number that nothing explains is an error of its event`() {
        var queue = queue(11...11)
        #expect(send(&queue) == [[11, 1]])
        #expect(queue.didAnswer(11, .wrongNumber)?.ticket == 11)
    }

    @Test func `after a lost connection all that wasn't answered is sent again, with the numbers that the session has`()
    {
        var queue = queue(11...14)
        #expect(send(&queue, window: 3) == [[11, 1], [12, 2], [13, 3]])
        #expect(queue.didAnswer(11, .settled) != nil)
        queue.didLoseConnection()
        queue.renumber(after: 2)
        // The session has taken 2, and answers it without handling it again.
        #expect(send(&queue) == [[12, 2], [13, 3], [14, 4]])
    }

    @Test func `what was sent may have been handled, until the session says what it has taken`() {
        let stages = Recorder<String>()
        var queue = ViewEventQueue()
        for ticket in 11...13 { queue.append(event(ticket, stages)) }
        _ = send(&queue, window: 2)
        queue.didLoseConnection()
        #expect(stages.elements == ["11 waits", "12 waits", "13 waits", "11 sent", "12 sent"])
        queue.renumber(after: 1)
        #expect(stages.elements.dropFirst(5) == ["12 waits"])
        _ = send(&queue)
        #expect(stages.elements.dropFirst(6) == ["11 sent", "12 sent", "13 sent"])
        _ = queue.didAnswer(12, .notTaken)
        #expect(queue.didAnswer(13, .wrongNumber) == nil)
        #expect(stages.elements.dropFirst(9) == ["13 waits"])
    }

    @Test func `one that is given up before it is sent leaves its number to the next`() {
        var queue = queue(11...13)
        #expect(send(&queue, window: 1) == [[11, 1]])
        #expect(queue.takeUnsent(11) == nil, "it is on its way")
        #expect(queue.takeUnsent(12)?.ticket == 12)
        #expect(queue.didAnswer(11, .settled) != nil)
        #expect(send(&queue) == [[13, 2]])
        #expect(queue.takeAll().map(\.ticket) == [13])
        #expect(queue.takeAll().isEmpty)
    }
}
