import LibC
import Testing
import Transport

extension TransportTests {
    @Suite struct SystemErrorTests {
        @Test func `an error says what, where and why`() {
            let error = SystemError(code: EACCES, call: "bind", subject: "127.0.0.1:80")
            #expect("\(error)" == "bind 127.0.0.1:80: Permission denied")
            #expect("\(SystemError(code: EMFILE, call: "eventfd"))" == "eventfd: Too many open files")
            #expect("\(SystemError(code: 1, call: "a", subject: "b", reason: "c"))" == "a b: c")
        }
    }
}
