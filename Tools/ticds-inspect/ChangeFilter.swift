import ChangeTracking
import CommandLineTool
import Foundation
import Inspection

/// Which changes a person asked for. What is given several times admits any of it; what is not given admits all.
struct ChangeFilter {
  private static let documentName = Parameter.repeated(
    "document", placeholder: "ID", "Only of this document; may be given several times, as all but the times.")
  private static let device = Parameter.repeated(
    "device", placeholder: "NAME", "Only of this device: its description, identifier, or author.")
  private static let entity = Parameter.repeated(
    "entity", placeholder: "NAME", "Only of objects of this entity.")
  private static let object = Parameter.repeated(
    "object", placeholder: "ID", "Only of the object with this sync ID.")
  private static let property = Parameter.repeated("property", placeholder: "NAME", "Only of this property.")
  private static let kind = Parameter.repeated(
    "kind", placeholder: "KIND",
    "Only of this kind: \(SyncChange.Kind.allCases.map { "\($0)" }.joined(separator: ", ")).")
  private static let since = Parameter.optionalName(
    "since", placeholder: "TIME", "Only from this time on, as 2026-01-31 or 2026-01-31T12:00:00Z.")
  private static let until = Parameter.optionalName("until", placeholder: "TIME", "Only before this time.")

  static let parameters: [any AnyParameter] = [
    documentName, device, entity, object, property, kind, since, until,
  ]

  private let documents: Set<String>
  private let devices: Set<String>
  private let entities: Set<String>
  private let objects: Set<String>
  private let properties: Set<String>
  private let kinds: Set<SyncChange.Kind>
  private let times: Range<UInt64>

  init(_ arguments: Arguments) throws {
    documents = Set(try arguments[Self.documentName])
    devices = Set(try arguments[Self.device])
    entities = Set(try arguments[Self.entity])
    objects = Set(try arguments[Self.object])
    properties = Set(try arguments[Self.property])
    var kinds: Set<SyncChange.Kind> = []
    for name in try arguments[Self.kind] {
      guard let kind = SyncChange.Kind.allCases.first(where: { "\($0)" == name }) else {
        throw ToolFailure.usage(
          "--kind does not take “\(name)”",
          advice: "it takes one of \(SyncChange.Kind.allCases.map { "\($0)" }.joined(separator: ", "))")
      }
      kinds.insert(kind)
    }
    self.kinds = kinds
    let start = try arguments[Self.since].map { try CommandLineTime.milliseconds($0, "--since") } ?? 0
    let end = try arguments[Self.until].map { try CommandLineTime.milliseconds($0, "--until") } ?? .max
    guard start <= end else { throw ToolFailure.usage("--since is later than --until") }
    times = start..<end
  }

  /// Whether a set may hold any of the changes.
  func admits(_ set: InspectedSet) -> Bool { documents.isEmpty || documents.contains(set.document) }

  /// Whether a change is one of them.
  ///
  /// - Parameters:
  ///   - change: the change.
  ///   - names: by which its device may be called.
  func admits(_ change: SyncChange, by names: [String]) -> Bool {
    (devices.isEmpty || names.contains(where: devices.contains))
      && (entities.isEmpty || entities.contains(change.entity))
      && (objects.isEmpty || objects.contains(change.object.string))
      && (properties.isEmpty || change.key.map(properties.contains) ?? false)
      && (kinds.isEmpty || kinds.contains(change.kind)) && times.contains(change.stamp.time.milliseconds)
  }

  /// What was asked for and met nothing so far: a word that is misspelt admits nothing, which must not look like a remote without changes.
  struct Unmet {
    private var words: [(option: String, words: Set<String>)]

    init(_ filter: ChangeFilter) {
      words = [
        ("--document", filter.documents), ("--device", filter.devices), ("--entity", filter.entities),
        ("--object", filter.objects), ("--property", filter.properties),
      ]
    }

    var isEmpty: Bool { words.allSatisfy(\.words.isEmpty) }

    /// Notes what a set and its changes are called, whether or not anything else admits them.
    ///
    /// - Parameter names: by which the set's device may be called.
    mutating func meet(_ set: InspectedSet, _ changes: [SyncChange], by names: [String]) {
      guard !isEmpty else { return }
      words[0].words.remove(set.document)
      words[1].words.subtract(names)
      for change in changes {
        words[2].words.remove(change.entity)
        words[3].words.remove(change.object.string)
        if let key = change.key { words[4].words.remove(key) }
      }
    }

    /// In words, with the option of each.
    var description: String {
      words.flatMap { option, words in words.sorted().map { "\(option) “\(DisplayText.printable($0))”" } }
        .joined(separator: ", ")
    }
  }
}
