/// A session as its host knows it.
package struct NavigationChild: Sendable, Hashable {
    package let key: String
    /// The name that its view model was registered under.
    package let viewModel: String

    package init(key: String, viewModel: String) {
        self.key = key
        self.viewModel = viewModel
    }
}
