import Testing

@testable import Serving

struct TokenTests {
    @Test func `white space around a token doesn't count, and an empty one is none`() throws {
        let token = try #require(Token(" \tse cret\r\n"))
        #expect(token.matches("se cret"))
        #expect(Token(" \n") == nil)
    }

    @Test(arguments: ["", "secre", "secrets", "Secret", "secret\n", "tecres"])
    func `nothing else matches`(given: String) throws {
        let token = try #require(Token("secret"))
        #expect(!token.matches(given))
        #expect(!token.matches(nil))
    }
}
