/// The highest number that was taken from each named client.
///
/// By it an event that is sent again after a cut isn't applied twice, and one that got lost isn't passed over. A name belongs
/// to one view at a time. It is forgotten when its view has gone and it has numbered nothing; one that has numbered is kept,
/// until there are too many.
struct ClientNumbers {
    enum Verdict {
        /// Its client doesn't count.
        case unnumbered
        /// It is the next one: apply it.
        case new(ClientNumber)
        /// It was taken before: answer it without applying it.
        case repeated(ClientNumber)
        /// Events before it are missing.
        case early(Int, expected: Int)
    }

    /// The highest numbers of the names that have numbered. Apart from the rest, which no event looks at.
    private var handled: [String: Int] = [:]
    /// The views of the session that have names.
    private var views: [String: Int] = [:]
    /// When the last view went of names that have numbered: a later one has a higher value.
    private var departures: [String: Int] = [:]
    private var lastDeparture = 0
    /// A name that isn't there may have numbered.
    private(set) var hasForgotten = false

    /// Names that are remembered.
    var count: Int { Set(handled.keys).union(views.keys).count }

    func highest(of client: String) -> Int {
        handled[client] ?? 0
    }

    /// Whether `highest(of:)` is all that this client has ever numbered.
    func isSure(of client: String) -> Bool { handled[client] != nil || !hasForgotten }

    /// A view has come under a name.
    mutating func attach(_ client: String, _ view: Int) {
        views[client] = view
        departures[client] = nil
    }

    /// The view that has a name.
    func view(of client: String) -> Int? { views[client] }

    /// A view is gone. Does nothing where its name is another view's by now.
    mutating func detach(_ client: String, _ view: Int) {
        guard views[client] == view else { return }
        views[client] = nil
        if handled[client] != nil { depart(client) }
    }

    /// A view is gone whose name isn't known.
    mutating func detach(_ view: Int) {
        if let client = views.first(where: { $0.value == view })?.key { detach(client, view) }
    }

    private mutating func depart(_ client: String) {
        lastDeparture += 1
        departures[client] = lastDeparture
    }

    /// Numbers that were taken in earlier lives.
    ///
    /// - Parameter hasForgotten: of others that isn't known any more.
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
    /// - Parameter canForget: whether nothing of a client is on its way. Asked with its name and its highest number.
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
