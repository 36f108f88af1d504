import TerminalClient
import Testing

struct KeyDecoderTests {
    private static let cases: [(bytes: String, keys: [Key])] = [
        ("a", [.text("a")]), ("open x", [.text("open x")]), ("é日👍", [.text("é日👍")]), ("e\u{301}", [.text("e\u{301}")]),
        ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]),
        ("\u{1}", [.control("a")]), ("\u{3}", [.control("c")]), ("\u{1A}", [.control("z")]), ("\u{0}", [.other]),
        ("\u{1B}[A", [.up]), ("\u{1B}[B", [.down]), ("\u{1B}[C", [.right]), ("\u{1B}[D", [.left]),
        ("\u{1B}OA", [.up]), ("\u{1B}OD", [.left]), ("\u{1B}OH", [.home]), ("\u{1B}OM", [.enter]),
        ("\u{1B}[H", [.home]), ("\u{1B}[F", [.end]), ("\u{1B}[1~", [.home]), ("\u{1B}[7~", [.home]),
        ("\u{1B}[4~", [.end]), ("\u{1B}[8~", [.end]), ("\u{1B}[3~", [.delete]), ("\u{1B}[Z", [.shiftTab]),
        ("\u{1B}[1;5C", [.wordRight]), ("\u{1B}[1;3D", [.wordLeft]), ("\u{1B}[1;2C", [.right]),
        ("\u{1B}b", [.alt("b")]), ("\u{1B}\u{7F}", [.alt("\u{7F}")]), ("\u{1B}[15~", [.other]), ("\u{1B}[[A", [.other]),
        ("\u{1B}[?2004h", [.other]), ("\u{1B}\u{1B}[A", [.up]),
        ("x\u{1B}[Dy\r", [.text("x"), .left, .text("y"), .enter]),
    ]

    @Test(arguments: cases)
    func `bytes are keys, in one piece or byte by byte`(_ bytes: String, _ keys: [Key]) {
        var whole = KeyDecoder()
        #expect(whole.keys(from: bytes.utf8) == keys)
        var split = KeyDecoder()
        #expect(joined(bytes.utf8.flatMap { split.keys(from: [$0]) }) == keys)
    }

    @Test(arguments: cases)
    func `a key split in two is the same key`(_ bytes: String, _ keys: [Key]) {
        let bytes = Array(bytes.utf8)
        for place in bytes.indices {
            var decoder = KeyDecoder()
            let seen = decoder.keys(from: bytes[..<place]) + decoder.keys(from: bytes[place...])
            #expect(joined(seen) == keys, "split at \(place)")
        }
    }

    @Test(
        arguments: [
            ([0xFF], [Key.text("\u{FFFD}")]), ([0xC3, 0x61], [.text("a")]), ([0xE6, 0x97, 0x0D], [.enter]),
            ([0x1B, 0x5B, 0x31, 0x03], [.control("c")]), ([0x1B, 0xC3, 0xA9], [.text("é")]),
            ([0x1B, 0x1B, 0x62], [.alt("b")]),
        ] as [([UInt8], [Key])])
    func `a sequence that breaks off costs nothing but itself`(_ bytes: [UInt8], _ keys: [Key]) {
        var decoder = KeyDecoder()
        #expect(decoder.keys(from: bytes + [0x61]).last.map { joined([$0]) } != [])
        var other = KeyDecoder()
        #expect(other.keys(from: bytes) == keys)
    }

    @Test func `no bytes are waited for without end`() {
        var decoder = KeyDecoder()
        let keys = decoder.keys(from: Array("\u{1B}[".utf8) + Array(repeating: UInt8(ascii: "1"), count: 1_000))
        #expect(keys.first == .other)
        #expect(decoder.keys(from: "\rab".utf8).suffix(1) == [.text("ab")])
    }

    @Test func `any bytes are taken`() {
        var random = SystemRandomNumberGenerator()
        var decoder = KeyDecoder()
        for _ in 0..<20_000 { _ = decoder.keys(from: [UInt8.random(in: 0...255, using: &random)]) }
        #expect(decoder.keys(from: Array(repeating: UInt8(ascii: "\r"), count: 40)).contains(.enter))
    }

    private func joined(_ keys: [Key]) -> [Key] {
        keys.reduce(into: []) { result, key in
            if case .text(let new) = key, case .text(let text)? = result.last {
                result[result.count - 1] = .text(text + new)
            } else {
                result.append(key)
            }
        }
    }
}
