import JSON
import TestSupport
import Testing

/// Decoding that refuses members which no type knows.
@Suite(.inTurn) struct StrictDecodingTests {
    private struct Wish: Decodable {
        var count: Int?
        var filter: Filter?
        var filters: [Filter]?
        var labels: [String: Int]?
        var choice: Choice?
        var raw: JSONText?
    }

    private struct Filter: Decodable {
        var from: Int?

        enum CodingKeys: String, CodingKey { case from = "since" }
    }

    private enum Choice: Decodable {
        case one(size: Int)
        case none
    }

    /// Two types that share an object.
    private struct Whole: Decodable {
        let part: Filter
        let name: String

        enum CodingKeys: CodingKey { case name }

        init(from decoder: any Decoder) throws {
            part = try Filter(from: decoder)
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        }
    }

    private func failure<T: Decodable>(_ type: T.Type, _ text: String) -> String? {
        do throws(JSONCodingError) {
            _ = try JSONText(text).withValue { value throws(JSONCodingError) in
                try ValueDecoder().decodeStrictly(type, from: value, at: "/arguments")
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        (#"{"cuont":1}"#, "/arguments/cuont"), (#"{"count":1,"b":{},"a":1}"#, "/arguments/b"),
        (#"{"filter":{"since":1,"from":2}}"#, "/arguments/filter/from"),
        (#"{"filters":[{},{"x/y":1}]}"#, "/arguments/filters/1/x~1y"),
        (#"{"choice":{"one":{"size":1,"sice":2}}}"#, "/arguments/choice/one/sice"),
        (#"{"coun\u0074":1,"":null}"#, "/arguments/"),
    ]) func `an unknown member is refused, with its path`(text: String, path: String) {
        #expect(failure(Wish.self, text) == "\(path): unknown member")
    }

    @Test(arguments: [
        "{}", #"{"count":1,"filter":{"since":2},"filters":[{}],"labels":{"any":1,"":2},"choice":{"none":{}}}"#,
        #"{"raw":{"whatever":{"is":"there"}},"count":1,"count":2}"#, #"{"cou\u006et":null}"#,
    ]) func `members that a type knows are taken, and so is all that a type reads as a whole`(text: String) {
        #expect(failure(Wish.self, text) == nil)
    }

    @Test func `a member is known where one of the types that share an object knows it`() {
        #expect(failure(Whole.self, #"{"name":"n","since":1}"#) == nil)
        #expect(failure(Whole.self, #"{"name":"n","from":1}"#) == "/arguments/from: unknown member")
    }

    @Test func `unknown members can be found, the first of each name in an array, and the rest is decoded`() throws {
        var unknown: [JSONPointer] = []
        let text =
            #"{"cuont":1,"count":2,"filters":[{"since":1},{"a":1},{"a":2,"b":3}],"labels":{"any":1},"raw":{"x":1}}"#
        let wish = try JSONText(text).withValue { value throws(JSONCodingError) in
            try ValueDecoder().decode(Wish.self, from: value, unknown: &unknown)
        }
        #expect(unknown == ["/cuont", "/filters/1/a", "/filters/2/b"])
        #expect((wish.count, wish.filters?.count) == (2, 3))
    }

    @Test(.timeLimit(.minutes(1))) func `an unknown member in each of a hundred thousand rows is found once, and soon`()
        throws
    {
        var unknown: [JSONPointer] = []
        let rows = Array(repeating: #"{"old":1}"#, count: 100_000).joined(separator: ",")
        let wish = try JSONText(#"{"filters":[\#(rows)]}"#).withValue { value throws(JSONCodingError) in
            try ValueDecoder().decode(Wish.self, from: value, unknown: &unknown)
        }
        #expect(unknown == ["/filters/0/old"])
        #expect(wish.filters?.count == 100_000)
    }

    @Test func `a decoding after a strict one is lenient again`() throws {
        #expect(failure(Wish.self, #"{"cuont":1}"#) != nil)
        let wish = try JSONText(#"{"cuont":1,"count":2}"#).withValue { value throws(JSONCodingError) in
            try ValueDecoder().decode(Wish.self, from: value)
        }
        #expect(wish.count == 2)
    }
}

extension JSONText {
    fileprivate init(_ text: String) {
        let bytes = Array(text.utf8)
        self = bytes.withUnsafeBytes { bytes in
            (try? JSONText(validating: bytes)) ?? JSONText { $0.string("not JSON: \(text)") }
        }
    }
}
