/// Who knows what is on screen: what the navigation services ask to change it.
///
/// A server has its own. An application with Views of its own registers one in the container:
/// `container.register((any Navigator).self) { _ in WindowNavigator() }`.
public protocol Navigator: AnyObject, Sendable {
    /// Makes a view model and shows it on top of what is on screen.
    ///
    /// - Throws: what making it throws, or why it can't be shown; then nothing has changed.
    func show<Model: PerRequest & AnyObject>(
        _ type: Model.Type, arguments: Model.Arguments, by transition: Transition) throws

    /// Takes the topmost view model that was shown so off, with all that stands on it; does nothing when there is none.
    func takeOff(_ transition: Transition)
}
