import JSON

extension JSONText {
    /// A value in its own `Codable` form.
    init(encoding value: some Encodable) throws {
        var failure: JSONCodingError?
        self.init { writer in
            do throws(JSONCodingError) {
                try ValueEncoder().encode(value, into: &writer)
            } catch {
                failure = error
                writer.null()
            }
        }
        if let failure { throw failure }
    }

    /// An event in its flat shape.
    init(event: some Encodable) throws {
        var failure: JSONCodingError?
        self.init { writer in
            do throws(JSONCodingError) {
                try EventEncoder().encode(event, into: &writer)
            } catch {
                failure = error
                writer.null()
            }
        }
        if let failure { throw failure }
    }
}
