import Crypto
import TICDSOpenSSL

/// Founds an application's part of a remote or joins it: carries out what ``FoundingDecision`` decides.
struct ApplicationFounding {
  let backend: any SyncBackend
  let hierarchy: ApplicationHierarchy
  let configuration: ApplicationConfiguration

  /// What was looked at.
  struct Look {
    var evidence = ApplicationEvidence()
    var folder = KeyFolder()
    var foundings: [FoundingName] = []
    /// Something else that lies where the folder of founding records belongs.
    var obstruction: RemotePath?
    /// What came of the password, if there are more key files than it is tried on at once.
    var cutShort: KeyUnlocking.Result?
    /// Why the password may be right although it opens nothing: the storage does not hand out a key file.
    var refusedKeyFile: BackendError?
    /// Why the password may be right although it opens nothing: a key file is damaged, or not there in full.
    var unreadableKeyFile: KeyFileName?
    /// Whether the password is one that was withdrawn.
    var isPasswordWithdrawn = false
    /// The key files that a password has opened.
    var opened: [KeyUnlocking.Opened] = []
    /// The record that this device has written.
    private(set) var written: Record?

    /// Notes why a password may have opened nothing.
    mutating func noteFailure(_ result: KeyUnlocking.Result) {
      cutShort = result.isCutShort ? result : nil
      isPasswordWithdrawn = result.isWithdrawn
      refusedKeyFile = result.refusal(founded: evidence.foundedKeys)
      unreadableKeyFile = result.unreadable.filter { result.refused[$0] == nil }.min()
    }

    /// Notes what this device has written, which no listing may show yet.
    mutating func add(_ record: Record) {
      written = record
      if !foundings.contains(record.name) { foundings.append(record.name) }
    }

    /// Notes a key file that this device has written.
    mutating func add(_ file: KeyUnlocking.Opened) {
      opened.append(file)
      if !folder.keyFiles.contains(file.name) { folder.keyFiles.append(file.name) }
    }
  }

  /// A founding record under its name.
  struct Record {
    var name: FoundingName
    var bytes: [UInt8]
  }

  private var keyUnlocking: KeyUnlocking { KeyUnlocking(backend: backend, hierarchy: hierarchy) }
  /// That of a newcomer, who goes on with what an earlier attempt has not tried.
  private var rememberingUnlocking: KeyUnlocking {
    let memory = configuration.triedKeyFiles.map {
      KeyFileMemory(path: $0, cost: configuration.passwordCost, secrets: configuration.secrets)
    }
    return KeyUnlocking(backend: backend, hierarchy: hierarchy, memory: memory)
  }
  private var exchange: KeyExchange {
    KeyExchange(backend: backend, hierarchy: hierarchy, secrets: configuration.secrets)
  }

  /// - Throws: ``SyncError`` or `BackendError`.
  func register(_ choice: EncryptionChoice, mayCreate: Bool) async throws -> ApplicationRegistration {
    var held = choice.held
    var ring: KeyRing?
    if case .keys(let keys) = choice { ring = keys }
    if case .keysAndPassword(let keys, _) = choice { ring = keys }
    var look = try await look(ring)
    // A password is tried once, and each attempt to found ends with a look that finds what was founded.
    for _ in 0..<8 {
      switch FoundingDecision(look.evidence, holding: held, mayCreate: mayCreate) {
      case .tryPassword:
        guard let password = choice.password else { break }
        (ring, held) = try await tryPassword(password, &look)
      case .joinPlain:
        return registration(isNew: false, nil, look)
      case .joinSealed(let key, let isFounded):
        guard let all = try await unite(ring, choice, primary: key, &look) else { break }
        // What leads to the key that seals may be all that is not founded.
        if !isFounded, !look.evidence.foundedKeys.contains(all.primary.identifier) {
          if look.foundings.isEmpty { try await makeSurroundings() }
          look.add(try await writeRecord(all.primary))
        }
        return registration(isNew: false, all, look)
      case .found(let isEncrypted):
        if let new = try await found(isEncrypted ? choice.password : nil, &look) { return new }
      case .refuse(let refusal):
        throw refusal.failure(look, hierarchy)
      }
    }
    throw BackendError(
      .contradictory, path: hierarchy.root,
      detail:
        "each look shows something else: it changes faster than it can be looked at, or answers at random")
  }

