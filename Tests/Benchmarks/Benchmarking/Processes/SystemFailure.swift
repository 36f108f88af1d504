import Glibc

/// A call of the system that failed, or a program that did, in words.
package struct SystemFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ call: String, _ code: Int32 = errno) {
        // See `Watchdog`.
        description = "\(call): \(code == EINTR ? "it took too long" : String(cString: strerror(code)))"
    }

    package init(description: String) {
        self.description = description
    }
}

/// Returns what a system call returned, unless that says that it failed.
@discardableResult
func check(_ result: Int32, _ call: @autoclosure () -> String) throws(SystemFailure) -> Int32 {
    guard result >= 0 else { throw SystemFailure(call()) }
    return result
}
