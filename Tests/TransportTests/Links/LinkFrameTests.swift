import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite struct LinkFrameTests {
        private static let samples: [LinkFrame] = [
            .hello(version: 1, token: []), .hello(version: 200, token: [1, 2, 3]), .welcome,
            .open(channel: 1, payload: []), .open(channel: .max, payload: Array("client".utf8)),
            .data(channel: 1, isLast: true, bytes: []), .data(channel: 0x0102_0304, isLast: false, bytes: [0, 255]),
            .credit(channel: 1, 0), .credit(channel: 1, .max), .end(channel: 7), .close(channel: 7, .normal),
            .close(channel: 7, .refused), .close(channel: 7, .goingAway), .close(channel: 7, .failed), .ping, .pong,
        ]

        private static func encoded(_ frames: [LinkFrame]) -> [UInt8] {
            var bytes: [UInt8] = []
            for frame in frames { frame.encode(into: &bytes) }
            return bytes
        }

        /// The frames of the pieces, and the error.
        private func read(_ pieces: [ArraySlice<UInt8>]) -> (frames: [LinkFrame], error: LinkError?) {
            var reader = LinkFrameReader()
            var frames: [LinkFrame] = []
            var error: LinkError?
            for piece in pieces {
                piece.withUnsafeBytes { bytes in
                    do throws(LinkError) {
                        try reader.read(bytes) { (frame) throws(LinkError) in frames.append(frame) }
                    } catch let failure {
                        #expect(error == nil, "an error after an error")
                        error = failure
                    }
                }
            }
            return (frames, error)
        }

        private func pieces(_ bytes: [UInt8], of length: Int) -> [ArraySlice<UInt8>] {
            stride(from: 0, to: bytes.count, by: length).map { bytes[$0..<min($0 + length, bytes.count)] }
        }

        @Test func `a frame's bytes are its length, kind, channel and payload`() {
            let bytes = Self.encoded([.data(channel: 0x0102_0304, isLast: true, bytes: [9, 8])])
            #expect(bytes == [0, 0, 0, 8, 4, 1, 2, 3, 4, 1, 9, 8])
        }

        @Test func `frames are read as they were written, cut anywhere`() {
            let bytes = Self.encoded(Self.samples)
            for cut in 0...bytes.count {
                let (frames, error) = read([bytes[..<cut], bytes[cut...]])
                #expect(frames == Self.samples, "cut at \(cut)")
                #expect(error == nil)
            }
            for length in 1...20 { #expect(read(pieces(bytes, of: length)).frames == Self.samples) }
        }

        @Test func `the longest frames are read in pieces of any length`() {
            let longest = pattern(LinkFrame.maximumBytes)
            let frames: [LinkFrame] = [
                .data(channel: 3, isLast: false, bytes: longest), .open(channel: 4, payload: longest),
                .hello(version: 1, token: longest), .ping,
            ]
            let bytes = Self.encoded(frames)
            for length in [1, 4, 1000, 65_535, 65_536, 70_000, bytes.count] {
                #expect(read(pieces(bytes, of: length)).frames == frames, "pieces of \(length)")
            }
        }

        @Test(
            arguments: [
                ([0, 1, 0x11, 0x71], "70001 bytes"), ([255, 255, 255, 255], "4294967295 bytes"),
                ([0, 0, 0, 0], "no room"), ([0, 0, 0, 4, 8, 0, 0, 0], "no room"),
                ([0, 0, 0, 5, 0, 0, 0, 0, 0], "unknown kind 0"), ([0, 0, 0, 5, 10, 0, 0, 0, 0], "unknown kind 10"),
                ([0, 0, 0, 5, 1, 0, 0, 0, 0], "hello with 0 bytes"),
                ([0, 0, 0, 6, 2, 0, 0, 0, 0, 0], "welcome with 1"),
                ([0, 0, 0, 5, 3, 0, 0, 0, 0], "open of the channel 0"),
                ([0, 0, 0, 5, 8, 0, 0, 0, 1], "ping of the channel 1"),
                ([0, 0, 0, 5, 4, 0, 0, 0, 1], "data with 0"),
                ([0, 0, 0, 6, 4, 0, 0, 0, 1, 2], "mark of a last part is 2"),
                ([0, 0, 0, 6, 5, 0, 0, 0, 1, 2], "credit with 1"), ([0, 0, 0, 6, 7, 0, 0, 0, 1, 4], "unknown code 4"),
            ] as [([UInt8], String)])
        func `bytes that are no frame are an error with words, and nothing comes after it`(
            bytes: [UInt8], words: String
        ) {
            for all in [bytes, Self.encoded([.ping, .pong]) + bytes] {
                for length in [1, 3, all.count] {
                    let (frames, error) = read(pieces(all, of: length) + [Self.encoded([.ping])[...]])
                    #expect(frames == (all.count == bytes.count ? [] : [.ping, .pong]))
                    #expect(error?.description.contains(words) == true, "\(error as Any)")
                }
            }
        }

        @Test(arguments: 0..<20)
        func `any bytes are read alike in pieces and as a whole`(seed: Int) {
            var random = SeededGenerator(seed: seed)
            for _ in 0..<100 {
                var bytes = Self.encoded((0..<6).compactMap { _ in Self.samples.randomElement(using: &random) })
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] = .random(in: random.chance(50) ? 0...12 : 0...255, using: &random)
                }
                if random.chance(20) { bytes = (0..<64).map { _ in UInt8.random(in: 0...255, using: &random) } }
                let whole = read([bytes[...]])
                for length in 1...9 {
                    let cut = read(pieces(bytes, of: length))
                    #expect(cut.frames == whole.frames)
                    #expect(cut.error == whole.error)
                }
                // What was read is what its bytes say.
                #expect(bytes.starts(with: Self.encoded(whole.frames)))
            }
        }
    }
}
