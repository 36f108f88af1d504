/// A view model with one event in and one out.
enum NewViewModelTemplate {
    static func text(_ name: NewName) -> String {
        """
        import ViewModelServer

        /// The screen "\(name.title)": so far a title, which the user can change.
        actor \(name.viewModel): ViewModel {
            /// What the user did.
            enum ViewEvent: Codable, Sendable, Equatable {
                /// Gave it another title.
                case rename(to: String)
            }

            /// What there is to see.
            enum ViewModelEvent: Codable, Sendable, Equatable {
                /// The title, on start too.
                case title(String)
            }

            /// Where events leave.
            let output = Output<ViewModelEvent>()
            private var title = "\(name.title)"

            /// Sends what there is to see at first; a View listens already.
            func start() {
                output.send(.title(title))
            }

            /// Called for one event at a time, in the order of sending. What it throws is the answer to that event.
            func handle(event: ViewEvent) {
                switch event {
                case .rename(let newTitle):
                    title = newTitle
                    output.send(.title(title))
                }
            }

            /// All that a View needs which comes later, or comes back: the title as it is by then.
            func snapshot() -> [ViewModelEvent] {
                [.title(title)]
            }
        }

        """
    }
}
