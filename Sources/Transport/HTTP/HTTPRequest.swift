/// A request of HTTP/1 (RFC 9112), without a body: requests with one are refused.
package struct HTTPRequest: Sendable, Equatable {
    /// One line of the header; names are in lower case.
    package struct Header: Sendable, Equatable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The method as the client wrote it: methods are case-sensitive.
    package var method: String
    /// The target without its query, percent-decoded; begins with a slash.
    package var path: String
    /// The header lines, in the client's order.
    package var headers: [Header]
    /// The minor version of HTTP/1.
    package var minorVersion: Int

    package init(method: String, path: String, headers: [Header] = [], minorVersion: Int = 1) {
        self.method = method
        self.path = path
        self.headers = headers
        self.minorVersion = minorVersion
    }

    /// Returns the values of all headers with this name as one list (RFC 9110, section 5.3); nil where there is none.
    ///
    /// - Parameter name: the name in lower case.
    package func value(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Returns whether a header that is a list of tokens has this token. Case doesn't matter.
    package func lists(_ token: String, in name: String) -> Bool {
        elements(of: name).contains { $0.lowercased() == token.lowercased() }
    }

    /// Returns the elements of a header that is a list, without the blanks around them.
    package func elements(of name: String) -> [String] {
        (value(name) ?? "").utf8.split(separator: UInt8(ascii: ","))
            .map { String(decoding: HTTPText.trimmed($0), as: UTF8.self) }
            .filter { !$0.isEmpty }
    }

    /// The header `Host`; nil where it has characters that no host and port have.
    package var host: String? {
        let isUsual = { (byte: UInt8) in HTTPText.isTokenCharacter(byte) || "[]:".utf8.contains(byte) }
        return value("host").flatMap { !$0.isEmpty && $0.utf8.allSatisfy(isUsual) ? $0 : nil }
    }

    /// The token in the header `Authorization` (RFC 6750, section 2.1); nil where there is none.
    package var bearerToken: String? {
        guard let words = value("authorization")?.split(separator: " ", maxSplits: 1), words.count == 2,
            words[0].lowercased() == "bearer"
        else { return nil }
        return String(words[1])
    }

    /// Whether the connection stays open for more requests (RFC 9112, section 9.3).
    var keepsConnection: Bool {
        if lists("close", in: "connection") { return false }
        return minorVersion > 0 || lists("keep-alive", in: "connection")
    }
}
