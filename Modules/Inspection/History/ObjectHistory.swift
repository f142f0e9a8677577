import ChangeTracking
import ObjectStore
import SyncProtocol

/// What became of one object, as the sets on a remote tell it: each change in the order of time, and which one prevails.
public struct ObjectHistory: Sendable {
  /// A change with the set that it came in.
  public struct Entry: Sendable {
    /// What was changed, when, and under which author.
    public let change: SyncChange
    /// The set.
    public let set: InspectedSet
    /// Identifier of the client that made the set.
    public let client: String
    /// What the client is called, as far as its head tells.
    public let clientDescription: String
    let document: DocumentReader

    /// What was written, also where it was so long that it lies in a file of its own; `nil` if that is not there any more, is damaged, or the
    /// change is none of an attribute.
    public func value() async -> AttributeValue? {
      guard let value = change.longValue else { return change.value }
      return await document.bytes(of: value).flatMap(value.value(of:))
    }
  }

  /// What people call the client of a change, with its author where those of other authors in the history are called so.
  ///
  /// - Parameters:
  ///   - entry: the change.
  ///   - shown: how the name is shown.
  public func deviceName(of entry: Entry, _ shown: (String) -> String = { $0 }) -> String {
    let name = entry.clientDescription
    let isShared = entries.contains { $0.clientDescription == name && $0.set.author != entry.set.author }
    return isShared ? "\(shown(name)) [\(entry.set.author)]" : shown(name)
  }

  /// What is true of a change beside the others.
  public enum Verdict: Sendable {
    /// Every contribution to a counter, or to a greatest or smallest value, counts.
    case counts
    /// It is the latest of what it is about.
    case prevails
    /// It is the latest of what it is about among the sets that are there and can be read; others may tell of a later one: a vacuum has removed
    /// them, they are lost, late or damaged, or lie in a folder that was not listed.
    case latestKnown
    /// It is the latest, but the object was deleted, at this time.
    case deleted(at: LogicalTime)
    /// A later one took its place, or, with `isTie`, one as late by a greater author.
    case overruled(by: Entry, isTie: Bool)
  }

  /// A set that cannot be read, and may tell of the object.
  public struct UnreadSet: Sendable {
    /// Where its file lies.
    public let path: RemotePath
    /// Why.
    public let failure: ReadingFailure
  }

  /// In the order of time; of what was changed at one time, by author.
  public let entries: [Entry]
  /// What cannot be read.
  public let unread: [UnreadSet]
  /// What is not there, or was not listed: it may tell of the object, and of who made sets.
  public let omissions: HistoryOmissions
  /// Whose first sets are not there, because a vacuum has removed what whole stores contain.
  let removedAuthors: Set<AuthorID>

  /// Whether the first sets of somebody are not there, because a vacuum has removed what whole stores contain.
  public var lacksBeginning: Bool { !removedAuthors.isEmpty }

  /// What a change is about, of which the latest prevails.
  private struct Register: Hashable {
    var key: String?
    /// Of a relationship, whose members are told.
    var holder: SyncID?
    var member: SyncID?
    var isPlace = false

    /// `nil` for what is said to a counter.
    init?(_ change: SyncChange) {
      switch change.kind {
      case .valueContributed: return nil
      case .objectInserted, .objectDeleted: break
      case .attributeChanged, .toOneChanged: key = change.key
      case .toManyAdded, .toManyRemoved, .memberPlaced:
        key = change.key
        holder = change.object
        member = change.target
        isPlace = change.kind == .memberPlaced
      }
    }

    private init() {}
    /// Whether the object lives.
    static let life = Register()
  }

  private let latest: [Register: Entry]

  init(
    _ found: [Entry], unread: [UnreadSet], omissions: HistoryOmissions, removedAuthors: Set<AuthorID>
  ) {
    entries = found.sorted { $0.change.stamp < $1.change.stamp }
    self.unread = unread
    self.omissions = omissions
    self.removedAuthors = removedAuthors
    var latest: [Register: Entry] = [:]
    for entry in entries { if let register = Register(entry.change) { latest[register] = entry } }
    self.latest = latest
  }

