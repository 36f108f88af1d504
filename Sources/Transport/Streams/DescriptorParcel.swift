import Synchronization

/// A descriptor on its way to another loop; closed when it never arrives there.
final class DescriptorParcel: Sendable {
    private let number: Mutex<Int32?>

    init(_ descriptor: consuming Descriptor) {
        number = Mutex(descriptor.release())
    }

    deinit {
        _ = take()
    }

    /// Nil after the first time.
    func take() -> Descriptor? {
        let taken = number.withLock { number in
            defer { number = nil }
            return number
        }
        guard let taken else { return nil }
        return Descriptor(owning: taken)
    }
}
