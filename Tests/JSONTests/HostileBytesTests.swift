import JSON
import Testing
import TestSupport

@Suite(.inTurn) struct HostileBytesTests {
    static let documents = [
        #"{"jsonrpc":"2.0","id":9007199254740993,"method":"view/event","params":{"session":1,"event":{"kind":"a"}}}"#,
        #"[null,true,false,-0.0,1e2,1.5E-3,"\ud83d\ude00 \"\\\/\b\f\n\r\t é €😀",{"":[]},[[],{}]]"#,
        #" [ { "a" : { "b" : [ 1 , 2 , { "c" : "d\u0065f" } ] } } , -12345678901234567890 ] "#,
    ]

    @Test(arguments: documents)
    func `a text that was cut anywhere is an error`(_ text: String) {
        let bytes = Array(text.utf8)
        let meaningful = bytes.lastIndex { $0 != UInt8(ascii: " ") } ?? 0
        #expect(validationError(bytes) == nil)
        for end in 0...meaningful { #expect(validationError(bytes[..<end]) != nil) }
    }

    @Test(arguments: documents.indices)
    func `whatever validates after bytes were changed also navigates, writes and decodes`(_ index: Int) throws {
        var generator = SeededGenerator(seed: index + 1)
        let original = Array(Self.documents[index].utf8)
        let interesting = Array("\"\\{}[]:,0-.eu\u{0} 9".utf8) + [0x80, 0xC3, 0xED, 0xFF]
        var valid = 0
        for _ in 0..<4000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes[place] = interesting[Int.random(in: interesting.indices, using: &generator)]
                case 2: bytes.remove(at: place)
                default: bytes.insert(bytes[Int.random(in: bytes.indices, using: &generator)], at: place)
                }
            }
            valid += try check(bytes) ? 1 : 0
        }
        #expect(valid > 100)
    }

    /// False when the bytes are refused.
    private func check(_ bytes: [UInt8]) throws -> Bool {
        guard validationError(bytes) == nil else { return false }
        let once = try withBytes(bytes) { bytes in
            let value = try JSONValue(validating: bytes)
            _ = try? ValueDecoder().decode(Anything.self, from: value)
            _ = try? EventDecoder().decode(Anything.self, from: value)
            return written { rewrite(value, into: &$0) }
        }
        let twice = try read(once) { value in written { rewrite(value, into: &$0) } }
        #expect(once == twice)
        return true
    }
}

/// Decodes whatever there is.
private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: AnyKey.self) {
            for key in members.allKeys { _ = try members.decode(Anything.self, forKey: key) }
        } else if var elements = try? decoder.unkeyedContainer() {
            while !elements.isAtEnd { _ = try elements.decode(Anything.self) }
        } else {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() { return }
            if (try? value.decode(Bool.self)) == nil, (try? value.decode(Double.self)) == nil {
                _ = try value.decode(String.self)
            }
        }
    }
}
