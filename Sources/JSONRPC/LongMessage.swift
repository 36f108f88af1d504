package import JSON

/// A message, or a value in one, whose text is in parts: a long part that others carry too isn't copied.
package struct LongMessage: Sendable {
    /// A stretch of the text.
    package enum Part: Sendable {
        case own([UInt8])
        case shared(SharedText)

        package var bytes: [UInt8] {
            switch self {
            case .own(let bytes): bytes
            case .shared(let text): text.bytes
            }
        }
    }

    package private(set) var parts: [Part] = []
    /// The length of the text, in bytes.
    package private(set) var count = 0

    package init() {}

    /// The text, where it is one part that isn't shared; nil otherwise, where `text` would have to copy.
    package var onlyPart: [UInt8]? {
        if parts.count == 1, case .own(let bytes) = parts[0] { bytes } else { nil }
    }

    /// A copy of the whole text.
    package var text: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(count)
        for part in parts { text.append(contentsOf: part.bytes) }
        return text
    }

    /// Appends text that isn't shared. It extends the last part where that isn't shared either.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        guard case .own(var last)? = parts.last else { return parts.append(.own(Array(bytes))) }
        // The last part is taken out, so that it is changed in place.
        parts.removeLast()
        last.append(contentsOf: bytes)
        parts.append(.own(last))
    }

    package mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    package mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a part that isn't copied.
    package mutating func append(part: Part) {
        count += part.bytes.count
        parts.append(part)
    }

    package mutating func append(_ other: LongMessage) {
        for part in other.parts {
            switch part {
            case .own(let bytes): append(bytes)
            case .shared: append(part: part)
            }
        }
    }
}
