import JSON
import Synchronization
import ViewModels

/// The lists of a session's view model: their changes as events of the session, and their rows as JSON text.
final class SessionLists: Sendable {
    private struct List: Sendable {
        let name: String
        let rows: any HostedRows
        let line: Int
    }

    /// How many bytes the rows that are told with a change may have: more than a screen of rows, and little beside what a
    /// session keeps.
    static let eventBytes = 64 << 10

    private let lists = Mutex<[List]>([])

    /// Tells everything that the lists of a view model have, and each change from now on. Called when the view model is bound.
    ///
    /// - Parameter isResumed: whether Views were told of the lists in an earlier life.
    func follow(
        _ found: [(name: String, rows: any HostedRows)], of output: any AnyOutput, in session: Session, isResumed: Bool
    ) {
        for (name, rows) in found {
            let line = rows.addLine(to: output, isResumed: isResumed) { report in
                Self.append(report, of: name, to: session)
            }
            lists.withLock { $0.append(List(name: name, rows: rows, line: line)) }
        }
    }

    /// Stops telling of the lists.
    func close() {
        let closed = lists.withLock { lists in
            defer { lists = [] }
            return lists
        }
        for list in closed { list.rows.removeLine(list.line) }
    }

    private static func append(_ report: RowsReport, of name: String, to session: Session) {
        var writer = JSONWriter()
        encode(report, of: name, in: session, into: &writer)
        session.append(writer.takeBytes(), key: SessionLog.key(ofList: name))
    }

    /// Writes a report as an event. It has no rows where one of them can't be expressed in JSON: the change is told all the
    /// same, and a view that asks for that row gets the error.
    private static func encode(
        _ report: RowsReport, of name: String, in session: Session, into writer: inout JSONWriter
    ) {
        let encoder = ListEncoder(name: name, maximumBytes: eventBytes, allowsLongRow: false)
        do throws(JSONCodingError) {
            try encoder.encode(event: report, into: &writer)
        } catch {
            session.report("\(session.viewModelName) has a row in '\(name)' that JSON can't express: \(error)")
            try? encoder.encode(event: report.withoutRows, into: &writer)
        }
    }
}

/// Snapshots.
extension SessionLists {
    /// Adds an event for each list that has rows to the array of a snapshot. Called where the view model's output delivers.
    func encodeSnapshot(of session: Session, into writer: inout JSONWriter) {
        for list in lists.withLock({ $0 }) {
            let report = list.rows.snapshot(of: list.line)
            // Views take a list without an event for empty.
            if report.count == 0 { continue }
            Self.encode(report, of: list.name, in: session, into: &writer)
        }
    }
}

/// Reading.
extension SessionLists {
    /// Reads rows of a list in memory.
    ///
    /// - Returns: false where the rows are made on demand, and weren't read.
    func readKept(
        _ request: RowsRequest, of session: Session, _ place: @escaping RowsRequest.Place
    ) throws(SessionError) -> Bool {
        let list = try listed(request.list)
        return list.rows.readKept(request.range, of: list.line) { place(Self.part($0, request, of: session)) }
    }

    /// Reads rows, also those that are made on demand.
    ///
    /// - Throws: what `HostedRows.read` throws, and `SessionError`.
    func read(_ request: RowsRequest, of session: Session, _ place: @escaping RowsRequest.Place) async throws {
        let list = try listed(request.list)
        try await list.rows.read(request.range, of: list.line) { place(Self.part($0, request, of: session)) }
    }

    private func listed(_ name: String) throws(SessionError) -> List {
        let lists = lists.withLock { $0 }
        if let list = lists.first(where: { $0.name == name }) { return list }
        let names = lists.map(\.name).sorted().joined(separator: ", ")
        let all = names.isEmpty ? "the view model has none" : "there are \(names)"
        throw .invalid(member: "list", reason: "there is no list '\(name)'; \(all)")
    }

