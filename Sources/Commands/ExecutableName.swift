import Synchronization

/// The names that a server has where it gives itself none.
package enum ExecutableName {
    private static let isServer = Atomic(false)

    /// The last part of the path that this process was started by.
    static var ofProcess: String { CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? "" }

    /// From now on the process is a server's executable. Before, and in tests, it may be any program.
    package static func noteServer() {
        isServer.store(true, ordering: .relaxed)
    }

    /// The executable's name; in other processes, such as tests, the name of the module, which is most often the same.
    ///
    /// - Parameter server: the type that conforms to `Server`.
    package static func of(_ server: any Any.Type) -> String {
        let module = _typeName(server, qualified: true).split(separator: ".").first.map(String.init) ?? ""
        return isServer.load(ordering: .relaxed) && !ofProcess.isEmpty ? ofProcess : module
    }
}
