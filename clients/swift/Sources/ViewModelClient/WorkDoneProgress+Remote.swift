import JSON
import ViewModels

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
                // Without a message, whoever asked for the progress ends it when the handler returns.
                end(message: message)
            }
        }
    }
}
