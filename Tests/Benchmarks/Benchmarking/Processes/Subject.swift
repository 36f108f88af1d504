/// A program that is measured: the server, or the limit beside it.
package struct Subject {
    /// Which of the two.
    package enum Side: String {
        case server, limit
    }

    /// What the limit answers with; the server answers with what it is asked for.
    package enum Answer {
        case small, rows
        case text(bytes: Int)

        fileprivate var options: [String] {
            switch self {
            case .small: []
            case .rows: ["--rows"]
            case .text(let bytes): ["--text", "\(bytes)"]
            }
        }
    }

    package let side: Side
    package let path: String

    package init(_ side: Side, path: String) {
        self.side = side
        self.path = path
    }

    /// Starts it with its standard streams for a client.
    package func stdio(_ answer: Answer = .small) throws -> Child {
        try Child([path, "--stdio"] + (side == .limit ? answer.options : []))
    }

    /// Starts it on a free port.
    /// - Parameter fansOut: every message is told to every connection; the server does so where they view one session.
    package func tcp(fansOut: Bool = false) throws -> (child: Child, port: UInt16) {
        let options = side == .limit && fansOut ? ["--fan-out"] : []
        let child = try Child([path, "--tcp", "0"] + options, tellsAddress: true)
        return (child, try child.port())
    }
}
