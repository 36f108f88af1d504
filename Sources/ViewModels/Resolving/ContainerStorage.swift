import Synchronization

/// The container behind all its handles. Nothing is called or released while its state is locked.
final class ContainerStorage: Sendable {
    /// A singleton in an object, so that any `T` is kept, and found again, as exactly that type.
    private final class Box<T: Sendable>: Sendable {
        let value: T

        init(_ value: T) {
            self.value = value
        }
    }

    private let parent: Container?
    /// The function that is given each durable singleton before anybody else gets it.
    private let willKeep = Mutex<(@Sendable (any DurableSingleton) throws -> Void)?>(nil)
    private let state = Mutex(ContainerState())

    init(inside parent: Container?) {
        self.parent = parent
    }

    func watchSingletons(_ willKeep: @escaping @Sendable (any DurableSingleton) throws -> Void) {
        self.willKeep.withLock { $0 = willKeep }
    }

    func register<T, Arguments>(_ factory: Factory<T, Arguments>) {
        let old = state.withLock { $0.register(factory, for: ObjectIdentifier(T.self)) }
        withExtendedLifetime(old) {}
    }

    /// Returns the nearest registration of a `T`, in this container or one around it.
    func registered<T, Arguments>() throws(ContainerError) -> Registered<T, Arguments>? {
        let factory = state.withLock { $0.factory(for: ObjectIdentifier(T.self)) }
        if let factory = factory as? Factory<T, Arguments> { return Registered(factory: factory, storage: self) }
        return try enclosing()?.registered()
    }

    func outermost() throws(ContainerError) -> ContainerStorage {
        try enclosing()?.outermost() ?? self
    }

    private func enclosing() throws(ContainerError) -> ContainerStorage? {
        guard let parent else { return nil }
        guard let storage = parent.storage else { throw .ended }
        return storage
    }

    /// Returns the one `T` that this container keeps. Where `factory` hasn't made one, it is made by `make`.
    func one<T>(_ factory: Factory<T, Void>?, make: (Container) throws -> T) throws -> T {
        while true {
            switch state.withLock({ $0.phase(of: ObjectIdentifier(T.self), by: factory) }) {
            case .made(let box):
                guard let box = box as? Box<T> else { throw ContainerError.notRegistered("\(T.self)") }
                return box.value
            case .making(let step):
                try Making.wait(for: step)
            case nil:
                if let value = try makeOne(factory, make) { return value }
            }
        }
    }

    /// Makes the one `T`. Returns nil, without making anything, where another thread came first.
    private func makeOne<T>(_ factory: Factory<T, Void>?, _ make: (Container) throws -> T) throws -> T? {
        try Making.step(making: T.self) { step in
            try step.holdingOthers {
                let claim = state.withLock { $0.claim(ObjectIdentifier(T.self), by: factory, for: step) }
                guard claim.isClaimed else { return nil }
                do {
                    let value = try make(Container(borrowing: self))
                    if let singleton = value as? any DurableSingleton { try willKeep.withLock { $0 }?(singleton) }
                    end(step, of: T.self, with: Box(value))
                    return value
                } catch {
                    end(step, of: T.self, with: nil)
                    throw error
                }
            }
        }
    }

    private func end<T>(_ step: Making.Step, of type: T.Type, with box: Box<T>?) {
        let old = state.withLock { $0.end(step, of: ObjectIdentifier(type), with: box) }
        withExtendedLifetime(old) {}
    }
}

/// One registration of a type. Its identity tells it from other registrations of the same type.
final class Factory<T: Sendable, Arguments>: Sendable {
    let make: @Sendable (Container, Arguments) throws -> T

    init(_ make: @escaping @Sendable (Container, Arguments) throws -> T) {
        self.make = make
    }
}

/// A registration and the container that it was found in.
struct Registered<T: Sendable, Arguments> {
    let factory: Factory<T, Arguments>
    let storage: ContainerStorage
}
