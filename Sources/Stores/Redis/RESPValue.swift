/// An answer of Redis, in RESP3 (github.com/redis/redis-specifications, protocol/RESP3.md) or RESP2.
package indirect enum RESPValue: Equatable {
    case null
    case integer(Int64)
    case boolean(Bool)
    /// A simple, a bulk or a verbatim string (without the prefix of its format), a double or a big number.
    case bytes([UInt8])
    /// An array, a set, a push, or a map: keys and values in turn.
    case array([RESPValue])
    /// An error of the form "CODE some words".
    case error(String)

    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// The bytes as text; bytes that aren't UTF-8 are repaired.
    package var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    package var array: [RESPValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The integer, or the integer that a text has.
    package var integer: Int64? {
        if case .integer(let value) = self { value } else { text.flatMap { Int64($0) } }
    }

    /// Writes a command as it is sent: an array of bulk strings.
    package static func command(_ arguments: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(arguments.reduce(32) { $0 + $1.count + 16 })
        bytes += "*\(arguments.count)\r\n".utf8
        for argument in arguments {
            bytes += "$\(argument.count)\r\n".utf8
            bytes += argument
            bytes += [0x0D, 0x0A]
        }
        return bytes
    }
}
