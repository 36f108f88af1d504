import JSON
import Testing
import TestSupport

@Suite(.inTurn) struct JSONWriterTests {
    @Test func `commas are placed where they belong`() {
        let text = written { writer in
            writer.literal("Content-Length: ")
            writer.integer(12)
            writer.literal("\r\n\r\n")
            writer.beginObject()
            writer.key("a")
            writer.beginArray()
            writer.null()
            writer.string("{")
            writer.beginArray()
            writer.endArray()
            writer.raw(Array("{\"x\":".utf8))
            writer.integer(1)
            writer.literal("}")
            writer.boolean(true)
            writer.endArray()
            writer.key("b" as String)
            writer.raw(Array("-1".utf8))
            writer.endObject()
            writer.literal("\n")
            writer.integer(2)
        }
        #expect(
            text == "Content-Length: 12\r\n\r\n" + #"{"a":[null,"{",[],{"x":1},true],"b":-1}"# + "\n2")
    }

    @Test func `every character reads back and only what must be is escaped`() throws {
        for value in (0...0x10FFFF) where value < 0x300 || value % 97 == 0 {
            guard let scalar = Unicode.Scalar(UInt32(value)) else { continue }
            let string = "ab\(scalar)\(scalar)cdefghijk\(scalar)"
            let text = written { $0.string(string) }
            #expect(try read(text) { $0.string() } == string)
            if value >= 0x20, scalar != "\"", scalar != "\\" { #expect(text == "\"\(string)\"") }
        }
        #expect(written { $0.string("\"\\/\u{8}\u{C}\n\r\t\u{1F}\u{7F}") } == #""\"\\/\b\f\n\r\t\u001f"# + "\u{7F}\"")
    }

    @Test func `each digit of an integer is written`() {
        var values = Array(0...20_000) as [UInt64]
        for power in 4...18 { values += [-1, 0, 1, 9].map { UInt64(Int64(pow10(power)) &+ $0) } }
        for step in 0..<20_000 as Range<UInt64> { values.append(step &* 4_999 &+ step / 7) }
        let wrong = values.filter { value in written { $0.integer(value) } != "\(value)" }
        #expect(wrong == [])
    }

    private func pow10(_ power: Int) -> UInt64 { (0..<power).reduce(1) { value, _ in value &* 10 } }

    @Test func `integers of all widths are written whole`() {
        #expect(written { $0.integer(Int64.min) } == "-9223372036854775808")
        #expect(written { $0.integer(UInt64.max) } == "18446744073709551615")
        #expect(written { $0.integer(Int8.min) } == "-128")
        #expect(written { $0.integer(UInt128.max) } == "\(UInt128.max)")
        #expect(written { $0.integer(0) } == "0")
        for power in 0..<19 {
            let value = (0..<power).reduce(1) { value, _ in value * 10 }
            for near in [value - 1, value, -value] { #expect(written { $0.integer(near) } == "\(near)") }
        }
    }

    @Test func `integers of every length are written whole`() {
        var generator = SeededGenerator(seed: 11)
        for bits in 0..<64 {
            for _ in 0..<200 {
                let value = generator.next() >> UInt64(bits)
                #expect(written { $0.integer(value) } == "\(value)")
            }
        }
        for near in [9_999_999_999_999_999_999, 10_000_000_000_000_000_000, 10_000_000_000_000_000_001] as [UInt64] {
            #expect(written { $0.integer(near) } == "\(near)")
        }
    }

    @Test func `characters that must be escaped are, at every place of strings of every length`() {
        let special: [(Character, String)] = [("\"", "\\\""), ("\u{1F}", "\\u001f"), ("é", "é")]
        for length in 0..<40 {
            let plain = (0..<length).map { Character(Unicode.Scalar(UInt8(ascii: "a") + UInt8($0 % 26))) }
            #expect(written { $0.string(String(plain)) } == "\"\(String(plain))\"")
            for (first, second) in (0..<length).flatMap({ first in (first..<length).map { (first, $0) } }) {
                for (character, escaped) in special {
                    var (text, expected) = (plain, plain.map { String($0) })
                    for place in [first, second] { (text[place], expected[place]) = (character, escaped) }
                    let found = written { writer in
                        writer.key(String(text))
                        writer.string(String(text))
                    }
                    guard found != "\"\(expected.joined())\":\"\(expected.joined())\"" else { continue }
                    Issue.record("\(String(text)) became \(found)")
                }
            }
        }
    }

    @Test func `doubles are written as Swift describes them, by the shortest text`() throws {
        var generator = SeededGenerator(seed: 7)
        var values: [Double] = [0, -0.0, 1, 0.1, 1e15, 1e16, 99_999_999_999.9999, 1e-5, 0.0001, 12.37, -2.5]
        for _ in 0..<20_000 {
            let bits = Double(bitPattern: generator.next())
            if bits.isFinite { values.append(bits) }
            values.append(Double(Int.random(in: -10_000_000...10_000_000, using: &generator)) / 10_000)
        }
        for value in values {
            let text = try encoded(value)
            #expect(text == value.description)
            #expect(try read(text) { $0.double() }?.bitPattern == value.bitPattern)
        }
    }

    @Test func `a number that is not finite is refused and nothing written`() {
        for number in [Double.nan, .infinity, -.infinity] {
            let text = written { writer in
                expectFailure("", "\(number) is not a number that JSON can say") {
                    try ValueEncoder().encode(number, into: &writer)
                }
            }
            #expect(text == "")
        }
    }

    @Test func `bytes that were written can be taken back and taken out`() {
        var writer = JSONWriter()
        writer.beginArray()
        writer.integer(1)
        let mark = writer.count
        writer.string(String(repeating: "x", count: 1000))
        writer.truncate(to: mark)
        writer.integer(2)
        writer.endArray()
        #expect(writer.takeBytes() == Array("[1,2]".utf8))
        #expect(writer.count == 0)
        writer.null()
        writer.removeAll(keptCapacity: 16)
        writer.raw([])
        #expect(writer.withUnsafeBytes { $0.count } == 0)
    }
}
