import Synchronization
public import ViewModels

/// Records what a view model shows and takes off, for a test of that view model alone. It shows nothing.
///
/// ```swift
/// @Test func `an order that is selected is pushed`() async throws {
///     let container = Container()
///     let navigator = RecordingNavigator(in: container)
///     container.register((any OrdersProvider).self) { _ in SampleOrders() }
///
///     let orders: OrdersViewModel = try container.resolve(arguments: .init(count: 3))
///     try await orders.handle(event: .loadOrders)
///     try await orders.handle(event: .selectOrder(index: 1))
///
///     #expect(navigator.steps == [.push(OrderDetailsViewModel.self)])
///     #expect(navigator.arguments(of: OrderDetailsViewModel.self).map(\.id) == [1])
/// }
/// ```
///
/// It doesn't make the view models that are shown, so they and their dependencies needn't be registered. Any thread may
/// call it.
public final class RecordingNavigator: Navigator {
    /// One call of a `NavigationService` or `PresenterService`.
    public struct Step: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Hashable {
            case push(ObjectIdentifier), present(ObjectIdentifier), pop, dismiss
        }

        private let kind: Kind
        /// As it is written in a test: `.push(OrderDetailsViewModel.self)`.
        public let description: String

        /// A view model was pushed.
        public static func push(_ type: any Any.Type) -> Step {
            Step(kind: .push(ObjectIdentifier(type)), description: ".push(\(type).self)")
        }

        /// A view model was presented.
        public static func present(_ type: any Any.Type) -> Step {
            Step(kind: .present(ObjectIdentifier(type)), description: ".present(\(type).self)")
        }

        /// The view model that was pushed last was to be taken off, whether there was one or not.
        public static let pop = Step(kind: .pop, description: ".pop")

        /// The view model that was presented last was to be taken off, whether there was one or not.
        public static let dismiss = Step(kind: .dismiss, description: ".dismiss")
    }

    private struct State {
        var steps: [Step] = []
        var shown: [(type: ObjectIdentifier, arguments: any Sendable)] = []
        var refusal: (any Error)?
    }

    private let state = Mutex(State())

    /// A navigator that a container resolves as its `any Navigator`.
    ///
    /// - Parameter container: keeps the navigator.
    public init(in container: Container) {
        container.register((any Navigator).self) { _ in self }
    }

    /// All calls so far, in order. Those that were refused are not among them.
    public var steps: [Step] { state.withLock { $0.steps } }

    /// The arguments of all view models of this type that were shown, in order.
    public func arguments<Model: PerRequest>(of type: Model.Type) -> [Model.Arguments] {
        let shown = state.withLock { $0.shown }
        return shown.filter { $0.type == ObjectIdentifier(type) }.compactMap { $0.arguments as? Model.Arguments }
    }

    /// Has each later `push` and `present` fail.
    ///
    /// - Parameter error: thrown to the view model, such as `NavigationError.ended`; nil: they succeed again.
    public func refuse(with error: (any Error)?) {
        state.withLock { $0.refusal = error }
    }

    /// Records the call. Called by the services.
    ///
    /// - Throws: the error that was given to `refuse(with:)`.
    public func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition
    ) throws {
        try state.withLock { state in
            if let refusal = state.refusal { throw refusal }
            state.steps.append(transition == .push ? .push(type) : .present(type))
            state.shown.append((ObjectIdentifier(type), arguments))
        }
    }

    /// Records the call. Called by the services.
    public func takeOff(_ transition: Transition) {
        state.withLock { $0.steps.append(transition == .push ? .pop : .dismiss) }
    }
}
