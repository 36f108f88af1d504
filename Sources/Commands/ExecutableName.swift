import Synchronization

/// The default name of a server.
package enum ExecutableName {
    private static let isServer = Atomic(false)

    /// The last part of the path by which this process was started.
    static var ofProcess: String { CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "" }

    /// Notes that the process is a server's executable. Without this call, as in tests, it may be any program.
    package static func noteServer() {
        isServer.store(true, ordering: .relaxed)
    }

    /// Returns the executable's name. In other processes, such as tests, returns the name of the module, which is usually the
    /// same.
    ///
    /// - Parameter server: the type that conforms to `Server`.
    package static func of(_ server: any Any.Type) -> String {
        let module = _typeName(server, qualified: true).split(separator: ".").first.map(String.init) ?? ""
        return isServer.load(ordering: .relaxed) && !ofProcess.isEmpty ? ofProcess : module
    }
}
