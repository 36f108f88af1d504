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
/// **Time.** A view model that sleeps or measures takes its clock from the container too. Where nothing else was said that
/// is a `ContinuousClock`; a test gives the container a clock of its own, and so does a replayed transcript:
///
/// ```swift
/// actor ReminderViewModel: ViewModel, PerRequest {
///     private let clock: any Clock<Duration>
///
///     init(container: Container, arguments: Void) throws {
///         clock = try container.resolve()
///     }
///
///     func handle(event: ViewEvent) async throws {
///         try await clock.sleep(for: .seconds(60))
///         output.send(.reminder)
///     }
/// }
///
/// let model: ReminderViewModel = try Container(clock: testClock).resolve()
/// ```
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
    ///
    /// - Parameter clock: the `any Clock<Duration>` that this container and those inside it resolve.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        self.init(owning: ContainerStorage(inside: nil))
        register((any Clock<Duration>).self) { _ in clock }
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
