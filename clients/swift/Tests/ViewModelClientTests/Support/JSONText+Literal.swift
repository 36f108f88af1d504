import JSON

extension JSONText {
    /// A literal of a test's.
    init(_ text: String) {
        let bytes = Array(text.utf8)
        self = bytes.withUnsafeBytes { bytes in
            (try? JSONText(validating: bytes)) ?? JSONText { $0.string("not JSON: \(text)") }
        }
    }
}
