import JSON
import JSONRPC

// The numbers of views, which are the same on all servers.
extension ConnectionViews {
    /// A number for a view that another server has.
    func takeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// A view with this number wasn't attached. A client that waits for its answers sees 1, 2, 3, …
    func giveBack(_ number: Int) {
        if lastNumber == number { lastNumber -= 1 }
    }

    /// The next view has the number that the server of its client has given it.
    func noteNumber(in params: JSONValue?) {
        guard let object = (try? Params(params))?.object,
            let number = object.member(Self.numberMember)?.shortInteger, number > table.attached.last?.number ?? 0
        else { return }
        lastNumber = number - 1
    }

    /// The member of the params of another server's client that has its view's number.
    static let numberMember: StaticString = "view"
}
