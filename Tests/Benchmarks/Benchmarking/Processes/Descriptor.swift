import Glibc

/// An open file, closed when it is released.
package final class Descriptor {
    package let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Writes all of it, waiting for the other side to take it.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemFailure) {
        var rest = bytes
        while let address = rest.baseAddress, !rest.isEmpty {
            let count = Glibc.write(number, address, rest.count)
            guard count > 0 else { throw SystemFailure("writing to it") }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Waits for bytes and returns how many came.
    func read(into address: UnsafeMutableRawPointer, count: Int) throws(SystemFailure) -> Int {
        let count = Glibc.read(number, address, count)
        if count > 0 { return count }
        throw count == 0 ? SystemFailure(description: "it ended its output") : SystemFailure("waiting for its output")
    }
}

/// How many files a process may have open: a connection takes one on each side.
package enum Descriptors {
    /// Asks for as many as this user may have, for this process and what it starts. Returns how many that are.
    package static func raiseLimit() throws(SystemFailure) -> Int {
        var limit = rlimit()
        try check(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), "getrlimit")
        limit.rlim_cur = limit.rlim_max
        try check(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), "setrlimit")
        return Int(clamping: limit.rlim_cur)
    }
}

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
