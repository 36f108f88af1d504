import FoundationEssentials
import LibC
import Serving
import ViewModelProtocol

extension Token {
    /// The environment variable with the token, since every user of the machine can read arguments.
    static let variable = "VIEW_MODEL_SERVER_TOKEN"

    /// Makes a token of 132 random bits, whose characters need no escape in a URL.
    static func made() throws -> Token {
        guard let token = Token(SessionKey.random()) else { throw UsageError(message: "no token could be made") }
        return token
    }

    /// Returns the token for a client to send: that of `--token-file` or of the environment; nil if neither is set.
    ///
    /// - Throws: `UsageError`, also for a file with the tokens of several principals, as a client is only one of them.
    static func given(file: String?) throws -> Token? {
        guard let tokens = try Tokens.given(file: file) else { return nil }
        guard let token = tokens.only else {
            let names = tokens.principals.joined(separator: ", ")
            let advice = "it has the tokens of \(names); put the one to send into a file of its own"
            throw UsageError(message: "--token-file \(file ?? ""): \(advice)")
        }
        return token
    }
}

extension Tokens {
    /// Returns the tokens of `--token-file`, or the one of the environment; nil if neither is set.
    static func given(file: String?) throws -> Tokens? {
        if let file { return try Tokens(path: file) }
        guard let value = getenv(Token.variable) else { return nil }
        guard let token = Token(String(cString: value)) else {
            throw UsageError(message: "\(Token.variable) is empty; unset it to let every client in")
        }
        return Tokens(token)
    }

    /// Returns the tokens that a server demands. Throws for a short one, which could be guessed.
    static func demanded(file: String?) throws -> Tokens? {
        guard let tokens = try given(file: file) else { return nil }
        if let token = tokens.only, tokens.principals.isEmpty, token.byteCount < shortest {
            let place = file.map { "--token-file \($0)" } ?? Token.variable
            let advice = "make \(shortest) or more at random, as by 'openssl rand -hex 16'"
            throw UsageError(message: "\(place): the token has \(token.byteCount) bytes; \(advice)")
        }
        return tokens
    }

    private init(path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw UsageError(message: "--token-file \(path): there is no text that can be read")
        }
        do throws(Mistake) {
            try self.init(file: text)
        } catch {
            let place = error.line.map { "\(path):\($0)" } ?? path
            throw UsageError(message: "--token-file \(place): \(error.reason)")
        }
    }
}
