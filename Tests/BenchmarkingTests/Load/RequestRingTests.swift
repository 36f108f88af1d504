import Testing

@testable import Benchmarking

@Suite struct RequestRingTests {
    @Test func `requests come in turn, each with an id of its own`() {
        var ring = RequestRing(method: "m", params: ["{}", "[22]", "[333]"])
        let body = { (id: Int, params: String) in
            let text = #"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":\#(params)}"#
            return "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
        }
        let taken = (0..<5).map { _ in String(decoding: ring.next(), as: UTF8.self) }
        #expect(
            taken == [
                body(100_000_001, "{}"), body(100_000_002, "[22]"), body(100_000_003, "[333]"),
                body(100_000_004, "{}"), body(100_000_005, "[22]"),
            ])
    }
}
