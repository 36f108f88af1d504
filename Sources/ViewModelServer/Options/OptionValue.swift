import Commands

/// A value that an `Option` can have: a text, a number, a time, or an enum of strings that conforms to this.
///
/// ```swift
/// enum Order: String, CaseIterable, OptionValue { case name, date }       // --sort name
///
/// extension Colour: OptionValue {
///     init?(option text: String) { self.init(hex: text) }
///     static var optionForm: String { "a colour such as ff8800" }
///     var optionText: String { hex }
/// }
/// ```
public protocol OptionValue: Sendable {
    /// Reads a value. Fails for a text that isn't one.
    ///
    /// - Parameter text: the value as it was written on the command line; never empty.
    init?(option text: String)

    /// A phrase for what the option takes, such as "a whole number". It is shown behind the word "takes" to the person
    /// who wrote something else.
    static var optionForm: String { get }

    /// The value as it is written on the command line, for `--help`.
    var optionText: String { get }
}

extension OptionValue {
    static func reading(_ text: String) throws(OptionValueError) -> Self {
        guard let value = Self(option: text) else { throw OptionValueError(expected: optionForm) }
        return value
    }
}

extension OptionValue where Self: RawRepresentable & CaseIterable, RawValue == String {
    /// Finds the case with this raw value.
    public init?(option text: String) { self.init(rawValue: text) }

    /// The phrase, such as "one of name, date".
    public static var optionForm: String { "one of \(allCases.map(\.rawValue).joined(separator: ", "))" }

    /// The raw value.
    public var optionText: String { rawValue }
}

extension OptionValue where Self: LosslessStringConvertible {
    /// Makes the value with this description.
    public init?(option text: String) { self.init(text) }

    /// The description.
    public var optionText: String { description }
}

extension OptionValue where Self: FixedWidthInteger & LosslessStringConvertible {
    /// The phrase: "a whole number" for `Int` and `Int64`, and with bounds for other types: "a whole number from 0 to 255".
    public static var optionForm: String {
        Self.bitWidth > 32 && Self.isSigned ? "a whole number" : "a whole number from \(Self.min) to \(Self.max)"
    }
}

extension String: OptionValue {
    /// The phrase "a text".
    public static var optionForm: String { "a text" }
}

extension Int: OptionValue {}
extension Int8: OptionValue {}
extension Int16: OptionValue {}
extension Int32: OptionValue {}
extension Int64: OptionValue {}
extension UInt: OptionValue {}
extension UInt8: OptionValue {}
extension UInt16: OptionValue {}
extension UInt32: OptionValue {}
extension UInt64: OptionValue {}

extension Double: OptionValue {
    /// The phrase "a number".
    public static var optionForm: String { "a number" }

    /// Reads a finite number, in the form that `Double` takes.
    public init?(option text: String) {
        guard let value = Double(text), value.isFinite else { return nil }
        self = value
    }
}

extension Duration: OptionValue {
    /// The phrase "seconds, 0 or more, such as 0.5".
    public static var optionForm: String { "seconds, 0 or more, such as 0.5" }

    /// Reads seconds, such as 0.5: 0 or more, and a billion at most.
    public init?(option text: String) {
        guard let seconds = Double(text), seconds >= 0, seconds <= 1e9 else { return nil }
        self = .seconds(seconds)
    }

    /// The number of seconds.
    public var optionText: String {
        let (seconds, attoseconds) = components
        return attoseconds == 0 ? "\(seconds)" : "\(self / .seconds(1))"
    }
}
