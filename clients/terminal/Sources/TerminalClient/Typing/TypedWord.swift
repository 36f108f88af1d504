import Contracts
import JSON

/// One word of a typed command: `by=2`, `"two words"`, `rows=[{"id":1}]`.
package struct TypedWord: Equatable {
    enum Value: Equatable {
        /// Without quotes, so the expected type decides its meaning.
        case bare(String)
        case quoted(String)
        /// Text in brackets.
        case json(JSONTree)
    }

    /// The name before `=`.
    package internal(set) var name: String?
    var value: Value
    /// The typed text, for messages and completion.
    package let text: String

    /// The text of an argument that isn't a member, such as a name.
    package var plainText: String {
        switch value {
        case .bare(let text), .quoted(let text): name.map { "\($0)=\(text)" } ?? text
        case .json: text
        }
    }
}

/// The reason why a typed line can't be understood, for the person who typed it.
package struct TypedLineError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
