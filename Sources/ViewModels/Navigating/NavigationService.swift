/// Pushes view models onto the stack that is on screen. A view model says what to show, and never where.
///
/// ```swift
/// let navigation: NavigationService = try container.resolve()
/// try navigation.push(OrderDetailsViewModel.self, arguments: order)
/// ```
///
/// The stack on screen is that of the view model that was presented last, or of the opened one where nothing is
/// presented.
///
/// Any task or thread may call it. Each call has taken effect when it returns, so the calls of one view model take
/// effect in order, and the Views see them in that order. Calls of two view models at once take effect in either order.
public final class NavigationService: Singleton {
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

    /// Makes a view model, on the calling thread, and pushes it onto the stack that is on screen.
    ///
    /// - Parameters:
    ///   - type: one that the `Navigator` knows how to show. A server shows those that `Registry.addChild` has
    ///     registered.
    ///   - arguments: handed to the view model's initializer.
    /// - Throws: the error of making it; `NavigationError` where it can't be shown; `ContainerError.ended` where the
    ///   container is gone. On a server also an error where it can host no more sessions, or where the view model is
    ///   stored and its arguments aren't `Codable`. Nothing is shown then.
    public func push<Model: PerRequest & AnyObject>(_ type: Model.Type, arguments: Model.Arguments) throws {
        try navigator().show(type, arguments: arguments, by: .push)
    }

    /// Makes a view model that takes no arguments, on the calling thread, and pushes it onto the stack that is
    /// on screen.
    ///
    /// - Parameter type: one that the `Navigator` knows how to show. A server shows those that `Registry.addChild` has
    ///   registered.
    /// - Throws: the error of making it; `NavigationError` where it can't be shown; `ContainerError.ended` where the
    ///   container is gone. On a server also an error where it can host no more sessions. Nothing is shown then.
    public func push<Model: PerRequest & AnyObject>(_ type: Model.Type) throws where Model.Arguments == Void {
        try push(type, arguments: ())
    }

    /// Takes the top view model off the stack on screen. That may be the caller.
    ///
    /// Does nothing where only the stack's root is left, or the container is gone.
    public func pop() {
        let navigator: (any Navigator)? = try? navigator()
        navigator?.takeOff(.push)
    }
}
