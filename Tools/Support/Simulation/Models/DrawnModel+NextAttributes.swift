import ChangeTracking
import ObjectStore

/// What a later version demands of attributes.
extension DrawnModel {
  /// Changes what neither identifies an object nor must be unique.
  private mutating func changeAttributes(_ change: (inout AttributeDescription) -> Void) {
    for entity in declarations.indices {
      for property in declarations[entity].properties.indices {
        guard case .attribute(var attribute) = declarations[entity].properties[property],
          attribute.name != SyncModelKey.syncID, !isConstrained(attribute.name),
          !declarations.contains(where: { $0.naturalKey == attribute.name })
        else { continue }
        change(&attribute)
        declarations[entity].properties[property] = .attribute(attribute)
      }
    }
  }

  private func attribute(formerly attribute: AttributeDescription) -> AttributeDescription? {
    let names = [attribute.name, attribute.renamingIdentifier].compactMap(\.self)
    return declarations.flatMap(\.properties).compactMap(\.asAttribute).first { names.contains($0.name) }
  }

  /// Attributes become counters and the like, or are merged as others.
  ///
  /// - Parameter former: the version before the present one. What it folded is folded alike or not at all: what is left of greatest and
  ///   smallest values is nothing that could be folded otherwise.
  mutating func changeMerges(after former: DrawnModel?, using random: inout SeededRandomSource) {
    changeAttributes { attribute in
      guard random.oneIn(3), attribute.isOptional, attribute.validation.isEmpty else { return }
      if attribute.userInfo[SyncModelKey.merge] != nil {
        attribute.userInfo[SyncModelKey.merge] = nil
      } else if let merge = former?.attribute(formerly: attribute)?.userInfo[SyncModelKey.merge] {
        attribute.userInfo[SyncModelKey.merge] = merge
      } else {
        let kinds: [MergeKind] =
          switch attribute.type {
          case .integer64: [.counter, .greatest, .smallest, .group("late")]
          case .date: [.greatest, .group("late")]
          case .string: [.group("late")]
          default: []
          }
        if let kind = kinds.randomElement(using: &random) { attribute.userInfo = .merging(kind) }
      }
    }
  }

  /// Attributes must have a value, and have a default, or need none any more.
  ///
  /// - Parameter former: the version before the present one.
  mutating func changeRequired(after former: DrawnModel?, using random: inout SeededRandomSource) {
    let values = DrawnValues(features: features)
    let mayBeBetween = features.has(.requiredBetween)
    changeAttributes { attribute in
      guard random.oneIn(3), attribute.userInfo[SyncModelKey.merge] == nil else { return }
      if let former, !attribute.isOptional, former.attribute(formerly: attribute)?.isOptional ?? true,
        !mayBeBetween
      {
        return
      }
      attribute.isOptional.toggle()
      attribute.defaultValue =
        attribute.isOptional ? .null : values.value(of: attribute, using: &random)
    }
  }

  /// Attributes go that a later version has again.
  mutating func dropAttributes(using random: inout SeededRandomSource) {
    for entity in declarations.indices {
      let dropped = declarations[entity].properties.compactMap(\.asAttribute).filter { attribute in
        attribute.name != SyncModelKey.syncID && attribute.userInfo.isEmpty && !isConstrained(attribute.name)
          && !declarations.contains { $0.naturalKey == attribute.name } && random.oneIn(4)
      }
      declarations[entity].properties.removeAll { property in dropped.contains { $0.name == property.name } }
    }
  }

  /// Entities have again what they had two versions ago.
  mutating func regainAttributes(of former: DrawnModel) {
    for entity in declarations.indices {
      let names = [declarations[entity].name, declarations[entity].renamingIdentifier]
      guard let before = former.declarations.first(where: { names.contains($0.name) }) else { continue }
      let present = declarations.flatMap(\.properties)
      for attribute in before.properties.compactMap(\.asAttribute)
      where !present.contains(where: {
        $0.name == attribute.name || $0.asAttribute?.renamingIdentifier == attribute.name
      }) {
        declarations[entity].properties.append(.attribute(attribute))
      }
    }
  }
}
