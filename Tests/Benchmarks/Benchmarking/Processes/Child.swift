import CBenchmarking
import CLinux
import Glibc

/// A program that is measured: started here, and killed when it is released or this process ends.
package final class Child {
    let id: pid_t
    package let input: Descriptor
    package let output: Descriptor
    private let errorOutput: Descriptor?

    /// - Parameters:
    ///   - command: a path and its arguments.
    ///   - tellsAddress: its standard error is read by `address()`; otherwise it goes where this process's does.
    package init(_ command: [String], tellsAddress: Bool = false) throws(SystemFailure) {
        let (input, output) = (try Child.pipe(), try Child.pipe())
        let errors = tellsAddress ? try Child.pipe() : nil
        let streams = [input.reading.number, output.writing.number, errors?.writing.number ?? STDERR_FILENO]
        let words = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        id = cbenchmarking_spawn(command[0], words, streams)
        guard id > 0 else { throw SystemFailure("starting \(command[0])", -id) }
        self.input = input.writing
        self.output = output.reading
        errorOutput = errors?.reading
    }

    deinit {
        kill(id, SIGKILL)
        while waitpid(id, nil, 0) < 0, errno == EINTR {}
    }

    private static func pipe() throws(SystemFailure) -> (reading: Descriptor, writing: Descriptor) {
        var ends: [Int32] = [-1, -1]
        try check(clinux_pipe(&ends), "pipe2")
        for end in ends { try check(fcntl(end, F_SETFL, 0), "fcntl") }
        return (Descriptor(ends[0]), Descriptor(ends[1]))
    }

    /// The port that it says it listens on: `listening on HOST:PORT`.
    package func port() throws(SystemFailure) -> UInt16 {
        var text = ""
        var chunk = [UInt8](repeating: 0, count: 4096)
        while let errorOutput {
            let capacity = chunk.count
            let count = Glibc.read(errorOutput.number, &chunk, capacity)
            guard count > 0 else { break }
            text += String(decoding: chunk[..<count], as: UTF8.self)
            guard text.hasSuffix("\n") else { continue }
            for line in text.split(separator: "\n") where line.hasPrefix("listening on ") {
                if let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) { return port }
            }
        }
        throw SystemFailure(description: "it never said where it listens, but \(String(reflecting: text))")
    }

    /// Nanoseconds of processor time that all its threads have used.
    package func processorTime() throws(SystemFailure) -> Int {
        let time = cbenchmarking_processor_time(id)
        guard time >= 0 else { throw SystemFailure(description: "it has ended") }
        return Int(time)
    }
}
