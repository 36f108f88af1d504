import Testing
import Transcripts

struct PlayerPropertyTests {
    @Test func `a recording replays with other keys and ids and in another interleaving`() throws {
        for seed in 0..<40 {
            let transcript = FakeConversation.recorded(variant: seed, seed: seed)
            let failure = try FakeConversation.replay(transcript, variant: seed, seed: seed + 1)
            #expect(failure == nil, "seed \(seed)")
        }
    }

    @Test func `another server doesn't pass`() throws {
        var failures = 0
        for seed in 0..<40 {
            let transcript = FakeConversation.recorded(variant: seed, seed: seed)
            if try FakeConversation.replay(transcript, variant: seed + 1, seed: seed) != nil { failures += 1 }
        }
        #expect(failures == 40)
    }

    @Test func `updating a transcript that passes changes nothing`() throws {
        for seed in 0..<40 {
            let transcript = FakeConversation.recorded(variant: seed, seed: seed)
            let plain = transcript.replacing(/^1(?=[<>])/.anchorsMatchLineEndings(), with: "")
            #expect(try FakeConversation.updated(transcript, variant: seed, seed: seed + 1) == plain, "seed \(seed)")
        }
    }

    @Test func `an updated transcript passes, and updating it again changes nothing`() throws {
        for seed in 0..<40 {
            let transcript = FakeConversation.recorded(variant: seed, seed: seed)
            let updated = try FakeConversation.updated(transcript, variant: seed + 1, seed: seed + 2)
            let failure = try FakeConversation.replay(updated, variant: seed + 1, seed: seed + 3)
            #expect(failure == nil, "seed \(seed)")
            #expect(try FakeConversation.updated(updated, variant: seed + 1, seed: seed + 4) == updated, "seed \(seed)")
        }
    }
}
