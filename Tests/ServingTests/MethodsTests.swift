import JSONRPC
import Testing

@testable import Serving

@Suite struct MethodsTests {
    @Test(arguments: Methods.all.map { "\($0.name)" })
    func `a method is found by its name, with and without escapes`(name: String) {
        #expect(found(name) == name)
        let escaped = name.unicodeScalars.map { #"\u00"# + String($0.value, radix: 16) }
        #expect(found(escaped.joined()) == name)
        for place in escaped.indices {
            let letters = name.map { String($0) }
            #expect(found((letters[..<place] + [escaped[place]] + letters[(place + 1)...]).joined()) == name)
        }
        let others = [
            "\(name)x", String(name.dropLast()), name.uppercased(), "x\(name.dropFirst())", #"\#(name)\u0000"#,
        ]
        for other in others where !Methods.all.contains(where: { "\($0.name)" == other }) {
            #expect(found(other) == nil, "\(other)")
        }
    }

    @Test(arguments: ["", "x", "view/evenT", "navigation/push", String(repeating: "x", count: 10_000)])
    func `what is no method isn't found`(name: String) {
        #expect(found(name) == nil)
    }

    /// The name of the method that a message calls.
    private func found(_ name: String) -> String? {
        Array(#"{"jsonrpc":"2.0","method":"\#(name)"}"#.utf8).withUnsafeBytes { bytes in
            guard case .message(.notification(let name, _)) = MessageDecoder().decode(bytes) else {
                return "no message"
            }
            return Methods.named(name).map { "\($0.name)" }
        }
    }
}
