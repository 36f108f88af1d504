extension DescriptorStream {
    /// What few streams have: an output of its own, an error to tell later, somebody else to tell of the end.
    final class Extras {
        /// Nil: the input's descriptor is both.
        let outputChannel: Channel?
        var output: Descriptor?
        @exclusivity(unchecked) var outputRegistration: RegistrationToken?
        /// Why the output ended before its time, when reading went on.
        var outputError: SystemError?
        /// Called once, after the handler's last call.
        var whenClosed: (() -> Void)?

        init() {
            outputChannel = nil
        }

        init(output: consuming Descriptor) {
            outputChannel = Channel(output)
            self.output = consume output
        }
    }

    var hasTwoDescriptors: Bool { extras?.outputChannel != nil }

    var outputChannel: Channel { extras?.outputChannel ?? inputChannel }

    var outputError: SystemError? {
        get { extras?.outputError }
        set { madeExtras.outputError = newValue }
    }

    /// For the stream's owner in this module.
    var whenClosed: (() -> Void)? {
        get { extras?.whenClosed }
        set { madeExtras.whenClosed = newValue }
    }

    private var madeExtras: Extras {
        if let extras { return extras }
        let made = Extras()
        extras = made
        return made
    }
}
