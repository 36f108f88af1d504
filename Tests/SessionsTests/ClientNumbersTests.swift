import Testing

@testable import Sessions

@Suite struct ClientNumbersTests {
    private var numbers = ClientNumbers()

    @Test mutating func `a client's numbers are taken in order`() {
        for number in 1...3 {
            #expect(verdict(number) == "new")
            numbers.take(number, from: "a")
            #expect(verdict(number) == "repeated")
            #expect(numbers.highest(of: "a") == number)
        }
        #expect(verdict(1) == "repeated")
        #expect(verdict(5) == "early, 4 is next")
        #expect(verdict(.max) == "early, 4 is next")
    }

    @Test mutating func `clients count on their own`() {
        numbers.take(1, from: "a")
        #expect(verdict(2) == "new")
        #expect(verdict(2, from: "b") == "early, 1 is next")
        #expect(numbers.highest(of: "b") == 0)
    }

    @Test mutating func `a client is known from its name on and keeps its number`() {
        #expect(!numbers.isKnown("a"))
        numbers.add("a")
        #expect(numbers.isKnown("a"))
        numbers.take(1, from: "a")
        numbers.add("a")
        #expect(numbers.highest(of: "a") == 1)
        #expect(numbers.count == 1)
    }

    private func verdict(_ number: Int, from client: String = "a") -> String {
        switch numbers.judge(number, from: client) {
        case .new: "new"
        case .repeated: "repeated"
        case .early(let expected): "early, \(expected) is next"
        }
    }
}
