import Testing

@testable import Serving

struct OutboxTests {
    @Test func `items are counted until they are taken out, places of events too`() {
        let outbox = Outbox()
        outbox.append(.message(Array(repeating: 0, count: 1_000)))
        let message = outbox.bytes
        #expect(message >= 1_000)
        outbox.append(.events(view: 1, upTo: 3, bytes: 5_000))
        let events = outbox.bytes - message
        #expect(events > 0 && events < 1_000 && outbox.eventBytes == 5_000)
        outbox.removeFirst()
        #expect(outbox.bytes == events && !outbox.isEmpty)
        outbox.removeFirst()
        #expect(outbox.bytes == 0 && outbox.eventBytes == 0 && outbox.isEmpty)
        outbox.removeFirst()
        #expect(outbox.bytes == 0)
    }
}
