import Commands
import Hosting
import TestSupport
import Testing

@Suite(.inTurn) struct DevOptionsTests {
    @Test func `the options of dev are its own, and all others the server's`() throws {
        let options = try DevOptions([
            "--tcp", "8080", "--limit", "drainGrace=1", "--store=sqlite:x.db", "--watch", "../lib", "--greeting", "Hi",
            "--package-path", "p", "--product", "greeter", "--token", "auto", "--", "--tcp", "9090",
        ])
        #expect(options.address == TCPAddress(host: "127.0.0.1", port: 8080))
        #expect(options.store == "sqlite:x.db" && options.hasStore)
        #expect(options.watched == ["../lib"] && options.packageFolder == "p" && options.product == "greeter")
        #expect(options.makesToken)
        #expect(options.server == ["--limit", "drainGrace=1", "--greeting", "Hi", "--tcp", "9090"])
        #expect(try !DevOptions(["--no-store"]).hasStore)
    }

    @Test(arguments: [
        (["--tcp"], "--tcp needs a value"),
        (["--store", "x.db"], "--store: takes sqlite:PATH, redis://HOST:PORT or unix:///PATH, not 'x.db'"),
        (["--tcp="], "--tcp needs a value"), (["--token", "secret"], "--token: takes auto, not 'secret'"),
        (["--stdio"], "--stdio doesn't go with dev"), (["--pipe=x"], "--pipe doesn't go with dev"),
    ])
    func `a wrong one is refused with words`(_ arguments: [String], _ words: String) {
        let error = #expect(throws: UsageError.self) { try DevOptions(arguments) }
        #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
    }
}
