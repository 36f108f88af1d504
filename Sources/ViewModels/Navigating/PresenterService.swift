/// Presents view models over whatever is on screen.
public final class PresenterService: Singleton {
    /// One for each session that a client opened.
    public static let scope = SingletonScope.session

    private let navigator: any Navigator

    /// Takes the `Navigator` from the container.
    public init(container: Container, arguments: Void) throws {
        navigator = try container.resolve()
    }

    /// Presents a view model over all that is on screen.
    public func present<Model: PerRequest & AnyObject>(_ type: Model.Type, arguments: Model.Arguments) throws {
        try navigator.show(type, arguments: arguments, by: .present)
    }

    /// Takes off what was presented last, with all that stands on it.
    public func dismiss() {
        navigator.takeOff(.present)
    }
}
