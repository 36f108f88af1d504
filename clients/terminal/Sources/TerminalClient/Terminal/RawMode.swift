import LibC

/// Raw mode: the terminal hands over every key at once, echoes none and makes no signals of them. Keeps the mode
/// before.
struct RawMode {
    private let descriptor: Int32
    private let before: termios

    /// Nil where the descriptor isn't a terminal's.
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
        // `read` returns with one byte or more, without a timeout. (C's VMIN and VTIME, in an array.)
        withUnsafeMutableBytes(of: &state.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        set(state)
    }

    /// Restores the mode before. May be called again.
    func end() {
        set(before)
    }

    private func set(_ state: termios) {
        var state = state
        // After the output is shown. Keys that were typed ahead stay.
        while tcsetattr(descriptor, TCSADRAIN, &state) != 0, errno == EINTR {}
    }
}
