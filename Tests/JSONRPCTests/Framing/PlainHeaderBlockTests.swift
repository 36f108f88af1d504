import Testing
import TestSupport

@testable import JSONRPC

@Suite struct PlainHeaderBlockTests {
    @Test(arguments: [
        ("Content-Length: 5\r\n\r\n", 5), ("Content-Length: 0\r\n\r\n", 0), ("Content-Length: 007\r\n\r\n", 7),
        ("Content-Length: 12345678\r\n\r\n{}", 12_345_678),
        ("Content-Length: 999999999999999999\r\n\r\n", 999_999_999_999_999_999),
    ])
    func `a block with nothing but the length is taken`(text: String, length: Int) throws {
        let block = try #require(plain(text))
        #expect(block.contentLength == length)
        #expect(
            text.hasPrefix("Content-Length: ") && text.utf8.dropFirst(block.byteCount - 4).starts(with: "\r\n\r\n".utf8)
        )
        #expect(general(text) == length)
    }

    @Test(arguments: [
        "", "Content-Length: ", "Content-Length: 5", "Content-Length: 5\r\n\r", "content-length: 5\r\n\r\n",
        "Content-Length:5\r\n\r\n", "Content-Length:  5\r\n\r\n", "Content-Length: 5 \r\n\r\n",
        "Content-Length: 5\n\n{}",
        "Content-Length: \r\n\r\n", "Content-Length: -5\r\n\r\n", "Content-Length: 5\r\nX: y\r\n\r\n",
        "X: y\r\nContent-Length: 5\r\n\r\n", "Content-Lengths: 5\r\n\r\n", "Xontent-Length: 5\r\n\r\n",
        "Content-LengtX: 5\r\n\r\n", "Content-Length: 1000000000000000000\r\n\r\n",
    ])
    func `any other is left to who takes all`(text: String) {
        #expect(plain(text) == nil)
    }

    @Test(arguments: 0..<20)
    func `what it takes has the same length for who takes all`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        var taken = 0
        for _ in 0..<500 {
            let length = Int.random(in: 0...1_000_000, using: &generator)
            let bytes = Array("Content-Length: \(length)\r\n\r\n".utf8).mutated(using: &generator)
            guard let block = bytes.withUnsafeBytes({ PlainHeaderBlock($0) }) else { continue }
            taken += 1
            #expect(general(String(decoding: bytes.prefix(block.byteCount), as: UTF8.self)) == block.contentLength)
        }
        #expect(taken > 0)
    }

    private func plain(_ text: String) -> PlainHeaderBlock? {
        Array(text.utf8).withUnsafeBytes { PlainHeaderBlock($0) }
    }

    /// The length in the one line of a block.
    private func general(_ text: String) -> Int? {
        var block = HeaderBlock()
        guard let line = text.utf8.split(separator: UInt8(ascii: "\r")).first, (try? block.take(Array(line))) != nil
        else {
            return nil
        }
        return block.contentLength
    }
}
