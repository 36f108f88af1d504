/// Types that are allowed, and yet rare.
enum Strange {
    struct `a.b<c`: Codable {
        var `x y`: Int
    }

    enum RawIdentifiers: Codable {
        case `hello world`(`my label`: Int)
        case kind(Int)
        case plain
    }

    struct Box<T: Codable>: Codable {
        struct Inner: Codable {
            var value: T
        }

        var inner: Inner
    }

    struct Boxes: Codable {
        var texts: Box<String>
        var flags: Box<Bool>
        var flag: Box<Bool>.Inner
    }

    struct Tagged<Tag, Value: Codable>: Codable {
        var value: Value
    }

    struct Tags: Codable {
        var function: Tagged<(Bool) -> Void, Bool>
        var tuple: Tagged<(Bool, String), String>
    }

    struct BoxOfLeaf: Codable {
        var box: Box<Leaf>
    }

    indirect enum Growing<T: Codable>: Codable {
        case larger([Growing<[T]>])
        case leaf(T)
    }

    indirect enum Endless: Codable {
        case again(Turn)

        final class Turn: Codable {
            let next: Endless
        }
    }

    final class Wide<Narrow: Codable>: Codable {
        let left: Narrow
        let right: Narrow
    }

    typealias Wide4<T: Codable> = Wide<Wide<Wide<Wide<T>>>>
    typealias Wide20<T: Codable> = Wide4<Wide4<Wide4<Wide4<Wide4<T>>>>>
}

/// One in each of two places, and both are called the same.
struct PrivateTypes {
    static func first() -> any Codable.Type {
        struct Local: Codable { var text: String }
        return Strange.Box<Local>.self
    }
    static func second() -> any Codable.Type {
        struct Local: Codable { var flag: Bool }
        return Strange.Box<Local>.self
    }
}

private struct Hidden: Codable {
    var flag: Bool
}

struct HiddenHolder: Codable {
    private var hidden: Hidden
    private var same: Same

    private struct Same: Codable {
        var hidden: Hidden

        struct Hidden: Codable {
            var text: String
        }
    }
}
