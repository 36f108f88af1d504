package import Commands
import Synchronization

/// An option of a server's command line that has a value: `--root DIR`.
///
/// ```swift
/// @main struct Finder: Server {
///     @Option(help: "the folder to look in", valueName: "DIR") var root = "."
///     @Option(help: "how deep to look") var depth: Int?
///     @Option(name: "exclude", help: "leaves these names out; more than once") var excluded: [String] = []
///     // enum Order: String, CaseIterable, OptionValue { case name, date }
///     @Option(help: "the order of what is found") var sort = Order.name
///
///     func register(in registry: inout Registry) {
///         registry.add("finder") { [root, depth] in FinderViewModel(root: root, depth: depth) }
///     }
/// }
/// ```
///
/// The option has the property's name, with dashes: `maxDepth` becomes `--max-depth`. `--help` lists it under the
/// server's name, with its initial value. For a wrong value the process says what the option takes, and ends with the
/// status 64 before anything is served. An optional is nil if the option isn't given, and an array gets a value each
/// time that the option is given.
///
/// Until `validate()` is called a property has its initial value, and from then on that of the command line. It can't
/// be set.
@propertyWrapper public struct Option<Value: Sendable>: Sendable {
    private let value: Mutexed<Value>
    private let settings: OptionSettings
    /// The initial value, for help texts; "" for none.
    private let initial: String
    private let set: @Sendable (String, Mutexed<Value>) throws(OptionValueError) -> Void

    /// The value on the command line; the initial one where the option isn't given.
    public var wrappedValue: Value { value.get() }

    /// Declares an option with an initial value.
    ///
    /// - Parameters:
    ///   - wrappedValue: the initial value.
    ///   - name: the option's name without dashes; nil: made of the property's name. With the name of another option,
    ///     also of one that every server has, the server doesn't start and says so.
    ///   - help: a phrase for `--help`.
    ///   - valueName: the word for the value in `--help`; nil: made of the property's name.
    public init(wrappedValue: Value, name: String? = nil, help: String = "", valueName: String? = nil)
    where Value: OptionValue {
        self.init(wrappedValue, OptionSettings(name, help, valueName), initial: wrappedValue.optionText) {
            text, value throws(OptionValueError) in value.set(try Value.reading(text))
        }
    }

    /// Declares an option that may have no value.
    ///
    /// - Parameters:
    ///   - wrappedValue: the value where the option isn't given, most often nil.
    ///   - name: the option's name without dashes; nil: made of the property's name. With the name of another option,
    ///     also of one that every server has, the server doesn't start and says so.
    ///   - help: a phrase for `--help`.
    ///   - valueName: the word for the value in `--help`; nil: made of the property's name.
    public init<Element: OptionValue>(
        wrappedValue: Value = nil, name: String? = nil, help: String = "", valueName: String? = nil
    ) where Value == Element? {
        self.init(wrappedValue, OptionSettings(name, help, valueName), initial: wrappedValue?.optionText ?? "") {
            text, value throws(OptionValueError) in value.set(try Element.reading(text))
        }
    }

    /// Declares an option that may be given more than once. Its value is an array of those on the command line, in order.
    ///
    /// - Parameters:
    ///   - wrappedValue: the values where the option isn't given, most often none.
    ///   - name: the option's name without dashes; nil: made of the property's name. With the name of another option,
    ///     also of one that every server has, the server doesn't start and says so.
    ///   - help: a phrase for `--help`.
    ///   - valueName: the word for the value in `--help`; nil: made of the property's name.
    public init<Element: OptionValue>(
        wrappedValue: Value, name: String? = nil, help: String = "", valueName: String? = nil
    ) where Value == [Element] {
        let texts = wrappedValue.map(\.optionText).joined(separator: ", ")
        self.init(wrappedValue, OptionSettings(name, help, valueName), initial: texts) {
            text, value throws(OptionValueError) in
            let element = try Element.reading(text)
            value.change { values, isInitial in values = (isInitial ? [] : values) + [element] }
        }
    }