  private func registration(isNew: Bool, _ ring: KeyRing?, _ look: Look) -> ApplicationRegistration {
    var registration = ApplicationRegistration(isNew: isNew, keys: ring)
    if let ring { registration.missingKeys = look.evidence.foundedKeys.filter { ring[$0] == nil } }
    var contents = look.opened.map { (hierarchy.encryption / $0.name.name, $0.bytes) }
    if let record = look.written { contents.append((hierarchy.file(of: record.name), record.bytes)) }
    registration.files = ApplicationFiles(
      foundings: look.foundings, keys: look.folder,
      contents: Dictionary(contents, uniquingKeysWith: { first, _ in first }))
    return registration
  }

  // MARK: Looking

  /// What lies there now.
  func look(_ ring: KeyRing?) async throws -> Look { try await look(ring, isFirst: true) }

  private func look(_ ring: KeyRing?, isFirst: Bool) async throws -> Look {
    var look = Look()
    guard let root = try await backend.listIfPresent(hierarchy.root) else { return look }
    let folders = Set(root.entries.filter { $0.kind == .folder }.map(\.name))
    // What should be a folder and is something else may hide anything.
    let others = Set(root.entries.filter { $0.kind == .file }.map(\.name.description) + root.foreign)
    func list(_ path: RemotePath) async throws -> RemoteListing? {
      guard let name = path.name, folders.contains(name) else { return nil }
      return try await backend.listIfPresent(path)
    }
    let records = try await list(hierarchy.founding) ?? RemoteListing()
    look.foundings = records.names.compactMap { FoundingName($0) }.sorted()
    let files = records.entries.filter { $0.kind == .file }.map(\.name)
    let unfinished = files.filter { FoundingName($0) == nil }.map(\.description) + records.foreign
    look.folder = KeyFolder(try await list(hierarchy.encryption) ?? RemoteListing())
    if others.contains("Encryption") { look.folder.strange.append("Encryption") }
    look.evidence.keyFiles = Set(look.folder.keyFiles.map(\.key))
    look.evidence.replacedKeys = look.folder.replacedKeys
    look.evidence.hasClassicSalt = look.folder.hasClassicSalt
    look.evidence.hasStrangeKeys = !look.folder.strange.isEmpty || !look.folder.wrapped.isEmpty
    try look.verify(NameAuthenticator(keys: ring), hierarchy)
    if look.foundings.isEmpty {
      if others.contains("Founding") { look.obstruction = hierarchy.founding }
      let content = [hierarchy.founding, hierarchy.clientDevices, hierarchy.documents]
      look.evidence.hasContent =
        content.contains { $0.name.map { others.contains($0.description) } ?? false }
        || look.obstruction != nil || unfinished.contains { $0.lowercased().contains("founding") }
      for folder in [hierarchy.clientDevices, hierarchy.documents] where !look.evidence.hasContent {
        look.evidence.hasContent = try await list(folder)?.entries.isEmpty == false
      }
    }
    // Somebody may have founded it since the records were listed.
    if look.evidence.hasContent, isFirst { return try await self.look(ring, isFirst: false) }
    return look
  }

  private func tryPassword(_ password: String, _ look: inout Look) async throws -> (KeyRing?, HeldKeys) {
    let result = try await rememberingUnlocking.unlock(
      look.folder.keyFiles, password, first: look.evidence.foundedKeys,
      withdrawals: look.folder.withdrawals, written: look.folder.written)
    look.noteFailure(result)
    look.evidence.keyFiles.subtract(Set(result.unreadable.map(\.key)).subtracting(result.remaining))
    look.evidence.keyFiles.formUnion(result.keys.map(\.identifier))
    look.opened += result.opened
    if !result.unreadable.isEmpty {
      look.evidence.hasStrangeKeys = true
      look.folder.strange += result.unreadable.filter { result.refused[$0] == nil }.map(\.name.description)
    }
    let ring = result.keys.first.map { KeyRing($0, others: Array(result.keys.dropFirst())) }
    try look.verify(NameAuthenticator(keys: ring), hierarchy)
    return (ring, .opened(Set(result.keys.map(\.identifier))))
  }

  // MARK: Joining

