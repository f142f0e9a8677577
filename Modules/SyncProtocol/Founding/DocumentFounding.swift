import Crypto

/// Founds a document or joins it: carries out what ``DocumentFoundingDecision`` decides.
struct DocumentFounding {
  /// Genuine foundings of one document that are looked at, at most: how many devices can have created it at once.
  static let limit = 16

  let backend: any SyncBackend
  let hierarchy: DocumentHierarchy
  let configuration: ApplicationConfiguration
  let keys: KeyRing?
  let names: NameAuthenticator
  /// The foundings that this device is a member of: looked at however many others there are.
  let members: Set<IntegrityKey>
  /// What this device remembers to have been deleted, though nothing there may say so any more.
  let deleted: Set<DeletionName>

  init(
    backend: any SyncBackend, hierarchy: DocumentHierarchy, configuration: ApplicationConfiguration,
    keys: KeyRing?, members: Set<IntegrityKey> = [], deleted: Set<DeletionName> = []
  ) throws(CryptoError) {
    self.backend = backend
    self.hierarchy = hierarchy
    self.configuration = configuration
    self.keys = keys
    self.members = members
    self.deleted = deleted
    names = try NameAuthenticator(keys: keys)
  }

  /// What one listing of `IntegrityKey` says.
  struct Look: Sendable {
    /// The genuine records of this device's kind of protection, in order, but for those that were deleted.
    var genuine: [FoundingName] = []
    /// The foundings of the document that were deleted.
    var deleted: [DeletionName] = []
    /// Those of them whose records lie there still, or again.
    var remaining: Set<IntegrityKey> = []
    /// Something else that lies where the folder of founding records or a genuine record belongs.
    var obstruction: RemotePath?
    /// Keys that records name and that are not at hand.
    var unknownKeys: Set<KeyIdentifier> = []
    /// Whether somebody has founded it without encryption, which this device uses.
    var isFoundedInTheOpen = false
    /// The genuine acceptances.
    var acceptances: Set<AcceptanceName> = []
    /// How many foundings there are, if more than are looked at.
    var crowd: Int?
    /// How many of them devices take part in, if these are more than can become one with a member's.
    var surplus: Int?
    /// Whether nothing tells a newcomer which of so many the devices use.
    var isUndecided = false

    /// A genuine founding whose record cannot be read.
    func unread(_ key: IntegrityKey) -> Record? {
      genuine.first { $0.integrityKey == key }.map { Record(name: $0, bytes: [], content: nil) }
    }

    func contains(_ key: IntegrityKey) -> Bool { genuine.contains { $0.integrityKey == key } }

    /// The foundings that are one document with a founding: members of both sides have said so.
    func united(with own: IntegrityKey) -> [IntegrityKey] {
      let pairs = Set(acceptances.map { [$0.founding, $0.other] })
      var united = [own]
      var isGrowing = true
      while isGrowing, united.count < DocumentFounding.limit {
        let next = genuine.map(\.integrityKey).filter { other in
          !united.contains(other)
            && united.contains { pairs.contains([$0, other]) && pairs.contains([other, $0]) }
        }
        isGrowing = !next.isEmpty
        united += next
      }
      return Array(united.dropFirst())
    }
  }

  /// A founding with its record as it lies there.
  struct Record: Sendable {
    var name: FoundingName
    /// Nothing if it cannot be read.
    var bytes: [UInt8]
    var content: FoundingRecord?
  }

  /// What was listed, with the records that could be read.
  struct View: Sendable {
    var look: Look
    var records: [Record]

    /// Whether there is a founding whose record can be read.
    var isFounded: Bool { records.contains { $0.content != nil } }
  }

  // MARK: Looking

  /// Whether all that was found, perhaps with other keys than those at hand, is found with these as well.
  func knows(_ look: Look) -> Bool {
    look.genuine.allSatisfy { founding in
      guard (founding.key == nil) == (keys == nil) else { return false }
      let statement = hierarchy.statement(founding: founding.integrityKey, key: founding.key)
      return names.verifies(founding.code, statement, key: founding.key) == true
    }
  }

  func view() async throws -> View {
    let look = try await look()
    return View(look: look, records: try await records(look))
  }

