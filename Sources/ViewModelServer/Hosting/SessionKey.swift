/// Makes the keys by which sessions are known across connections.
package enum SessionKey {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// 132 bits from the system's generator, which is cryptographically secure: 22 characters of base64url.
    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<22).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
