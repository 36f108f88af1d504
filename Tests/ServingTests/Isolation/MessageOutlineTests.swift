import Serving
import TestSupport
import Testing

/// What is left of a long message says who is answered, and which view.
@Suite(.inTurn) struct MessageOutlineTests {
    private func outline(_ pieces: [[UInt8]], strings: Int = 7) -> String {
        var outline = MessageOutline(maximumStringBytes: strings)
        for piece in pieces { piece.withUnsafeBytes { outline.append($0) } }
        return String(decoding: outline.text, as: UTF8.self)
    }

    private static let outlines = [
        (#"{"id":1,"result":{"session":7}}"#, #"{"id":1,"result":{"session":7}}"#),
        (#"{"id":1,"result":{"rows":[1,[2],{"a":"]"}],"of":3}}"#, #"{"id":1,"result":{"rows":[],"of":3}}"#),
        (#"[{"id":1,"result":[[]]},{"id":2}]"#, #"[{"id":1,"result":[]},{"id":2}]"#),
        (#"[{"id":1,"result":{"a":{"b":{}},"c":2}}]"#, #"[{"id":1,"result":{"a":{},"c":2}}]"#),
        (#"{"a":{"b":{"kind":"end","c":{"d":1}}}}"#, #"{"a":{"b":{"kind":"end","c":{}}}}"#),
        (#"["1234567","12345678","123456789","ä12345","äöüÄ"]"#, #"["1234567","","","ä12345",""]"#),
        (#"["\"\\123","\\\"123","\\\\\\\\",""]"#, #"["\"\\123","\\\"123","",""]"#),
        (#"{"a":["\"]",["}"]],"12345678":"}"}"#, #"{"a":[],"":"}"}"#),
        ("[[[[", "[["), ("]", "]"), ("\"", "\""), ("", ""),
    ]

    @Test(arguments: outlines) func `long strings, arrays and what is nested deeply are left out`(
        _ text: String, _ expected: String
    ) {
        #expect(outline([Array(text.utf8)]) == expected)
        #expect(outline(text.utf8.map { [$0] }) == expected)
    }

    @Test func `any bytes have an outline, which is no longer than they are`() {
        var generator = SeededGenerator(seed: 1)
        let text = Array(Self.outlines.map(\.0).joined().utf8)
        for _ in 0..<500 {
            let bytes = (0..<200).compactMap { _ in text.randomElement(using: &generator) }
            let whole = outline([bytes])
            #expect(outline(bytes.map { [$0] }) == whole)
            #expect(whole.utf8.count <= bytes.count || whole.contains("\u{FFFD}"))
        }
    }
}
