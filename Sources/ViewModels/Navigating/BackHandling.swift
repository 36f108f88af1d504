/// A view model that has a say when the user goes back from it: one with unsaved work.
public protocol BackHandling: AnyObject, Sendable {
    /// The user left it (a back button, a swipe), or something beneath it. Called in the view model's own isolation; it may
    /// run while a handler awaits.
    ///
    /// - Throws: to stay. The error's description is what the user is told.
    func willGoBack() async throws
}
