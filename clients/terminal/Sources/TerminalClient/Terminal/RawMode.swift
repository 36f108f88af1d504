import LibC

/// Raw mode of a terminal, which passes on every key at once, echoes none and makes no signals from them. Remembers the mode
/// from before.
struct RawMode {
    private let descriptor: Int32
    private let before: termios

    /// Remembers the terminal's mode; nil if the descriptor isn't a terminal.
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
        // `read` returns as soon as there is a byte, without a timeout. (VMIN and VTIME of C, in an array.)
        withUnsafeMutableBytes(of: &state.c_cc) { characters in
            characters[Int(VMIN)] = 1
            characters[Int(VTIME)] = 0
        }
        set(state)
    }

    /// Restores the mode from before. May be called again.
    func end() {
        set(before)
    }

    private func set(_ state: termios) {
        var state = state
        // The mode changes once all output was shown; keys that were typed ahead stay.
        while tcsetattr(descriptor, TCSADRAIN, &state) != 0, errno == EINTR {}
    }
}
