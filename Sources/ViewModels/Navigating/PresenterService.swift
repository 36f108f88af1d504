/// Presents view models over whatever is on screen: a view model says what to show, and never where.
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
/// Any task or thread may call it. Each call is done when it returns, so the calls of one view model take effect in
/// their order; the Views are told in that order too. What two view models ask for at once comes in either order.
public final class PresenterService: Singleton {
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

    /// Makes a view model, on the calling thread, and presents it over all that is on screen, as the root of a stack of
    /// its own.
    ///
    /// - Throws: what making it throws, or why the `Navigator` can't show it, or `ContainerError.ended` where the
    ///   container is gone. Then nothing has changed.
    public func present<Model: PerRequest & AnyObject>(_ type: Model.Type, arguments: Model.Arguments) throws {
        try navigator().show(type, arguments: arguments, by: .present)
    }

    /// Makes a view model that takes no arguments, on the calling thread, and presents it over all that is on screen,
    /// as the root of a stack of its own.
    ///
    /// - Throws: what making it throws, or why the `Navigator` can't show it, or `ContainerError.ended` where the
    ///   container is gone. Then nothing has changed.
    public func present<Model: PerRequest & AnyObject>(_ type: Model.Type) throws where Model.Arguments == Void {
        try present(type, arguments: ())
    }

    /// Takes off what was presented last, with all that stands on it or over it, topmost first. A view model may so
    /// take itself off. Does nothing where nothing is presented, or the container is gone.
    public func dismiss() {
        let navigator: (any Navigator)? = try? navigator()
        navigator?.takeOff(.present)
    }
}
