/// Tells a view who is here: the views of its session. Sent to a view that asked for it, by views of session/open or
/// session/attach: behind the answer, and whenever a view has come or gone. Of several changes that a client hasn't read yet, only
/// the last is told.
package enum SessionViewsChanged: ServerNotification {
    package static let name: StaticString = "session/views"

    package struct Params: Codable, Sendable {
        package var session: ViewNumber
        /// In the order of attachment; the oldest where there are more than a hundred, and this view in any case. Views that
        /// view models have of the session aren't among them.
        package var views: [PresentView]
        /// How many there are, where that is more than are in views.
        package var count: Count?

        package init(session: ViewNumber, views: [PresentView], count: Count? = nil) {
            self.session = session
            self.views = views
            self.count = count
        }
    }

    /// One view of the session.
    package struct PresentView: Codable, Sendable {
        /// The name under which its client numbers its view events. Absent where it has none.
        package var client: String?
        /// The name of the program, as its initialize has it. Absent where it has none.
        package var program: String?
        /// The name of the token of its connection. Absent where tokens have no names, or none is needed.
        package var principal: String?
        /// What its key allows. Absent where that is everything.
        package var access: Access?
        /// Whether it is the view that is told.
        package var you: Bool

        package init(client: String?, program: String?, principal: String?, access: Access?, you: Bool) {
            self.client = client
            self.program = program
            self.principal = principal
            self.access = access
            self.you = you
        }
    }

    package static let examples = [
        MessageExample(
            "a reader has come",
            """
            {"session":1,"views":[{"client":"ada","program":"Neovim","you":true},\
            {"client":"bob","program":"web page","access":"read","you":false}]}
            """)
    ]
}
