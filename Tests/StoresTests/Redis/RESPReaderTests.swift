import Stores
import TestSupport
import Testing

@Suite(.inTurn) struct RESPReaderTests {
    /// The answers in some bytes that come in pieces.
    private func read(_ pieces: [[UInt8]], limits: RESPReader.Limits = .init()) -> ([RESPValue], RESPError?) {
        var (reader, rest, values) = (RESPReader(limits: limits), pieces[...], [RESPValue]())
        while true {
            do {
                values.append(try reader.next { rest.popFirst() ?? [] })
            } catch {
                return (values, error as? RESPError)
            }
        }
    }

    private func read(_ text: String, limits: RESPReader.Limits = .init()) -> ([RESPValue], RESPError?) {
        read([Array(text.utf8)], limits: limits)
    }

    private static func text(_ text: String) -> RESPValue { .bytes(Array(text.utf8)) }

    /// An answer of each kind, and what it means.
    private static let kinds: [(String, RESPValue)] = [
        ("+OK\r\n", text("OK")), ("+\r\n", text("")), ("-ERR no\r\n", .error("ERR no")),
        (":-12\r\n", .integer(-12)), ("$5\r\na\r\nbc\r\n", text("a\r\nbc")), ("$0\r\n\r\n", text("")),
        ("$-1\r\n", .null), ("*-1\r\n", .null), ("_\r\n", .null), ("#t\r\n", .boolean(true)),
        ("#f\r\n", .boolean(false)), (",1.5e3\r\n", text("1.5e3")),
        ("(123456789012345678901\r\n", text("123456789012345678901")),
        ("!5\r\nERR x\r\n", .error("ERR x")), ("=8\r\ntxt:some\r\n", text("some")), ("*0\r\n", .array([])),
        ("*2\r\n:1\r\n*1\r\n_\r\n", .array([.integer(1), .array([.null])])),
        ("~1\r\n+a\r\n", .array([text("a")])), ("%1\r\n+a\r\n:1\r\n", .array([text("a"), .integer(1)])),
        ("|1\r\n+ttl\r\n:3600\r\n*1\r\n|1\r\n+x\r\n:1\r\n:7\r\n", .array([.integer(7)])),
        (">2\r\n+message\r\n+x\r\n:1\r\n", .integer(1)),
    ]

    @Test func `every kind of answer is read, cut anywhere`() {
        let bytes = Array(Self.kinds.map(\.0).joined().utf8)
        let values = Self.kinds.map(\.1)
        for cut in 1..<bytes.count {
            let (found, error) = read([Array(bytes[..<cut]), Array(bytes[cut...])])
            #expect(found == values && error == .ended, "cut at \(cut)")
        }
        let (found, error) = read(bytes.map { [$0] })
        #expect(found == values && error == .ended)
    }

    @Test func `an answer that ends anywhere before its end is none`() {
        for (text, _) in Self.kinds {
            let bytes = Array(text.utf8)
            for count in 0..<bytes.count {
                let (found, error) = read([Array(bytes[..<count])])
                #expect(found.isEmpty && error == .ended, "\(text.debugDescription), \(count) bytes")
            }
        }
    }

    @Test(arguments: [
        "\r\n", "OK\r\n", ":\r\n", ":1x\r\n", ":9223372036854775808\r\n", "$-2\r\n", "$x\r\n", "$1\r\nab\r\n",
        "*-2\r\n",
        "#x\r\n", "_x\r\n", "=2\r\nab\r\n", "!-1\r\n", "%-1\r\n", "|-1\r\n", ">-1\r\n", "+OK\n", "$?\r\n", "*?\r\n",
        "*9223372036854775807\r\n", "%9223372036854775807\r\n", "$9223372036854775807\r\n",
        "HTTP/1.1 400 Bad Request\r\n",
    ])
    func `what is no answer is an error`(_ text: String) {
        let (found, error) = read(text)
        guard case .invalid? = error else { return #expect(Bool(false), "\(found), \(String(describing: error))") }
        #expect(found.isEmpty)
    }

    @Test func `an answer is bounded in its depth, its lines, its strings and as a whole`() {
        let limits = RESPReader.Limits(stringBytes: 10, answerBytes: 60, lineBytes: 20, depth: 3)
        func isRefused(_ text: String) -> Bool {
            if case .invalid? = read(text, limits: limits).1 { true } else { false }
        }
        #expect(!isRefused("*1\r\n*1\r\n:1\r\n") && isRefused("*1\r\n*1\r\n*1\r\n:1\r\n"))
        #expect(!isRefused("$10\r\n0123456789\r\n") && isRefused("$11\r\n0123456789a\r\n"))
        #expect(!isRefused("+0123456789012345678\r\n") && isRefused("+01234567890123456789\r\n"))
        // Also while a line is still coming.
        #expect(isRefused("+" + String(repeating: "x", count: 30)))
        #expect(!isRefused("*4\r\n" + String(repeating: "+012345678\r\n", count: 4)))
        #expect(isRefused("*5\r\n" + String(repeating: "+012345678\r\n", count: 5)))
        // Each answer has room of its own.
        #expect(read(String(repeating: "$10\r\n0123456789\r\n", count: 100), limits: limits).0.count == 100)
        // Attributes without end are part of it.
        #expect(isRefused(String(repeating: "|0\r\n", count: 100)))
    }

    @Test func `any bytes are answers or an error, and never a trap`() {
        var random = SeededGenerator(seed: 1)
        let signs = Array("+-:$*%~|>=!#_,(0123456789\r\n\r\n\r\ntxf:".utf8)
        let limits = RESPReader.Limits(stringBytes: 1_000, answerBytes: 5_000, lineBytes: 100, depth: 6)
        var valid = 0
        for _ in 1...20_000 {
            var bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                random.chance(90) ? signs.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            }
            // Half of them are real ones with a few changes.
            if random.chance(50) {
                bytes = (0..<4).flatMap { _ in Array((Self.kinds.randomElement(using: &random)?.0 ?? "").utf8) }
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = signs.randomElement(using: &random) ?? 0
                }
            }
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])].filter { !$0.isEmpty }
            let (whole, wholeError) = read([bytes].filter { !$0.isEmpty }, limits: limits)
            let (found, error) = read(pieces, limits: limits)
            #expect(found == whole && error == wholeError)
            valid += found.isEmpty ? 0 : 1
        }
        #expect(valid > 1_000)
    }

    @Test func `a command is an array of strings of any bytes`() {
        let command: [[UInt8]] = [Array("SET".utf8), [], [0, 13, 10, 255]]
        #expect(read([RESPValue.command(command)]).0 == [.array(command.map { .bytes($0) })])
    }
}
