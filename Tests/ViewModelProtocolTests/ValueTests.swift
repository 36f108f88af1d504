import JSON
import JSONRPC
import TestSupport
import Testing
import ViewModelProtocol

/// The values whose `Codable` form is written by hand.
@Suite(.inTurn) struct ValueTests {
    private func decode<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        try JSONText(text).withValue { try ValueDecoder().decode(type, from: $0) }
    }

    private func text(_ value: some Encodable) throws -> String { try JSONText(encoding: value).description }

    @Test(arguments: ["1", #""a""#, "-0", "1.0", #""\u0041""#, "123456789012345678901234567890"])
    func `a request's id comes back as it was written`(_ id: String) throws {
        #expect(try text(decode(RequestID.self, id)) == id)
    }

    @Test(arguments: ["1.5", "null", "true", "[]", "{}"])
    func `an id is a string or an integer`(_ id: String) {
        #expect(throws: JSONCodingError(path: .root, reason: "expected a string or an integer")) {
            try decode(RequestID.self, id)
        }
    }

    @Test func `nothing that a client says about itself is an error`() throws {
        #expect(try decode(ClientInfo.self, #"{"name":"a","version":"1"}"#) == ClientInfo(name: "a", version: "1"))
        #expect(try decode(ClientInfo.self, #"{"name":"a","version":1}"#) == ClientInfo(name: "a", version: nil))
        for odd in ["1", "[]", "{}", #""a""#] {
            #expect(try decode(ClientInfo.self, odd) == ClientInfo(name: nil, version: nil))
        }
    }

    @Test(arguments: [
        (#""off""#, TraceLevel.off), (#""messages""#, .messages), (#""verbose""#, .verbose),
        (#""compact""#, .messages), (#""loud""#, .off), ("1", .off), ("{}", .off),
    ])
    func `no trace level is an error`(text: String, level: TraceLevel) throws {
        #expect(try decode(TraceLevel.self, text) == level)
    }

    @Test func `a child that isn't there is null and not absent`() throws {
        let state = SessionAttach.NavigationState(stack: [], presented: nil)
        #expect(try text(state) == #"{"stack":[],"presented":null}"#)
        #expect(try decode(SessionAttach.NavigationState.self, text(state)).presented.value == nil)
        let child = SessionAttach.Child(viewModel: "a", key: "k")
        let full = SessionAttach.NavigationState(stack: [child], presented: child)
        #expect(try decode(SessionAttach.NavigationState.self, text(full)).presented.value == child)
    }

    @Test(arguments: [
        #"{"kind":"begin","title":"Loading","cancellable":true,"message":"a","percentage":0}"#,
        #"{"kind":"begin","title":"Loading","cancellable":true}"#, #"{"kind":"report","percentage":50}"#,
        #"{"kind":"end","message":"done"}"#,
    ])
    func `progress is the Language Server Protocol's`(_ progress: String) throws {
        #expect(try text(decode(WorkDone.self, progress)) == progress)
    }

    @Test func `members that are any JSON keep their form`() throws {
        let params = #"{"viewModel":"a","arguments":{"b":1.50,"a":[1e2,null]}}"#
        #expect(try text(decode(SessionOpen.Params.self, params)) == params)
        #expect(try decode(SessionOpen.Params.self, #"{"viewModel":"a","arguments":null}"#).arguments == nil)
    }

    @Test(arguments: [("1.0", true), ("1.7", true), ("1", true), ("2.0", false), ("", false), ("11.0", false)])
    func `versions with the same major number are compatible`(version: String, isSupported: Bool) {
        #expect(ProtocolVersion.isSupported(version) == isSupported)
        #expect(ProtocolVersion.isSupported(ProtocolVersion.current.rawValue))
    }
}
