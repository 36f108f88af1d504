/// A new one each time it is asked for, as a view model is.
public protocol PerRequest: Resolvable {}
