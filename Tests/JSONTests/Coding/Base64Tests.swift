import FoundationEssentials
import JSON
import TestSupport
import Testing

/// RFC 4648 §4: the standard alphabet, with padding.
@Suite(.inTurn) struct Base64Tests {
    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
        ("Zm9vYmFy", "foobar"),
    ])
    func `the RFC's examples are read`(_ text: String, _ expected: String) throws {
        #expect(try decoded(Data.self, "\"\(text)\"") == Data(expected.utf8))
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "====", "=", "Zh==", "Zm9=", "Zm9v\n", "Zm9-", "Z=9v", "Zg==Zg==", "é==",
    ])
    func `whatever is not canonical is refused`(_ text: String) {
        let json = text.replacing("\n", with: "\\n")
        expectFailure("", "expected base64") { _ = try decoded(Data.self, "\"\(json)\"") }
    }

    @Test func `all bytes read back`() throws {
        for count in 0..<260 {
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            #expect(try decoded(Data.self, "\"\(data.base64EncodedString())\"") == data)
        }
    }
}
