package import Hosting

/// The options of `dev`. All others are passed to the server.
package struct DevOptions: Equatable {
    package private(set) var address: TCPAddress?
    /// The store; nil for the default one.
    package private(set) var store: String?
    package private(set) var hasStore = true
    package private(set) var product: String?
    package private(set) var packageFolder: String?
    /// Files and folders to watch besides the package's sources.
    package private(set) var watched: [String] = []
    /// Whether to make a token, which all servers of this run use.
    package private(set) var makesToken = false
    /// The arguments to pass to each server.
    package private(set) var server: [String] = []

    /// Reads the arguments.
    ///
    /// - Throws: `UsageError` for arguments that aren't allowed.
    package init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                server += rest
                return
            }
            if argument == "--no-store" {
                hasStore = false
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let take = Self.option(parts[0]) else {
                try Self.refuse(parts[0])
                server.append(argument)
                continue
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty else {
                throw UsageError(message: "\(parts[0]) needs a value")
            }
            do {
                try take(&self, value)
            } catch let error as UsageError {
                throw UsageError(message: "\(parts[0]): \(error.message)")
            }
        }
    }

    private static func option(_ name: String) -> ((inout DevOptions, String) throws -> Void)? {
        switch name {
        case "--tcp": { $0.address = try TCPAddress($1) }
        case "--store":
            {
                var store = StoreOptions()
                try store.setStore($1)
                $0.store = $1
            }
        case "--product": { $0.product = $1 }
        case "--package-path": { $0.packageFolder = $1 }
        case "--watch": { $0.watched.append($1) }
        case "--token":
            {
                guard $1 == "auto" else { throw UsageError(message: "takes auto, not '\($1)'") }
                $0.makesToken = true
            }
        default: nil
        }
    }

    /// Throws for an option that names a transport to the client that spawned the server.
    private static func refuse(_ option: String) throws(UsageError) {
        guard ["--stdio", "--pipe", "--socket", "--clientProcessId"].contains(option) else { return }
        throw UsageError(
            message: "\(option) doesn't go with dev, whose servers have the same clients one after the other")
    }

    static func help(name: String) -> String {
        """
        Builds the package of this server, serves it, and does so anew whenever its sources change.

        Usage: \(name) dev [options] [options of the server]
        Most often: swift run \(name) dev

        Each new server has the socket and the store of the one before, so the page, editors and 'connect' go on
        where they were, in new code. Sessions of view models that aren't durable end. While a build fails, the
        server before goes on; the compiler's words are here and in the page. A server that crashes is started
        again by the next change.

        Options:
          --tcp [HOST:]PORT     where clients reach it; \(TCPAddress.fallback) unless it is given, or another port
                                where that is taken
          --store STORE         keeps durable sessions there, and not in a file in the package's build folder
          --no-store            keeps none: sessions end with each server
          --watch PATH          a file or folder whose changes count, too, such as the sources of a package that
                                this one depends on; more than once
          --product NAME        the executable to build; the one that is running unless it is given
          --package-path DIR    the package; the one that the executable was built in, or that of this folder
          --token auto          makes a token, which all servers of this run have
          --help                prints this
        All others are the server's, as '\(name) --help' lists them, and those behind -- are, too.

        Watched are Package.swift and the folders of the sources, by inotify; where the system has no watches
        left, they are looked at every second.

        Status: 0 when a signal has ended it, 64 for a wrong option or without a package, 69 when it can't listen.
        """
    }
}
