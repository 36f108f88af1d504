/// Presents view models over everything on screen. A view model asks for what it wants shown, and never for where.
///
/// ```swift
/// final class OrdersViewModel: PerRequest {
///     private let presenter: PresenterService
///
///     init(container: Container, arguments: Void) throws {
///         presenter = try container.resolve()
///     }
///
///     func showOrderDetails(forOrderIndex index: Int) throws {
///         try presenter.present(OrderDetailsViewModel.self, arguments: orders[index])
///     }
/// }
/// ```
///
/// Any task or thread may call it. Each call has taken effect when it returns, so the calls of one view model take
/// effect in order, and the Views see them in that order. Calls of two view models at once take effect in either order.
public final class PresenterService: Singleton {
    /// The session: each that a client opened has one service.
    public static let scope = SingletonScope.session

    /// The session's container. The `Navigator` isn't kept, as it keeps the screens: a screen that keeps this service would
    /// then keep itself.
    private let container: Container

    /// Called by the container.
    ///
    /// - Throws: `ContainerError.notRegistered` where the container has no `Navigator`.
    public init(container: Container, arguments: Void) throws {
        self.container = container
        _ = try navigator()
    }

    private func navigator() throws -> any Navigator {
        try container.resolve()
    }

    /// Makes a view model, on the calling thread, and presents it over everything on screen, as the root of a stack of
    /// its own.
    ///
    /// - Parameters:
    ///   - type: one that the `Navigator` knows how to show. A server shows those that `Registry.addChild` has
    ///     registered.
    ///   - arguments: handed to the view model's initializer.
    /// - Throws: the error of making it; `NavigationError` where it can't be shown; `ContainerError.ended` where the
    ///   container is gone. On a server also an error where it can host no more sessions, or where the view model is
    ///   stored and its arguments aren't `Codable`. Nothing is shown then.
    public func present<Model: PerRequest & AnyObject>(_ type: Model.Type, arguments: Model.Arguments) throws {
        try navigator().show(type, arguments: arguments, by: .present)
    }

    /// Makes a view model that takes no arguments, on the calling thread, and presents it over everything on screen, as
    /// the root of a stack of its own.
    ///
    /// - Parameter type: one that the `Navigator` knows how to show. A server shows those that `Registry.addChild` has
    ///   registered.
    /// - Throws: the error of making it; `NavigationError` where it can't be shown; `ContainerError.ended` where the
    ///   container is gone. On a server also an error where it can host no more sessions. Nothing is shown then.
    public func present<Model: PerRequest & AnyObject>(_ type: Model.Type) throws where Model.Arguments == Void {
        try present(type, arguments: ())
    }

    /// Takes off the view model that was presented last, with everything on or over it, topmost first. That view model
    /// may be the caller.
    ///
    /// Does nothing where none is presented, or the container is gone.
    public func dismiss() {
        let navigator: (any Navigator)? = try? navigator()
        navigator?.takeOff(.present)
    }
}
