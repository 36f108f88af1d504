/// The names that `type` knows.
enum InstanceKind: String, Sendable, CaseIterable {
    case null, boolean, integer, number, string, array, object

    func contains(_ instance: ExactJSON) -> Bool {
        switch (self, instance) {
        case (.null, .null), (.boolean, .boolean), (.number, .number), (.string, .string), (.array, .array),
            (.object, .object):
            true
        case (.integer, .number(let number)): number.isInteger
        default: false
        }
    }
}
