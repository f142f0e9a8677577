/// Versions of the model that come between a merge and taking it back: they may give names to something else.
extension MergeInverse {
  /// What the names of the local model stood for at the time of the merge: each with what it was known to be called before.
  struct Names: Equatable, Sendable, Codable {
    private var entities: [String: [String]] = [:]
    /// By entity.
    private var properties: [String: [String: [String]]] = [:]

    init() {}

    init(_ table: NameTable) {
      for entity in table.entities {
        entities[entity.name] = entity.path.formerNames
        for property in entity.localProperties {
          properties[entity.name, default: [:]][property.name] = property.path.formerNames
        }
      }
    }

    /// What an entity is called now; `nil` if nobody knows it any more.
    fileprivate func present(_ name: String, in table: NameTable) -> KnownEntity? {
      Self.present(NamePath(name, entities[name] ?? []), among: table.entities, path: \.path)
    }

    /// What a property is called now; `nil` if the entity does not have it any more.
    fileprivate func present(_ name: String, of entity: String, now known: KnownEntity) -> String? {
      let path = NamePath(name, properties[entity]?[name] ?? [])
      return Self.present(path, among: known.localProperties, path: \.path)?.name
    }

    /// What had a path, which may have got other names or is known to have had others before.
    private static func present<Named>(
      _ path: NamePath, among candidates: [Named], path key: KeyPath<Named, NamePath>
    ) -> Named? {
      candidates.first { $0[keyPath: key].allPaths.contains(path) }
        ?? candidates.first { $0[keyPath: key].allPaths.contains { $0.begins(with: path) } }
    }
  }

  /// The objects with the names of the present model, and what is called nothing any more, which nobody can take back.
  func translated(to table: NameTable) -> (objects: [Object], unnamed: [UndoReport.Kept]) {
    var unnamed: [UndoReport.Kept] = []
    if names == Names(table) { return (objects, []) }
    let present = objects.compactMap { object -> Object? in
      func keep(_ key: String?) {
        unnamed.append(
          UndoReport.Kept(
            entity: (object.after ?? object.before)?.entity ?? object.root, object: object.syncID, key: key))
      }
      guard let root = names.present(object.root, in: table),
        let before = translated(object.before, to: table), let after = translated(object.after, to: table)
      else {
        keep(nil)
        return nil
      }
      for key in Set(before.unnamed + after.unnamed).sorted() where object.changes(key) { keep(key) }
      return Object(root: root.name, syncID: object.syncID, before: before.state, after: after.state)
    }
    return (present, unnamed)
  }

  /// What an object showed, with the names of the present model; `nil` if nobody knows its entity any more.
  private func translated(_ state: State?, to table: NameTable) -> (state: State?, unnamed: [String])? {
    guard let state else { return (nil, []) }
    guard let entity = names.present(state.entity, in: table) else { return nil }
    var (translated, unnamed) = (State(entity: entity.name), [String]())
    for (key, shown) in state.properties {
      if let name = names.present(key, of: state.entity, now: entity) {
        translated.properties[name] = shown
      } else {
        unnamed.append(key)
      }
    }
    for (list, members) in state.orders {
      guard let owner = names.present(list.entity, in: table),
        let name = names.present(list.key, of: list.entity, now: owner)
      else { continue }
      translated.orders[List(entity: owner.name, key: name, isInverse: list.isInverse)] = members
    }
    return (translated, unnamed)
  }
}

extension MergeInverse.Object {
  /// Whether the merge changed what is shown for a property.
  fileprivate func changes(_ key: String) -> Bool {
    guard let before, let after else { return true }
    return before.properties[key] != after.properties[key]
  }
}
