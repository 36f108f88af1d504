/// How one type is made, as it was registered. Its identity tells one registration from the next of the same type.
final class Factory<T: Sendable, Arguments>: Sendable {
    let make: @Sendable (Container, Arguments) throws -> T

    init(_ make: @escaping @Sendable (Container, Arguments) throws -> T) {
        self.make = make
    }
}
