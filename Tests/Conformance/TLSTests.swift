import FoundationEssentials
import Testing

@Suite(.ownThread) struct TLSTests {
    /// Where Debian's libnginx-mod-stream puts it.
    private static let module = "/usr/lib/nginx/modules/ngx_stream_module.so"

    private static let isInstalled =
        Tool.nginx.isInstalled && Tool.openssl.isInstalled && FileManager.default.fileExists(atPath: module)
    private static let comment: Comment = "nginx, its stream module or openssl isn't installed"

    /// The configuration of the article about production, but for the places that it names.
    @Test(.enabled(if: isInstalled, comment))
    func `a client reaches the server over TLS, through the proxy that the article shows`() throws {
        let folder = try TemporaryFolder()
        let token = "open sesame, please"
        let server = try Program.server("--tcp", "0", environment: ["VIEW_MODEL_SERVER_TOKEN": token])
        try makeCertificate(in: folder)
        try writeConfiguration(to: folder, server: server.listeningAddress())
        let proxy = try nginx(folder)

        let client = try Program("openssl", ["s_client", "-quiet", "-unix", folder.file("tls")])
        try client.send(Wire.request(1, "initialize", #"{"token":"\#(token)"}"#), Wire.open(2, "counter"))
        let answer = try client.line()
        try #require(Wire.isInitialized(answer), "\(answer ?? "nothing") \(client.report)")
        #expect(try client.line()?.hasPrefix(#"{"jsonrpc":"2.0","id":2,"result":{"session":1,"#) ?? false)
        #expect(try client.line() == Wire.count(1, 1, 0))
        withExtendedLifetime(proxy) {}
    }

    @Test(
        .enabled(if: isInstalled, comment),
        arguments: [("https://views.example:8443", "101"), ("https://other.example", "403")])
    func `the page and its WebSocket come through the same proxy`(_ origin: String, _ status: String) throws {
        let folder = try TemporaryFolder()
        let server = try Program.server("--tcp", "0", "--allow-origin", "https://views.example:8443")
        try makeCertificate(in: folder)
        try writeConfiguration(to: folder, server: server.listeningAddress())
        let proxy = try nginx(folder)

        let client = try Program("openssl", ["s_client", "-quiet", "-unix", folder.file("tls")])
        let host = "Host: views.example:8443\r\n"
        try client.write("HEAD / HTTP/1.1\r\n\(host)\r\n")
        #expect(try client.line()?.hasPrefix("HTTP/1.1 200 OK") ?? false, "\(client.report)")
        try client.write(
            "GET /ws HTTP/1.1\r\n\(host)Origin: \(origin)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
        var line = try client.line()
        while let header = line, !header.hasPrefix("HTTP/1.1 ") { line = try client.line() }
        #expect(line?.hasPrefix("HTTP/1.1 \(status) ") ?? false, "\(line ?? "nothing") \(client.report)")
        withExtendedLifetime(proxy) {}
    }

    private func makeCertificate(in folder: TemporaryFolder) throws {
        let arguments = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-keyout", folder.file("key"), "-out", folder.file("certificate"),
        ]
        let openssl = try Program("openssl", arguments)
        try #require(try openssl.finish() == .status(0), "\(openssl.report)")
    }

    private func writeConfiguration(to folder: TemporaryFolder, server address: String) throws {
        var text = try OwnBlock.nginx.block().text
        #expect(text.contains(Self.module))
        let places = [
            "listen 8443 ssl": "listen unix:\(folder.file("tls")) ssl",
            "/etc/ssl/certs/view-models.pem": folder.file("certificate"),
            "/etc/ssl/private/view-models.key": folder.file("key"),
            "127.0.0.1:7351": address,
        ]
        for (shown, here) in places {
            try #require(text.contains(shown))
            text = text.replacing(shown, with: here)
        }
        try text.write(toFile: folder.file("nginx.conf"), atomically: false, encoding: .utf8)
    }

    /// Started when this returns; it goes with the program.
    private func nginx(_ folder: TemporaryFolder) throws -> Program {
        let settings = "daemon off; pid \(folder.file("pid")); error_log stderr notice;"
        let nginx = try Program(
            Tool.nginx.command, ["-p", folder.path, "-c", folder.file("nginx.conf"), "-g", settings])
        while let line = try nginx.errorLine(), !line.contains("start worker process") {}
        return nginx
    }
}
