import Glibc
import TestSupport
import Testing

@testable import ViewModels

@Suite(.inTurn) struct ContainerStateTests {
    private let type = ObjectIdentifier(Int.self)
    private let factory = Factory<Int, Void> { _, _ in 1 }
    private let other = Factory<Int, Void> { _, _ in 2 }

    @Test func `whoever claims first makes it, and is the only one`() {
        var state = ContainerState()
        let steps = [step(), step()]
        #expect(state.phase(of: type, by: nil) == nil)
        #expect(state.claim(type, by: nil, for: steps[0]).isClaimed)
        #expect(!state.claim(type, by: nil, for: steps[1]).isClaimed)
        #expect(maker(in: state, by: nil) === steps[0])
        _ = state.end(steps[0], of: type, with: factory)
        #expect(!state.claim(type, by: nil, for: steps[1]).isClaimed)
        #expect(made(in: state, by: nil) === factory)
    }

    @Test func `a type whose making failed may be claimed again`() {
        var state = ContainerState()
        let steps = [step(), step()]
        #expect(state.claim(type, by: nil, for: steps[0]).isClaimed)
        _ = state.end(steps[0], of: type, with: nil)
        #expect(state.claim(type, by: nil, for: steps[1]).isClaimed)
    }

    @Test func `an object of a factory that was replaced counts no more, made or half-made`() {
        var state = ContainerState()
        let steps = [step(), step()]
        #expect(state.claim(type, by: factory, for: steps[0]).isClaimed)
        #expect(state.phase(of: type, by: other) == nil)
        let claim = state.claim(type, by: other, for: steps[1])
        #expect(claim.isClaimed && claim.replaced != nil)
        _ = state.end(steps[0], of: type, with: factory)
        #expect(maker(in: state, by: other) === steps[1])
        _ = state.end(steps[1], of: type, with: other)
        #expect(made(in: state, by: other) === other)
        #expect(state.phase(of: type, by: factory) == nil)
    }

    @Test func `a new registration hands back the object that was kept`() {
        var state = ContainerState()
        let making = step()
        #expect(state.register(factory, for: type).kept == nil)
        #expect(state.claim(type, by: factory, for: making).isClaimed)
        _ = state.end(making, of: type, with: factory)
        let old = state.register(other, for: type)
        #expect(old.factory === factory)
        #expect(old.kept != nil)
        #expect(state.factory(for: type) === other)
    }

    private func step() -> Making.Step {
        Making.Step(Int.self, of: Making())
    }

    private func maker(in state: ContainerState, by factory: (any AnyObject)?) -> Making.Step? {
        guard case .making(let step) = state.phase(of: type, by: factory) else { return nil }
        return step
    }

    private func made(in state: ContainerState, by factory: (any AnyObject)?) -> (any AnyObject)? {
        guard case .made(let object) = state.phase(of: type, by: factory) else { return nil }
        return object
    }
}

@Suite(.inTurn) struct MakingStepTests {
    @Test func `a step whose maker waits for the asker is given to it all the same`() async {
        let steps = Recorder<Making.Step>()
        async let other: Void = onThread {
            #expect(throws: Never.self) {
                try Making.step(making: Int.self) { _ in
                    try Making.step(making: String.self) { steps.record($0) }
                    while steps.elements.count < 2 { sched_yield() }
                    try Making.wait(for: steps.elements[1])
                }
            }
        }
        _ = await steps.elements(count: 1)
        await onThread {
            #expect(throws: Never.self) {
                try Making.step(making: Double.self) { step in
                    try step.holdingOthers {
                        steps.record(step)
                        for _ in 0..<50 {
                            try Making.wait(for: steps.elements[0])
                            sched_yield()
                        }
                    }
                }
            }
        }
        await other
    }
}

@Suite(.inTurn) struct TypeMapTests {
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
