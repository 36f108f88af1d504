import TestSupport
import Testing

@testable import Transport

extension TransportTests {
    @Suite struct RingTests {
        @Test func `elements come out in the order they went in, however many wait`() {
            var generator = SeededGenerator(seed: 7)
            var ring = Ring<Token>()
            var (appended, removed) = (0, 0)
            // Rising and falling, over the size at which it gives memory back.
            for limit in [3, 40, 5000, 1, 2000, 17] {
                for _ in 0..<limit * 4 {
                    if ring.count < limit, Bool.random(using: &generator) {
                        ring.append(Token(number: appended))
                        appended += 1
                    } else if ring.count > 0, Bool.random(using: &generator) {
                        #expect(ring.popFirst()?.number == removed)
                        removed += 1
                    }
                    #expect(ring.count == appended - removed && ring.isEmpty == (ring.count == 0))
                }
                while let token = ring.popFirst() {
                    #expect(token.number == removed)
                    removed += 1
                }
            }
            #expect(removed == appended && appended > 5000)
        }

        @Test func `what is taken out is let go, and what is left goes with the ring`() {
            weak var first: Token?
            weak var second: Token?
            do {
                var ring = Ring<Token>()
                for number in 0..<20 { ring.append(Token(number: number)) }
                for number in 0..<18 { #expect(ring.popFirst()?.number == number) }
                do {
                    let last = (Token(number: 20), Token(number: 21))
                    (first, second) = last
                    ring.append(last.0)
                    ring.append(last.1)
                }
                for number in 18...20 { #expect(ring.popFirst()?.number == number) }
                #expect(first == nil)
                #expect(second?.number == 21)
            }
            #expect(second == nil)
        }
    }
}

private final class Token {
    let number: Int

    init(number: Int) {
        self.number = number
    }
}
