/// A factory and the container that it was found in.
struct Registered<T: Sendable, Arguments> {
    let factory: Factory<T, Arguments>
    let storage: ContainerStorage
}
