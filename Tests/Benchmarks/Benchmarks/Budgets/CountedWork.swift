import Benchmarking
import JSON

/// A row of the table as countable work: the same event, as often as asked for.
struct CountedWork: Sendable {
    /// As `--only` takes it.
    let name: String
    let work: String
    /// The events of two runs: their difference is counted, so that starting and ending aren't. With 0 in `few` the other run
    /// is counted as a whole.
    let few: Int
    let many: Int
    /// The cost is that of an event by this number: the views of a session, or 1.
    var share = 1
    /// Starts the program and sends it so many events. Returns the program, still running.
    let run: @Sendable (Subject, _ events: Int) throws -> Child

    static let all =
        [
            CountedWork(name: "start", work: "stdio: a start, a session with one event, and the end", few: 0, many: 1) {
                subject, events in
                try stdio(subject) { dialogue in for _ in 0..<events { _ = try dialogue.event(Counter.increment) } }
            },
            CountedWork(
                name: "stdio-1", work: "stdio, 1 in flight: an event", few: 300, many: 1_300
            ) { subject, events in
                try stdio(subject) { dialogue in
                    for _ in 0..<events { _ = try dialogue.event(Counter.increment) }
                }
            },
            CountedWork(
                name: "stdio-32", work: "stdio, 32 in one write: an event", few: 320, many: 1_280
            ) { subject, events in
                try stdio(subject) { dialogue in
                    for _ in 0..<(events / 32) { try dialogue.events(Counter.increment, count: 32) }
                }
            },
            CountedWork(
                name: "stdio-rows", work: "stdio, 1 in flight: an event of 100 rows",
                few: 100, many: 500
            ) { subject, events in
                try stdio(subject) { dialogue in
                    for _ in 0..<events { _ = try dialogue.event(Counter.load) }
                }
            },
            CountedWork(
                name: "websocket-1", work: "WebSocket, 1 in flight: an event", few: 300, many: 1_300
            ) { subject, events in
                let (child, port) = try subject.tcp()
                var dialogue = Dialogue(try Connection(port: port, framing: .webSocket))
                _ = try dialogue.open(Counter.name)
                for _ in 0..<events { _ = try dialogue.event(Counter.increment) }
                try dialogue.end()
                return child
            },
            CountedWork(
                name: "fan-out", work: "one event to 50 views of one session: a view",
                few: 20, many: 220, share: views, run: fanOut),
            CountedWork(
                name: "board", work: "stdio, 1 in flight: an event for a board, which tells three", few: 100, many: 500
            ) { try moveCard($0, of: "board", $1) },
            CountedWork(
                name: "board-screen", work: "stdio, 1 in flight: the same event, which a screen sends to the board",
                few: 100, many: 500
            ) { try moveCard($0, of: "boardScreen", $1) },
            CountedWork(
                name: "screens", work: "one event of a board to 50 people's screens, which tell three: a screen",
                few: 10, many: 60, share: views, run: moveCardForAll),
        ] + lists

    private static func moveCard(_ subject: Subject, of viewModel: String, _ events: Int) throws -> Child {
        let child = try subject.stdio()
        var dialogue = Dialogue(Connection(child))
        try dialogue.initialize()
        try dialogue.openAnother(viewModel, events: 0)
        _ = try dialogue.event(#"{"kind":"add","title":"Dig"}"#)
        for number in 0..<events {
            let column = number.isMultiple(of: 2) ? "doing" : "toDo"
            _ = try dialogue.event(#"{"kind":"move","id":1,"to":"\#(column)"}"#)
        }
        try dialogue.end()
        return child
    }

    /// A page of a list: what it costs doesn't depend on how long the list is.
    static let lists = [(name: "list-1k", count: 1_000), (name: "list-1m", count: 1_000_000)].map { name, count in
        CountedWork(
            name: name, work: "stdio, 50 rows of \(count) that are made on demand: an answer", few: 100,
            many: 500
        ) { subject, answers in
            let child = try subject.stdio()
            var dialogue = Dialogue(Connection(child))
            _ = try dialogue.open("numbers", arguments: #"{"count":\#(count)}"#)
            // The list's, and then the sum's.
            try dialogue.takeNotification()
            for _ in 0..<answers {
                let rows = try dialogue.rows(of: "numbers", first: 400, count: 50)
                guard rows == 50 else { throw Dialogue.Broken("\(rows) rows came, and not 50") }
            }
            try dialogue.end()
            return child
        }
    }

    private static func stdio(_ subject: Subject, _ body: (inout Dialogue) throws -> Void) throws -> Child {
        let child = try subject.stdio()
        var dialogue = Dialogue(Connection(child))
        _ = try dialogue.open(Counter.name)
        try body(&dialogue)
        try dialogue.end()
        return child
    }

    private static let views = 50

    @Sendable private static func fanOut(_ subject: Subject, events: Int) throws -> Child {
        let (child, port) = try subject.tcp()
        var first = Dialogue(try Connection(port: port))
        let key = try first.open(Counter.name)
        var others = try (1..<views).map { _ in
            var dialogue = Dialogue(try Connection(port: port))
            try dialogue.attach(key)
            return dialogue
        }
        for _ in 0..<events {
            _ = try first.event(Counter.increment)
            for index in others.indices { try others[index].takeNotification() }
        }
        return child
    }

    @Sendable private static func moveCardForAll(_ subject: Subject, events: Int) throws -> Child {
        let people = try People(count: views)
        let (child, port) = try subject.tcp(people: people)
        var screens = try (0..<views).map { try Screen(of: $0, port: port) }
        try screens[0].send(#"{"kind":"add","title":"Dig"}"#)
        for number in 0..<events {
            let column = number.isMultiple(of: 2) ? "doing" : "toDo"
            try screens[0].send(#"{"kind":"move","id":1,"to":"\#(column)"}"#)
            for index in screens.indices { try screens[index].waitForNews(number + 2) }
        }
        return child
    }
}

/// One person's screen of the board that everyone shares.
struct Screen {
    private var dialogue: Dialogue
    private var news = 0

    init(of person: Int, port: UInt16) throws {
        dialogue = Dialogue(try Connection(port: port))
        try dialogue.initialize(token: People.token(of: person))
        try dialogue.openAnother("boardScreen", events: 0)
    }

    mutating func send(_ event: String) throws {
        var came = 0
        _ = try dialogue.event(event) { message, _ in if Self.isNews(message) { came += 1 } }
        news += came
    }

    /// Waits until the board has told so much that has been done.
    mutating func waitForNews(_ count: Int) throws {
        var came = news
        while came < count { try dialogue.takeNotification { message, _ in if Self.isNews(message) { came += 1 } } }
        news = came
    }

    private static func isNews(_ message: JSONValue) -> Bool {
        message.member("params")?.member("event")?.member("kind")?.isString("news") ?? false
    }
}
