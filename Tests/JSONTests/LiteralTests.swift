import JSON
import TestSupport
import Testing

@Suite(.inTurn) struct LiteralTests {
    /// Of every length up to where nothing is special any more.
    static let literals: [StaticString] = [
        "", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghij",
        "abcdefghijk",
        "abcdefghijkl", "abcdefghijklm", "abcdefghijklmn", "abcdefghijklmno", "abcdefghijklmnop", "abcdefghijklmnopq",
        "abcdefghijklmnopqrstuvwxyzäöü0123456789",
    ]

    @Test func `a key is a literal when all bytes are the same, and no more`() {
        for literal in Self.literals {
            let bytes = Array("\(literal)".utf8)
            #expect(isExactly(bytes, literal))
            #expect(!isExactly(bytes + [0], literal))
            #expect(bytes.isEmpty || !isExactly(bytes.dropLast(), literal))
            for place in bytes.indices {
                for bit in 0..<8 {
                    var other = bytes
                    other[place] ^= 1 << bit
                    #expect(!isExactly(other, literal), "\(literal), byte \(place)")
                }
            }
        }
    }

    @Test func `each literal is only itself`() {
        for (index, left) in Self.literals.enumerated() {
            for (other, right) in Self.literals.enumerated() {
                #expect(isExactly(Array("\(left)".utf8), right) == (index == other))
            }
        }
    }

    @Test func `a literal is written as it is, without a comma`() {
        var writer = JSONWriter(capacity: 1)
        for literal in Self.literals { writer.literal(literal) }
        writer.literal("1")
        writer.literal("2")
        #expect(String(decoding: writer.takeBytes(), as: UTF8.self) == Self.literals.map { "\($0)" }.joined() + "12")
    }

    private func isExactly(_ bytes: some Collection<UInt8>, _ literal: StaticString) -> Bool {
        (Array("\"".utf8) + bytes + Array("\"".utf8)).withUnsafeBytes { text in
            // Text that isn't UTF-8 is no key, so it is no literal either.
            (try? JSONValue(validating: text))?.key.map { $0 == literal } ?? false
        }
    }
}
