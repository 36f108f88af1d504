import Serving
import TestSupport
import Testing

@Suite(.inTurn) struct AllowedOriginsTests {
    struct Case: Sendable {
        let origin: String?
        let host: String?
        let isAllowed: Bool

        init(_ origin: String?, _ host: String?, _ isAllowed: Bool) {
            (self.origin, self.host, self.isAllowed) = (origin, host, isAllowed)
        }
    }

    @Test(arguments: [
        Case(nil, "127.0.0.1:7351", true), Case(nil, nil, true),
        Case("http://127.0.0.1:7351", "127.0.0.1:7351", true), Case("http://[::1]:7351", "[::1]:7351", true),
        Case("http://localhost:7351", "localhost:7351", true), Case("https://localhost", "localhost", true),
        Case("HTTP://LocalHost:7351", "localhost:7351", true), Case("http://a.localhost", "a.localhost", true),
        // Another port is another program's page.
        Case("http://127.0.0.1:8000", "127.0.0.1:7351", false), Case("http://localhost:7351", "127.0.0.1:7351", false),
        Case("http://evil.example", "127.0.0.1:7351", false), Case("null", "127.0.0.1:7351", false),
        Case("", "127.0.0.1:7351", false), Case("http://127.0.0.1:7351", nil, false),
        // A name that somebody else's DNS made to mean this machine.
        Case("http://evil.example:7351", "evil.example:7351", false),
        Case("http://127.0.0.1.evil.example", "127.0.0.1.evil.example", false),
        Case("http://localhost.evil.example", "localhost.evil.example", false),
        Case("http://1.2.3.4.5", "1.2.3.4.5", false), Case("http://256.0.0.1", "256.0.0.1", false),
    ])
    func `a page of the server's own may connect, by a host that can only be meant so`(_ testCase: Case) {
        #expect(AllowedOrigins().allow(testCase.origin, host: testCase.host) == testCase.isAllowed)
    }

    @Test func `an origin that is named may connect from behind any host`() {
        let origins = AllowedOrigins(["https://Views.example", "null"])
        #expect(origins.allow("https://views.example", host: "views.example"))
        #expect(origins.allow("null", host: "127.0.0.1"))
        #expect(!origins.allow("http://views.example", host: "views.example"))
        #expect(!origins.allow("https://views.example.evil", host: "views.example"))
        #expect(AllowedOrigins(["*"]).allow("http://anywhere", host: nil))
    }
}
