/// One for all who ask: the container makes it once and keeps it.
public protocol Singleton: Resolvable, AnyObject where Arguments == Void {
    /// Who shares it. Unless implemented, the whole process.
    static var scope: SingletonScope { get }
}

extension Singleton {
    /// The whole process.
    public static var scope: SingletonScope { .process }
}
