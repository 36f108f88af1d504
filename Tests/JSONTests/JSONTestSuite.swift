import Testing

/// The table of the JSONTestSuite, split by what a parser owes each case.
enum JSONTestSuite {
    struct Case: CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        var testDescription: String { name }
    }

    static func cases(_ table: KeyValuePairs<String, String>) -> [Case] {
        table.map { Case(name: $0.key, bytes: bytes($0.value)) }
    }

    private static func bytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
