import Benchmarking

/// The example that is measured: a number that goes up, and a hundred rows.
enum Counter {
    static let name = "counter"
    static let increment = #"{"kind":"increment","by":1}"#
    static let load = #"{"kind":"load"}"#

    /// Requests that send an event to each of so many sessions in turn.
    static func requests(_ event: String, sessions: Int = 1, framing: LoadFraming = .headers) -> RequestRing {
        let params = (1...sessions).map { #"{"session":\#($0),"event":\#(event)}"# }
        return RequestRing(method: "view/event", params: params, framing: framing)
    }
}
