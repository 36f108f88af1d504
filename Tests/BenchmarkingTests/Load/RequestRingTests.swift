import Testing

@testable import Benchmarking

@Suite struct RequestRingTests {
    @Test func `requests come in turn, each with an id of its own`() {
        var ring = RequestRing(method: "m", params: ["{}", "[22]", "[333]"], window: 2)
        let body = { (id: Int, params: String) in
            let text = #"{"jsonrpc":"2.0","id":\#(id),"method":"m","params":\#(params)}"#
            return "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
        }
        let taken = [2, 2, 1, 2].map { String(decoding: ring.next($0), as: UTF8.self) }
        #expect(
            taken == [
                body(100_000_001, "{}") + body(100_000_002, "[22]"),
                body(100_000_003, "[333]") + body(100_000_004, "{}"),
                body(100_000_005, "[22]"),
                body(100_000_006, "[333]") + body(100_000_007, "{}"),
            ])
    }

    @Test func `a window may be wider than there are requests`() {
        var ring = RequestRing(method: "m", params: ["{}"], window: 64)
        let frames = String(decoding: ring.next(64), as: UTF8.self).split(separator: "Content-Length: ")
        #expect(Set(frames).count == 64)
    }
}
