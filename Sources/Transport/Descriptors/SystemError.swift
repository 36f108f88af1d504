import LibC

/// A failed system call: its name, its subject and the reason, in words that a person can act on.
///
/// `bind 127.0.0.1:80: Permission denied`
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The `errno` of the call. For an error that isn't the kernel's (a name without an address, a path that is too
    /// long) the nearest number, and `reason` has the words.
    package let code: Int32
    /// As in the call's manual page.
    package let call: String
    /// An address or a path, for instance; may be empty.
    package let subject: String
    /// Replaces the kernel's words for `code` where those would mislead.
    package let reason: String?
    /// Bytes that a stream had been given and couldn't write, and that are lost.
    package internal(set) var lostBytes = 0

    package init(code: Int32, call: String, subject: String = "", reason: String? = nil) {
        self.code = code
        self.call = call
        self.subject = subject
        self.reason = reason
    }

    /// The error of the call that this thread has just made. Nothing may come between the two, since anything may set
    /// `errno`.
    package static func last(_ call: String, _ subject: String = "") -> SystemError {
        SystemError(code: errno, call: call, subject: subject)
    }

    /// The other side has left, or can't be reached any more, as happens to every server: nothing is wrong here.
    package var isDeparture: Bool {
        switch code {
        case EPIPE, ECONNRESET, ECONNABORTED, ENOTCONN, ESHUTDOWN, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN,
            ENETUNREACH:
            true
        default: false
        }
    }

    package var description: String {
        let place = subject.isEmpty ? call : "\(call) \(subject)"
        let loss = lostBytes == 0 ? "" : "; \(lostBytes) bytes couldn't be written and are lost"
        return "\(place): \(reason ?? Self.words(for: code))\(loss)"
    }

    private static func words(for code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else {
                return "error \(code)"
            }
            return String(cString: start)
        }
    }
}
