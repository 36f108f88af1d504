/// The set of descriptors that a loop waits for, level-triggered. Confined to the loop's thread, but for its creation.
protocol Poller: AnyObject {
    /// Changes what a descriptor is watched for; `token` comes back with each event.
    ///
    /// With an empty interest the descriptor is not watched at all, not even for hang-ups, which the kernel would report
    /// over and over while nobody wants to read. It must be empty before the descriptor is closed: an open file description
    /// that another process shares would go on reporting.
    func setInterest(
        _ interest: Interest, previous: Interest, descriptor: Int32, token: RegistrationToken
    ) throws(SystemError)

    /// Returns what is ready, lent until the next wait. Waits for at most `milliseconds`; 0 doesn't wait, a negative number
    /// waits without end.
    func wait(milliseconds: Int32) -> UnsafeBufferPointer<ReadyEvent>
}
