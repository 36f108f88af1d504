/// Pushes view models onto the stack that is on screen: a view model says what to show, and never where.
///
/// ```swift
/// try navigation.push(OrderDetailsViewModel.self, arguments: order)
/// ```
///
/// The stack is that of what was presented last, or else of what was opened first.
///
/// Any task or thread may call it. Each call is done when it returns, so the calls of one view model take effect in
/// their order; the Views are told in that order too. What two view models ask for at once comes in either order.
public final class NavigationService: Singleton {
    /// One for each session that a client opened.
    public static let scope = SingletonScope.session

    /// Not the `Navigator`, which keeps what is on screen: that would then keep itself there.
    private let container: Container

    /// Takes the `Navigator` from the container.
    ///
    /// - Throws: `ContainerError.notRegistered` where nobody is there to show anything.
    public init(container: Container, arguments: Void) throws {
        self.container = container
        _ = try navigator()
    }

    private func navigator() throws -> any Navigator {
        try container.resolve()
    }

    /// Makes a view model, on the calling thread, and pushes it onto the stack that is on screen.
    ///
    /// - Throws: what making it throws, or why the `Navigator` can't show it, or `ContainerError.ended` where the
    ///   container is gone. Then nothing has changed.
    public func push<Model: PerRequest & AnyObject>(_ type: Model.Type, arguments: Model.Arguments) throws {
        try navigator().show(type, arguments: arguments, by: .push)
    }

    /// Makes a view model that takes no arguments, on the calling thread, and pushes it onto the stack that is on
    /// screen.
    ///
    /// - Throws: what making it throws, or why the `Navigator` can't show it, or `ContainerError.ended` where the
    ///   container is gone. Then nothing has changed.
    public func push<Model: PerRequest & AnyObject>(_ type: Model.Type) throws where Model.Arguments == Void {
        try push(type, arguments: ())
    }

    /// Takes off what was pushed last onto the stack that is on screen. A view model may so take itself off. Does
    /// nothing where only the stack's root is left, or the container is gone.
    public func pop() {
        let navigator: (any Navigator)? = try? navigator()
        navigator?.takeOff(.push)
    }
}
