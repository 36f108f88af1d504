package import ViewModelProtocol

extension SessionKey {
    private static let characterCount = 22
    private static let bitsPerCharacter = 6
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    /// Returns a new key of 22 characters of base64url: 131 bits from the system's cryptographically secure generator. The
    /// first character is a letter, so that no key looks like an option on a command line.
    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        var bits: UInt64 = 0
        var bitCount = 0
        return String(unsafeUninitializedCapacity: characterCount) { bytes in
            for index in 0..<characterCount {
                // Each number is a system call, so all its bits are used.
                if bitCount < bitsPerCharacter { (bits, bitCount) = (generator.next(), UInt64.bitWidth) }
                let mask: UInt64 = index == 0 ? 0x1F : 0x3F
                bytes.initializeElement(at: index, to: alphabet.utf8Start[Int(bits & mask)])
                bits >>= bitsPerCharacter
                bitCount -= bitsPerCharacter
            }
            return characterCount
        }
    }
}
