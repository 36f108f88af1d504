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
