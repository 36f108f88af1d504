/// Reads requests from bytes that come in pieces of any size. Rules only, without I/O.
///
/// It is strict wherever a proxy in between might otherwise see other requests than this server (RFC 9112, section 11).
package struct HTTPRequestParser {
    package enum Outcome: Equatable {
        /// The request is incomplete. The first `emptyBytes` bytes are empty lines, which aren't needed any more; a request
        /// begins after them.
        case needsMore(emptyBytes: Int)
        /// A complete request, and its length in bytes.
        case request(HTTPRequest, byteCount: Int)
        /// The answer to a request that isn't accepted. The connection ends, as nobody knows where the next request begins.
        ///
        /// - Parameter isTooLong: whether the request exceeds `maximumBytes`.
        case refused(HTTPResponse, isTooLong: Bool)
    }

    private struct Refusal: Error {
        let response: HTTPResponse
        var isTooLong = false

        init(_ status: HTTPStatus, _ line: String, _ headers: [(name: String, value: String)] = []) {
            response = .text(status, line, headers: headers)
        }

        static func tooLong(_ status: HTTPStatus, _ line: String) -> Self {
            var refusal = Self(status, line)
            refusal.isTooLong = true
            return refusal
        }
    }

    /// The longest header in bytes, including the request line.
    private let maximumBytes: Int
    /// The number of bytes at the front that are known not to contain the header's end, so that they aren't searched again
    /// with each new byte.
    private var searched = 0
    /// The bytes of empty lines since the last request.
    private var emptyBytes = 0

    package init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Reads the next request.
    ///
    /// - Parameter bytes: all bytes after the last request. After `needsMore`, the same bytes without the empty lines, and
    ///   more.
    package mutating func parse(_ bytes: ArraySlice<UInt8>) -> Outcome {
        // RFC 9112, section 2.2: empty lines before a request are ignored. They are limited, as the request is.
        let empty = bytes.prefix { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }.count
        emptyBytes += empty
        let request = bytes.dropFirst(empty)
        do throws(Refusal) {
            guard emptyBytes <= maximumBytes else {
                throw Refusal.tooLong(.badRequest, "more than \(maximumBytes) bytes of empty lines before a request")
            }
            guard let end = end(of: request) else {
                guard request.count > maximumBytes else { return .needsMore(emptyBytes: empty) }
                let isFirstLine = !request.contains(UInt8(ascii: "\n"))
                throw isFirstLine
                    ? Refusal.tooLong(.uriTooLong, "the request's line is longer than \(maximumBytes) bytes")
                    : Refusal.tooLong(.headerFieldsTooLarge, "the header is longer than \(maximumBytes) bytes")
            }
            guard end <= maximumBytes else {
                throw Refusal.tooLong(.headerFieldsTooLarge, "the header is longer than \(maximumBytes) bytes")
            }
            (searched, emptyBytes) = (0, 0)
            return .request(try self.request(request.prefix(end - 4)), byteCount: empty + end)
        } catch {
            return .refused(error.response, isTooLong: error.isTooLong)
        }
    }

    /// Returns the length of the header with the empty line that ends it; nil where that line hasn't come.
    private mutating func end(of request: ArraySlice<UInt8>) -> Int? {
        let length: Int? = request.withUnsafeBytes { bytes in
            var place = max(0, searched - 3)
            while place + 4 <= bytes.count {
                if bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self).littleEndian == 0x0A0D_0A0D {
                    return place + 4
                }
                // Longer headers are refused, so the rest needn't be searched.
                if place > maximumBytes { return nil }
                place += 1
            }
            return nil
        }
        searched = request.count
        return length
    }

    private func request(_ header: ArraySlice<UInt8>) throws(Refusal) -> HTTPRequest {
        var lines = try lines(of: header)
        var request = try requestLine(lines.removeFirst())
        for line in lines { request.headers.append(try self.header(line)) }
        try check(request)
        return request
    }

    private func lines(of header: ArraySlice<UInt8>) throws(Refusal) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        for line in header.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let isLast = line.endIndex == header.endIndex
            guard isLast || line.last == UInt8(ascii: "\r") else {
                throw Refusal(.badRequest, "a line must end with \\r\\n, not with \\n alone")
            }
            let text = isLast ? line : line.dropLast()
            guard !text.contains(UInt8(ascii: "\r")) else {
                throw Refusal(.badRequest, "a \\r in the middle of a line")
            }
            lines.append(text)
        }
        return lines
    }

    private func requestLine(_ line: ArraySlice<UInt8>) throws(Refusal) -> HTTPRequest {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, HTTPText.isToken(parts[0]) else {
            throw Refusal(.badRequest, "the first line must be: METHOD /path HTTP/1.1")
        }
        return HTTPRequest(
            method: String(decoding: parts[0], as: UTF8.self), path: try path(of: parts[1]),
            minorVersion: try minorVersion(parts[2]))
    }

    private func minorVersion(_ text: ArraySlice<UInt8>) throws(Refusal) -> Int {
        switch String(decoding: text, as: UTF8.self) {
        case "HTTP/1.1": return 1
        case "HTTP/1.0": return 0
        case let other where other.hasPrefix("HTTP/"):
            throw Refusal(.versionNotSupported, "this server speaks HTTP/1.1")
        default: throw Refusal(.badRequest, "the first line must be: METHOD /path HTTP/1.1")
        }
    }

    private func path(of target: ArraySlice<UInt8>) throws(Refusal) -> String {
        var target = target
        // RFC 9112, section 3.2.2: the form that clients send to proxies is accepted too.
        for scheme in ["http://", "https://"] where target.starts(with: scheme.utf8) {
            target = target.dropFirst(scheme.utf8.count).drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            if target.first != UInt8(ascii: "/") { target = ([UInt8(ascii: "/")] + target)[...] }
        }
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        guard path.first == UInt8(ascii: "/"), let decoded = HTTPText.percentDecoded(path) else {
            throw Refusal(.badRequest, "the request's target is no path")
        }
        return decoded
    }

    private func header(_ line: ArraySlice<UInt8>) throws(Refusal) -> HTTPRequest.Header {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), HTTPText.isToken(line[..<colon]) else {
            throw Refusal(.badRequest, "a header line must be \"Name: value\"")
        }
        let value = HTTPText.trimmed(line[(colon + 1)...])
        guard HTTPText.isFieldValue(value) else { throw Refusal(.badRequest, "a control character in a header") }
        return HTTPRequest.Header(
            name: String(decoding: line[..<colon], as: UTF8.self).lowercased(),
            value: String(decoding: value, as: UTF8.self))
    }

    private func check(_ request: HTTPRequest) throws(Refusal) {
        let hosts = request.headers.count { $0.name == "host" }
        guard hosts == 1 || (hosts == 0 && request.minorVersion == 0) else {
            throw Refusal(.badRequest, "a request must have one Host header")
        }
        if request.value("transfer-encoding") != nil { throw Refusal(.notImplemented, "no request here takes a body") }
        let lengths = request.headers.filter { $0.name == "content-length" }
        guard let length = lengths.first?.value else { return }
        guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            throw Refusal(.badRequest, "Content-Length must be a number of bytes, once")
        }
        guard length.utf8.allSatisfy({ $0 == UInt8(ascii: "0") }) else {
            guard !["GET", "HEAD"].contains(request.method) else {
                throw Refusal(.contentTooLarge, "no request here takes a body")
            }
            throw Refusal(.methodNotAllowed, "this can only be read", [("Allow", "GET, HEAD")])
        }
    }
}

/// The characters of HTTP's grammar (RFC 9110, section 5.6).
enum HTTPText {
    static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isTokenCharacter)
    }

    /// Returns whether the bytes have no control characters other than tabs.
    static func isFieldValue(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == 0x09 || (0x20 <= $0 && $0 != 0x7F) }
    }

    /// Returns the bytes without leading and trailing spaces and tabs.
    static func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }

    /// Decodes `%20` and the like. Returns nil when a code is broken, stands for a slash or for a character that needs no
    /// code (RFC 3986, section 2.3), or the result has a control character or isn't UTF-8.
    static func percentDecoded(_ bytes: some Collection<UInt8>) -> String? {
        var decoded: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                return nil
            }
            // The character needn't be encoded. Many proxies apply their rules to the text as it is written, and would miss
            // it.
            guard !isUnreserved(high << 4 | low) else { return nil }
            decoded.append(high << 4 | low)
        }
        guard decoded.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~/".utf8.contains(byte)
        }
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.flatMap { UInt8(exactly: $0) }
    }
}