    private static func part(
        _ report: RowsReport, _ request: RowsRequest, of session: Session
    ) -> Result<RowsRequest.Part, any Error> {
        do throws(JSONCodingError) {
            var writer = JSONWriter()
            let encoder = ListEncoder(
                name: request.list, maximumBytes: session.limits.rowBytes, allowsLongRow: true)
            try encoder.encode(rowsOf: report, into: &writer)
            guard writer.count <= session.limits.messageBytes else {
                return .failure(
                    UnencodableRow(
                        description: "a row of '\(request.list)' has \(writer.count) bytes, which no message may have"))
            }
            // While this runs, nothing else of the view model is numbered.
            let newest = session.state.withLock { $0.feed.log.newest }
            return .success(.init(seq: newest, count: report.count, first: report.first, rows: writer.takeBytes()))
        } catch {
            return .failure(
                UnencodableRow(description: "a row of '\(request.list)' can't be expressed in JSON: \(error)"))
        }
    }

    /// The error for a row that can't be sent.
    private struct UnencodableRow: Error, CustomStringConvertible {
        let description: String
    }
}

/// Writes a list's rows, and its changes as events.
struct ListEncoder {
    let name: String
    /// The most bytes of rows; further rows are left out.
    let maximumBytes: Int
    /// Whether the first row is written, however long it is.
    let allowsLongRow: Bool

    /// Writes `{"kind":"results","count":3,"changes":[…],"first":0,"rows":[…]}`. If that fails, nothing was written.
    func encode(event report: RowsReport, into writer: inout JSONWriter) throws(JSONCodingError) {
        let start = writer.count
        writer.beginObject()
        writer.key("kind")
        writer.string(name)
        writer.key("count")
        writer.integer(report.count)
        if let edits = report.edits {
            writer.key("changes")
            writer.beginArray()
            for edit in edits { encode(edit, into: &writer) }
            writer.endArray()
        }
        if report.rows != nil {
            writer.key("first")
            writer.integer(report.first)
            writer.key("rows")
            do throws(JSONCodingError) {
                try encode(rowsOf: report, into: &writer)
            } catch {
                writer.truncate(to: start)
                throw error
            }
        }
        writer.endObject()
    }

    private func encode(_ edit: RowsEdit, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("at")
        writer.integer(edit.at)
        writer.key("removed")
        writer.integer(edit.removed)
        writer.key("inserted")
        writer.integer(edit.inserted)
        writer.endObject()
    }

    /// Writes an array of the rows.
    func encode(rowsOf report: RowsReport, into writer: inout JSONWriter) throws(JSONCodingError) {
        guard let rows = report.rows else {
            writer.beginArray()
            return writer.endArray()
        }
        guard let type = report.rowType as? any Encodable.Type else {
            throw JSONCodingError(path: .root, reason: "\(report.rowType) isn't Encodable")
        }
        try encode(rows, of: type, into: &writer)
    }

    /// Writes rows, which are an array of `Row`.
    private func encode<Row: Encodable>(
        _ rows: any Sendable, of type: Row.Type, into writer: inout JSONWriter
    ) throws(JSONCodingError) {
        try ValueEncoder().encode(
            rows as? [Row] ?? [], maximumBytes: maximumBytes, allowsLongFirst: allowsLongRow, into: &writer)
    }
}

extension SessionLog {
    /// Returns the event of a list without its `changes`, for a view that hasn't seen the list's previous event.
    static func withoutChanges(_ payload: [UInt8]) -> [UInt8] {
        payload.withUnsafeBytes { bytes in
            guard let event = try? JSONValue(validating: bytes) else { return payload }
            var writer = JSONWriter()
            writer.beginObject()
            event.forEachMember { name, value in
                if name == "changes" { return }
                writer.key(name.string())
                writer.compact(value)
            }
            writer.endObject()
            return writer.takeBytes()
        }
    }
}
