import JSONRPC
import TestSupport
import Testing

/// Short messages come whole, long ones as they come.
@Suite(.inTurn) struct PieceDecoderTests {
    private static let wholeBytes = 10

    /// A message as it was handed over.
    private struct Passed: Equatable {
        var text: String
        var pieces = 1
        var announced: Int
        var isOver: Bool
    }

    /// - Returns: the messages, and whether all of the bytes were some.
    private func decode(_ pieces: [[UInt8]]) -> (messages: [Passed], areMessages: Bool) {
        var decoder = PieceDecoder(maximumBytes: 100, wholeBytes: Self.wholeBytes)
        var messages: [Passed] = []
        for piece in pieces {
            let areMessages = piece.withUnsafeBytes { bytes in
                decoder.decode(bytes) { piece in
                    let text = String(decoding: piece.bytes, as: UTF8.self)
                    if piece.isFirst {
                        messages.append(Passed(text: text, announced: piece.messageBytes, isOver: piece.isLast))
                    } else {
                        messages[messages.count - 1].text += text
                        messages[messages.count - 1].pieces += 1
                        messages[messages.count - 1].isOver = piece.isLast
                    }
                }
            }
            guard areMessages else { return (messages, false) }
        }
        return (messages, true)
    }

    private func framed(_ texts: [String]) -> [UInt8] {
        texts.flatMap { text in
            var bytes: [UInt8] = []
            Array(text.utf8).withUnsafeBytes { FrameEncoder(.headers).append($0, to: &bytes) }
            return bytes
        }
    }

    private let texts = ["{}", String(repeating: "a", count: 60), "", "0123456789", "0123456789A"]

    @Test func `messages that are there come whole, whatever their length`() {
        let (messages, areMessages) = decode([framed(texts)])
        #expect(areMessages)
        #expect(messages == texts.map { Passed(text: $0, announced: $0.utf8.count, isOver: true) })
    }

    @Test func `cut anywhere, short messages come whole and long ones are the same`() {
        let bytes = framed(texts)
        var generator = SeededGenerator(seed: 1)
        let cuts = (0...bytes.count).map { [Array(bytes[..<$0]), Array(bytes[$0...])] } + [bytes.map { [$0] }]
        for pieces in cuts + (0..<50).map({ _ in bytes.pieces(using: &generator) }) {
            let (messages, areMessages) = decode(pieces)
            #expect(areMessages)
            #expect(messages.map(\.text) == texts)
            #expect(messages.allSatisfy { $0.isOver && $0.announced == $0.text.utf8.count })
            #expect(messages.allSatisfy { $0.pieces == 1 || $0.announced > Self.wholeBytes })
        }
    }

    @Test func `a long message that isn't whole has been handed over as far as it came`() {
        let (messages, areMessages) = decode([Array(framed(texts)[..<60])])
        #expect(areMessages)
        #expect(messages.map(\.isOver) == [true, false])
        #expect(messages.last?.announced == 60)
    }

    @Test(arguments: [
        "{}\n", "Content-Length: 2\n\n{}", "content-length: 2\r\n\r\n{}", "Content-Length: 101\r\n\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n",
    ])
    func `what no such server writes is none`(_ text: String) {
        let rest = String(repeating: " ", count: 64)
        let (messages, areMessages) = decode([Array((text + rest).utf8)])
        #expect(!areMessages && messages.isEmpty)
    }

    @Test func `any bytes are messages or none`() {
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let bytes = framed(texts).mutated(using: &generator)
            let whole = decode([bytes])
            let inPieces = decode(bytes.pieces(using: &generator))
            #expect(whole.areMessages == inPieces.areMessages)
            #expect(whole.messages.map(\.text) == inPieces.messages.map(\.text))
        }
    }
}
