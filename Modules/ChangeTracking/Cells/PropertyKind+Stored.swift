extension EntityNames.Property.Kind {
  var stored: (code: Int64, destination: String?) {
    switch self {
    case .attribute: (0, nil)
    case .toOne(let destination): (1, destination)
    case .toMany(let destination): (2, destination)
    }
  }

  /// The same kind, to another root.
  func leading(to destination: String?) -> EntityNames.Property.Kind {
    guard let destination else { return self }
    return switch self {
    case .attribute: .attribute
    case .toOne: .toOne(destination: destination)
    case .toMany: .toMany(destination: destination)
    }
  }

  init?(code: Int64, destination: String) {
    switch code {
    case 0: self = .attribute
    case 1: self = .toOne(destination: destination)
    case 2: self = .toMany(destination: destination)
    default: return nil
    }
  }
}

extension SyncSchema.Property.Kind {
  /// The kind as sets tell it.
  package var wireKind: EntityNames.Property.Kind {
    switch self {
    case .attribute: .attribute
    case .toOne(let destination, _), .partner(let destination): .toOne(destination: destination)
    case .toMany(let destination, _): .toMany(destination: destination)
    }
  }
}