  /// All keys that can be had, the given one first; what was missing to have them from one another is written.
  private func unite(
    _ ring: KeyRing?, _ choice: EncryptionChoice, primary: KeyIdentifier, _ look: inout Look
  ) async throws -> KeyRing? {
    guard var ring else { return nil }
    if case .keysAndPassword(_, let password) = choice {
      let opened = try await rememberingUnlocking.unlock(
        look.folder.keyFiles, password, first: look.evidence.foundedKeys,
        withdrawals: look.folder.withdrawals, written: look.folder.written)
      guard !opened.keys.isEmpty else {
        look.noteFailure(opened)
        // Where the file is gone that it may open, nothing tells that it is wrong.
        let had = Set(look.folder.keyFiles.map(\.key)).union(look.evidence.replacedKeys)
        let refusal: FoundingDecision.Refusal =
          look.evidence.foundedKeys.isSubset(of: had) ? .wrongPassword : .keysNotDelivered
        throw refusal.failure(look, hierarchy)
      }
      ring = KeyRing(ring.primary, others: ring.all + opened.keys)
    }
    ring = ring[primary].map { ring.replacingPrimary(with: $0) } ?? ring
    let wrapped = try await exchange.fetch(look.folder.wrapped, for: ring)
    ring = KeyExchange.adding(wrapped, to: ring, hierarchy)
    ring = ring.sealingWithNewest
    if ring.all.count > 1 {
      try await exchange.publish(ring, present: look.folder.wrapped)
      do {
        try await withdrawFormerKeys(ring, look.folder)
      } catch let error as BackendError where error.isAboutOneFile {
        // Who may not write there joins all the same; whoever joins next tries again.
      }
    }
    try look.verify(NameAuthenticator(keys: ring), hierarchy)
    return ring
  }

  // MARK: Founding

  /// - Returns: `nil` if somebody else was first, and the look shows it.
  private func found(_ password: String?, _ look: inout Look) async throws -> ApplicationRegistration? {
    // Made before the last look, because it takes long.
    let material = try password.map { try newKeyFile($0) }
    look = try await self.look(nil)
    guard look.evidence == ApplicationEvidence() else { return nil }
    try await requireNoHierarchyAround()
    try await backend.listIfPresent(hierarchy.root)?.requireCase(of: hierarchy.folders, in: hierarchy.root)

    for folder in hierarchy.folders { try await backend.makeFolder(folder) }
    try await writeReadMe()
    var keyFile: KeyUnlocking.Opened?
    if let material {
      var random = configuration.random()
      let name = KeyFileName(material.key.identifier, using: &random)
      try await backend.makeFolder(hierarchy.encryption)
      try await backend.createIfAbsent(material.file.bytes, at: hierarchy.encryption / name.name)
      keyFile = KeyUnlocking.Opened(name: name, bytes: material.file.bytes)
    }
    let own = try await writeRecord(material?.key)
    look = try await self.look(material.map { KeyRing($0.key) })
    // Nobody else could ever join what does not show, and this device would go on alone.
    try await backend.requireShown(
      hierarchy.file(of: own.name), isListed: look.foundings.contains(own.name))
    if let keyFile {
      try await backend.requireShown(
        hierarchy.encryption / keyFile.name.name, isListed: look.folder.keyFiles.contains(keyFile.name))
    }
    look.add(own)
    if let keyFile { look.add(keyFile) }
    guard let key = material?.key, let password, let keyFile else {
      // Others will not read what is written in the clear, so nothing is.
      guard look.evidence.isEncrypted else { return registration(isNew: true, nil, look) }
      try await backend.remove(hierarchy.file(of: own.name))
      return nil
    }
    let rivals = look.evidence.keyFiles.subtracting([key.identifier])
    guard !rivals.isEmpty else { return registration(isNew: true, KeyRing(key), look) }

    // Somebody founded at the same time. With the same password both keys are everybody's; otherwise one founding is withdrawn: this
    // one if the other device has gone on already, else the one with the greater key, for that device looks as well.
    let opened = try await keyUnlocking.unlock(
      look.folder.keyFiles.filter { $0.key != key.identifier }, password, first: look.evidence.foundedKeys,
      written: look.folder.written)
    // What the storage does not hand out may well be the other's.
    let unusable = opened.unreadable.filter { opened.refused[$0] == nil }.map(\.key)
    let lost = rivals.subtracting(opened.keys.map(\.identifier)).subtracting(unusable)
      .intersection(look.evidence.foundedKeys)
    let hasSmaller = lost.contains { $0.description < key.identifier.description }
    let isLate = try await hasOtherClients()
    if !lost.isEmpty, hasSmaller || isLate {
      try await backend.remove(hierarchy.file(of: own.name))
      try await backend.remove(hierarchy.encryption / keyFile.name.name)
      look.refusedKeyFile = opened.refusal(founded: lost)
      throw FoundingDecision.Refusal.wrongPassword.failure(look, hierarchy)
    }
    let ring = KeyRing(key, others: opened.keys)
    if ring.all.count > 1 { try await exchange.publish(ring, present: look.folder.wrapped) }
    return registration(isNew: true, ring, look)
  }

