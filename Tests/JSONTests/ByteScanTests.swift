import JSON
import TestSupport
import Testing

/// Loops that look at several bytes at once, held against those that look at one: at every length and place.
@Suite(.inTurn) struct ByteScanTests {
    static let specials: [UInt8] = [0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xA2, 0xDC, 0xFF]

    /// Every length up to a few words, with a byte of each kind at every place and another one behind it.
    private func forEachText(_ body: ([UInt8]) throws -> Void) rethrows {
        for length in 0..<27 {
            try body([UInt8](repeating: UInt8(ascii: "a"), count: length))
            for place in 0..<length {
                for special in Self.specials {
                    var text = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    text[place] = special
                    if place + 2 < length { text[place + 2] = 0x22 }
                    try body(text)
                }
            }
        }
    }

    @Test func `the first byte that ends or breaks a string is found at every place`() {
        forEachText { text in
            // The last test has strings with escapes.
            guard !text.contains(0x5C) else { return }
            let place = text.firstIndex { $0 < 0x20 || $0 == 0x22 || $0 > 0x7F } ?? text.count
            let error: JSONError? =
                switch (text + [0x22])[place] {
                case 0x22 where place == text.count: nil
                // Behind the quote comes text, or the quote that was meant to be the last one.
                case 0x22: JSONError(.unexpectedByte((text + [0x22])[place + 1], expected: .end), at: place + 2)
                case let byte where byte < 0x20: JSONError(.unescapedControlCharacter(byte), at: place + 1)
                default: JSONError(.invalidUTF8, at: place + 1)
                }
            #expect(validationError([0x22] + text + [0x22]) == error)
        }
    }

    @Test func `names are equal whose bytes are, and no others`() throws {
        try forEachText { text in
            let name = String(decoding: text, as: UTF8.self)
            let plain = String(repeating: "a", count: text.count)
            try withKeys(name, plain) { #expect(($0 == $1) == (name.utf8.elementsEqual(plain.utf8))) }
            try withKeys(name, name) { #expect($0 == $1) }
            try withKeys(name, name + "\0") { #expect(!($0 == $1)) }
        }
    }

    /// Lends two names as they are in texts.
    private func withKeys(_ first: String, _ second: String, _ body: (JSONKey, JSONKey) -> Void) throws {
        try read(written { $0.string(first) }) { first in
            try read(written { $0.string(second) }) { second in
                body(try #require(first.key), try #require(second.key))
            }
        }
    }

    @Test func `strings of every length are written with what must be escaped`() throws {
        forEachText { text in
            let string = String(decoding: text, as: UTF8.self)
            let escaped = string.unicodeScalars.map { scalar -> String in
                switch scalar {
                case "\"": #"\""#
                case "\\": #"\\"#
                case "\u{0}": #"\u0000"#
                case "\u{1F}": #"\u001f"#
                default: String(scalar)
                }
            }.joined()
            #expect(written { $0.string(string) } == "\"\(escaped)\"")
            #expect(written { $0.key(string) } == "\"\(escaped)\":")
            #expect((try? read("\"\(escaped)\"") { $0.string() }) == string)
        }
    }
}
