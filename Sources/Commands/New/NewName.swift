/// The names of a new view model, in Swift and on the wire.
struct NewName: Equatable {
    /// The type's name, such as "OrderDetails", to be followed by "ViewModel" or "View".
    let type: String
    /// The name by which clients open the view model, such as "orderDetails".
    let registered: String

    /// Derives the names. Throws if they aren't allowed.
    ///
    /// - Parameter text: a Swift identifier in either case, with or without "ViewModel" at its end.
    init(_ text: String) throws(UsageError) {
        let name = text.hasSuffix(Self.suffix) ? String(text.dropLast(Self.suffix.count)) : text
        guard let first = name.first, Self.isLetter(first), name.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) })
        else { throw Self.refusal(of: text, "is no name for a view model") }
        guard !Self.keywords.contains(name) else { throw Self.refusal(of: text, "is a keyword of Swift") }
        type = first.uppercased() + name.dropFirst()
        registered = Self.lowerCamelCase(name)
        guard !Self.taken.contains(type) else {
            throw Self.refusal(of: text, "is taken: \(type)\(Self.suffix) is a protocol of this library")
        }
    }

    var viewModel: String { type + Self.suffix }
    var view: String { "\(type)View" }

    /// The name for people, such as "Order Details".
    var title: String {
        var title = ""
        let letters = Array(type)
        for (index, letter) in letters.enumerated() {
            let next = letters.dropFirst(index + 1).first
            if index > 0, letter.isUppercase, !letters[index - 1].isUppercase || next?.isLowercase ?? false {
                title += " "
            }
            title.append(letter)
        }
        return title
    }

    private static let suffix = "ViewModel"

    /// Returns a name in lower camel case, such as "urlBar" for "URLBar", as Swift's API Design Guidelines recommend.
    private static func lowerCamelCase(_ name: String) -> String {
        let capitals = name.prefix { $0.isUppercase }
        let rest = name.dropFirst(capitals.count)
        // The last capital begins the next word, unless only digits follow.
        let begins = capitals.count > 1 && rest.first?.isLowercase ?? false
        let lowered = begins ? capitals.dropLast() : capitals
        return lowered.lowercased() + name.dropFirst(lowered.count)
    }

    private static func refusal(of text: String, _ why: String) -> UsageError {
        UsageError(
            message: """
                '\(text)' \(why); a NAME is letters from A to Z and digits, begins with a letter and is written \
                OrderDetails or orderDetails
                """)
    }

    private static func isLetter(_ letter: Character) -> Bool { letter.isASCII && letter.isLetter }
    private static func isDigit(_ letter: Character) -> Bool { letter.isASCII && letter.isNumber }

    /// The names of protocols of `ViewModels` without "ViewModel"; a view model with such a name would hide the protocol.
    private static let taken: Set<String> = ["Hostable", "Notifying", "Observable"]

    private static let keywords = Set(
        """
        Any Self as associatedtype await break case catch class continue default defer deinit do else enum extension \
        fallthrough false fileprivate for func guard if import in init inout internal is let nil operator precedencegroup \
        private protocol public repeat rethrows return self static struct subscript super switch throw throws true try \
        typealias var where while
        """.split(separator: " ").map(String.init))
}
