import Benchmarking
import Foundation

/// The programs that are measured, as they are shipped: release builds that bring all that they need with them.
struct Programs {
    let server: Subject
    let limit: Subject

    /// In the package. Not `.build` itself, which may be locked by the process that runs this; and one for each
    /// program, as SwiftPM may go on with the plan of the last build there, other flags or not, and a server without
    /// start files crashes.
    static let serverPath = ".build/benchmarks"
    static let limitPath = ".build/benchmarks-limit"

    /// Builds what isn't given.
    init(_ options: Options) throws {
        let server = try options.server ?? Programs.builtServer()
        // SwiftPM links Swift's libraries to what is C alone, too; with these it is left at that, and starts as C does.
        let flags = ["-Xswiftc", "-static-executable", "-Xswiftc", "-nostartfiles"]
        let limit = try options.limit ?? Programs.built("limit-server", in: Programs.limitPath, flags)
        // Absolute, as a finder is started in another folder.
        self.server = Subject(.server, path: URL(filePath: server).path(percentEncoded: false))
        self.limit = Subject(.limit, path: limit)
    }

    /// Without what debuggers want, which valgrind can't read.
    static func builtServer() throws -> String {
        try built("view-model-server", in: serverPath, ["-Xswiftc", "-static-executable", "-Xlinker", "--strip-debug"])
    }

    /// The package: this file is four levels below it.
    static let root = (0..<4).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }

    private static func built(_ product: String, in scratchPath: String, _ flags: [String]) throws -> String {
        Progress.say("Building \(product) for release, in \(scratchPath) …")
        let arguments =
            [
                "build", "-c", "release", "--product", product,
                "--package-path", root.path(percentEncoded: false),
                "--scratch-path", root.appending(path: scratchPath).path(percentEncoded: false),
            ] + flags
        try swift(arguments, output: FileHandle.standardError)
        let pipe = Pipe()
        try swift(arguments + ["--show-bin-path"], output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let path = try pipe.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) } ?? ""
        return path.trimmingCharacters(in: .whitespacesAndNewlines) + "/" + product
    }

    private static func swift(_ arguments: [String], output: FileHandle) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swift"] + arguments
        process.standardOutput = output
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw SystemFailure(description: "swift \(arguments.joined(separator: " ")) failed")
        }
    }
}

/// Progress, on standard error: standard output has the figures alone.
enum Progress {
    static func say(_ line: String) {
        FileHandle.standardError.write(Data((line + "\n").utf8))
    }
}
