import FoundationEssentials
import Testing

@Suite(.enabled(if: Tool.netcat.isInstalled, "nc isn't installed"), .ownThread)
struct TokenTests {
    private static let unauthorized = #"{"jsonrpc":"2.0","id":1,"error":{"code":-32010,"#

    @Test(arguments: [#"{"token":"wrong"}"#, #"{"token":""}"#, "{}"])
    func `a wrong token is refused and the connection closed`(_ params: String) throws {
        let (server, folder) = try serverWithToken()
        defer { withExtendedLifetime(folder) {} }
        let client = try Program(netcat: loopback(server))
        try client.send(Wire.request(1, "initialize", params))
        #expect(try client.line()?.hasPrefix(Self.unauthorized) ?? false)
        #expect(try client.finish() == .status(0))
        #expect(try client.lines() == [])
    }

    /// Or a client could guess as fast as it can send.
    @Test func `nothing that was sent behind a wrong token is answered, the right token neither`() throws {
        let (server, folder) = try serverWithToken()
        defer { withExtendedLifetime(folder) {} }
        let client = try Program(netcat: loopback(server))
        try client.send(
            Wire.request(1, "initialize", #"{"token":"wrong"}"#), Wire.request(2, "initialize", #"{"token":"s3cret"}"#),
            Wire.request(3, "ping"))
        #expect(try client.line()?.hasPrefix(Self.unauthorized) ?? false)
        #expect(try client.finish() == .status(0))
        #expect(try client.lines() == [])
    }

    @Test(arguments: [#"{"token":"s3cret"}"#, #"{"initializationOptions":{"token":"s3cret"}}"#])
    func `the right token lets a client in`(_ params: String) throws {
        let (server, folder) = try serverWithToken()
        defer { withExtendedLifetime(folder) {} }
        let client = try Program(netcat: loopback(server))
        try client.send(Wire.request(1, "initialize", params), Wire.request(2, "ping"))
        #expect(Wire.isInitialized(try client.line()))
        #expect(try client.line() == Wire.result(2, "null"))
    }

    @Test func `a token may come from the environment`() throws {
        let server = try Program.server(
            "--tcp", "127.0.0.1:0", environment: ["VIEW_MODEL_SERVER_TOKEN": "s3cret"])
        let client = try Program(netcat: server.listeningAddress())
        try client.send(Wire.initialize)
        #expect(try client.line()?.hasPrefix(Self.unauthorized) ?? false)
    }

    /// On every address of this machine. The folder has the token and must outlive the start.
    private func serverWithToken() throws -> (Program, TemporaryFolder) {
        let folder = try TemporaryFolder()
        try Data("s3cret\n".utf8).write(to: URL(filePath: folder.file("token")))
        return (try Program.server("--tcp", "0.0.0.0:0", "--token-file", folder.file("token")), folder)
    }

    private func loopback(_ server: Program) throws -> String {
        let address = try server.listeningAddress()
        #expect(address.hasPrefix("0.0.0.0:"))
        return "127.0.0.1:" + (address.split(separator: ":").last ?? "")
    }
}
