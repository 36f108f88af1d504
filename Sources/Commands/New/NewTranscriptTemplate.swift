import JSONRPC
import Serving
import Transcripts

/// A view model's first conversation: it is opened, tells its title, and is given another.
enum NewTranscriptTemplate {
    /// - Parameter server: its name and version.
    static func text(_ name: NewName, server program: String) -> String {
        let header = TranscriptHeader(title: name.title, server: program, protocolVersion: ProtocolVersion.current)
        let lines = [
            client(#""id":1,"method":"\#(MethodNames.initialize)""#),
            server(#""id":1,"result":{"$match":"object"}"#),
            client(#""id":2,"method":"\#(MethodNames.sessionOpen)","params":{"viewModel":"\#(name.registered)"}"#),
            server(#""id":2,"result":{"session":1,"key":"key-1","viewModel":"\#(name.registered)"}"#),
            server(event(1, name.title)),
            client(
                """
                "id":3,"method":"\(MethodNames.viewEvent)","params":{"session":1,"event":{"kind":"rename","to":"Tea"}}
                """),
            server(event(2, "Tea")),
            server(#""id":3,"result":{"seq":2}"#),
        ]
        return String(decoding: TranscriptEncoder.encode(header), as: UTF8.self) + lines.joined()
    }

    /// What the view model sends.
    private static func event(_ number: Int, _ title: String) -> String {
        """
        "method":"\(Notification.viewModelEvent.name)","params":{"session":1,"seq":\(number),\
        "event":{"kind":"title","value":"\(title)"}}
        """
    }

    private static func client(_ members: String) -> String { line("client", members) }
    private static func server(_ members: String) -> String { line("server", members) }

    private static func line(_ side: String, _ members: String) -> String {
        """
        {"from":"\(side)","connection":1,"at":0,"message":{"jsonrpc":"2.0",\(members)}}

        """
    }
}
