import Testing

/// Starts the server once for all tests of a suite, which may know its address.
struct OneServer: SuiteTrait, TestScoping {
    /// Where it listens; nil outside of such a suite.
    @TaskLocal static var address: String?

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let server = try Program.server("--tcp", "0")
        try await Self.$address.withValue(try server.listeningAddress()) { try await function() }
        withExtendedLifetime(server) {}
    }
}

extension Trait where Self == OneServer {
    /// One server for the whole suite.
    static var oneServer: Self { OneServer() }
}
