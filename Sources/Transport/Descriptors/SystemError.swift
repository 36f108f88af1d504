import LibC

/// A failed system call: its name, its subject and the reason, in words that a person can act on.
///
/// `bind 127.0.0.1:80: Permission denied`
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The `errno` of the call. For an error that isn't the kernel's (a name without an address, a path that is too long),
    /// the code is the nearest one, and `reason` has the words.
    package let code: Int32
    /// The name of the call, as in its manual page.
    package let call: String
    /// The subject of the call: an address or a path, for instance; may be empty.
    package let subject: String
    /// The words for the error, where the kernel's words for `code` would mislead.
    package let reason: String?
    /// The number of bytes that a stream was given and couldn't write, and that are lost.
    package internal(set) var lostBytes = 0

    package init(code: Int32, call: String, subject: String = "", reason: String? = nil) {
        self.code = code
        self.call = call
        self.subject = subject
        self.reason = reason
    }

    /// Makes the error of the system call that this thread has just made. No other call may come in between, as any call may
    /// set `errno`.
    package static func last(_ call: String, _ subject: String = "") -> SystemError {
        SystemError(code: errno, call: call, subject: subject)
    }

    /// Whether the other side has left or can't be reached any more. That happens to every server, so nothing is wrong here.
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
