import Glibc

/// People with a token each, in a file for the server that is removed with it.
package final class People {
    private let path: String
    private let count: Int

    package init(count: Int) throws(SystemFailure) {
        self.count = count
        var name = Array("/var/tmp/view-model-people-XXXXXX".utf8CString)
        let descriptor = Descriptor(try check(mkstemp(&name), "making a file"))
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let text = (0..<count).map { "person-\($0) \(Self.token(of: $0))\n" }.joined()
        var bytes = text.utf8[...]
        while !bytes.isEmpty {
            let written = bytes.withContiguousStorageIfAvailable { write(descriptor.number, $0.baseAddress, $0.count) }
            guard let written, written > 0 else { throw SystemFailure("writing tokens") }
            bytes = bytes.dropFirst(written)
        }
    }

    deinit { unlink(path) }

    package static func token(of person: Int) -> String { "the-token-of-person-\(person)" }

    var options: [String] { ["--token-file", path] }
}
