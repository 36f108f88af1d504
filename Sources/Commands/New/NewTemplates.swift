import ViewModelProtocol
import Serving
import Transcripts

/// The template of a view model that takes one event and sends one.
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

            /// Everything that a View needs when it is bound later, or comes back: the title by then.
            func snapshot() -> [ViewModelEvent] {
                [.title(title)]
            }
        }

        """
    }
}

/// The template of a View that needs only a function which shows text.
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

/// The template of a view model's tests: the sequence of its events, a View that shows them, and a View that comes late.
enum NewTestsTemplate {
    /// Returns the source text.
    ///
    /// - Parameter module: the module that contains the view model.
    static func text(_ name: NewName, module: String) -> String {
        """
        import Synchronization
        import Testing
        import ViewModelServer

        @testable import \(module)

        @MainActor @Suite struct \(name.viewModel)Tests {
            private let viewModel = \(name.viewModel)()

            /// The sequence of its events is all that there is to test of a view model.
            @Test func `it sends its title, and each that the user gives it`() async throws {
                let events = Mutex<[\(name.viewModel).ViewModelEvent]>([])
                let subscription = await viewModel.output.subscribe { event in events.withLock { $0.append(event) } }
                defer { subscription.cancel() }

                let view = \(name.view) { _ in }
                try await view.bind(with: viewModel)
                // Returns when the event is handled, for which view.rename(to:) doesn't wait.
                try await view.viewModel?.handle(event: .rename(to: "Tea"))
                #expect(events.withLock { $0 } == [.title("\(name.title)"), .title("Tea")])
            }

            @Test(.timeLimit(.minutes(1))) func `a View shows what it sends`() async throws {
                let (lines, screen) = AsyncStream.makeStream(of: String.self)
                var shown = lines.makeAsyncIterator()
                let view = \(name.view) { screen.yield($0) }

                try await view.bind(with: viewModel)
                #expect(await shown.next() == "Title: \(name.title)")
                view.rename(to: "Tea")
                #expect(await shown.next() == "Title: Tea")
            }

            @Test func `a View that comes later is told the title as it is`() async {
                await viewModel.handle(event: .rename(to: "Tea"))
                #expect(await viewModel.snapshot() == [.title("Tea")])
            }
        }

        """
    }
}

/// The template of the test that replays every transcript of a test target.
enum NewConversationTemplate {
    /// Returns the source text.
    ///
    /// - Parameters:
    ///   - module: the module that contains the server.
    ///   - server: the name of the server's type.
    static func text(module: String, server: String) -> String {
        """
        import Testing
        import TranscriptTesting

        @testable import \(module)

        /// What clients and the server say to each other: every conversation in `Transcripts` is a test of its own.
        @Test(arguments: Transcript.all(in: "Transcripts"))
        func conversation(_ transcript: Transcript) async {
            await transcript.replay(on: \(server).self)
        }

        """
    }
}

/// The template of a view model's first transcript: the view model is opened, tells its title, and is given another.
enum NewTranscriptTemplate {
    /// Returns the transcript's text.
    ///
    /// - Parameter server: the server's name and version.
    static func text(_ name: NewName, server program: String) -> String {
        let header = TranscriptHeader(
            title: name.title, server: program, protocolVersion: ProtocolVersion.current.rawValue)
        let lines = [
            client(#""id":1,"method":"\#(Initialize.name)""#),
            server(#""id":1,"result":{"$match":"object"}"#),
            client(#""id":2,"method":"\#(SessionOpen.name)","params":{"viewModel":"\#(name.registered)"}"#),
            server(#""id":2,"result":{"session":1,"key":"key-1","viewModel":"\#(name.registered)"}"#),
            server(event(1, name.title)),
            client(
                """
                "id":3,"method":"\(ViewEvent.name)","params":{"session":1,"event":{"kind":"rename","to":"Tea"}}
                """),
            server(event(2, "Tea")),
            server(#""id":3,"result":{"seq":2}"#),
        ]
        return String(decoding: TranscriptEncoder.encode(header), as: UTF8.self) + lines.joined()
    }

    /// Returns the members of the message with the view model's event.
    private static func event(_ number: Int, _ title: String) -> String {
        """
        "method":"\(ViewModelEvent.name)","params":{"session":1,"seq":\(number),\
        "event":{"kind":"title","value":"\(title)"}}
        """
    }

    private static func client(_ members: String) -> String { line("client", members) }
    private static func server(_ members: String) -> String { line("server", members) }

    private static func line(_ side: String, _ members: String) -> String {
        """
        {"from":"\(side)","connection":1,"at":0,"message":{"jsonrpc":"2.0",\(members)}}

        """
    }
}
