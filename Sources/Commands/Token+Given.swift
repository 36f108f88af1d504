import FoundationEssentials
import LibC
import Serving
import ViewModelProtocol

extension Token {
    /// The environment variable of the token. Arguments could be read by every user of the machine.
    static let variable = "VIEW_MODEL_SERVER_TOKEN"

    /// 132 random bits, which can be part of an address as they are.
    static func made() throws -> Token {
        guard let token = Token(SessionKey.random()) else { throw UsageError(message: "no token could be made") }
        return token
    }

    /// The token of `--token-file` or of the environment; nil when neither is set.
    static func given(file: String?) throws -> Token? {
        if let file {
            guard let text = try? String(contentsOfFile: file, encoding: .utf8), let token = Token(text) else {
                throw UsageError(message: "--token-file \(file): there is no token that can be read")
            }
            return token
        }
        guard let value = getenv(variable) else { return nil }
        guard let token = Token(String(cString: value)) else {
            throw UsageError(message: "\(variable) is empty; unset it to let every client in")
        }
        return token
    }
}
