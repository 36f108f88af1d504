import Synchronization
public import ViewModels

/// A navigator for the test of a single view model: it records what the view model shows and takes off, and shows
/// nothing.
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
/// It doesn't make the view models that are shown. So they and their dependencies needn't be registered. Any thread may
/// call it.
public final class RecordingNavigator: Navigator {
    /// One call of a `NavigationService` or `PresenterService`.
    public struct Step: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: Hashable {
            case push(ObjectIdentifier), present(ObjectIdentifier), pop, dismiss
        }

        private let kind: Kind
        /// The step as it is written in a test: `.push(OrderDetailsViewModel.self)`.
        public let description: String

        /// Returns the step in which a view model of this type is pushed.
        public static func push(_ type: any Any.Type) -> Step {
            Step(kind: .push(ObjectIdentifier(type)), description: ".push(\(type).self)")
        }

        /// Returns the step in which a view model of this type is presented.
        public static func present(_ type: any Any.Type) -> Step {
            Step(kind: .present(ObjectIdentifier(type)), description: ".present(\(type).self)")
        }

        /// The step in which `pop()` is called, whether or not any view model was pushed.
        public static let pop = Step(kind: .pop, description: ".pop")

        /// The step in which `dismiss()` is called, whether or not any view model was presented.
        public static let dismiss = Step(kind: .dismiss, description: ".dismiss")
    }

    private struct State {
        var steps: [Step] = []
        var shown: [(type: ObjectIdentifier, arguments: any Sendable)] = []
        var refusal: (any Error)?
    }

    private let state = Mutex(State())

    /// Registers a new navigator in a container, as its `any Navigator`.
    ///
    /// - Parameter container: the container that makes the view model under test. It keeps the navigator.
    public init(in container: Container) {
        container.register((any Navigator).self) { _ in self }
    }

    /// All calls so far, in order, without those that were refused.
    public var steps: [Step] { state.withLock { $0.steps } }

    /// Returns the arguments of all view models of this type that were pushed or presented, in order.
    public func arguments<Model: PerRequest>(of type: Model.Type) -> [Model.Arguments] {
        let shown = state.withLock { $0.shown }
        return shown.filter { $0.type == ObjectIdentifier(type) }.compactMap { $0.arguments as? Model.Arguments }
    }

    /// Makes each later `push` and `present` fail with an error.
    ///
    /// - Parameter error: thrown to the view model, such as `NavigationError.ended`. Nil: they succeed again.
    public func refuse(with error: (any Error)?) {
        state.withLock { $0.refusal = error }
    }

    /// Records that a view model is shown. The services call it.
    ///
    /// - Throws: the error that was given to `refuse(with:)`. Then nothing is recorded.
    public func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition
    ) throws {
        try state.withLock { state in
            if let refusal = state.refusal { throw refusal }
            state.steps.append(transition == .push ? .push(type) : .present(type))
            state.shown.append((ObjectIdentifier(type), arguments))
        }
    }

    /// Records that a view model is taken off. The services call it.
    public func takeOff(_ transition: Transition) {
        state.withLock { $0.steps.append(transition == .push ? .pop : .dismiss) }
    }
}
