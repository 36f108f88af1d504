import Testing

@testable import JSON

/// Loops that look at several bytes at once, held against those that look at one: at every length and place.
@Suite struct ByteScanTests {
    static let specials: [UInt8] = [0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xA2, 0xDC, 0xFF]

    /// Every length up to a few words, with a byte of each kind at every place and another one behind it.
    private func forEachText(_ body: ([UInt8]) -> Void) {
        for length in 0..<27 {
            body([UInt8](repeating: UInt8(ascii: "a"), count: length))
            for place in 0..<length {
                for special in Self.specials {
                    var text = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    text[place] = special
                    if place + 2 < length { text[place + 2] = 0x22 }
                    body(text)
                }
            }
        }
    }

    @Test func `the first byte of a kind is found at every place`() {
        forEachText { text in
            withBytes(text) { bytes in
                let grammar = JSONGrammar(bytes, maximumDepth: 1)
                for start in 0...min(3, text.count) {
                    let escape = text[start...].firstIndex { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C } ?? text.count
                    let unusual =
                        text[start...].firstIndex { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 > 0x7F } ?? text.count
                    let quote = text[start...].firstIndex { $0 == 0x22 || $0 == 0x5C } ?? text.count
                    #expect(ByteScan.first(bytes, from: start, ByteScan.escapeMask) == escape)
                    #expect(ByteScan.first(bytes, from: start, ByteScan.unusualMask) == unusual)
                    #expect(ByteScan.first(bytes, from: start, ByteScan.stringMask) == quote)
                    #expect(grammar.first(from: start, ByteScan.escapeMask) == escape)
                    #expect(grammar.first(from: start, ByteScan.unusualMask) == unusual)
                    #expect(grammar.first(from: start, ByteScan.stringMask) == quote)
                }
                #expect(ByteScan.isASCII(bytes) == text.allSatisfy { $0 < 0x80 })
            }
        }
    }

    @Test func `bytes are equal that are, and no others`() {
        forEachText { text in
            let plain = [UInt8](repeating: UInt8(ascii: "a"), count: text.count)
            withBytes(text) { bytes in
                withBytes(plain) { #expect(ByteScan.isEqual(bytes, $0) == (text == plain)) }
                withBytes(text) { #expect(ByteScan.isEqual(bytes, $0)) }
                withBytes(text + [0]) { #expect(!ByteScan.isEqual(bytes, $0)) }
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
