import ViewModels

/// The description of a view model's lists and their events.
extension ContractBuilder {
    /// The name of the part in problems with lists.
    private static let listPart = "list"

    /// Returns the schemas of the lists whose names no other event has, and adds the event of each to `events`.
    ///
    /// A list has an identity if its rows are `Identifiable`, whether or not a row's form contains its `id`.
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
    /// Adds an event's case to the schema of events.
    fileprivate mutating func add(_ event: Case) {
        switch form {
        case .nothing: form = .cases([event], .flat)
        case .cases(let cases, let shape): form = .cases(cases + [event], shape)
        // If the events aren't known, any event may come, and there is nothing to add.
        default: break
        }
    }
}
