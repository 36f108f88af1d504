extension JSONValue {
    /// The exact number, or nil when it is not a number, not integral, or does not fit. `1.0` and `1e2` are integral.
    ///
    /// Never goes through `Double`; an exponent of any size takes no time.
    package func integer<I: FixedWidthInteger>(as type: I.Type = I.self) -> I? {
        ShortNumber(text)?.integer(as: type) ?? NumberText(text)?.integer(as: type)
    }

    /// The same for what is asked for most, which needn't be generic for that.
    package func integer(as type: Int.Type) -> Int? {
        ShortNumber(text)?.integer(as: type) ?? NumberText(text)?.integer(as: type)
    }

    /// Correctly rounded; nil when it is not a number or too large for a finite one.
    package func double() -> Double? {
        ShortNumber(text)?.double ?? NumberText(text)?.double()
    }

    /// Whether the text is `-?(0|[1-9][0-9]*)`: an integer, written as one.
    package func isIntegerText() -> Bool {
        guard kind == .number else { return false }
        return text.allSatisfy { ASCII.isDigit($0) || $0 == ASCII.minus }
    }
}
