import JSON
import JSONRPC
import TestSupport
import Testing

@testable import Serving

/// Messages of a client's process, as they come in parts of any length.
@Suite(.inTurn) struct ProcessMessagesTests {
    private static let long = String(repeating: "x", count: 100_000)
    private static let event =
        #"{"jsonrpc":"2.0","method":"viewModel/event","params":{"session":1,"event":"\#(long)"}}"#

    private static func result(_ id: String, _ result: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
    }

    /// - Returns: whole messages and, where they pass, what they are and their texts; nil where the parts are no messages.
    private func take(
        _ bytes: [UInt8], by count: Int, passing: Bool, maximumBytes: Int = 1 << 20
    ) -> (begun: [MessageBeginning.Kind], texts: [String])? {
        var messages = ProcessMessages(maximumBytes: maximumBytes)
        var (begun, texts, passed): ([MessageBeginning.Kind], [String], [UInt8]) = ([], [], [])
        for start in stride(from: 0, to: bytes.count, by: count) {
            let part = bytes[start..<min(bytes.count, start + count)]
            let isLast = part.endIndex == bytes.count
            switch part.withUnsafeBytes({ messages.take($0, isLast: isLast) }) {
            case .none: break
            case .whole(let message):
                guard let text = message.withUnsafeBytes({ ProcessMessages.text(of: $0).map(Array.init) }) else {
                    return nil
                }
                texts.append(String(decoding: text, as: UTF8.self))
            case .begins(let message):
                guard passing else { messages.collect(); break }
                begun.append(message.kind)
                passed = messages.pass(message)
            case .passes:
                passed.append(contentsOf: part)
                if isLast { texts.append(String(decoding: passed, as: UTF8.self)) }
            case .invalid: return nil
            }
        }
        #expect(messages.isBetweenMessages)
        return (begun, texts)
    }

    @Test(arguments: [1, 7, 1_000, 70_000, 1_000_000], [true, false])
    func `a message comes as it was sent, in whatever parts`(_ count: Int, _ passes: Bool) throws {
        for message in ["{}", Self.event, Self.result("1", #""\#(Self.long)""#)] {
            let taken = try #require(take(TestFraming.headers.frame(message), by: count, passing: passes))
            #expect(taken.texts == [message])
            #expect(taken.begun.count == (passes && message.count > 2 && count < 100_000 ? 1 : 0))
        }
    }

    @Test(arguments: [
        (event, MessageBeginning.Kind.event),
        (result("1", #"{"session":7,"snapshot":["\#(long)"]}"#), .result(RequestID(1), view: 7)),
        (result("-5", #"{"session":12}\#(long)"#), .result(RequestID(-5), view: 12)),
        (result("1", #""\#(long)""#), .result(RequestID(1), view: nil)),
        (result("1", #"{"session":"\#(long)"}"#), .result(RequestID(1), view: nil)),
        (result(#"{"a":1}"#, #""\#(long)""#), .other),
        (#"{"jsonrpc":"2.0","id":1,"error":"\#(long)"}"#, .other),
        (#"{"jsonrpc":"2.0","id":"\#(long)"}"#, .other), (long, .other),
        (#"{"jsonrpc":"2.0","id":"#, .other), (#"{"jsonrpc":"2.0","id":""#, .other), ("", .other),
    ])
    func `the beginning says what a message is`(_ text: String, _ kind: MessageBeginning.Kind) {
        let beginning = Array(text.utf8.prefix(10_000)).withUnsafeBytes { MessageBeginning($0, of: text.utf8.count) }
        #expect(beginning.kind == kind)
    }

    @Test(arguments: [#""a""#, #""a\\""#, #""\",""#, "12345678901234567890", #""\u0000""#])
    func `any id is found`(_ id: String) throws {
        let text = Array(Self.result(id, #"{"session":3}"#).utf8)
        let expected = try Array(id.utf8).withUnsafeBytes { RequestID(try JSONValue(validating: $0)) }
        let beginning = text.withUnsafeBytes { MessageBeginning($0, of: text.count) }
        #expect(beginning.kind == .result(try #require(expected), view: 3))
    }

    @Test func `what is no message, or too long, is found out`() {
        let frame = TestFraming.headers.frame(Self.event)
        for count in [1, 1_000, 70_000] {
            for passing in [true, false] {
                // One byte is missing at the end, or too much.
                #expect(take(frame.dropLast(), by: count, passing: passing) == nil)
                #expect(take(frame + [0x20], by: count, passing: passing) == nil)
                #expect(take(frame, by: count, passing: passing, maximumBytes: 90_000) == nil)
                #expect(take(Array(Self.event.utf8), by: count, passing: passing) == nil)
            }
        }
    }
}
