import Contracts
import Serving
import Sessions
import Transcripts

// Files that the options name are read or made when the server starts, so that a mistake is reported at once.
extension ServeOptions {
    func recordings(of application: Application, _ log: Log) throws -> RecordingFolder? {
        do {
            let server = "\(application.name) \(application.version)"
            return try record.map {
                try RecordingFolder(
                    path: $0, redacts: redacts, server: server, didFail: { log.warning("\($0)") })
            }
        } catch let error as TranscriptError {
            throw UsageError(message: "--record \(error)")
        }
    }

    /// The contracts of all view models as their files have them, by name.
    ///
    /// - Throws: `UsageError` where one is missing or disagrees with the code.
    func contracts(of registry: Registry) throws -> [String: JSONTree] {
        guard let folder = schemas else { return [:] }
        var builder = ContractBuilder()
        var contracts: [String: JSONTree] = [:]
        for types in registry.allNames.compactMap({ registry.types(of: $0) }) {
            let contract = builder.contract(of: types)
            let path = "\(folder)/\(contract.fileName)"
            guard let text = try TextFile.read(path) else {
                throw UsageError(message: "--schemas: there is no \(path)")
            }
            guard let written = try? JSONTree(parsing: text),
                case let told = written.withoutState, told.withoutDescriptions == contract.json.withoutDescriptions
            else {
                let advice = "'swift package contract' brings it up to date"
                throw UsageError(message: "--schemas: \(path) isn't what the code says; \(advice)")
            }
            contracts[types.name] = told
        }
        return contracts
    }

    /// Reads the state of the build; nil where none is shown.
    var readsBuildState: (@Sendable () -> [UInt8]?)? {
        guard let path = buildState else { return nil }
        return { TextFile.bytes(path) }
    }

    /// The files of the web page, with the user's own views; nil where it isn't served.
    ///
    /// - Throws: `UsageError` where those views can't be read.
    func page(of application: Application) throws -> [WebFile]? {
        guard hasWeb else { return nil }
        let embedded = WebFile.embedded + application.additions.pageFiles()
        guard let folder = views ?? application.host.pageViews() else { return embedded }
        return try embedded + Self.ownViews(in: folder)
    }

    /// All files of the folder, which the page loads from `own/`.
    private static func ownViews(in folder: String) throws -> [WebFile] {
        let paths = TextFile.paths(under: folder, endingIn: "").filter { TextFile.isFile($0) }
        let names = paths.map { String($0.dropFirst(folder.count + 1)) }
        guard names.contains(WebFile.ownViews) else {
            throw UsageError(message: "the page's views: \(folder) has no \(WebFile.ownViews)")
        }
        var left = mostBytesOfOwnViews
        return try zip(paths, names).map { path, name in
            left -= TextFile.byteCount(path) ?? 0
            guard left >= 0 else {
                throw UsageError(message: "the page's views: \(folder) has more than \(mostBytesOfOwnViews >> 20) MiB")
            }
            guard let bytes = TextFile.bytes(path) else {
                throw UsageError(message: "the page's views: \(path) can't be read")
            }
            return WebFile(own: name, contents: bytes)
        }
    }

    /// They are kept in memory.
    private static var mostBytesOfOwnViews: Int { 16 << 20 }
}
