import TestSupport
import Testing

@testable import Sessions

@Suite(.inTurn) struct ClientNumbersTests {
    private var numbers = ClientNumbers()

    @Test mutating func `a client's numbers are taken in order`() {
        for number in 1...3 {
            #expect(verdict(number) == "new")
            numbers.take(ClientNumber(client: "a", number: number))
            #expect(verdict(number) == "repeated")
            #expect(numbers.highest(of: "a") == number)
        }
        #expect(verdict(1) == "repeated")
        #expect(verdict(5) == "early, 4 is next")
        #expect(verdict(.max) == "early, 4 is next")
    }

    @Test mutating func `clients count on their own`() {
        numbers.take(ClientNumber(client: "a", number: 1))
        #expect(verdict(2) == "new")
        #expect(verdict(2, from: "b") == "early, 1 is next")
        #expect(numbers.highest(of: "b") == 0)
    }

    @Test mutating func `a name that has numbered nothing is forgotten with its view, and any other isn't`() {
        numbers.attach("a", 1)
        numbers.attach("b", 2)
        #expect(numbers.count == 2)
        numbers.take(ClientNumber(client: "b", number: 1))
        numbers.detach("a", 1)
        numbers.detach(2)
        #expect(numbers.count == 1)
        #expect(numbers.highest(of: "b") == 1)
        #expect(numbers.view(of: "b") == nil)
    }

    @Test mutating func `a view that is gone takes no name from the next one`() {
        numbers.attach("a", 1)
        numbers.attach("a", 2)
        numbers.detach("a", 1)
        #expect(numbers.view(of: "a") == 2)
    }

    @Test mutating func `names go when there are too many, the one first whose view was gone first`() {
        numbers.restore([ClientNumber(client: "stored", number: 7)], hasForgotten: false)
        #expect(numbers.isSure(of: "nobody"))
        for (view, name) in ["a", "b", "c", "stays"].enumerated() {
            numbers.attach(name, view)
            numbers.take(ClientNumber(client: name, number: 1))
        }
        for (name, view) in [("b", 1), ("a", 0), ("c", 2)] { numbers.detach(name, view) }
        var gone: [String] = []
        while let name = numbers.forgetOne(beyond: 2, where: { $0.client != "a" }) { gone.append(name) }
        #expect(gone == ["stored", "b", "c"], "of a something is on its way")
        while let name = numbers.forgetOne(beyond: 1, where: { _ in true }) { gone.append(name) }
        #expect(gone.last == "a")
        #expect(numbers.forgetOne(beyond: 0, where: { _ in true }) == nil, "it has a view")
        #expect(numbers.isSure(of: "stays"))
        #expect(!numbers.isSure(of: "a") && !numbers.isSure(of: "nobody"))
    }

    @Test mutating func `of names that an earlier life has forgotten nothing is known, however many there may be now`()
    {
        numbers.restore([ClientNumber(client: "stored", number: 7)], hasForgotten: true)
        #expect(numbers.isSure(of: "stored") && !numbers.isSure(of: "nobody"))
    }

    private func verdict(_ number: Int, from client: String = "a") -> String {
        switch numbers.judge(number, from: client) {
        case .unnumbered: "unnumbered"
        case .new(let taken): taken == ClientNumber(client: client, number: number) ? "new" : "\(taken)"
        case .repeated: "repeated"
        case .early(_, let expected): "early, \(expected) is next"
        }
    }
}
