import FoundationEssentials
import SchemaValidation
import Testing

/// The cases of the JSON Schema organization's test suite, in the folder beside this file.
struct JSONSchemaTestSuite {
    /// Cases that share a schema.
    struct Group: CustomTestStringConvertible {
        let file: String
        let description: String
        let schema: ExactJSON
        let cases: [(description: String, value: ExactJSON, isValid: Bool)]

        /// What lists call it.
        var name: String { "\(file): \(description)" }
        var testDescription: String { name }

        /// What goes wrong with it: the schema can't be read, or judges a case wrongly.
        var failures: [String] {
            let document: SchemaDocument
            do throws(SchemaError) {
                document = try SchemaDocument(schema)
            } catch {
                return ["unreadable: \(error)"]
            }
            return cases.compactMap { description, value, isValid in
                let violations = document.validate(value)
                guard violations.isEmpty != isValid else { return nil }
                return "\(description): \(violations.first.map { "\($0)" } ?? "no violation")"
            }
        }
    }

    static let folder = #filePath.replacing("JSONSchemaTestSuite.swift", with: "JSON-Schema-Test-Suite")

    /// All groups of all files. A file that can't be read is one group that nobody knows.
    static let groups: [Group] = {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().flatMap { groups(of: $0) }
    }()

    private static func groups(of file: String) -> [Group] {
        guard
            let text = try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8),
            let elements = try? ExactJSON(text: text).elements
        else { return [Group(file: file, description: "can't be read", schema: .boolean(false), cases: [])] }
        return elements.map { group in
            Group(
                file: String(file.dropLast(".json".count)),
                description: group["description"]?.string ?? "",
                schema: group["schema"] ?? .null,
                cases: (group["tests"]?.elements ?? []).map { test in
                    (test["description"]?.string ?? "", test["data"] ?? .null, test["valid"] == .boolean(true))
                })
        }
    }
}
