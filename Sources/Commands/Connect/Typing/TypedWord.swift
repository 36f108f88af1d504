import Contracts
import JSON

/// One word of a typed command: `by=2`, `"two words"`, `rows=[{"id":1}]`.
struct TypedWord: Equatable {
    enum Value: Equatable {
        /// Without quotes: what it means depends on what is expected.
        case bare(String)
        case quoted(String)
        /// In brackets.
        case json(JSONTree)
    }

    /// What stands before `=`.
    var name: String?
    var value: Value
    /// As it was typed, for messages and for completing it.
    var text: String

    /// What a command takes that is no member of anything, such as a name.
    var plainText: String {
        switch value {
        case .bare(let text), .quoted(let text): name.map { "\($0)=\(text)" } ?? text
        case .json: text
        }
    }
}

/// Why a typed line can't be understood, in words for who typed it.
struct TypedLineError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
