import FoundationEssentials

/// Types whose form on the wire depends on code that nothing here can read.
enum Refused {
    struct Array: Codable {
        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            _ = try values.decode(Int.self)
        }
    }

    struct Text: Codable {
        var value: String

        init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(String.self) }
    }

    struct OtherType: Codable {
        var value: Int

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            value = try Int(members.decode(String.self, forKey: .value)) ?? 0
        }
    }

    struct Constant: Codable {
        let version = 1
        var name: String

        private enum CodingKeys: String, CodingKey { case version, name }

        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        }
    }

    struct Inside: Codable {
        var value: Int

        private enum CodingKeys: CodingKey { case value }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            value = try members.nestedContainer(keyedBy: CodingKeys.self, forKey: .value).decode(
                Int.self, forKey: .value)
        }
    }

    struct AnyName: Codable {
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self) }
        func encode(to encoder: any Encoder) throws {}
    }

    enum NoKeys: CodingKey {
        case none
    }

    class Base: Codable {
        var name = ""
    }

    final class Derived: Base {
        required init(from decoder: any Decoder) throws {
            try super.init(from: decoder.container(keyedBy: NoKeys.self).superDecoder())
        }
    }

    enum Tagged: Codable {
        case number(Int)

        private enum CodingKeys: CodingKey { case type, number }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self = .number(try members.decode(Int.self, forKey: .number))
        }

        func encode(to encoder: any Encoder) throws {}
    }

    struct Place: Codable {
        var language: Locale
    }

    struct Instant: Codable {
        var time: ContinuousClock.Instant
    }

    enum Event: Codable {
        case came(at: Int)
        case went(Locale, times: Int)
        case said(Text)
        case left
    }

    struct Wish: Codable {
        var name: String

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            name = try members.decode(String.self, forKey: .name)
            guard !name.isEmpty else { throw Failure() }
        }

        struct Failure: Error, CustomStringConvertible { let description = "empty" }
    }
}
