import TestSupport
import Testing
import Transport

@Suite(.inTurn) struct WaitingLinesTests {
    private func append(_ text: String, to lines: inout WaitingLines) -> Int {
        Array(text.utf8).withUnsafeBytes { lines.append($0) }
    }

    private func take(_ lines: inout WaitingLines) -> String {
        lines.noteMissingIfEmpty()
        defer { lines.drop(lines.bytes.count) }
        return String(decoding: lines.bytes, as: UTF8.self)
    }

    @Test func `lines that fit come out as they went in`() {
        var lines = WaitingLines(maximumBytes: 20)
        #expect(append("one\ntw", to: &lines) == 0)
        #expect(append("o\n\nthree", to: &lines) == 0)
        #expect(take(&lines) == "one\ntwo\n\nthree")
        #expect(append(" and four\n", to: &lines) == 0)
        #expect(take(&lines) == " and four\n")
    }

    @Test func `whole lines are left out, and a line says how many`() {
        var lines = WaitingLines(maximumBytes: 10)
        #expect(append("1234\n6789\nab\ncd\nef", to: &lines) == 3)
        #expect(append("gh\n", to: &lines) == 0, "the end of a line that was counted")
        #expect(take(&lines) == "1234\n6789\n")
        #expect(append("xyz\n", to: &lines) == 0)
        #expect(take(&lines) == "3 lines left out: nobody read them in time\nxyz\n")
    }

    @Test func `the count comes without a line behind it, too`() {
        var lines = WaitingLines(maximumBytes: 5)
        #expect(append("1234\nab\n", to: &lines) == 1)
        #expect(take(&lines) == "1234\n")
        #expect(take(&lines) == "1 lines left out: nobody read them in time\n")
        #expect(take(&lines) == "")
    }

    @Test func `a line that doesn't fit as a whole is ended where it is`() {
        var lines = WaitingLines(maximumBytes: 5)
        #expect(append("ab", to: &lines) == 0)
        #expect(append("cdefgh", to: &lines) == 1)
        #expect(append("ij\n", to: &lines) == 0)
        #expect(take(&lines) == "ab\n")
    }

    @Test func `however it is printed and read, each line is there or counted`() {
        for seed in 0..<100 {
            var generator = SeededGenerator(seed: seed)
            var lines = WaitingLines(maximumBytes: Int.random(in: 0...60, using: &generator))
            var (printed, leftOut, output) = (0, 0, "")
            for _ in 0..<100 {
                var text = ""
                for _ in 0..<Int.random(in: 0...6, using: &generator) {
                    text +=
                        "line \(printed) \(String(repeating: "x", count: Int.random(in: 0...9, using: &generator))).\n"
                    printed += 1
                }
                // In two pieces.
                let cut = text.index(text.startIndex, offsetBy: Int.random(in: 0...text.count, using: &generator))
                for piece in [text[..<cut], text[cut...]] {
                    leftOut += append(String(piece), to: &lines)
                    #expect(lines.bytes.count <= 60 + 60)
                    if generator.chance(30) {
                        lines.noteMissingIfEmpty()
                        let count = Int.random(in: 0...lines.bytes.count, using: &generator)
                        output += String(decoding: lines.bytes[..<count], as: UTF8.self)
                        lines.drop(count)
                    }
                }
            }
            output += take(&lines)
            output += take(&lines)
            // Of a line that was begun when there was no room for its end, only the beginning is there.
            let found = output.split(separator: "\n").filter { $0.hasPrefix("line ") && $0.hasSuffix(".") }
            let said = output.split(separator: "\n").filter { $0.hasSuffix("in time") }
                .compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }.reduce(0, +)
            // Where only its line break had no room, a line is counted though all of it is there.
            #expect(said == leftOut && found.count + leftOut >= printed, "seed \(seed)")
            let numbers = found.compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
            #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
        }
    }
}
