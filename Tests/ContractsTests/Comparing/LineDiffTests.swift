import Contracts
import Testing

struct LineDiffTests {
    private static let letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]

    @Test(
        arguments: [
            ([0: "a"], ""),
            ([4: "E"], "@@ line 4 @@\n d\n-e\n+E\n f\n"),
            ([0: "A", 9: "J"], "@@ line 1 @@\n-a\n+A\n b\n@@ line 9 @@\n i\n-j\n+J\n"),
            ([2: "C", 4: "E"], "@@ line 2 @@\n b\n-c\n+C\n d\n-e\n+E\n f\n"),
            ([3: "d\nx"], "@@ line 4 @@\n d\n+x\n e\n"),
        ] as [([Int: String], String)])
    func `lines that differ are shown with those around them`(_ changes: [Int: String], _ diff: String) {
        let old = Self.letters.joined(separator: "\n")
        let new = Self.letters.enumerated().map { changes[$0.offset] ?? $0.element }.joined(separator: "\n")
        #expect(LineDiff.text(old: old, new: new, context: 1) == diff)
    }
}
