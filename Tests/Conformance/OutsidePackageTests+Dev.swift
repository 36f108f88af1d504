import FoundationEssentials
import Glibc
import Testing

extension OutsidePackageTests {
    /// A session goes on over a change of the code, and over one that doesn't compile.
    func develop(_ folder: TemporaryFolder) throws {
        let path = folder.file("Sources/greeter/Greeter.swift")
        let original = try String(contentsOfFile: path, encoding: .utf8)
        func write(_ text: String) throws { try text.write(toFile: path, atomically: true, encoding: .utf8) }
        let durable =
            original
            .replacing("GreetingViewModel: ViewModel {", with: "GreetingViewModel: ViewModel, DurableViewModel {")
            .replacing("private var count", with: "@Saved private var count")
        try #require(durable.contains("DurableViewModel") && durable.contains("@Saved"))
        try write(durable)

        let dev = try Program(folder.file("build/debug/greeter"), ["dev", "--tcp", "127.0.0.1:0"])
        let address = try dev.listeningAddress().split(separator: ":").map(String.init)
        let first = try Program(Tool.netcat.command, address)
        try first.send(
            Wire.initialize, Wire.request(2, "session/open", #"{"viewModel":"greeting","client":"test"}"#),
            numbered(3, 1, "Ada"))
        var key = ""
        try first.readLines { line in
            if let found = line.firstMatch(of: #/"key":"([^"]+)"/#) { key = String(found.1) }
            return line == Wire.result(3, #"{"seq":1}"#)
        }

        try write(durable.replacing("Hello, ", with: "Welcome, "))
        while try dev.errorLine()?.contains("the server starts anew") == false {}
        // Netcat ends when its connection has, and its own input.
        first.closeInput()
        while try first.line() != nil {}
        let second = try Program(Tool.netcat.command, address)
        try second.send(
            Wire.initialize, Wire.request(2, "session/attach", #"{"key":"\#(key)","since":1,"client":"test"}"#),
            numbered(3, 1, "Ada"), numbered(4, 2, "Grace"))
        var lines: [String] = []
        try second.readLines { line in
            lines.append(line)
            return line.contains(#""id":4,"#)
        }
        #expect(lines.contains(Wire.viewModelEvent(1, 2, #"{"kind":"greeting","value":"Welcome, Grace","number":2}"#)))
        #expect(lines.contains(Wire.result(3, #"{"seq":1}"#)), "it was handled before: \(lines)")

        try write(durable.replacing("count += 1", with: "count += \"one\""))
        var words: [String] = []
        while let line = try dev.errorLine(), !line.contains("the build failed") { words.append(line) }
        #expect(words.contains { $0.contains("Greeter.swift:") && $0.contains("error:") }, "\(words)")
        let page = try Program(Tool.netcat.command, address)
        try page.write("GET /build.json HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        page.closeInput()
        #expect(try page.lines().last?.contains(#""state":"failed""#) == true)
        try second.send(numbered(5, 3, "Bob"))
        try second.readLines(upTo: Wire.result(5, #"{"seq":3}"#))

        try dev.signal(SIGINT)
        #expect(try dev.end() == .status(0))
        second.closeInput()
        while try second.line() != nil {}
        try write(original)
        try build(folder)
    }

    private func numbered(_ id: Int, _ number: Int, _ name: String) -> String {
        Wire.request(
            id, "view/event", #"{"session":1,"number":\#(number),"event":{"kind":"greet","name":"\#(name)"}}"#)
    }
}
