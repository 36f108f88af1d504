import TestSupport
import Testing

@testable import ViewModels

@Suite struct EventQueueTests {
    @Test func `events arrive one at a time in the order in which they were pushed`() async {
        let seen = Recorder<Int>()
        let queue = EventQueue<Int> { event in
            await Task.yield()
            seen.record(event)
        }
        for event in 0..<1_000 { queue.push(event) }
        #expect(await seen.elements(count: 1_000) == Array(0..<1_000))
    }

    @Test func `the next event waits until the receiver returns`() async {
        let seen = Recorder<String>()
        let gate = Gate()
        let queue = EventQueue<Int> { event in
            seen.record("begin \(event)")
            await gate.wait()
            seen.record("end \(event)")
        }
        queue.push(1)
        queue.push(2)
        #expect(await seen.elements(count: 1) == ["begin 1"])
        gate.open()
        #expect(await seen.elements(count: 4) == ["begin 1", "end 1", "begin 2", "end 2"])
    }

    @Test func `events from many tasks all arrive, each task's in order`() async {
        let seen = Recorder<Int>()
        let queue = EventQueue<Int> { seen.record($0) }
        await withTaskGroup { group in
            for sender in 0..<8 {
                group.addTask { for index in 0..<500 { queue.push(sender * 500 + index) } }
            }
        }
        let order = await seen.elements(count: 4_000)
        #expect(order.sorted() == Array(0..<4_000))
        for sender in 0..<8 {
            let own = order.filter { $0 / 500 == sender }
            #expect(own == own.sorted())
        }
    }

    @Test func `a queue that ran empty takes events again`() async {
        let seen = Recorder<Int>()
        let queue = EventQueue<Int> { seen.record($0) }
        for event in 1...100 {
            queue.push(event)
            #expect(await seen.elements(count: event).last == event)
        }
    }

    @Test func `a closed queue drops what waits and what comes`() async {
        let seen = Recorder<Int>()
        let gate = Gate()
        weak var drained: EventQueue<Int>?
        do {
            let queue = EventQueue<Int> { event in
                seen.record(event)
                await gate.wait()
            }
            drained = queue
            queue.push(1)
            _ = await seen.elements(count: 1)
            queue.push(2)
            queue.close()
            queue.push(3)
        }
        gate.open()
        // Its task keeps it.
        await until { drained == nil }
        #expect(seen.elements == [1])
    }

    @Test func `events don't carry the progress of whoever pushed first`() async {
        let seen = Recorder<Bool>()
        let queue = EventQueue<Int> { _ in seen.record(WorkDoneProgress.current == nil) }
        WorkDoneProgress.$current.withValue(WorkDoneProgress { _ in }) { queue.push(1) }
        #expect(await seen.elements(count: 1) == [true])
    }
}
