import JSON
import JSONRPC
import ViewModelProtocol

/// Puts the messages of a client's process together, which come in parts, each behind a header with its length. Of a long one the
/// beginning says what it is; the rest may be passed on as it comes, so that no more than a short one is held. A value.
struct ProcessMessages {
    enum Step {
        /// The message goes on.
        case none
        /// A whole message, as it came.
        case whole([UInt8])
        /// A long message: `pass` or `collect` follows, or a later `take` of nothing, which says so again.
        case begins(MessageBeginning)
        /// The part is one of the message that is passed on.
        case passes
        /// These are no messages.
        case invalid
    }

    /// Messages up to this are put together.
    private static let wholeBytes = 64 << 10
    /// Longer than a header, an id and what is around them.
    private static let beginningBytes = 8 << 10

    private let maximumBytes: Int
    private var pending: [UInt8] = []
    private var isCollecting = false
    /// What is to come of the message that is passed on.
    private var left: Int?

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Whether the next part is the first one of a message.
    var isBetweenMessages: Bool { pending.isEmpty && left == nil }

    /// Whether a message has begun that isn't passed on.
    var hasBegun: Bool { !pending.isEmpty }

    /// The message behind its header; nil where they don't agree.
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

    /// Passes the message on.
    ///
    /// - Returns: what has come of it.
    mutating func pass(_ message: MessageBeginning) -> [UInt8] {
        let text = Array(pending.suffix(message.knownBytes))
        left = message.messageBytes - text.count
        pending = []
        return text
    }

    /// Puts the message together, however long it is.
    mutating func collect() {
        isCollecting = true
    }
}

/// What the beginning of a long message says of it, as `MessageEncoder` writes that.
struct MessageBeginning: Equatable {
    enum Kind: Equatable {
        case event
        /// A result, and the view that it names first.
        case result(RequestID, view: Int?)
        case other
    }

    let kind: Kind
    let messageBytes: Int
    fileprivate let knownBytes: Int

    init(_ text: UnsafeRawBufferPointer, of messageBytes: Int) {
        self.messageBytes = messageBytes
        knownBytes = text.count
        kind = RemoteServer.isEvent(text) ? .event : Self.result(text) ?? .other
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

    /// - Returns: where the literal that is here ends; nil where it isn't.
    private static func end(of literal: StaticString, in text: UnsafeRawBufferPointer, at start: Int) -> Int? {
        literal.withUTF8Buffer { literal in
            text[start...].starts(with: literal) ? start + literal.count : nil
        }
    }

    /// An id is a string or a number.
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
