/// Which session a client gets that opens a view model: a new one, or one that is found again.
///
/// A session is found by the name of the view model and its arguments. Arguments are equal as values, after decoding and with
/// defaults filled in: members in another order, or a default that is written out, find the same session. However many clients
/// open it at the same moment, and on however many servers with one store, the session is made once. Without views it stays
/// for `Limits.resumeWindow`, or where it is stored for `Limits.storedTime`.
public enum SessionScope: String, Sendable, CaseIterable {
    /// A new session for each opening: a search, a wizard.
    case each
    /// The one session that a person has: their list of things to do, their drafts. It is the same in an editor, in the page
    /// and in a terminal, and after all of them were quit.
    ///
    /// A person is a principal, who is known by the name of a token. Where no token has a name, a person is a user of the
    /// system: the one at the other end of a Unix socket, and for standard input and output and for TCP the one whose server
    /// it is.
    case person
    /// The one session that there is: a board, a chat. A client that closes it only leaves it.
    case everyone
}
