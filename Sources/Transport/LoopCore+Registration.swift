extension LoopCore {
    /// Keeps `registrant` alive until `withdraw`. It is watched for nothing yet.
    func register(_ registrant: any Registrant, descriptor: Int32 = -1) -> RegistrationToken {
        table.add(registrant, descriptor: descriptor)
    }

    /// Cheap when nothing changes.
    func setInterest(_ interest: Interest, of token: RegistrationToken) throws(SystemError) {
        guard let entry = table[token], entry.interest != interest, entry.descriptor >= 0 else { return }
        try poller.setInterest(interest, previous: entry.interest, descriptor: entry.descriptor, token: token)
        table.setInterest(interest, of: token)
    }

    /// Before the descriptor is closed. A token that was withdrawn before is ignored.
    func withdraw(_ token: RegistrationToken) {
        // To stop watching an open descriptor has no way to fail.
        try? setInterest([], of: token)
        _ = table.remove(token)
    }
}
