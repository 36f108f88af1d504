import TestSupport
import Testing
import Transport

@Suite(.inTurn) struct HTTPResponseTests {
    private static func bytes(
        of response: HTTPResponse, isBodyLess: Bool = false, keepsConnection: Bool = true
    ) -> String {
        var output: [UInt8] = []
        response.append(to: &output, isBodyLess: isBodyLess, keepsConnection: keepsConnection, date: "now")
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `an answer is its status, its headers and its body`() {
        let response = HTTPResponse(.ok, headers: [("X", "y")], body: Array("body".utf8))
        let head = "HTTP/1.1 200 OK\r\nDate: now\r\nX: y\r\nContent-Length: 4\r\n"
        #expect(Self.bytes(of: response) == head + "\r\nbody")
        #expect(Self.bytes(of: response, isBodyLess: true) == head + "\r\n")
        #expect(Self.bytes(of: response, keepsConnection: false) == head + "Connection: close\r\n\r\nbody")
    }

    @Test func `304 has neither a body nor a length`() {
        let response = HTTPResponse(.notModified, body: [1])
        #expect(Self.bytes(of: response) == "HTTP/1.1 304 Not Modified\r\nDate: now\r\n\r\n")
    }

    @Test func `the date has the form of RFC 9110`() {
        #expect(HTTPDate.text(of: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(of: 951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
    }
}
