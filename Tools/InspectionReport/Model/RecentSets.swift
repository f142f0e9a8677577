import ChangeTracking
import Inspection
import ObjectStore
import SyncProtocol

/// A set with its changes in words.
public struct ReportSet: Sendable {
  /// The application's identifier.
  public let application: String
  /// The document's identifier.
  public let document: String
  /// Who made it.
  public let author: AuthorID
  /// The client that it names.
  public let client: String
  /// Its number among those of its author.
  public let sequence: UInt64
  /// Where its file lies.
  public let path: RemotePath
  /// When its last change was made.
  public let time: LogicalTime
  /// Its first changes.
  public let changes: [ReportChange]
  /// Changes that are left out.
  public let hiddenChanges: Int
}

/// One change in words.
public struct ReportChange: Sendable {
  /// What happened.
  public let kind: SyncChange.Kind
  /// The object's entity.
  public let entity: String
  /// The object.
  public let object: String
  /// The property; `nil` if the object was inserted or deleted.
  public let property: String?
  /// The value or target.
  public let value: String?

  init(_ change: SyncChange) {
    kind = change.kind
    entity = change.entity.shortened
    object = change.object.string.shortened
    property = change.key?.shortened
    value =
      change.longValue.map { "a value of its own, \($0.length) bytes" } ?? change.value?.words
      ?? change.target?.string.shortened
  }
}

extension ReportSet {
  /// Puts a set into words; `nil` if it cannot be read or changes nothing.
  init?(_ set: InspectedSet, application: String) {
    guard case .success(let content) = set.result, let time = content.lastTime else { return nil }
    let changes = content.syncChanges
    self.init(
      application: application, document: set.document, author: set.author, client: content.client,
      sequence: set.name.sequence, path: set.path, time: time,
      changes: changes.prefix(RecentSets.changeLimit).map { ReportChange($0) },
      hiddenChanges: max(0, changes.count - RecentSets.changeLimit))
  }
}

extension ChangeSet {
  /// When its last change was made.
  var lastTime: LogicalTime? { changes.lazy.map(\.time).max() }
}

/// Keeps the newest of any number of sets in bounded memory.
struct RecentSets {
  /// How many sets are kept.
  static let limit = 300
  /// How many changes of each.
  static let changeLimit = 40

  private var kept: [ReportSet] = []
  /// What is not newer need not be kept.
  private var bound = LogicalTime(milliseconds: 0)

  var newest: [ReportSet] { Array(kept.sorted(by: Self.isNewer).prefix(Self.limit)) }

  /// Whether a set whose last change was made then may be among the newest, so that it is worth putting into words.
  func admits(_ time: LogicalTime) -> Bool { bound <= time }

  mutating func add(_ set: ReportSet) {
    guard admits(set.time) else { return }
    kept.append(set)
    guard kept.count >= 2 * Self.limit else { return }
    kept = newest
    bound = kept.last?.time ?? bound
  }

  private static func isNewer(_ left: ReportSet, _ right: ReportSet) -> Bool {
    (left.time, left.author, left.sequence) > (right.time, right.author, right.sequence)
  }
}

extension String {
  /// At most 160 scalars of it. Counted are scalars, for one character may consist of any number.
  var shortened: String {
    let scalars = unicodeScalars.prefix(161)
    guard scalars.count > 160 else { return self }
    return String(String.UnicodeScalarView(scalars.dropLast())) + "…"
  }
}

extension AttributeValue {
  fileprivate var words: String {
    switch self {
    case .null: "nothing"
    case .boolean(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .float(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .string(let text), .uri(let text): "“\(text.shortened)”"
    case .date(let seconds): Wording.time(secondsSince2001: seconds)
    case .data(let bytes): "\(bytes.count) bytes"
    case .uuid(let identifier): identifier.uuidString
    case .reference: "a relationship"
    }
  }
}
