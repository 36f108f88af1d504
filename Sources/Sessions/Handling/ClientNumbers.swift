/// The highest number that was taken from each named client.
///
/// These numbers ensure that an event which is sent again after a cut isn't applied twice, and that a lost one isn't passed
/// over. A name belongs to one view at a time. When the view has gone, a name without numbered events is forgotten; another is
/// kept, until there are too many.
struct ClientNumbers {
    enum Verdict {
        /// The client doesn't number its events.
        case unnumbered
        /// The next number: the event is applied.
        case new(ClientNumber)
        /// A number that was taken before: the event is answered without being applied.
        case repeated(ClientNumber)
        /// A number that is too high: events before it are missing.
        case early(Int, expected: Int)
    }

    /// The highest numbers of the names that have numbered events. They are apart from the rest, which no event looks at.
    private var handled: [String: Int] = [:]
    /// The views of the session that have names, by name.
    private var views: [String: Int] = [:]
    /// For names that have numbered events, the order in which their last views went: a later one has a higher value.
    private var departures: [String: Int] = [:]
    private var lastDeparture = 0
    /// Whether names were forgotten, so that one which isn't here may have numbered events.
    private(set) var hasForgotten = false

    /// How many names are remembered.
    var count: Int { Set(handled.keys).union(views.keys).count }

    func highest(of client: String) -> Int {
        handled[client] ?? 0
    }

    /// Whether `highest(of:)` is all that this client has ever numbered.
    func isSure(of client: String) -> Bool { handled[client] != nil || !hasForgotten }

    /// Notes that a view has come under a name.
    mutating func attach(_ client: String, _ view: Int) {
        views[client] = view
        departures[client] = nil
    }

    /// Returns the view that has a name.
    func view(of client: String) -> Int? { views[client] }

    /// Notes that a view is gone. Does nothing where its name is another view's by now.
    mutating func detach(_ client: String, _ view: Int) {
        guard views[client] == view else { return }
        views[client] = nil
        if handled[client] != nil { depart(client) }
    }

    /// Notes that a view is gone whose name the caller doesn't know.
    mutating func detach(_ view: Int) {
        if let client = views.first(where: { $0.value == view })?.key { detach(client, view) }
    }

    private mutating func depart(_ client: String) {
        lastDeparture += 1
        departures[client] = lastDeparture
    }

    /// Takes the numbers that were taken in earlier lives.
    ///
    /// - Parameter hasForgotten: whether the numbers of other clients were forgotten.
    mutating func restore(_ numbers: [ClientNumber], hasForgotten: Bool) {
        self.hasForgotten = hasForgotten
        for number in numbers {
            handled[number.client] = number.number
            depart(number.client)
        }
    }

    func judge(_ number: Int, from client: String) -> Verdict {
        let highest = highest(of: client)
        if number <= highest { return .repeated(ClientNumber(client: client, number: number)) }
        guard number - highest == 1 else { return .early(number, expected: highest + 1) }
        return .new(ClientNumber(client: client, number: number))
    }

    mutating func take(_ number: ClientNumber) {
        handled[number.client] = number.number
    }

    /// Forgets a name where too many have numbered: the one whose view has been gone for longest.
    ///
    /// - Parameter canForget: called with a client's name and highest number. Returns whether nothing of that client is on its
    ///   way.
    /// - Returns: the name; nil where none is to be forgotten.
    mutating func forgetOne(beyond maximum: Int, where canForget: (ClientNumber) -> Bool) -> String? {
        guard handled.count > maximum else { return nil }
        let gone = departures.filter { canForget(ClientNumber(client: $0.key, number: highest(of: $0.key))) }
        guard let client = gone.min(by: { $0.value < $1.value })?.key else { return nil }
        (handled[client], departures[client]) = (nil, nil)
        hasForgotten = true
        return client
    }
}
