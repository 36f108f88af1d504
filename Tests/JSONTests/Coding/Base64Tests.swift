import FoundationEssentials
import Testing

@testable import JSON

@Suite struct Base64Tests {
    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
        ("Zm9vYmFy", "foobar"),
    ])
    func `the RFC's examples are read`(_ text: String, _ expected: String) {
        #expect(Base64.decode(text) == Data(expected.utf8))
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "====", "=", "Zh==", "Zm9=", "Zm9v\n", "Zm9-", "Z=9v", "Zg==Zg==", "é==",
    ])
    func `whatever is not canonical is refused`(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func `all bytes read back`() {
        for count in 0..<260 {
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            #expect(Base64.decode(data.base64EncodedString()) == data)
        }
    }
}
