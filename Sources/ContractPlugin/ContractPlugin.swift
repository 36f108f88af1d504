import Foundation
import PackagePlugin

/// `swift package contract`: runs a package's server, which writes the contracts of its view models.
///
/// The server knows the types of its view models; the plugin gives it the compiler's symbol graphs, which have the doc
/// comments.
@main struct ContractPlugin: CommandPlugin {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func performCommand(context: PluginContext, arguments: [String]) async throws {
        var extractor = ArgumentExtractor(arguments)
        let wanted = extractor.extractOption(named: "product").last
        let server = try server(named: wanted, in: context.package)
        let rest = extractor.remainingArguments
        let asksForHelp = rest.contains("--help") || rest.contains("-h")
        let declaresProtocol = context.package.targets.contains { $0.name == Self.protocolModules[0] }
        var symbols = asksForHelp ? [] : try symbolGraphs(of: server)
        if declaresProtocol, !asksForHelp { symbols += try symbolGraphsOfProtocol(in: context.package) }
        let program = try build(server)
        let status = try run(
            program,
            ["contract"] + symbols.flatMap { ["--symbols", $0] } + (declaresProtocol ? ["--protocol"] : []) + rest,
            in: context.package.directoryURL)
        if status != 0 { exit(status) }
    }

    /// The executable that hosts view models: the named one, the only one, or that with the package's name.
    private func server(named name: String?, in package: Package) throws -> ExecutableProduct {
        let servers = package.products(ofType: ExecutableProduct.self).filter { hostsViewModels($0) }
        let names = servers.map(\.name).sorted().joined(separator: ", ")
        if let name {
            guard let server = servers.first(where: { $0.name == name }) else {
                throw Failure(description: "no executable '\(name)' hosts view models; those that do: \(names)")
            }
            return server
        }
        guard !servers.isEmpty else {
            throw Failure(description: "no executable of this package depends on ViewModelServer")
        }
        guard let server = servers.first(where: { servers.count == 1 || $0.name == package.displayName }) else {
            throw Failure(description: "say with --product which server's view models are meant: \(names)")
        }
        return server
    }

    private func hostsViewModels(_ product: ExecutableProduct) -> Bool {
        product.mainTarget.recursiveTargetDependencies.contains { $0.name == "ViewModelServer" }
    }

    /// Folders with the symbol graphs of all modules that may declare a view model or an event, and so of none of the
    /// server's own.
    private func symbolGraphs(of server: ExecutableProduct) throws -> [String] {
        let targets = server.mainTarget.recursiveTargetDependencies + [server.mainTarget]
        let own = targets.filter { $0.name == "ViewModelServer" }.flatMap { [$0] + $0.recursiveTargetDependencies }
        let ids = Set(own.map(\.id))
        return try targets.filter { $0 is SwiftSourceModuleTarget && !ids.contains($0.id) }.map { target in
            try symbolGraph(of: target)
        }
    }

    /// The modules whose declarations become the protocol's schemas and tables.
    private static let protocolModules = ["ViewModelProtocol", "JSONRPC", "Sessions"]

    private func symbolGraphsOfProtocol(in package: Package) throws -> [String] {
        try package.targets.filter { Self.protocolModules.contains($0.name) }.map { try symbolGraph(of: $0) }
    }

    private func symbolGraph(of target: any Target) throws -> String {
        let options = PackageManager.SymbolGraphOptions(
            minimumAccessLevel: .internal, includeSynthesized: true, includeSPI: true, emitExtensionBlocks: false)
        return try packageManager.getSymbolGraph(for: target, options: options).directoryURL.path
    }

    private func build(_ product: ExecutableProduct) throws -> URL {
        let result = try packageManager.build(
            .product(product.name), parameters: PackageManager.BuildParameters(configuration: .debug, logging: .concise)
        )
        guard result.succeeded else {
            throw Failure(description: "'\(product.name)' doesn't build:\n\(result.logText)")
        }
        let artifact = result.builtArtifacts.first {
            $0.kind == .executable && $0.url.lastPathComponent == product.name
        }
        guard let artifact else { throw Failure(description: "the build of '\(product.name)' made no executable") }
        return artifact.url
    }

    private func run(_ program: URL, _ arguments: [String], in folder: URL) throws -> Int32 {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : 1
    }
}