    private init(
        _ value: Value, _ settings: OptionSettings, initial: String,
        set: @escaping @Sendable (String, Mutexed<Value>) throws(OptionValueError) -> Void
    ) {
        self.value = Mutexed(value)
        self.settings = settings
        self.initial = initial
        self.set = set
    }
}

extension Option: DeclaredOption {
    package func own(property: String) -> OwnOption {
        let name = settings.name ?? OptionSettings.dashed(property)
        let valueName = settings.valueName ?? OptionSettings.dashed(property).uppercased()
        let initial = initial.isEmpty ? "" : "(\(initial))"
        let help = [settings.help, initial].filter { !$0.isEmpty }.joined(separator: " ")
        return OwnOption(name: name, valueName: valueName, help: help) {
            [value, set] text throws(OptionValueError) in try set(text, value)
        }
    }
}

/// An option of a server's command line without a value: `--hidden`.
///
/// ```swift
/// @Flag(help: "finds hidden files, too") var hidden = false       // --hidden
/// @Flag(help: "doesn't watch for changes") var watch = true       // --no-watch
/// ```
///
/// `Option` has an example of a server.
@propertyWrapper public struct Flag: Sendable {
    private let value: Mutexed<Bool>
    private let settings: OptionSettings
    private let initial: Bool

    /// The initial value, or its opposite where the option is given.
    public var wrappedValue: Bool { value.get() }

    /// Declares a flag.
    ///
    /// - Parameters:
    ///   - wrappedValue: the value where the option isn't given.
    ///   - name: the option's name without dashes; nil: made of the property's name, with `no-` before it where the
    ///     initial value is true. With the name of another option, also of one that every server has, the server
    ///     doesn't start and says so.
    ///   - help: a phrase for `--help`: what the option does.
    public init(wrappedValue: Bool, name: String? = nil, help: String = "") {
        value = Mutexed(wrappedValue)
        initial = wrappedValue
        settings = OptionSettings(name, help, nil)
    }
}

extension Flag: DeclaredOption {
    package func own(property: String) -> OwnOption {
        let name = settings.name ?? (initial ? "no-" : "") + OptionSettings.dashed(property)
        return OwnOption(name: name, valueName: nil, help: settings.help) { [value, initial] _ in value.set(!initial) }
    }
}

/// The words that an option is declared with.
struct OptionSettings: Sendable {
    let name: String?
    let help: String
    let valueName: String?

    init(_ name: String?, _ help: String, _ valueName: String?) {
        self.name = name.map { String($0.drop { $0 == "-" }) }
        self.help = help
        self.valueName = valueName
    }

    /// Returns the option's name for a property: `max-depth` for `maxDepth`, and `root-url` for `rootURL`.
    static func dashed(_ property: String) -> String {
        var text = ""
        let characters = Array(property)
        for (index, character) in characters.enumerated() {
            let follows = index > 0 && !characters[index - 1].isUppercase && characters[index - 1] != "_"
            let precedes = index > 0 && index + 1 < characters.count && characters[index + 1].isLowercase
            if character.isUppercase, follows || precedes, text.last != "-" { text += "-" }
            text += character == "_" ? "-" : character.lowercased()
        }
        return text
    }
}

/// A value that all copies of an option share.
final class Mutexed<Value: Sendable>: Sendable {
    private let state: Mutex<(value: Value, isInitial: Bool)>

    init(_ value: Value) {
        state = Mutex((value, true))
    }

    func get() -> Value { state.withLock { $0.value } }

    func set(_ value: Value) {
        change { old, _ in old = value }
    }

    func change(_ body: (inout Value, _ isInitial: Bool) -> Void) {
        state.withLock { state in
            body(&state.value, state.isInitial)
            state.isInitial = false
        }
    }
}
