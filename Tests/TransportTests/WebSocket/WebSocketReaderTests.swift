import TestSupport
import Testing
import Transport

@Suite(.inTurn) struct WebSocketReaderTests {
    /// The events of a reader, in words.
    private static func read(_ bytes: [UInt8], pieceBytes: Int = .max, maximumBytes: Int = 1_000) -> [String] {
        var reader = WebSocketReader(maximumBytes: maximumBytes)
        var found: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieceBytes))
            rest = rest.dropFirst(pieceBytes)
            let used = piece.withUnsafeBytes { piece in
                reader.read(piece) {
                    found.append(words($0))
                    return true
                }
            }
            #expect(used == piece.count)
        }
        return found
    }

    private static func words(_ event: WebSocketReader.Event) -> String {
        switch event {
        case .text(let bytes): "text \(String(decoding: bytes, as: UTF8.self))"
        case .binary(let bytes): "binary \(Array(bytes))"
        case .ping(let payload): "ping \(String(decoding: payload, as: UTF8.self))"
        case .pong: "pong"
        case .close(let code): "close \(code.map { "\($0.number)" } ?? "without a code")"
        case .failure(let error): "failure \(error.code.number)"
        }
    }

    /// A client's frame, masked.
    static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let mask: [UInt8] = [0x11, 0xF0, 0x00, 0x99]
        let length: [UInt8] =
            switch payload.count {
            case ...125: [UInt8(payload.count)]
            case ...0xFFFF: [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
            default: [127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
            }
        return [first, length[0] | 0x80] + length.dropFirst() + mask
            + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    private static func frame(_ first: UInt8, _ text: String) -> [UInt8] { frame(first, Array(text.utf8)) }

    struct Case: Sendable {
        let bytes: [UInt8]
        let found: [String]

        init(_ bytes: [UInt8], _ found: String...) {
            self.bytes = bytes
            self.found = found
        }
    }

    private static let cases = [
        Case(frame(0x81, "Hello"), "text Hello"),
        Case(frame(0x81, ""), "text "),
        Case(frame(0x82, [0, 255]), "binary [0, 255]"),
        Case(frame(0x01, "H") + frame(0x00, "") + frame(0x80, "i"), "text Hi"),
        Case(frame(0x01, "H") + frame(0x89, "p") + frame(0x8A, "") + frame(0x80, "i"), "ping p", "pong", "text Hi"),
        Case(frame(0x01, [0xC3]) + frame(0x80, [0xA4]), "text ä"),
        Case(frame(0x81, "a") + frame(0x81, "b"), "text a", "text b"),
        Case(frame(0x81, String(repeating: "x", count: 126)), "text " + String(repeating: "x", count: 126)),
        Case(frame(0x88, []) + frame(0x81, "after"), "close without a code"),
        Case(frame(0x88, [0x03, 0xE8]), "close 1000"),
        Case(frame(0x88, [0x0F, 0xA0] + Array("bye".utf8)), "close 4000"),
        Case(frame(0x88, [0x03]), "failure 1002"),
        Case(frame(0x88, [0x03, 0xED]), "failure 1002"),
        Case(frame(0x88, [0x07, 0xD0]), "failure 1002"),
        Case(frame(0x88, [0x03, 0xE8, 0xFF]), "failure 1007"),
        Case(frame(0xC1, "rsv"), "failure 1002"),
        Case(frame(0x83, "reserved"), "failure 1002"),
        Case(frame(0x80, "continues nothing"), "failure 1002"),
        Case(frame(0x01, "a") + frame(0x81, "b"), "failure 1002"),
        Case(frame(0x09, "in parts"), "failure 1002"),
        Case(frame(0x89, String(repeating: "x", count: 126)), "failure 1002"),
        Case([0x81, 0x05] + Array("Hello".utf8), "failure 1002"),
        Case([0x81, 0xFE, 0x00, 0x05, 0, 0, 0, 0] + Array("Hello".utf8), "failure 1002"),
        Case([0x81, 0xFF, 0xFF] + [UInt8](repeating: 0xFF, count: 7) + [0, 0, 0, 0], "failure 1002"),
        Case(frame(0x81, [0xC3]), "failure 1007"),
        Case(frame(0x01, [0xED, 0xA0]), "failure 1007"),
        Case(frame(0x81, String(repeating: "x", count: 1_001)), "failure 1009"),
        Case(
            frame(0x01, String(repeating: "x", count: 600)) + frame(0x80, String(repeating: "x", count: 401)),
            "failure 1009"),
        Case([0x82, 0xFF, 0x7F] + [UInt8](repeating: 0xFF, count: 7) + [0, 0, 0, 0], "failure 1009"),
    ]

    @Test(arguments: cases, [1, 2, 3, 5, 8, .max])
    func `frames are messages, in pieces of any size`(_ testCase: Case, _ pieceBytes: Int) {
        #expect(Self.read(testCase.bytes, pieceBytes: pieceBytes) == testCase.found)
    }

    @Test func `a reader that is stopped keeps its place`() {
        var reader = WebSocketReader(maximumBytes: 10)
        let bytes = Self.frame(0x81, "a") + Self.frame(0x81, "b")
        var found: [String] = []
        let used = bytes.withUnsafeBytes {
            reader.read($0) {
                found.append(Self.words($0)); return false
            }
        }
        #expect(found == ["text a"] && used == bytes.count / 2)
        _ = bytes[used...].withUnsafeBytes {
            reader.read($0) {
                found.append(Self.words($0)); return false
            }
        }
        #expect(found == ["text a", "text b"])
    }

    @Test func `text is checked as the standard library checks it`() {
        var generator = SeededGenerator(seed: 11)
        let interesting: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
            0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        func expectSame(_ bytes: [UInt8]) {
            var check = UTF8Check()
            let isValid = bytes.withUnsafeBytes { check.take($0) } && check.isComplete
            #expect(isValid == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
        for first in interesting {
            for second in interesting {
                for third in interesting { for fourth in interesting { expectSame([first, second, third, fourth]) } }
            }
        }
        for _ in 0..<20_000 {
            expectSame(
                (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                    interesting.randomElement(using: &generator) ?? 0
                })
        }
    }

    @Test func `no bytes make it trap`() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 1...40, using: &generator)).map { index in
                index % 7 < 2
                    ? [0x01, 0x80, 0x81, 0x82, 0x88, 0x89, 0x84, 0xFE, 0xFF].randomElement(using: &generator) ?? 0
                    : UInt8.random(in: 0...255, using: &generator)
            }
            _ = Self.read(bytes, pieceBytes: Int.random(in: 1...9, using: &generator), maximumBytes: 20)
        }
    }
}
