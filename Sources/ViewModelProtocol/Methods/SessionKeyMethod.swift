package import JSONRPC

/// Asks for another key of a view's session, to be given to others: whoever attaches with it may look and do nothing else.
package enum SessionKeyMethod: ClientMethod {
    package static let name: StaticString = "session/key"
    package static let errors: [ErrorCode] = [.unknownSession, .storeUnavailable]

    package struct Params: Codable, Sendable {
        package var session: ViewNumber
        /// What the key allows.
        package var access: Access

        package init(session: ViewNumber, access: Access) {
            self.session = session
            self.access = access
        }
    }

    package struct Result: Codable, Sendable {
        /// The same for each request about this session.
        package var key: SessionKey

        package init(key: SessionKey) { self.key = key }
    }

    package static let examples = [
        MessageExample("to be given to a reader", #"{"session":1,"access":"read"}"#, result: #"{"key":"key-2"}"#)
    ]
}

/// What a key of a session allows, where it isn't everything.
package enum Access: String, Codable, Sendable, CaseIterable {
    /// To see the session, what is on or over it, and the rows of its lists. View events, session/close and navigation/back
    /// are refused with Forbidden.
    case read

    package init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let access = Access(rawValue: name) else {
            let known = Self.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            let reason = "\"\(name)\" is nothing that a key can allow; known is \(known)"
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: reason))
        }
        self = access
    }
}
