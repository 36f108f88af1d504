/// A View that needs nothing but a function to show text by.
enum NewViewTemplate {
    static func text(_ name: NewName) -> String {
        """
        import ViewModelServer

        /// Shows `\(name.viewModel)` as lines of text, in the same process.
        ///
        /// A client of the server is a View, too, and needs none of this.
        @MainActor final class \(name.view): View {
            /// Where the user's events leave.
            let output = Output<\(name.viewModel).ViewEvent>()
            private let show: (String) -> Void

            /// - Parameter show: called with each line that there is to see.
            init(show: @escaping (String) -> Void) {
                self.show = show
            }

            /// Shows what the view model tells.
            func handle(event: \(name.viewModel).ViewModelEvent) {
                switch event {
                case .title(let title): show("Title: \\(title)")
                }
            }

            /// The user typed another title.
            func rename(to title: String) {
                output.send(.rename(to: title))
            }
        }

        """
    }
}
