import JSON
import Synchronization
import ViewModels

/// Decodes the news of a view for the outputs of a `RemoteViewModel`, which it doesn't retain.
final class RemoteReceiver<Event: Decodable & Sendable>: Sendable {
    private let output: Output<Event>
    private let navigation: Output<RemoteNavigation>
    private let viewers: Output<[RemoteViewer]>
    private let ended: Output<RemoteError>
    private let failure: Failure
    private let name: String
    private let report: @Sendable (String) -> Void
    private let willEnd: @Sendable () -> Void

    /// Makes a receiver for these outputs.
    ///
    /// - Parameter willEnd: called before `ended` is sent.
    init(
        _ output: Output<Event>, _ navigation: Output<RemoteNavigation>, _ viewers: Output<[RemoteViewer]>,
        _ ended: Output<RemoteError>, _ failure: Failure, name: String, report: @escaping @Sendable (String) -> Void,
        willEnd: @escaping @Sendable () -> Void
    ) {
        self.output = output
        self.navigation = navigation
        self.viewers = viewers
        self.ended = ended
        self.failure = failure
        self.name = name
        self.report = report
        self.willEnd = willEnd
    }

    func take(_ news: ViewNews) {
        switch news {
        case .event(let event, _): take(event)
        case .snapshot(let events, _, let shown):
            for event in events { take(event) }
            navigation.send(shown)
        case .navigation(let change, _): navigation.send(change)
        case .viewers(let all): viewers.send(all)
        case .ended(let error):
            failure.error = error
            willEnd()
            ended.send(error)
        }
    }

    private func take(_ text: JSONText) {
        do throws(JSONCodingError) {
            let event = try text.withValue { value throws(JSONCodingError) in
                try EventDecoder().decode(Event.self, from: value)
            }
            output.send(event)
        } catch {
            report("\(name): an event was left out: \(error)")
        }
    }
}

/// The reason why a session has ended, once it has.
final class Failure: Sendable {
    private let storage = Mutex<RemoteError?>(nil)

    var error: RemoteError? {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}

extension WorkDoneProgress {
    /// Passes on a value of `$/progress`.
    func report(_ value: JSONText) {
        value.withValue { value in
            let message = value.member("message")?.string()
            let percentage = value.member("percentage")?.integer(as: Int.self)
            guard let kind = value.member("kind") else { return }
            if kind.isString("begin") {
                begin(title: value.member("title")?.string() ?? "", message: message, percentage: percentage)
            } else if kind.isString("report") {
                report(message: message, percentage: percentage)
            } else if kind.isString("end"), let message {
                // A progress that ends without a message ends when the client releases it.
                end(message: message)
            }
        }
    }
}
