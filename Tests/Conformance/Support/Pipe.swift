import CLinux
import Glibc

/// A pipe that no program inherits but the one that it is handed to; its ends don't block.
struct Pipe {
    /// Closed when it is released.
    final class End {
        let number: Int32

        fileprivate init(_ number: Int32) {
            self.number = number
        }

        deinit {
            close(number)
        }

        /// As a program expects to find its standard streams. Of this end only: the other is open for itself.
        func makeBlocking() throws {
            try check(fcntl(number, F_SETFL, 0), "fcntl")
        }
    }

    let reading: End
    let writing: End

    init() throws {
        var ends: [Int32] = [-1, -1]
        try check(clinux_pipe(&ends), "pipe2")
        reading = End(ends[0])
        writing = End(ends[1])
    }
}
