package import JSON

extension Params {
    /// What one member of the params is; every failure is an `InvalidParams` that names it.
    package struct Member {
        private let name: StaticString
        /// Of duplicates the last one.
        private var written: JSONValue?

        init(name: StaticString) {
            self.name = name
        }

        /// Takes the value when the key is this member's.
        mutating func take(_ key: JSONKey, _ value: JSONValue) {
            if key == name { written = value }
        }

        /// Nil when it is absent or null.
        package var value: JSONValue? {
            written?.kind == .null ? nil : written
        }

        package func required() throws(RPCError) -> JSONValue {
            guard let value else { throw missing }
            return value
        }

        package func string() throws(RPCError) -> String? {
            guard let value else { return nil }
            guard let string = value.string() else { throw invalid("expected a string but found \(value.kind)") }
            return string
        }

        package func requiredString() throws(RPCError) -> String {
            guard let string = try string() else { throw missing }
            return string
        }

        package func integer() throws(RPCError) -> Int? {
            guard let value else { return nil }
            guard let integer = value.shortInteger ?? value.integer(as: Int.self) else {
                let found = value.kind == .number ? String(decoding: value.text, as: UTF8.self) : value.kind.description
                throw invalid("expected a 64-bit integer but found \(found)")
            }
            return integer
        }

        package func requiredInteger() throws(RPCError) -> Int {
            guard let integer = try integer() else { throw missing }
            return integer
        }

        private var missing: RPCError { invalid("missing") }

        private func invalid(_ reason: String) -> RPCError {
            .invalidParams(at: Params.path(name), reason)
        }
    }
}
