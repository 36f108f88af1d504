import FoundationEssentials

/// The types of Foundation that have a form of their own on the wire.
enum FoundationValue {
    static func isOne(_ type: any Any.Type) -> Bool {
        if type == Date.self || type == UUID.self || type == Data.self { return true }
        return type == URL.self || type == Decimal.self
    }
}
