/// What a request is answered with.
package struct HTTPResponse: Sendable, Equatable {
    package var status: HTTPStatus
    /// Names as they are to be written. `Content-Length`, `Connection` and `Date` are added when it is sent.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(_ status: HTTPStatus, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A line of text, for a person who tries it with `curl`.
    package static func text(
        _ status: HTTPStatus, _ line: String, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        let type = (name: "Content-Type", value: "text/plain; charset=utf-8")
        return HTTPResponse(status, headers: [type] + headers, body: Array("\(line)\n".utf8))
    }

    package static func == (first: HTTPResponse, second: HTTPResponse) -> Bool {
        first.status == second.status && first.body == second.body
            && first.headers.elementsEqual(second.headers) { $0 == $1 }
    }

    /// Appends what goes over the wire.
    ///
    /// - Parameters:
    ///   - isBodyLess: the answer to a HEAD, which has the headers that a GET would get.
    ///   - date: an IMF-fixdate (RFC 9110, section 5.6.7).
    func append(to output: inout [UInt8], isBodyLess: Bool, keepsConnection: Bool, date: String) {
        var head = "HTTP/1.1 \(status.rawValue) \(status.reason)\r\nDate: \(date)\r\n"
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        if status.hasContent { head += "Content-Length: \(body.count)\r\n" }
        if !keepsConnection { head += "Connection: close\r\n" }
        output.append(contentsOf: "\(head)\r\n".utf8)
        if status.hasContent, !isBodyLess { output.append(contentsOf: body) }
    }
}
