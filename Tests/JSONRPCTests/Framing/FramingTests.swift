import Testing

@testable import JSONRPC

@Suite struct FramingTests {
    @Test func `the first byte chooses the framing`() {
        for byte in UInt8.min...UInt8.max {
            let expected: Framing? =
                switch Character(Unicode.Scalar(byte)) {
                case "{", "[": .lines
                case "C", "c": .headers
                default: nil
                }
            #expect(Framing.starting(with: byte) == expected)
        }
    }
}
