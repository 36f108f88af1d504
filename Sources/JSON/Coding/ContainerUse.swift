/// What a keyed container is for: there is a type of ours for each, so they aren't given out for one another.
enum ContainerUse: UInt {
    case value, event, caseValues
}
