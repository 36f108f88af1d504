import ViewModels

/// The lists of a view model, each with its event.
extension ContractBuilder {
    /// The part that the problems of lists name.
    private static let listPart = "list"

    /// Those that have a name of their own, and in `events` the event of each.
    ///
    /// A list has an identity where its rows are `Identifiable`, whether or not they show it.
    mutating func describe(
        _ lists: [(name: String, row: any Any.Type)], of model: any Any.Type, addingTo events: inout Schema
    ) -> [ViewModelContract.List] {
        guard !lists.isEmpty else { return [] }
        part = Self.listPart
        defer { event = nil }
        let path = TypeName(model).path
        var kinds = Set(events.kinds ?? [])
        var described: [ViewModelContract.List] = []
        for (name, type) in lists {
            event = path + [name]
            guard kinds.insert(name).inserted else {
                _ = refuse(TypeName(model), name, Self.sameName)
                continue
            }
            let identity = type is any Identifiable.Type ? ViewModelContract.List.identityName : nil
            let list = ViewModelContract.List(name, row: schema(ofRow: type), identity: identity)
            defineEdit()
            events.add(list.event(comment(path + [name])))
            described.append(list)
        }
        return described
    }

    private mutating func schema(ofRow type: any Any.Type) -> Schema {
        if let type = type as? any Decodable.Type { return schema(of: type) }
        return refuse(TypeName(type), nil, type is any Encodable.Type ? Self.notDecodable : "it isn't Codable")
    }

    private mutating func defineEdit() {
        let name = ViewModelContract.List.editName
        guard known.updateValue(ObjectIdentifier(RowsEdit.self), forKey: name) == nil else { return }
        definitions.append((name, ViewModelContract.List.edit))
    }

    private static let sameName = "another event, or another list, is called so: give it another name"
}

extension Schema {
    /// Adds a kind to the schema of events.
    fileprivate mutating func add(_ event: Case) {
        switch form {
        case .nothing: form = .cases([event], .flat)
        case .cases(let cases, let shape): form = .cases(cases + [event], shape)
        // Where the events aren't known, any may come.
        default: break
        }
    }
}
