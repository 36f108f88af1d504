/// Shows view models for `PresenterService` and `NavigationService`, and knows what is on screen.
///
/// A server has its own. An application with Views of its own registers one in the container, and may keep its screens
/// in a `NavigationTree`:
///
/// ```swift
/// container.register((any Navigator).self) { WindowNavigator(container: $0) }
/// ```
///
/// Any thread may call it, also two at once; it decides their order. It must not make, call or release a view model
/// while it holds a lock that these calls need: a view model that is made or taken off may itself call `show` or
/// `takeOff`.
public protocol Navigator: AnyObject, Sendable {
    /// Makes a view model, on the calling thread, and shows it on top of what is on screen. It is on screen when this
    /// returns.
    ///
    /// - Parameters:
    ///   - type: the view model to make, by the container.
    ///   - arguments: handed to its initializer.
    ///   - transition: how it comes on top.
    /// - Throws: the error of making it, or an error that says why it can't be shown. Then nothing is shown.
    func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition) throws

    /// Takes off the view model that this kind of transition put on top last, with everything on or over it, topmost
    /// first. Does nothing where there is none.
    ///
    /// - Parameter transition: `push` takes off `NavigationTree.popped`, `present` takes off
    ///   `NavigationTree.dismissed`.
    func takeOff(_ transition: Transition)
}

/// How a screen comes on top of others. `NavigationTree` has an example.
public enum Transition: Sendable, Equatable {
    /// The screen comes onto the topmost stack. `pop` takes it off.
    case push
    /// The screen comes over everything on screen, as the root of a stack of its own. `dismiss` takes it off.
    case present
}

/// Why a view model can't be shown, thrown by the `push` and `present` of a server.
public enum NavigationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The registry has no view model of this type.
    case notRegistered(String)
    /// The registry has this type for clients only: it was registered by `add`, under this name.
    case notAChild(String, name: String)
    /// The session that it would be pushed or presented on has ended.
    case ended
    /// As many view models are on screen as `Limits.screens` allows: this number.
    case tooMany(Int)

    /// The reason, and how to correct it.
    public var description: String {
        switch self {
        case .notRegistered(let type):
            "\(type) can't be shown: register it, as registry.addChild(\"name\", \(type).self)"
        case .notAChild(let type, let name):
            """
            \(type) can't be shown: "\(name)" is registered by add, for clients to open; in its place write \
            registry.addChild("\(name)", \(type).self), and canBeOpened: true behind that if clients open it, too
            """
        case .ended: "what it would be shown on has ended"
        case .tooMany(let count): "\(count) view models are on screen; take some off before others are shown"
        }
    }
}

/// A view model that may refuse when the user goes back from it, such as one with unsaved work.
///
/// ```swift
/// actor NoteViewModel: ViewModel, BackHandling {
///     func willGoBack() throws {
///         if !isSaved { throw UnsavedNote() }
///     }
/// }
/// ```
public protocol BackHandling: AnyObject, Sendable {
    /// Called before the user leaves this screen, or one beneath it, by a back button or a swipe.
    ///
    /// It runs in the view model's own isolation, and may run while a handler awaits. It isn't called for `pop` and
    /// `dismiss`.
    ///
    /// - Throws: an error, to stay on screen. Then nothing is taken off, and the user is shown the error's description.
    func willGoBack() async throws
}
