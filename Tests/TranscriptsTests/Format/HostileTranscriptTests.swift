import Testing
import TestSupport
import Transcripts

@Suite(.inTurn) struct HostileTranscriptTests {
    private static let transcript = """
        {"transcript":1,"title":"a title","server":"x 1","protocolVersion":"1.1"}
        {"from":"client","connection":1,"at":0,"message":{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":[1.5,null]}}}
        {"from":"server","connection":1,"at":12,"message":[{"id":1,"result":{"$match":"/é+/","value":"\\u00e9"}}]}
        {"from":"client","connection":2,"text":"{\\"id\\""}
        {"from":"client","connection":2,"unframed":"GET / HTTP/1.1\\r\\n"}
        {"from":"server","at":99,"end":true}

        """

    @Test(arguments: 0..<8)
    func `a file with changed bytes is read, or is an error with its line`(seed: Int) throws {
        var generator = SeededGenerator(seed: seed)
        let interesting = Array("\"\\{}[]:,0-.e\u{0}\n\r 9".utf8) + [0x80, 0xC3, 0xEF, 0xFF]
        for _ in 0..<100 {
            var bytes = Array(Self.transcript.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes[place] = interesting[Int.random(in: interesting.indices, using: &generator)]
                case 2: bytes.remove(at: place)
                case 3: bytes.insert(bytes[Int.random(in: bytes.indices, using: &generator)], at: place)
                default: bytes.removeSubrange(max(1, place)...)
                }
            }
            try check(bytes)
        }
    }

    /// Entries that were read are the same after writing and reading them again.
    private func check(_ bytes: [UInt8]) throws {
        let file = try ScratchFile(bytes)
        var copy: [UInt8] = []
        var entries: [TranscriptEntry] = []
        do throws(TranscriptError) {
            let reader = try TranscriptReader(path: file.path)
            copy = TranscriptEncoder.encode(reader.header)
            while let entry = try reader.next() {
                entries.append(entry)
                copy += TranscriptEncoder.encode(entry)
            }
        } catch {
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).count
            #expect((1...lines).contains(error.line ?? 0), "\(error)")
        }
        guard !copy.isEmpty else { return }
        let rewritten = try ScratchFile(copy)
        let reader = try TranscriptReader(path: rewritten.path)
        for entry in entries {
            var again = try reader.next()
            again?.line = entry.line
            #expect(again == entry)
        }
        #expect(try reader.next() == nil)
    }

    @Test(arguments: 0..<8)
    func `any bytes are decoded to the same contents, in every split`(seed: Int) {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("{}[]\"\\:,\r\n 0123456789Content-Length: ".utf8) + [0, 0xFF, 0x80, 0xC3, 0xE2, 0xF0]
        for _ in 0..<100 {
            let count = Int.random(in: 0..<60, using: &generator)
            let start = ["", "{", "Content-Length: 3\r\n\r\n{}\n"].randomElement(using: &generator) ?? ""
            let bytes = Array(start.utf8) + (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            let whole = take(apart: bytes, max(1, bytes.count))
            #expect(take(apart: bytes, Int.random(in: 1...7, using: &generator)) == whole, "\(bytes)")
            #expect(whole.last == .end)
        }
    }

    private func take(apart bytes: [UInt8], _ size: Int) -> [TranscriptEntry.Content] {
        var decoder = ContentDecoder()
        var contents: [TranscriptEntry.Content] = []
        func take(_ content: TranscriptEntry.Content) {
            if case .unframed(let text) = content, case .unframed(let before) = contents.last {
                contents[contents.count - 1] = .unframed(before + text)
            } else {
                contents.append(content)
            }
        }
        for start in stride(from: 0, to: bytes.count, by: size) {
            bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { decoder.decode($0, take) }
        }
        decoder.finish(take)
        return contents
    }
}
