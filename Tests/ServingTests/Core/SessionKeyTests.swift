import Serving
import Testing
import ViewModelProtocol

struct SessionKeyTests {
    @Test func `keys are base64url of at least 128 bits, none comes twice, and none looks like an option`() {
        let keys = (0..<10_000).map { _ in SessionKey.random() }
        #expect(Set(keys).count == keys.count)
        for key in keys {
            // Six bits a character, and five the first one.
            #expect(key.utf8.count * 6 - 1 >= 128)
            #expect(key.wholeMatch(of: #/[A-Za-f][A-Za-z0-9_-]+/#) != nil)
        }
    }

    @Test func `every character is in use at every place`() {
        var seen = [Set<Character>](repeating: [], count: 22)
        for _ in 0..<4_000 {
            for (place, character) in SessionKey.random().enumerated() { seen[place].insert(character) }
        }
        #expect(seen[0].count == 32)
        #expect(seen.dropFirst().allSatisfy { $0.count == 64 })
    }
}
