import FoundationEssentials

/// RFC 4648 §4: the standard alphabet, with padding.
enum Base64 {
    /// Strict: no white space, no missing padding, no bits set that belong to no byte.
    static func decode(_ text: String) -> Data? {
        var text = text
        return text.withUTF8 { decode($0) }
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> Data? {
        guard text.count % 4 == 0 else { return nil }
        let padding = text.suffix(2).count { $0 == UInt8(ascii: "=") }
        let digits = text.count - padding
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits / 4 * 3 + 2)
        var bits: UInt32 = 0
        for place in 0..<digits {
            guard let digit = value(ofDigit: text[place]) else { return nil }
            bits = bits << 6 | UInt32(digit)
            if place % 4 == 3 {
                bytes += [UInt8(bits >> 16 & 0xFF), UInt8(bits >> 8 & 0xFF), UInt8(bits & 0xFF)]
                bits = 0
            }
        }
        switch digits % 4 {
        case 0: return Data(bytes)
        case 2 where bits & 0xF == 0: return Data(bytes + [UInt8(bits >> 4 & 0xFF)])
        case 3 where bits & 0x3 == 0: return Data(bytes + [UInt8(bits >> 10 & 0xFF), UInt8(bits >> 2 & 0xFF)])
        default: return nil
        }
    }

    private static func value(ofDigit byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case ASCII.zero...ASCII.nine: byte - ASCII.zero + 52
        case ASCII.plus: 62
        case ASCII.slash: 63
        default: nil
        }
    }
}