  /// Makes what a founder who was interrupted has not come to, or storage has lost, and nothing depends on.
  private func makeSurroundings() async throws(BackendError) {
    do {
      for folder in hierarchy.folders { try await backend.makeFolder(folder) }
      try await writeReadMe()
    } catch  where error.isAboutOneFile {
      return
    }
  }

  private func writeReadMe() async throws(BackendError) {
    do throws(BackendError) {
      _ = try await backend.createUnlessPresent(
        Array(ApplicationHierarchy.readMeText.utf8), at: hierarchy.readMe)
    } catch {
      // The folder that it is in was just made.
      throw error.code == .notFound ? .unshown(folder: hierarchy.root) : error
    }
  }

  /// Refuses to found within what is a remote's own: somebody has named a folder too deep.
  private func requireNoHierarchyAround() async throws {
    let listing = try await backend.listIfPresent(.root) ?? RemoteListing()
    try listing.requireCase(of: [hierarchy.root], in: .root)
    guard ApplicationHierarchy.isWithin(listing.entries.map(\.name.description)) else { return }
    throw SyncError(
      .withinHierarchy,
      "The folder lies within a remote; it holds what a remote keeps in a folder of its own.",
      recovery: "Name the folder that the devices share, above this one.")
  }

  private func hasOtherClients() async throws -> Bool {
    let clients = try await backend.listIfPresent(hierarchy.clientDevices)?.entries ?? []
    return clients.contains { $0.name != configuration.client }
  }

  private func newKeyFile(_ password: String) throws -> (file: KeyFile, key: MasterKey) {
    try configuration.requireStrength(of: password)
    // Without a label: anybody can read it, and the name of the device is nobody's business.
    return try KeyFile.create(
      password: password, parameters: configuration.passwordCost, random: configuration.secrets)
  }

  @discardableResult
  func writeRecord(_ key: MasterKey?) async throws -> Record {
    var random = configuration.random()
    let nonce = FoundingRecord.nonce(using: &random)
    let record = FoundingRecord(
      key: key?.identifier, time: configuration.now(), application: hierarchy.application.description,
      creator: configuration.client.description, nonce: nonce)
    let bytes = try record.encoded(with: key)
    let names = try NameAuthenticator(keys: key.map { KeyRing($0) })
    let statement = hierarchy.statement(founding: record.integrityKey, key: record.key)
    let name = FoundingName(record.integrityKey, key: record.key, code: names.code(statement))
    try await backend.makeFolder(hierarchy.founding)
    try await backend.createIfAbsent(bytes, at: hierarchy.file(of: name))
    return Record(name: name, bytes: bytes)
  }
}

extension ApplicationFounding.Look {
  /// Leaves out the founding records that somebody without the key has invented, as far as the keys at hand tell.
  mutating func verify(_ names: NameAuthenticator, _ hierarchy: ApplicationHierarchy) throws {
    foundings.removeAll { founding in
      let statement = hierarchy.statement(founding: founding.integrityKey, key: founding.key)
      return names.verifies(founding.code, statement, key: founding.key) == false
    }
    evidence.isFoundedPlain = foundings.contains { $0.key == nil }
    evidence.foundedKeys = Set(foundings.compactMap(\.key))
    evidence.withdrawnKeys = Set(folder.withdrawals(names, hierarchy).map(\.key))
  }
}

extension EncryptionChoice {
  fileprivate var held: HeldKeys {
    switch self {
    case .none: .none
    case .password: .password
    case .keys(let ring), .keysAndPassword(let ring, _):
      .ring(primary: ring.primary.identifier, Set(ring.identifiers))
    }
  }

  fileprivate var password: String? {
    switch self {
    case .password(let password), .keysAndPassword(_, let password): password
    default: nil
    }
  }
}
