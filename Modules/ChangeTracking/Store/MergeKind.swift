import ObjectStore

/// How what several devices wrote to one property becomes one value.
///
/// Declare it where the property is declared:
///
/// ```swift
/// @Attribute(userInfo: .merging(.counter)) var likes: Int64 = 0
/// @Attribute(userInfo: .merging(.group("period"))) var start: Date?
/// @Attribute(userInfo: .merging(.group("period"))) var end: Date?
/// ```
/// or in a model file by the user info ``SyncModelKey/merge``.
public enum MergeKind: Hashable, Sendable {
  /// The value that was written last.
  case latest
  /// What every device added or took away, summed up; for numbers. A write counts as the difference to what was shown.
  case counter
  /// The greatest value that was written.
  case greatest
  /// The smallest value that was written.
  case smallest
  /// With all other properties of the group of this name: those that were written last, together.
  case group(String)

  /// Reads the form in which models say it; what is not known is ``latest``.
  public init(_ text: String) {
    switch text {
    case "counter": self = .counter
    case "greatest": self = .greatest
    case "smallest": self = .smallest
    default: self = text.hasPrefix("group:") ? .group(String(text.dropFirst(6))) : .latest
    }
  }

  /// The form in which models say it.
  public var text: String {
    switch self {
    case .latest: "latest"
    case .counter: "counter"
    case .greatest: "greatest"
    case .smallest: "smallest"
    case .group(let name): "group:" + name
    }
  }

  /// Whether the value follows from what all devices contributed.
  public var isFolded: Bool {
    switch self {
    case .counter, .greatest, .smallest: true
    case .latest, .group: false
    }
  }

  init(of property: PropertyDescription) {
    let kind = property.userInfo[SyncModelKey.merge].map { MergeKind($0) } ?? .latest
    let isFitting =
      switch (kind, property.asAttribute?.type) {
      case (.latest, _): true
      case (.group, let type): type != nil || property.asRelationship?.isToMany == false
      case (.counter, let type?):
        [.integer16, .integer32, .integer64, .decimal, .double, .float].contains(type)
      case (.greatest, let type?), (.smallest, let type?):
        type != .transformable && type != .composite && type != .undefined
      case (_, nil): false
      }
    self = isFitting ? kind : .latest
  }
}

extension [String: String] {
  /// User info that declares how a property is merged.
  public static func merging(_ kind: MergeKind) -> [String: String] { [SyncModelKey.merge: kind.text] }
}
