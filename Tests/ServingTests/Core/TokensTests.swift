import Serving
import Sessions
import TestSupport
import Testing

@Suite(.inTurn) struct TokensTests {
    private static let (ada, bob) = ("ada-0123456789abcdef", "bob-0123456789abcdef")

    @Test(arguments: ["s3cret", "s3cret\n", "  s3cret\r\n\n", "# ours\n\ns3cret\n", "short"])
    func `one line without blanks is the token of all, however short`(text: String) throws {
        let tokens = try Tokens(file: text)
        #expect(tokens.principals == [])
        #expect(tokens.judge(tokens.only?.text) == .accepted(principal: nil))
        #expect(tokens.judge("other") == .refused)
        #expect(tokens.judge(nil) == .refused)
    }

    @Test(arguments: [
        "ada \(ada)\nbob \(bob)", "\n  ada\t\t\(ada)  \r\n# who else\n\nbob \(bob)\r\n",
        "#\nada \(ada)\n  # x y z\nbob \(bob)",
    ])
    func `each line gives a principal a token`(text: String) throws {
        let tokens = try Tokens(file: text)
        #expect(tokens.principals == ["ada", "bob"])
        #expect(tokens.only == nil)
        #expect(tokens.judge(Self.ada) == .accepted(principal: "ada"))
        #expect(tokens.judge(Self.bob) == .accepted(principal: "bob"))
        for wrong in [
            nil, "", "ada", "ada \(Self.ada)", String(Self.ada.dropLast()), Self.ada + "x", Self.ada.uppercased(),
        ] {
            #expect(tokens.judge(wrong) == .refused)
        }
    }

    @Test(arguments: [
        ("", nil, "there is no token in it"),
        ("# nothing\n\n", nil, "there is no token in it"),
        ("a b c", 1, "expected NAME TOKEN, or one line with nothing but a token; a token has no blanks"),
        ("ada \(ada)\nalone", 2, "expected NAME TOKEN, or one line with nothing but a token; a token has no blanks"),
        ("alone\nada \(ada)", 2, "a token without a name is in line 1; then it is the only one"),
        ("alone\nalone", 2, "a token without a name is in line 1; then it is the only one"),
        ("#\nada short", 2, "the token of ada has 5 bytes; make 16 or more at random"),
        ("ada \(ada)\n\nada \(bob)", 3, "ada has a token already, in line 1"),
        ("ada \(ada)\nbob \(ada)", 2, "the token of bob is that of ada, too, in line 1"),
        ("ada/x \(ada)", 1, "a name has letters, digits and . _ - @ + only, and at most 64 of them"),
        ("å \(ada)", 1, "a name has letters, digits and . _ - @ + only, and at most 64 of them"),
        (
            "\(String(repeating: "n", count: 65)) \(ada)", 1,
            "a name has letters, digits and . _ - @ + only, and at most 64 of them"
        ),
    ])
    func `a mistake names its line, and never a token`(text: String, line: Int?, reason: String) {
        let mistake = #expect(throws: Tokens.Mistake.self) { try Tokens(file: text) }
        #expect(mistake == Tokens.Mistake(line: line, reason: reason))
    }

    @Test func `a name may have all that an address of mail has`() throws {
        let name = "Ada.Lovelace-1_x+y@example"
        #expect(try Tokens(file: "\(name) \(Self.ada)").judge(Self.ada) == .accepted(principal: name))
        #expect(try Tokens(file: "\(name) \(Self.ada)").only?.text == Self.ada)
    }
}

/// Whose a client is that has no token.
@Suite(.inTurn) struct OwnerTests {
    @Test(arguments: [
        ("192.0.2.1:53214 (WebSocket)", "192.0.2.1", false), ("[::1]:80", "[::1]", true), ("unix", "unix", true),
        ("127.0.0.1:1", "127.0.0.1", true), ("[2001:db8::1]:5", "[2001:db8::1]", false),
    ])
    func `an owner is an address without its port`(peer: String, name: String, maybeProxy: Bool) {
        let owner = Owner(ofPeer: peer)
        #expect(owner.name == name && owner.maybeProxy == maybeProxy)
        let limits = Limits()
        let own = owner.exceededLimit(limits, connections: 2_000, own: limits.addressConnections)
        #expect(own?.name == (maybeProxy ? nil : "addressConnections"))
        #expect(owner.exceededLimit(limits, connections: limits.connections, own: 0)?.name == "connections")
    }
}
