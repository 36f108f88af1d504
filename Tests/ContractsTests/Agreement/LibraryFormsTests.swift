import Contracts
import FoundationEssentials
import JSON
import SchemaValidation
import Testing

/// Types of the standard library, as members.
enum Library {
    enum Key: String, Codable, CodingKeyRepresentable { case first, second }

    /// Those that take any values of their elements.
    struct Unordered: Codable {
        var duration: Duration
        var from: PartialRangeFrom<Int>
        var upTo: PartialRangeUpTo<String>
        var through: PartialRangeThrough<Double>?
        var point: SIMD2<Float>
        var cube: SIMD8<Int8>
        var byKey: [Key: Int]
        var maybe: Int??
        var zones: [SIMD3<UInt8>]
        var contiguous: ContiguousArray<Bool>
    }
}

/// The forms that the standard library and Foundation give their types on the wire: the codec's, and in the contract.
struct LibraryFormsTests {
    struct Form: Sendable, CustomTestStringConvertible {
        let type: any Any.Type
        /// The values as the codec writes them.
        let written: @Sendable () throws -> [String]
        let isTaken: @Sendable (String) -> Bool
        /// What they should be.
        let texts: [String]
        /// Neither the codec nor the schema takes them.
        let refused: [String]
        var testDescription: String { "\(type)" }

        init<T: Codable & Sendable>(_ values: [T], _ texts: [String], refused: [String]) {
            (type, self.texts, self.refused) = (T.self, texts, refused)
            written = {
                try values.map { value in
                    var writer = JSONWriter()
                    try ValueEncoder().encode(value, into: &writer)
                    return String(decoding: writer.takeBytes(), as: UTF8.self)
                }
            }
            isTaken = { text in
                Array(text.utf8).withUnsafeBytes { bytes in
                    guard let value = try? JSONValue(validating: bytes) else { return false }
                    return (try? ValueDecoder().decodeStrictly(T.self, from: value)) != nil
                }
            }
        }
    }

    @Test(arguments: [
        Form([1..<3, 0..<0], ["[1,3]", "[0,0]"], refused: ["[1]", "[]", "1", "{}", #"["a","b"]"#, "[1.5,2]"]),
        Form([1.5...2], ["[1.5,2.0]"], refused: ["[1]", "[null,2]"]),
        Form(["a"..<"b"], [#"["a","b"]"#], refused: ["[1,2]"]),
        Form(
            [Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 1)],
            [#"["1970-01-01T00:00:00Z","1970-01-01T00:00:01Z"]"#], refused: ["[0,1]"]),
        Form([1...], ["[1]"], refused: ["[]", "1"]), Form([..<1], ["[1]"], refused: ["[]", "[null]"]),
        Form([...1], ["[1]"], refused: ["[]", #"["a"]"#]),
        Form(
            [Duration.milliseconds(1_500), .milliseconds(-1), .zero],
            ["[0,1500000000000000000]", "[-1,18445744073709551616]", "[0,0]"],
            refused: ["1.5", "[0]", "[0,-1]", "[18446744073709551615,0]", #"["0","0"]"#]),
        Form([SIMD3(1, 2, 3)], ["[1,2,3]"], refused: ["[1,2]", "[1,2,1.5]"]),
        Form([Float16(1.5)], ["1.5"], refused: [#""1.5""#]),
        Form([TaskPriority.high], ["25"], refused: ["256", #""high""#]),
        Form([[Library.Key.first: 1]], [#"{"first":1}"#], refused: [#"{"third":1}"#, #"{"first":"a"}"#, "[]"]),
        Form([[UInt8(1): "a"]], [#"[1,"a"]"#], refused: ["{}", "[true]"]),
        Form([Int??.some(nil), .some(.some(1))], ["null", "1"], refused: ["[]", #""a""#]),
        Form(
            [DateInterval(start: Date(timeIntervalSince1970: 0), duration: 1.5)],
            [#"{"start":"1970-01-01T00:00:00Z","duration":1.5}"#],
            refused: [#"{"start":"1970-01-01T00:00:00Z"}"#, #"{"start":0,"duration":1}"#]),
        Form([TimeZone.gmt], [#"{"identifier":"GMT"}"#], refused: [#""GMT""#, "{}"]),
    ])
    func `the contract has the form that the codec writes and reads`(_ form: Form) throws {
        var builder = ContractBuilder()
        let contract = builder.contract(
            of: "form", Never.self, arguments: .decoded(form.type), viewEvent: Never.self, events: .cases(Never.self))
        #expect(builder.problems.isEmpty)
        let document = try SchemaDocument(text: contract.json.line)
        let written = try form.written()
        #expect(written.count == form.texts.count)
        for (written, text) in zip(written, form.texts) {
            #expect(try Self.same(written, text), "\(written)")
            #expect(document.validate(text: text, by: "/arguments").isEmpty, "\(text)")
            #expect(form.isTaken(text))
        }
        for text in form.refused {
            #expect(!document.validate(text: text, by: "/arguments").isEmpty, "\(text)")
            #expect(!form.isTaken(text), "\(text)")
        }
    }

    /// Whether two texts are the same JSON, in whatever order their members are.
    private static func same(_ one: String, _ other: String) throws -> Bool {
        func sorted(_ tree: JSONTree) -> JSONTree {
            guard case .object(let members) = tree else { return tree }
            return .object(members.sorted { $0.name < $1.name })
        }
        return try sorted(JSONTree(parsing: one)) == sorted(JSONTree(parsing: other))
    }
}
