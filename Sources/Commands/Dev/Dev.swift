import Hosting
import LibC
import Serving
import Sessions
import Stores
import Synchronization
import Transport

/// Builds and serves a package while its sources change.
final class Dev: Sendable {
    static let command = Command(
        name: "dev", summary: "builds the package, serves it, and goes on in new code when it changes",
        help: { DevOptions.help(name: $0.name) }, run: { try await Dev($0, DevOptions($1)).run() })

    private let name: String
    private let options: DevOptions
    private let package: DevPackage
    private let watched: [WatchedFolder]
    private let loop: EventLoop
    private let end = EndOfProcess()

    /// Finds the package and the folders to watch.
    ///
    /// - Throws: `UsageError` if there is no package, or a path to watch doesn't exist.
    init(_ application: Application, _ options: DevOptions) throws {
        name = application.name
        self.options = options
        let folder = try Self.link("/proc/self/cwd")
        package = try DevPackage(options, executable: Self.link("/proc/self/exe"), folder: folder)
        let package = package
        watched = try [WatchedFolder(package.root) { package.includes($0) }] + options.watched.map(Self.watch)
        loop = try EventLoop(name: "dev")
    }

    private static func link(_ path: String) throws -> String {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        guard count > 0 else { throw SystemError.last("readlink", path) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Returns the folder to watch for a path: the folder with all that is in it, or for a file only that file.
    private static func watch(_ path: String) throws -> WatchedFolder {
        guard TextFile.exists(path) else { throw UsageError(message: "--watch: there is no \(path)") }
        guard TextFile.isFile(path) else {
            return WatchedFolder(path) { $0.split(separator: "/").allSatisfy(DevPackage.isSource) }
        }
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        return WatchedFolder(slash.map { String(path[...$0]) } ?? ".") { $0 == name }
    }

    /// Serves until the end.
    ///
    /// - Returns: the exit status.
    func run() async throws -> Int32 {
        try loop.start()
        loop.execute { [self] in
            do {
                try findExecutable()
            } catch {
                end.finish(with: .failure(error))
            }
        }
        let status = await end.status()
        loop.stop()
        await loop.join()
        return try status.get()
    }

    private func say(_ text: String) {
        StandardError.write("\(name) dev: \(text)")
    }

    /// Asks SwiftPM where it puts executables, unless this executable is one of them.
    private func findExecutable() throws {
        if let executable = package.executable { return try begin(executable) }
        let command = ["swift", "build", "--show-bin-path"] + package.arguments
        _ = try BuildRun(command, on: loop, grace: .zero, say: { _ in }) { [self] outcome in
            do {
                guard outcome.isGood, let folder = outcome.lines.last(where: { $0.hasPrefix("/") }) else {
                    throw UsageError(
                        message: "SwiftPM can't say where it builds: \(outcome.lines.joined(separator: "\n"))")
                }
                try begin("\(folder)/\(package.product)")
            } catch {
                end.finish(with: .failure(error))
            }
        }
    }

    private func begin(_ executable: String) throws {
        let socket = try listen()
        let address = socket.address.description
        say("serving \(package.product) of \(package.root); Ctrl-C ends it")
        let token = try makeToken()
        StandardError.write("\nIn a browser:\n  http://\(address)/\(token.map { "#token=\($0.text)" } ?? "")\n")
        let folder = "\(package.scratch)/view-model-server"
        let state = "\(folder)/build.json"
        let server = [executable, "--build-state", state, "--clientProcessId", "\(getpid())"]
        let settings = try DevSupervisor.Settings(
            build: ["swift", "build"] + package.arguments, server: server + storeOptions(folder) + options.server,
            stateFile: state)
        let supervisor = DevSupervisor(settings, socket: socket, on: loop, say: { [self] in say($0) }) { [end] in
            end.finish(with: .success(0))
        }
        _ = try SignalWatcher(on: loop) { _ in supervisor.end() }
        // Watching begins before the first build, so that the build misses no change.
        watch(supervisor)
        supervisor.begin()
    }

    private func watch(_ supervisor: DevSupervisor) {
        _ = FolderWatcher(watched, on: loop) { _ in
            supervisor.sourcesDidChange()
        } didFallBack: { [self] error in
            say("\(error); looking for changes every \(FolderWatcher.interval) instead")
        }
    }

    /// Returns a listening socket on the address of the options, on the default one, or on any free port.
    ///
    /// - Throws: if it can't listen there.
    private func listen() throws -> ListeningSocket {
        if let address = options.address { return try ListeningSocket(host: address.host, port: address.port) }
        let usual = TCPAddress.fallback
        do throws(SystemError) {
            return try ListeningSocket(host: usual.host, port: usual.port)
        } catch {
            say("\(error); taking another port")
            return try ListeningSocket(host: usual.host, port: 0)
        }
    }

    /// Makes the token for all servers of this run, which find it in their environment. Servers with tokens of their own would
    /// shut each other's clients out.
    private func makeToken() throws -> Token? {
        guard options.makesToken else { return nil }
        let token = try Token.made()
        setenv(Token.variable, token.text, 1)
        return token
    }

    private func storeOptions(_ folder: String) throws -> [String] {
        if let store = options.store { return ["--store", store] }
        guard options.hasStore else { return [] }
        do throws(StoreError) {
            try SQLiteStore.findLibrary()
        } catch {
            say("sessions end with each server: \(error.reason)")
            return []
        }
        try TextFile.makeFolder(folder)
        return ["--store", "sqlite:\(folder)/sessions.sqlite"]
    }
}
