import LibC

/// The answer to a request.
package struct HTTPResponse: Sendable, Equatable {
    package var status: HTTPStatus
    /// The header lines, with names as they are to be written. `Content-Length`, `Connection` and `Date` are added when the
    /// response is sent.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    package init(_ status: HTTPStatus, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Makes a response with a line of text, for people who use `curl`.
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

    /// Appends the response's bytes as they are sent.
    ///
    /// - Parameters:
    ///   - isBodyLess: whether this answers a HEAD request. The headers are those of the answer to a GET.
    ///   - date: an IMF-fixdate (RFC 9110, section 5.6.7).
    package func append(to output: inout [UInt8], isBodyLess: Bool, keepsConnection: Bool, date: String) {
        var head = "HTTP/1.1 \(status.rawValue) \(status.reason)\r\nDate: \(date)\r\n"
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        if status.hasContent { head += "Content-Length: \(body.count)\r\n" }
        if !keepsConnection { head += "Connection: close\r\n" }
        output.append(contentsOf: "\(head)\r\n".utf8)
        if status.hasContent, !isBodyLess { output.append(contentsOf: body) }
    }
}

/// The status codes that are sent (RFC 9110, section 15).
package enum HTTPStatus: Int, Sendable {
    case ok = 200
    case notModified = 304
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case contentTooLarge = 413
    case uriTooLong = 414
    case upgradeRequired = 426
    case headerFieldsTooLarge = 431
    case notImplemented = 501
    case serviceUnavailable = 503
    case versionNotSupported = 505

    var reason: String {
        switch self {
        case .ok: "OK"
        case .notModified: "Not Modified"
        case .badRequest: "Bad Request"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .contentTooLarge: "Content Too Large"
        case .uriTooLong: "URI Too Long"
        case .upgradeRequired: "Upgrade Required"
        case .headerFieldsTooLarge: "Request Header Fields Too Large"
        case .notImplemented: "Not Implemented"
        case .serviceUnavailable: "Service Unavailable"
        case .versionNotSupported: "HTTP Version Not Supported"
        }
    }

    /// Whether the response has a body and a `Content-Length`: 304 has none.
    var hasContent: Bool { self != .notModified }
}

/// HTTP's form of a time, IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
package enum HTTPDate {
    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Writes a time.
    ///
    /// - Parameter seconds: the seconds since 1970, in UTC.
    package static func text(of seconds: Int) -> String {
        var seconds: time_t = seconds
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "Thu, 01 Jan 1970 00:00:00 GMT" }
        let day = days[Int(parts.tm_wday) % 7]
        let month = months[Int(parts.tm_mon) % 12]
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits).joined(separator: ":")
        return "\(day), \(twoDigits(parts.tm_mday)) \(month) \(Int(parts.tm_year) + 1900) \(time) GMT"
    }

    static var now: String { text(of: time(nil)) }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
