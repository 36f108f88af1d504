import Contracts
import Hosting
import Serving
import Sessions
import Transcripts

// Files that the options name are read or made when the server starts, so that a mistake is reported at once.
extension ServeOptions {
    func recordings(of application: Application, _ log: ServerLog) throws -> RecordingFolder? {
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

    /// Returns the contracts of all view models from their files, by view model name.
    ///
    /// - Throws: `UsageError` if a file is missing or disagrees with the code.
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

    /// Returns the state of the build as a file's bytes; nil if the web page shows none.
    var readsBuildState: (@Sendable () -> [UInt8]?)? {
        guard let path = buildState else { return nil }
        return { TextFile.bytes(path) }
    }

    /// Returns the files of the web page, with the user's own views; nil if the page isn't served.
    ///
    /// - Throws: `UsageError` if the user's views can't be read.
    func page(of application: Application) throws -> [WebFile]? {
        guard hasWeb else { return nil }
        let embedded = WebFile.embedded + application.additions.pageFiles()
        guard let folder = views ?? application.host.pageViews() else { return embedded }
        do throws(PageFiles.Mistake) {
            return embedded + (try PageFiles.ownViews(in: folder))
        } catch {
            throw UsageError(message: "\(error)")
        }
    }
}
