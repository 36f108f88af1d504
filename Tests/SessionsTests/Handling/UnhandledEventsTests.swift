import JSON
import TestSupport
import Testing

@testable import Sessions

@Suite(.inTurn) struct UnhandledEventsTests {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var unhandled = UnhandledEvents()

    @Test(
        arguments: [
            ("cancelled", .cancelled), ("superseded", .superseded),
            ("failed no such item: \"ä\"", .init(Failure(description: "no such item: \"ä\""))),
            ("failed /a~1b/2: missing", .init(JSONCodingError(path: "/a~1b/2", reason: "missing"))),
            (
                "failed the event can't be read: /id: missing",
                .init(UndecodedEvent(JSONCodingError(path: "/id", reason: "missing"), kind: "remove"))
            ),
            (
                #"failed limitExceeded(limit: "sessions", message: "5 are open")"#,
                .init(SessionError.limitExceeded(limit: "sessions", message: "5 are open"))
            ),
        ] as [(String, UnhandledEvent.Reason)])
    func `each reason says the same when it was stored`(_ told: String, _ reason: UnhandledEvent.Reason) {
        #expect(reason.outcome.text == told)
        let notes = SessionNotes(unhandled: [UnhandledEvent(ClientNumber(client: "c", number: 1), reason)])
        #expect(SessionNotes(text: notes.text) == notes)
    }

    @Test func `a text that isn't one says nothing of any event`() {
        for text in ["", "[]", "{", #"{"unhandled":[{"client":"c","number":1,"reason":{"newer":{}}}]}"#] {
            #expect(SessionNotes(text: Array(text.utf8)) == SessionNotes())
        }
    }

    @Test func `a long reason is cut, at a letter's end`() throws {
        let text = String(repeating: "ä", count: UnhandledEvent.maximumReasonBytes)
        let told = UnhandledEvent.Reason(Failure(description: "." + text)).outcome.text
        #expect(told.utf8.count < UnhandledEvent.maximumReasonBytes + 20)
        #expect(told.hasSuffix("ä…"))
    }

    @Test mutating func `the newest are known, by their count and by their bytes`() {
        for number in 1...UnhandledEvents.maximumCount + 1 { append(number, .cancelled) }
        #expect(unhandled.reason(of: number(1)) == nil)
        #expect(unhandled.reason(of: number(2)) == .cancelled)
        let long = String(repeating: "x", count: UnhandledEvents.maximumBytes / 3)
        for number in 101...103 { append(number, .failed(long)) }
        #expect(unhandled.events.map(\.number) == [102, 103], "with its client's name each is a third and one byte")
    }

    @Test mutating func `what is known of a client goes with its name`() {
        append(1, .cancelled)
        append(1, .superseded, of: "other")
        unhandled.forget("c")
        #expect(unhandled.events.map(\.client) == ["other"])
    }

    @Test mutating func `they are stored again when one comes or goes, and else not`() {
        #expect(!unhandled.isChanged)
        append(1, .cancelled)
        #expect(unhandled.isChanged)
        unhandled.didHand()
        unhandled.forget("nobody")
        #expect(!unhandled.isChanged)
        unhandled.forget("c")
        #expect(unhandled.isChanged)
    }

    private func number(_ number: Int, of client: String = "c") -> ClientNumber {
        ClientNumber(client: client, number: number)
    }

    private mutating func append(_ number: Int, _ reason: UnhandledEvent.Reason, of client: String = "c") {
        unhandled.append(UnhandledEvent(self.number(number, of: client), reason))
    }
}
