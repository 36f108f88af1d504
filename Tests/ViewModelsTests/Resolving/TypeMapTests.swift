import Testing

@testable import ViewModels

@Suite struct TypeMapTests {
    private let types: [ObjectIdentifier] = [
        ObjectIdentifier(Int.self), ObjectIdentifier(String.self), ObjectIdentifier(Bool.self),
        ObjectIdentifier([Int].self), ObjectIdentifier(Double.self), ObjectIdentifier(Void.self),
    ]

    @Test func `a type has the value that it was given last, whatever other types were given`() {
        var map = TypeMap<Int>()
        for (number, type) in types.enumerated() {
            #expect(map[type] == nil)
            #expect(map.updateValue(number, forType: type) == nil)
        }
        for (number, type) in types.enumerated() {
            #expect(map[type] == number)
            #expect(map.updateValue(number + 10, forType: type) == number)
        }
        for (number, type) in types.enumerated() {
            #expect(map.removeValue(forType: type) == number + 10)
            #expect(map.removeValue(forType: type) == nil)
            #expect(map[type] == nil)
            for (later, other) in types.enumerated().dropFirst(number + 1) { #expect(map[other] == later + 10) }
        }
    }
}
