import JSON

extension JSONValue {
    /// The number, where it is written with digits alone, none of them a needless zero, and has at most 18 of them; nil for
    /// any other value, which may still be an integer.
    ///
    /// All that most clients ever send as an id or as a session: 10 instructions a digit.
    var shortInteger: Int? {
        guard let first = text.first, 1...18 ~= text.count, first != UInt8(ascii: "0") || text.count == 1 else {
            return nil
        }
        var value = 0
        for byte in text {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            value = value &* 10 &+ Int(digit)
        }
        return value
    }
}
