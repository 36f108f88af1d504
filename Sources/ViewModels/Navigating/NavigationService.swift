/// Pushes view models onto the stack that is on screen.
public final class NavigationService: Singleton {
    /// One for each session that a client opened.
    public static let scope = SingletonScope.session

    private let navigator: any Navigator

    /// Takes the `Navigator` from the container.
    public init(container: Container, arguments: Void) throws {
        navigator = try container.resolve()
    }

    /// Pushes a view model onto the stack that is on screen.
    public func push<Model: PerRequest & AnyObject>(_ type: Model.Type, arguments: Model.Arguments) throws {
        try navigator.show(type, arguments: arguments, by: .push)
    }

    /// Takes off what was pushed last on the stack that is on screen.
    public func pop() {
        navigator.takeOff(.push)
    }
}