  func look() async throws -> Look {
    // A deletion is written before the records are removed, so it is looked for after them.
    let listing = try await unlessObstructed { () async throws(BackendError) in
      try await backend.listIfPresent(hierarchy.integrityKey) ?? RemoteListing()
    }
    let deletion = try DocumentDeletion(backend: backend, hierarchy: hierarchy, keys: keys)
    // Where something lies in the way nothing can be told of deletions. A member's synchronisation names it once a day.
    let listed = try await unlessObstructed { () async throws(BackendError) in try await deletion.list() }
    var look = try await look(listing ?? RemoteListing(), deleted: deleted.union(listed ?? []).sorted())
    if listing == nil { look.obstruction = hierarchy.integrityKey }
    return look
  }

  /// Returns `nil` where something else lies in the place of a folder.
  private func unlessObstructed<Result>(
    _ body: () async throws(BackendError) -> Result
  ) async throws(BackendError) -> Result? {
    do throws(BackendError) {
      return try await body()
    } catch {
      guard error.isObstruction else { throw error }
      return nil
    }
  }

  private func look(
    _ listing: RemoteListing, deleted: [DeletionName]
  ) async throws(BackendError) -> Look {
    var look = Look(deleted: deleted)
    let gone = Set(deleted.map(\.founding))
    for name in listing.names {
      if let founding = FoundingName(name), (founding.key == nil) == (keys == nil) {
        let statement = hierarchy.statement(founding: founding.integrityKey, key: founding.key)
        switch names.verifies(founding.code, statement, key: founding.key) {
        case true?:
          if gone.contains(founding.integrityKey) {
            look.remaining.insert(founding.integrityKey)
          } else {
            look.genuine.append(founding)
          }
        case false?: continue
        case nil: if let key = founding.key { look.unknownKeys.insert(key) }
        }
      } else if let founding = FoundingName(name), let key = founding.key {
        // This device goes without encryption, and somebody else does not.
        look.unknownKeys.insert(key)
      } else if FoundingName(name) != nil {
        look.isFoundedInTheOpen = true
      } else if let acceptance = AcceptanceName(name) {
        let statement = hierarchy.statement(founding: acceptance.founding, accepts: acceptance.other)
        if names.verifies(acceptance.code, statement) { look.acceptances.insert(acceptance) }
      }
    }
    let files = Set(listing.entries.filter { $0.kind == .file }.map(\.name))
    look.obstruction = look.genuine.map(\.name).filter { !files.contains($0) }.min().map {
      hierarchy.integrityKey / $0
    }
    let own = look.genuine.filter { members.contains($0.integrityKey) }
    var others = look.genuine.filter { !members.contains($0.integrityKey) }.sorted()
    if look.genuine.count > Self.limit {
      look.crowd = look.genuine.count
      others = try await witnessed(others)
      if !members.isEmpty, own.count + others.count > Self.limit { look.surplus = own.count + others.count }
      look.isUndecided = members.isEmpty && !(1...Self.limit).contains(others.count)
    }
    look.genuine = (own + others.prefix(max(0, Self.limit - own.count))).sorted()
    return look
  }

  /// Those of too many foundings that devices take part in. Costs a request.
  private func witnessed(_ foundings: [FoundingName]) async throws(BackendError) -> [FoundingName] {
    do throws(BackendError) {
      let heads = try await backend.listIfPresent(hierarchy.recentSyncs, limit: HeadTransfer.entryLimit)
      return FoundingWitnesses(of: foundings, heads?.listing ?? RemoteListing(), names, hierarchy).foundings
    } catch {
      guard error.isObstruction else { throw error }
      return []
    }
  }

  /// The records of the genuine foundings, as far as they can be read.
  func records(_ look: Look) async throws -> [Record] {
    var records: [Record] = []
    for name in look.genuine {
      do {
        records.append(try await record(name))
      } catch let error as BackendError {
        guard error.isAboutOneFile else { throw error }
      } catch is FormatError, is CryptoError {
        continue
      }
    }
    return records
  }

