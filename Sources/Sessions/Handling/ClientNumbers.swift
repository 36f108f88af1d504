/// The highest number that was taken from each named client.
///
/// By it an event that is sent again after a cut isn't applied twice, and one that got lost isn't passed over.
struct ClientNumbers {
    enum Verdict {
        /// It is the next one: apply it.
        case new
        /// It was taken before: answer it without applying it.
        case repeated
        /// Events before it are missing.
        case early(expected: Int)
    }

    private var handled: [String: Int] = [:]

    var count: Int { handled.count }

    func highest(of client: String) -> Int {
        handled[client] ?? 0
    }

    func isKnown(_ client: String) -> Bool {
        handled[client] != nil
    }

    mutating func add(_ client: String) {
        handled[client, default: 0] += 0
    }

    func judge(_ number: Int, from client: String) -> Verdict {
        let highest = highest(of: client)
        if number <= highest { return .repeated }
        return number - highest == 1 ? .new : .early(expected: highest + 1)
    }

    mutating func take(_ number: Int, from client: String) {
        handled[client] = number
    }
}
