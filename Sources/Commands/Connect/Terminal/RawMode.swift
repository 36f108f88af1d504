import Glibc

/// A terminal that gives every key at once, shows none by itself and makes no signals of them; and how it was before.
struct RawMode {
    private let descriptor: Int32
    private let before: termios

    /// Nil for what is no terminal.
    init?(_ descriptor: Int32) {
        var state = termios()
        guard tcgetattr(descriptor, &state) == 0 else { return nil }
        self.descriptor = descriptor
        before = state
    }

    func begin() {
        var state = before
        state.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
        state.c_cflag |= tcflag_t(CS8)
        state.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
        // A byte is enough for `read` to return, however long it takes. (C's VMIN and VTIME, of an array.)
        withUnsafeMutableBytes(of: &state.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        set(state)
    }

    /// As it was. Again is fine.
    func end() {
        set(before)
    }

    private func set(_ state: termios) {
        var state = state
        // After what was written is shown; what was typed ahead stays.
        while tcsetattr(descriptor, TCSADRAIN, &state) != 0, errno == EINTR {}
    }
}