  /// Whether a change of ``entries`` prevails, or what took its place.
  public func verdict(on entry: Entry) -> Verdict {
    guard let register = Register(entry.change), let winner = latest[register] else { return .counts }
    let (stamp, winning) = (entry.change.stamp, winner.change.stamp)
    guard stamp == winning else { return .overruled(by: winner, isTie: stamp.time == winning.time) }
    // An author's own first sets tell of nothing later.
    let isComplete = unread.isEmpty && omissions.isEmpty
    if !isComplete || !removedAuthors.subtracting([entry.set.author]).isEmpty { return .latestKnown }
    if entry.change.kind != .objectDeleted, let life = latest[.life]?.change, life.kind == .objectDeleted {
      return .deleted(at: life.stamp.time)
    }
    return .prevails
  }
}

extension RemoteInspector {
  /// What became of an object.
  ///
  /// - Parameters:
  ///   - object: its sync ID.
  ///   - document: the document's identifier.
  ///   - application: the application's identifier; without it, that of all applications on the remote.
  ///   - hasMemberships: whether it is told, too, how the object became and ceased to be a member of others: of a relationship between many
  ///     objects, the changes are those of one of the two ends.
  /// - Throws: ``InspectionError``, or `CancellationError`.
  public func history(
    of object: String, in document: String, application: String? = nil, hasMemberships: Bool = false
  ) async throws -> ObjectHistory {
    func tells(_ change: SyncChange) -> Bool {
      if change.object.string == object { return true }
      let isMembership = change.kind == .toManyAdded || change.kind == .toManyRemoved
      return hasMemberships && isMembership && change.target?.string == object
    }
    let applications = try await applications(in: tree(), only: application)
    let names = await clientDescriptions(applications)
    var entries: [ObjectHistory.Entry] = []
    var unread: [ObjectHistory.UnreadSet] = []
    var omissions = HistoryOmissions()
    var removedAuthors: Set<AuthorID> = []
    try requireOpen(applications)
    let documents = applications.flatMap(\.documents)
    let readers = documents.filter { $0.hierarchy.document.description == document }
    guard !readers.isEmpty else {
      try requireListedDocuments(applications)
      throw InspectionError.noDocument(
        document, among: Set(documents.map(\.hierarchy.document.description)).sorted())
    }
    for reader in readers {
      try await requireOwnName(reader)
      omissions.unlisted += reader.unlistedHistory
      let strays = reader.strayAuthors()
      var branches = await MissingBranches(reader)
      for file in reader.sets where strays[file.author] == nil {
        try Task.checkCancellation()
        let result = await reader.result(file)
        if case .success(let set) = result { branches.look(at: set, file) }
        let set = reader.inspected(file, result)
        switch set.result {
        case .failure(let failure): unread.append(.init(path: file.path, failure: failure))
        case .success(let content):
          let name = names[file.author] ?? content.client
          for change in content.syncChanges where tells(change) {
            entries.append(
              .init(
                change: change, set: set, client: content.client, clientDescription: name, document: reader))
          }
        }
      }
      removedAuthors.formUnion(await reader.authorsWithoutBeginning())
      await omissions.add(reader)
      omissions.add(branches, of: reader)
    }
    return ObjectHistory(entries, unread: unread, omissions: omissions, removedAuthors: removedAuthors)
  }
}

extension DocumentReader {
  /// Whose first sets are not there, because a vacuum may have removed them.
  func authorsWithoutBeginning() async -> Set<AuthorID> {
    let firsts = Dictionary(grouping: sets, by: \.author).mapValues { $0.map(\.name.sequence).min() ?? .max }
    return Set(
      await floor().sequences.compactMap { author, sequence in
        sequence > 0 && firsts[author] ?? .max > 1 ? author : nil
      })
  }
}
