/// The integers that `Codable` knows beside `Int`.
///
/// A table of types, as asking whether a type conforms to `FixedWidthInteger` costs as much as encoding a row.
enum CodableInteger {
    static func isOne(_ type: any Any.Type) -> Bool {
        if type == Int64.self || type == Int32.self || type == UInt64.self || type == UInt32.self { return true }
        if type == UInt.self || type == UInt8.self || type == Int8.self { return true }
        return type == UInt16.self || type == Int16.self
    }
}
