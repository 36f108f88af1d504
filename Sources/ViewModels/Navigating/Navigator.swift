/// Who knows what is on screen: what `PresenterService` and `NavigationService` ask to change it.
///
/// A server has its own. An application with Views of its own registers one in the container, and may keep what is on
/// screen in a `NavigationTree`:
///
/// ```swift
/// container.register((any Navigator).self) { WindowNavigator(container: $0) }
/// ```
///
/// It is called on any thread, also by two at once, and decides their order. It must not call a view model while it
/// holds a lock that these calls need: what is made or taken off may navigate itself.
public protocol Navigator: AnyObject, Sendable {
    /// Makes a view model, on the calling thread, and shows it on top of what is on screen: when this returns, it is
    /// there.
    ///
    /// - Throws: what making it throws, or why it can't be shown; then nothing has changed.
    func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition) throws

    /// Takes off what the last such transition has shown on top: `NavigationTree.popped` for a push, `dismissed` for a
    /// present, with all that stands on it or over it, topmost first. Does nothing where there is none.
    func takeOff(_ transition: Transition)
}
