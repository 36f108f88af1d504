import JSON
import JSONRPC
import ViewModelProtocol

/// Puts together the messages of a client's process. They come in parts; each message begins with a header that has its
/// length. The beginning of a long message tells its kind. Its rest may be passed on part by part, so that only a short part
/// is kept. A value.
struct ProcessMessages {
    enum Step {
        /// The message isn't complete yet.
        case none
        /// A whole message with its header, as it came.
        case whole([UInt8])
        /// The beginning of a long message. `pass` or `collect` must follow, or a later `take` of an empty part, which
        /// returns this step again.
        case begins(MessageBeginning)
        /// The part belongs to the message that is passed on.
        case passes
        /// The bytes are no messages.
        case invalid
    }

    /// The length in bytes up to which messages are always put together.
    private static let wholeBytes = 64 << 10
    /// The bytes after which a long message is looked at: more than a header, an id and the text around them take.
    private static let beginningBytes = 8 << 10

    private let maximumBytes: Int
    private var pending: [UInt8] = []
    private var isCollecting = false
    /// The bytes still to come of the message that is passed on; nil where none is.
    private var left: Int?

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Whether the next part is the first one of a message.
    var isBetweenMessages: Bool { pending.isEmpty && left == nil }

    /// Whether a message has begun that isn't being passed on.
    var hasBegun: Bool { !pending.isEmpty }

    /// Returns the text of a message without its header; nil where the header's length is wrong.
    static func text(of message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let header = PlainHeaderBlock(message), header.contentLength == message.count - header.byteCount else {
            return nil
        }
        return UnsafeRawBufferPointer(rebasing: message[header.byteCount...])
    }

    mutating func take(_ part: UnsafeRawBufferPointer, isLast: Bool) -> Step {
        if let left {
            guard part.count <= left, !isLast || part.count == left else { return .invalid }
            self.left = isLast ? nil : left - part.count
            return .passes
        }
        guard part.count <= maximumBytes - pending.count else { return .invalid }
        pending.append(contentsOf: part)
        guard !isLast else {
            let message = pending
            (pending, isCollecting) = ([], false)
            return .whole(message)
        }
        guard !isCollecting, pending.count >= Self.beginningBytes else { return .none }
        return pending.withUnsafeBytes { bytes in
            guard let header = PlainHeaderBlock(bytes), header.contentLength <= maximumBytes else { return .invalid }
            guard header.contentLength > Self.wholeBytes else { return .none }
            let text = UnsafeRawBufferPointer(rebasing: bytes[header.byteCount...])
            return .begins(MessageBeginning(text, of: header.contentLength))
        }
    }

    /// Begins to pass the message on.
    ///
    /// - Returns: the part of its text that has come so far.
    mutating func pass(_ message: MessageBeginning) -> [UInt8] {
        let text = Array(pending.suffix(message.knownBytes))
        left = message.messageBytes - text.count
        pending = []
        return text
    }

    /// Begins to put the message together, however long it is.
    mutating func collect() {
        isCollecting = true
    }
}

/// What the beginning of a long message tells about it, for messages as `MessageEncoder` writes them.
struct MessageBeginning: Equatable {
    enum Kind: Equatable {
        case event
        /// A result with its request, and the number of the view that the result names first.
        case result(RequestID, view: Int?)
        case other
    }

    let kind: Kind
    let messageBytes: Int
    fileprivate let knownBytes: Int

    init(_ text: UnsafeRawBufferPointer, of messageBytes: Int) {
        self.messageBytes = messageBytes
        knownBytes = text.count
        kind = RelayedServer.isEvent(text) ? .event : Self.result(text) ?? .other
    }

    private static func result(_ text: UnsafeRawBufferPointer) -> Kind? {
        guard let start = end(of: #"{"jsonrpc":"2.0","id":"#, in: text, at: 0),
            let end = endOfID(in: text, at: start), let result = Self.end(of: #","result":"#, in: text, at: end),
            let value = try? JSONValue(validating: UnsafeRawBufferPointer(rebasing: text[start..<end])),
            let id = RequestID(value)
        else { return nil }
        guard let number = Self.end(of: #"{"session":"#, in: text, at: result),
            let last = text[number...].firstIndex(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }),
            let view = try? JSONValue(validating: UnsafeRawBufferPointer(rebasing: text[number..<last]))
        else { return .result(id, view: nil) }
        return .result(id, view: view.shortInteger)
    }

    /// Returns where the literal ends; nil where the text has something else at `start`.
    private static func end(of literal: StaticString, in text: UnsafeRawBufferPointer, at start: Int) -> Int? {
        literal.withUTF8Buffer { literal in
            text[start...].starts(with: literal) ? start + literal.count : nil
        }
    }

    /// Returns where the id ends, which is a string or a number.
    private static func endOfID(in text: UnsafeRawBufferPointer, at start: Int) -> Int? {
        guard start < text.count, text[start] == UInt8(ascii: "\"") else {
            return text[start...].firstIndex(of: UInt8(ascii: ","))
        }
        var isEscaped = false
        for place in (start + 1)..<max(start + 1, text.count) {
            if !isEscaped, text[place] == UInt8(ascii: "\"") { return place + 1 }
            isEscaped = !isEscaped && text[place] == UInt8(ascii: "\\")
        }
        return nil
    }
}
