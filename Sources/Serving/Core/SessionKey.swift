package import ViewModelProtocol

extension SessionKey {
    private static let characterCount = 22
    private static let bitsPerCharacter = 6
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    /// 132 bits from the system's generator, which is cryptographically secure: 22 characters of base64url.
    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        var bits: UInt64 = 0
        var bitCount = 0
        return String(unsafeUninitializedCapacity: characterCount) { bytes in
            for index in 0..<characterCount {
                // Each number is a system call, so all its bits are used.
                if bitCount < bitsPerCharacter { (bits, bitCount) = (generator.next(), UInt64.bitWidth) }
                bytes.initializeElement(at: index, to: alphabet.utf8Start[Int(bits & 0x3F)])
                bits >>= bitsPerCharacter
                bitCount -= bitsPerCharacter
            }
            return characterCount
        }
    }
}