  private func record(_ name: FoundingName) async throws -> Record {
    let bytes = try await backend.download(hierarchy.file(of: name), limit: FoundingRecord.sizeLimit)
    let content = try FoundingRecord(bytes, keys: keys)
    guard content.integrityKey == name.integrityKey, content.key == name.key,
      content.application == hierarchy.application.application.description,
      content.document == hierarchy.document.description
    else {
      throw FormatError(
        format: "founding record", offset: 0, expected: "what the file's name and place say")
    }
    return Record(name: name, bytes: bytes, content: content)
  }

  // MARK: Founding

  /// Founds the document, unless somebody else does so at the same time.
  ///
  /// - Returns: the founding that remains, and whether it is this device's: of several that can see each other the smallest, for nothing
  ///   depends on any yet.
  func found() async throws -> (record: Record, isOwn: Bool) {
    var random = configuration.random()
    let nonce = FoundingRecord.nonce(using: &random)
    let content = FoundingRecord(
      key: keys?.primary.identifier, time: configuration.now(),
      application: hierarchy.application.application.description, document: hierarchy.document.description,
      format: FoundingRecord.compact, formatVersion: UInt16(DocumentInformation.compactVersion),
      creator: configuration.client.description, nonce: nonce)
    let statement = hierarchy.statement(founding: content.integrityKey, key: content.key)
    let name = FoundingName(content.integrityKey, key: content.key, code: names.code(statement))
    let own = Record(name: name, bytes: try content.encoded(with: keys?.primary), content: content)
    _ = try await backend.createUnlessPresent(own.bytes, at: hierarchy.file(of: name))
    let seen = try await records(look())
    guard let winner = seen.min(by: { $0.name < $1.name }), winner.name < name else {
      try await backend.requireShown(
        hierarchy.file(of: name), isListed: seen.contains { $0.name == name })
      return (own, true)
    }
    try await backend.remove(hierarchy.file(of: name))
    return (winner, false)
  }

  /// Puts a record back in place of what is missing or damaged.
  func restore(_ bytes: [UInt8], _ name: FoundingName) async throws(BackendError) {
    try await backend.makeFolder(hierarchy.integrityKey)
    try await backend.upload(bytes, to: hierarchy.file(of: name))
  }

  // MARK: Uniting

  /// Declares, as a member of one founding, that the others are of the same document.
  func accept(_ look: inout Look, as own: IntegrityKey) async throws {
    for other in look.genuine.map(\.integrityKey) where other != own {
      try await write(own, accepts: other, &look)
    }
    try await accept(&look, own, inTheNameOf: foundingsOfOtherKeys(look, own))
  }

  /// The foundings under another key at hand that has not come in the place of the own one's, nor the other way round: those who have both keys are
  /// members of both, and say so for each, for the devices of the other may be gone. A founding under the own key may as well be a deleted one
  /// that somebody has put back, so its members are waited for.
  private func foundingsOfOtherKeys(_ look: Look, _ own: IntegrityKey) -> [IntegrityKey] {
    guard let keys, let key = look.genuine.first(where: { $0.integrityKey == own })?.key.flatMap({ keys[$0] })
    else { return [] }
    return look.genuine.filter { other in
      guard let otherKey = other.key.flatMap({ keys[$0] }) else { return false }
      return otherKey.identifier != key.identifier && otherKey.generation == key.generation
    }.map(\.integrityKey)
  }

  /// Declares, in the name of others of which this device is a member too, that its own founding is of the same document.
  func accept(_ look: inout Look, _ own: IntegrityKey, inTheNameOf others: [IntegrityKey]) async throws {
    for other in others { try await write(other, accepts: own, &look) }
  }

  private func write(_ founding: IntegrityKey, accepts other: IntegrityKey, _ look: inout Look) async throws {
    if look.acceptances.contains(where: { $0.founding == founding && $0.other == other }) { return }
    let code = names.code(hierarchy.statement(founding: founding, accepts: other))
    let acceptance = AcceptanceName(founding, accepts: other, code: code)
    // The name says it all; some storage does not keep empty files.
    _ = try await backend.createUnlessPresent(
      Array(acceptance.name.description.utf8), at: hierarchy.file(of: acceptance))
    look.acceptances.insert(acceptance)
  }
}
