import FoundationEssentials
import Testing

/// One server for all tests of a suite: that at VIEW_MODEL_ADDRESS, where this is set, or one that is started for them.
struct OneServer: SuiteTrait, TestScoping {
    /// Where it listens; nil outside of such a suite.
    @TaskLocal static var address: String?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        if let given = ProcessInfo.processInfo.environment["VIEW_MODEL_ADDRESS"] {
            return try await Self.$address.withValue(given) { try await function() }
        }
        let server = try Program.server("--tcp", "0")
        try await Self.$address.withValue(try server.listeningAddress()) { try await function() }
        withExtendedLifetime(server) {}
    }
}

extension Trait where Self == OneServer {
    /// One server for the whole suite.
    static var oneServer: Self { OneServer() }
}
