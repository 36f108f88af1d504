import FoundationEssentials
import Testing

@Suite(.ownThread) struct TLSTests {
    /// Where Debian's libnginx-mod-stream puts it.
    private static let module = "/usr/lib/nginx/modules/ngx_stream_module.so"

    /// The README's configuration, but for the places that it names.
    @Test(
        .enabled(
            if: Tool.nginx.isInstalled && Tool.openssl.isInstalled && FileManager.default.fileExists(atPath: module),
            "nginx, its stream module or openssl isn't installed"))
    func `a client reaches the server over TLS, through the proxy of the README`() throws {
        let folder = try TemporaryFolder()
        let token = "open sesame"
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

    private func makeCertificate(in folder: TemporaryFolder) throws {
        let arguments = [
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-keyout", folder.file("key"), "-out", folder.file("certificate"),
        ]
        let openssl = try Program("openssl", arguments)
        try #require(try openssl.finish() == .status(0), "\(openssl.report)")
    }

    private func writeConfiguration(to folder: TemporaryFolder, server address: String) throws {
        var text = try #require(try Readme().block(with: "ssl_certificate_key")).text
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
