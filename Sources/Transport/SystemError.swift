import LibC

/// A system call that failed: which, on what, and why, in words that a person can act on.
///
/// `bind 127.0.0.1:80: Permission denied`
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The `errno` of the call. Where the trouble is not the kernel's (a name that has no address, a path that is too
    /// long), the number that comes nearest, and `reason` says what it was.
    package let code: Int32
    /// The call's name, as in its manual page.
    package let call: String
    /// What the call was about: an address, a path. Empty when there is nothing more to say.
    package let subject: String
    /// Said instead of the kernel's words for `code`, where those would mislead.
    package let reason: String?

    package init(code: Int32, call: String, subject: String = "", reason: String? = nil) {
        self.code = code
        self.call = call
        self.subject = subject
        self.reason = reason
    }

    /// The error of the call that this thread made last. Nothing may come between the two, since anything may set `errno`.
    package static func last(_ call: String, _ subject: String = "") -> SystemError {
        SystemError(code: errno, call: call, subject: subject)
    }

    package var description: String {
        let place = subject.isEmpty ? call : "\(call) \(subject)"
        return "\(place): \(reason ?? Self.words(for: code))"
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
