import LibC

/// Starts detached threads of the system.
package enum Thread {
    private final class Body {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs `body` in a new thread with this name, of which the kernel keeps 15 bytes.
    ///
    /// - Throws: when the system can't create a thread.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let context = Unmanaged.passRetained(Body(name, body))
        let code = pthread_create(&thread, &attributes, main, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw SystemError(code: code, call: "pthread_create", subject: name)
        }
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        let body = Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        clinux_name_thread(body.name)
        let crashStack = clinux_make_crash_stack()
        body.body()
        clinux_free_crash_stack(crashStack)
        return nil
    }
}
