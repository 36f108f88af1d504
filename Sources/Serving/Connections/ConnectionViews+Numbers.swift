import JSON
import JSONRPC

// The numbers of views, which are the same on all servers.
extension ConnectionViews {
    /// Takes a number for a view that another server has.
    func takeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Gives a number back that wasn't used for a view, so that a client which waits for each answer sees 1, 2, 3, …
    func giveBack(_ number: Int) {
        if lastNumber == number { lastNumber -= 1 }
    }

    /// Has the next view get the number that the client's own server has given it.
    func noteNumber(in params: JSONValue?) {
        guard let object = (try? Params(params))?.object,
            let number = object.member(Self.numberMember)?.shortInteger, number > table.attached.last?.number ?? 0
        else { return }
        lastNumber = number - 1
    }

    /// The name of the member with the view's number, in the params that another server relays.
    static let numberMember: StaticString = "view"
}
