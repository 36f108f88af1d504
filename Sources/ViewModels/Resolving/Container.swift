/// Makes what view models depend on, by the type that is wanted, and keeps what there is one of.
///
/// ```swift
/// let container = Container()
/// container.register((any OrdersProvider).self) { _ in SampleOrdersProvider() }
///
/// let orders: OrdersViewModel = try container.resolve()
/// let details: OrderDetailsViewModel = try container.resolve(arguments: order)
/// ```
///
/// Containers nest: one for the process, and one inside it for each session. What is registered counts in that
/// container and in those inside it, the nearest first; so one dependency is replaced for a session, or for a test,
/// without touching the rest.
///
/// A container is a handle, and its copies are the same container. Whoever made it keeps it alive, and so does a view
/// model that keeps the one it was made with. What the container itself keeps is handed a handle that doesn't: when the
/// owner is gone such a one throws `ContainerError.ended`.
///
/// Any task or thread may call it, also at once, and inside a making too. Who asks for what another thread is making
/// waits for that, so a making must not itself wait for other threads. Nobody else waits.
public struct Container: Sendable {
    weak var storage: ContainerStorage?
    /// Only keeps it alive; nil in a handle for what the container keeps.
    private let owned: ContainerStorage?

    /// The outermost container, such as that of the process.
    public init() {
        self.init(owning: ContainerStorage(inside: nil))
    }

    /// A container inside another one, for a session: what isn't registered or kept in it is the other's.
    ///
    /// It keeps the other alive, unless that is a handle which doesn't.
    public init(in parent: Container) {
        self.init(owning: ContainerStorage(inside: parent))
    }

    private init(owning storage: ContainerStorage) {
        self.storage = storage
        owned = storage
    }

    /// A handle that doesn't keep the container alive.
    init(borrowing storage: ContainerStorage) {
        self.storage = storage
        owned = nil
    }
}
