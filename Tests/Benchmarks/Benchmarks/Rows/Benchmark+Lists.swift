import Benchmarking

extension Benchmark {
    /// Lists that a server has and clients look at. The limit has none.
    static let lists = [listLength, listPages, listFanOut]

    private static let lengths = [1_000, 1_000_000]

    /// Both lengths in turns, and the same rows of both, so that they have as many digits.
    private static let listLength = Benchmark(
        "list-length", "a list is opened, and read 50 rows at a time",
        lengths.flatMap { length in
            [Quantity.openBytes, Quantity.openTime, Quantity.pageBytes, Quantity.pageTime, Quantity.pageProcessorTime]
                .map { quantity in
                    (quantity(length), length == lengths[0] ? nil : .atMostOf(quantity(lengths[0]), 1.1))
                }
        }
    ) { subject, effort in
        guard subject.side == .server else { return [:] }
        let clients = try lengths.map { try ListClient(subject, length: $0) }
        var times: [[Double]] = [[], []]
        var bytes = [0, 0]
        for _ in 0..<effort.starts {
            for (index, client) in clients.enumerated() {
                let (before, start) = (client.connection.receivedBytes, Clock.now())
                try client.openAnother()
                times[index].append(Double(Clock.now() - start) / 1_000)
                bytes[index] += client.connection.receivedBytes - before
            }
        }
        let pages = try pages(of: clients, effort)
        var sample: Sample = [:]
        for (index, length) in lengths.enumerated() {
            sample[.openBytes(length)] = Double(bytes[index]) / Double(effort.starts)
            sample[.openTime(length)] = times[index].median
            sample[.pageBytes(length)] = pages[index].bytes
            sample[.pageTime(length)] = pages[index].p50
            sample[.pageProcessorTime(length)] = pages[index].processorTime
        }
        return sample
    }

    /// Rows cost about as much in an answer as in an event with the same rows, by size. Each row is also held against one of
    /// another event, which is twice as long.
    private static let listPages = Benchmark(
        "list-pages", "50 rows of a list are read, beside events of 100 rows",
        [
            (.eventByte, nil), (.rowByte, .atMostOf(.eventByte, 1.5)), (.eventRow, nil),
            (.listRow, .atMostOf(.eventRow, 1.5)),
        ]
    ) { subject, effort in
        guard subject.side == .server else { return [:] }
        let clients = [
            try ListClient(edits: subject), try ListClient(subject, event: Counter.load),
            try ListClient(subject, length: lengths[1]),
        ]
        let costs = try pages(of: clients, effort)
        return [
            .eventByte: costs[0].processorTime * 1_000 / costs[0].bytes, .eventRow: costs[1].processorTime * 10,
            .rowByte: costs[2].processorTime * 1_000 / costs[2].bytes, .listRow: costs[2].processorTime * 20,
        ]
    }

    /// In short turns one after the other, of which the shortest time counts: the same other work disturbs each.
    private static func pages(
        of clients: [ListClient], _ effort: Effort
    ) throws -> [(bytes: Double, p50: Double, processorTime: Double)] {
        var turn = effort
        turn.seconds /= Double(turns)
        var figures = clients.map { _ in (bytes: 0.0, p50: Double.infinity, processorTime: Double.infinity) }
        for _ in 0..<turns {
            for (index, client) in clients.enumerated() {
                let (bytes, sent) = (client.connection.receivedBytes, client.connection.sent)
                var measurement = try Measurement(&client.load, of: client.child, turn)
                figures[index].bytes =
                    Double(client.connection.receivedBytes - bytes) / Double(client.connection.sent - sent)
                figures[index].p50 = min(figures[index].p50, measurement.sample[.p50] ?? .infinity)
                figures[index].processorTime = min(figures[index].processorTime, measurement.processorTimePerEvent)
            }
        }
        for client in clients { try client.check() }
        return figures
    }

    private static let turns = 5
}

/// A client that asks for the same again and again, one at a time.
private final class ListClient {
    let child: Child
    let connection: Connection
    var load: PipelineLoad
    private let arguments: String
    private let notifications: Int

    /// Asks for a list's first 1,000 rows, 50 at a time.
    init(_ subject: Subject, length: Int) throws {
        child = try subject.stdio()
        connection = Connection(child)
        arguments = #"{"count":\#(length)}"#
        var dialogue = Dialogue(connection)
        _ = try dialogue.open("numbers", arguments: arguments)
        // The list's, and then the sum's.
        try dialogue.takeNotification()
        try dialogue.end()
        let params = stride(from: 0, to: 1_000, by: 50).map {
            #"{"session":1,"list":"numbers","first":\#($0),"count":50}"#
        }
        load = PipelineLoad(connection, window: 1, requests: RequestRing(method: "session/rows", params: params))
        notifications = 0
    }

    /// Sends an event that is answered by one.
    init(_ subject: Subject, event: String) throws {
        child = try subject.stdio()
        connection = Connection(child)
        arguments = "{}"
        var dialogue = Dialogue(connection)
        _ = try dialogue.open(Counter.name)
        try dialogue.end()
        load = PipelineLoad(connection, window: 1, requests: Counter.requests(event))
        notifications = 1
    }

