extension Program {
    /// `nc`, connected to `HOST:PORT` or to the path of a Unix socket; half-closes the connection at the end of its input.
    convenience init(netcat address: String) throws {
        let place = address.contains("/") ? ["-U", address] : address.split(separator: ":").map(String.init)
        try self.init(Tool.netcat.command, ["-N"] + place)
    }
}
