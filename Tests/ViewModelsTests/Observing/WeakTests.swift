import TestSupport
import Testing
import ViewModels

@Suite(.inTurn) struct WeakTests {
    @Test func `it refers to its object and doesn't keep it`() {
        var object: Thing? = Thing()
        let weak = object.map { Weak($0) }
        #expect(weak?.isAlive == true)
        #expect(weak?.value === object)
        object = nil
        #expect(weak?.isAlive == false)
        #expect(weak?.value == nil)
    }

    @Test func `two of one object are equal, of two objects they aren't`() {
        let (one, other) = (Thing(), Thing())
        #expect(Weak(one) == Weak(one))
        #expect(Weak(one).hashValue == Weak(one).hashValue)
        #expect(Weak(one) != Weak(other))
    }

    @Test func `it is still the same key when its object is gone`() throws {
        var object: Thing? = Thing()
        let (key, copy) = (try #require(object.map { Weak($0) }), try #require(object.map { Weak($0) }))
        let names = [key: "mine"]
        object = nil
        #expect(names[copy] == "mine")
        #expect(key == copy)
    }

    @Test func `no later object is taken for one that is gone`() {
        var gone: Set<Weak<Thing>> = []
        for count in 1...10_000 {
            // The next one would be given the memory of the last, were that free.
            gone.insert(Weak(Thing()))
            #expect(gone.count == count)
        }
        #expect(gone.allSatisfy { !$0.isAlive })
    }

    @Test func `its object lets go of all that it held when it goes`() {
        weak var held: Thing?
        let weak: Weak<Holder>
        do {
            let thing = Thing()
            held = thing
            weak = Weak(Holder(thing))
        }
        #expect(held == nil)
        #expect(!weak.isAlive)
    }

    @Test func `it refers to any object of a protocol`() {
        let object: any AnyObject & Sendable = Thing()
        #expect(Weak(object).value === object)
        #expect(Weak(object) == Weak(object))
    }

    @Test func `one whose object is gone can be printed`() {
        let weak = Weak(Thing())
        #expect("\(weak)".hasPrefix("Weak"))
        #expect(Mirror(reflecting: weak).children.map(\.label) == ["value"])
    }
}

private final class Thing: Sendable {}

private final class Holder {
    let thing: Thing

    init(_ thing: Thing) {
        self.thing = thing
    }
}
