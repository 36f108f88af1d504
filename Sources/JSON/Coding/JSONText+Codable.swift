extension JSONText: Codable {
    /// Keeps the value that stands here, whatever it is. Only this module's own decoders have its text.
    package init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? ValueTreeDecoder else { throw DecodingError.foreign(decoder.codingPath) }
        let text = decoder.state.tape.text
        let start = try decoder.state.tape.entry(decoder.index).offset
        var reader = JSONReader(UnsafeRawBufferPointer(rebasing: text[start...]), maximumDepth: .max)
        self.init(try reader.value())
    }

    package func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? ValueTreeEncoder else {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath, debugDescription: "only this package's encoders take JSON as it is")
            throw EncodingError.invalidValue(self, context)
        }
        try encoder.state.text.writeScalar(in: encoder.slot) { $0.pointee.raw(bytes) }
    }
}

extension DecodingError {
    fileprivate static func foreign(_ path: [any CodingKey]) -> DecodingError {
        dataCorrupted(Context(codingPath: path, debugDescription: "only this package's decoders give JSON as it is"))
    }
}
