/// An object that the view models of a session share, and whose saved properties outlive the process.
///
/// `Saved` has an example. The properties have their saved values before any view model gets the object. What has
/// changed of them is stored together with each turn of a view model of the session.
///
/// Its scope is the session: of an object of the whole process nothing can be stored, so a server refuses one.
///
/// **Names.** The properties are stored under the type's name, without its module: so a type may move to another module.
/// One that gets another name, or another type around it, says what it was called: `static let savedName = "Basket"`.
///
/// **Later versions** of the code read what older ones have stored, as those of a view model do: see `VersionedState`.
public protocol DurableSingleton: Singleton, VersionedState where SavedState == SavedProperties {
    /// The name that its properties are stored under: that of its type, with the types around it and without its module,
    /// unless implemented.
    static var savedName: String { get }

    /// The stored names of saved properties that have another name in Swift now; see `VersionedState`.
    associatedtype CodingKeys: CodingKey = UnchangedNames
}

extension DurableSingleton {
    /// The session, which is the only scope that a server accepts.
    public static var scope: SingletonScope { .session }

    /// The type's name: `Basket` of `Shop.Basket`, and `Cart.Basket` of `Shop.Cart.Basket`.
    public static var savedName: String { TypeNames.withoutModules(TypeNames.qualified(Self.self)) }
}
