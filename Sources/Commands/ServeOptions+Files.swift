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
                written.withoutDescriptions == contract.json.withoutDescriptions
            else {
                let advice = "'swift package contract' brings it up to date"
                throw UsageError(message: "--schemas: \(path) isn't what the code says; \(advice)")
            }
            contracts[types.name] = written
        }
        return contracts
    }
}
