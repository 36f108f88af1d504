import Contracts
import JSON

/// One word of a typed command: `by=2`, `"two words"`, `rows=[{"id":1}]`.
package struct TypedWord: Equatable {
    enum Value: Equatable {
        /// A value without quotes, whose meaning depends on the expected type.
        case bare(String)
        case quoted(String)
        /// A value in brackets, which is JSON.
        case json(JSONTree)
    }

    /// The name before `=`; nil if there is none.
    package internal(set) var name: String?
    var value: Value
    /// The word as it was typed, for messages and completion.
    package let text: String

    /// The text of an argument that isn't a member, such as the name of a view model.
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