    /// Sends edits of a list of 100 rows, each of which tells all of them.
    init(edits subject: Subject) throws {
        child = try subject.stdio()
        connection = Connection(child)
        arguments = "{}"
        _ = try ChosenNumbers.open(on: connection)
        load = PipelineLoad(connection, window: 1, requests: ChosenNumbers.requests)
        notifications = ChosenNumbers.notifications
    }

    /// Opens one more session with such a list.
    func openAnother() throws {
        var dialogue = Dialogue(connection)
        try dialogue.openAnother("numbers", arguments: arguments, events: 2)
        try dialogue.end()
    }

    func check() throws {
        try Audit.check(connection, answers: connection.sent, notifications: connection.sent * notifications)
    }
}

extension Benchmark {
    /// A hundred rows are encoded with each edit. Were that done for each view, one of many would cost as much as one alone.
    private static let listFanOut = Benchmark(
        "list-fan-out", "an edit of a list with 100 rows, to all views of one session", descriptors: 1_100,
        [(.viewTime(1), nil), (.viewTime(views), .atMostOf(.viewTime(1), 0.5))]
    ) { subject, effort in
        guard subject.side == .server else { return [:] }
        return [
            .viewTime(1): try editTime(subject, effort, views: 1),
            .viewTime(views): try editTime(subject, effort, views: views) / Double(views),
        ]
    }

    private static let views = 1_000

    /// The processor time of an edit, in microseconds.
    private static func editTime(_ subject: Subject, _ effort: Effort, views: Int) throws -> Double {
        let (child, port) = try subject.tcp()
        let connections = try ChosenNumbers.connections(views, to: port)
        var load = try FanOutLoad(
            connections, requests: ChosenNumbers.requests, notifications: ChosenNumbers.notifications)
        let measurement = try Measurement(&load, of: child, effort)
        let sent = connections[0].sent
        for (index, connection) in connections.enumerated() {
            try Audit.check(
                connection, answers: index == 0 ? sent : 0, notifications: sent * ChosenNumbers.notifications)
        }
        return measurement.processorTimePerEvent
    }
}

/// A session with a list of a hundred rows that is kept, and edits that each tell all of them.
enum ChosenNumbers {
    /// Those of an edit: the list's, and the sum's.
    static let notifications = 2

    /// Gives the first back and chooses it again, which puts it at the end; a whole turn of the list.
    private static let edits = (0..<100).flatMap {
        [#"{"kind":"giveBack","index":0}"#, #"{"kind":"choose","index":\#($0)}"#]
    }

    static var requests: RequestRing {
        RequestRing(method: "view/event", params: edits.map { #"{"session":1,"event":\#($0)}"# })
    }

    /// Opens it on a new connection.
    ///
    /// - Returns: its key, and its newest number.
    static func open(on connection: Connection) throws -> (key: String?, number: Int?) {
        var dialogue = Dialogue(connection)
        let key = try dialogue.open("numbers")
        try dialogue.takeNotification()
        var number: Int?
        for index in 0..<100 { number = try dialogue.event(#"{"kind":"choose","index":\#(index)}"#) }
        try dialogue.end()
        return (key, number)
    }

    /// The views; the first one may send.
    static func connections(_ count: Int, to port: UInt16) throws -> [Connection] {
        let first = try Connection(port: port)
        let (key, number) = try open(on: first)
        return try [first]
            + (1..<count).map { _ in
                let connection = try Connection(port: port)
                var dialogue = Dialogue(connection)
                try dialogue.attach(key, since: number ?? 0)
                try dialogue.end()
                return connection
            }
    }
}

extension Quantity {
    fileprivate static func openBytes(_ length: Int) -> Quantity { Quantity("open, \(rows(length))", .bytes) }
    fileprivate static func openTime(_ length: Int) -> Quantity {
        Quantity("open, p50, \(rows(length))", .microseconds)
    }
    fileprivate static func pageBytes(_ length: Int) -> Quantity { Quantity("read, \(rows(length))", .bytes) }
    fileprivate static func pageTime(_ length: Int) -> Quantity {
        Quantity("read, p50, \(rows(length))", .microseconds)
    }
    fileprivate static func pageProcessorTime(_ length: Int) -> Quantity {
        Quantity("read, CPU, \(rows(length))", .microseconds)
    }
    private static func rows(_ length: Int) -> String { "\(Double(length).text(decimals: 0)) rows" }

    fileprivate static let eventByte = Quantity("CPU per byte, event", .nanoseconds)
    fileprivate static let rowByte = Quantity("CPU per byte, list", .nanoseconds)
    fileprivate static let eventRow = Quantity("CPU per row, event", .nanoseconds)
    fileprivate static let listRow = Quantity("CPU per row, list", .nanoseconds)

    fileprivate static func viewTime(_ views: Int) -> Quantity {
        Quantity("CPU per view, \(views)", .microseconds)
    }
}
