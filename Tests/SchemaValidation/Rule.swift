/// What one keyword, or a few that belong together, ask for. A number that stands for a schema is its place in the list of
/// all of them, since schemas refer to each other in circles.
enum Rule: Sendable {
    typealias SchemaIndex = Int

    /// The schema `false`.
    case never
    case kinds([InstanceKind])
    /// Of `enum`, and the one of `const`.
    case values([ExactJSON])
    case minimum(ExactNumber, isExclusive: Bool)
    case maximum(ExactNumber, isExclusive: Bool)
    case multiple(of: ExactNumber)
    case size(SizeBound, Int)
    case pattern(Pattern)
    case required([ExactString])
    /// Of each member that is there, the members that must be there too.
    case dependentRequired([ExactString: [ExactString]])
    case dependentSchemas([ExactString: SchemaIndex])
    case propertyNames(SchemaIndex)
    case properties(named: [ExactString: SchemaIndex], patterns: [(Pattern, SchemaIndex)], others: SchemaIndex?)
    case items(prefix: [SchemaIndex], others: SchemaIndex?)
    case contains(SchemaIndex, minimum: Int, maximum: Int?)
    case uniqueItems
    case reference(SchemaIndex)
    case all([SchemaIndex])
    case any([SchemaIndex])
    case one([SchemaIndex])
    case not(SchemaIndex)
    case condition(SchemaIndex, then: SchemaIndex?, otherwise: SchemaIndex?)
}

extension Rule {
    /// The schemas that look at the same value as this rule's own.
    var schemasInPlace: [SchemaIndex] {
        switch self {
        case .reference(let schema), .not(let schema): [schema]
        case .all(let schemas), .any(let schemas), .one(let schemas): schemas
        case .dependentSchemas(let schemas): Array(schemas.values)
        case .condition(let condition, let then, let otherwise): [condition] + [then, otherwise].compactMap { $0 }
        default: []
        }
    }
}
