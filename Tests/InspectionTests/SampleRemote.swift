import ChangeTracking
import Crypto
import FileManagerBackend
import Foundation
import Inspection
import ObjectStore
import SyncProtocol
import TemporaryFolders

/// What the sample devices keep.
final class Item: ManagedObject {
  @Attribute var name: String = ""
  @Attribute(indexed: true) var ticdsSyncID: String?
}

/// A remote in a folder of its own that two devices have written to; removed when the last reference goes.
final class SampleRemote: Sendable {
  static let password = "correct horse"

  let folder: TemporaryFolder
  let remote: URL
  let isEncrypted: Bool

  /// Three sets of “first”, one of “second”; both have seen everything.
  init(encrypted: Bool) async throws {
    folder = try TemporaryFolder()
    remote = folder.url.appending(path: "remote")
    isEncrypted = encrypted
    try FileManager.default.createDirectory(at: remote, withIntermediateDirectories: true)
    let first = try await device("first")
    let second = try await device("second")
    for name in ["one", "two", "three"] { try await first.push(name) }
    try await second.push("four")
    _ = try await first.document.synchronize()
    _ = try await second.document.synchronize()
  }

  struct Device {
    let store: PersistentStore
    let document: DocumentSyncManager
    let application: ApplicationSyncManager

    func push(_ name: String) async throws {
      let context = try store.newContext()
      try context.insert(Item.self).name = name
      try context.save()
      _ = try await document.synchronize()
    }

    /// The names of all items, in order.
    func names() throws -> [String] {
      try store.newContext().fetch(FetchRequest<Item>()).map(\.name).sorted()
    }
  }

  /// A device with a store of that name, which goes on with it if it is there.
  ///
  /// - Parameters:
  ///   - file: another name of the store, as of a copy.
  ///   - identifier: of the document.
  func device(
    _ name: String, called description: String? = nil, in file: String? = nil,
    of identifier: String = "things"
  ) async throws -> Device {
    let application = try await application(name, called: description)
    let store = try PersistentStore(
      model: ManagedObjectModel(Item.self), path: folder.file("\(file ?? name).sqlite"))
    let document = try DocumentSyncManager(
      application: application, document: identifier,
      replica: Replica(store: ManagedLocalStore(store: store), configuration: .init(client: "client-\(name)"))
    )
    try await document.register()
    return Device(store: store, document: document, application: application)
  }

  private func application(_ name: String, called description: String?) async throws -> ApplicationSyncManager
  {
    var configuration = try ApplicationConfiguration(
      application: "sample", client: "client-\(name)", clientDescription: description ?? name)
    configuration.passwordCost = .init(cost: 16, blockSize: 8, parallelization: 1)
    let application = ApplicationSyncManager(
      backend: FileManagerBackend(folder: remote.path), configuration: configuration)
    try await application.register(isEncrypted ? .password(Self.password) : .none)
    return application
  }

  /// A device is called something else from now on.
  func rename(_ name: String, _ description: String) async throws {
    _ = try await device(name, called: description).document.synchronize()
  }

  /// A device changes the password, and those who open the remote afterwards are to name the new one.
  func changePassword(from old: String, to new: String) async throws {
    try await application("first", called: nil).changePassword(from: old, to: new)
  }

  /// The keys of the remote, if its password is the first one.
  func ring() async throws -> KeyRing? { try await application("first", called: nil).registration?.keys }

  var inspector: RemoteInspector { inspector(Self.password) }

  func inspector(_ password: String) -> RemoteInspector {
    RemoteInspector(
      backend: FileManagerBackend(folder: remote.path), password: isEncrypted ? password : nil)
  }

  /// Two more devices push a long text, the second after the first.
  func addLongValue(_ text: String) async throws {
    for name in ["third", "fourth"] { try await device(name).push(text) }
  }

  /// Another device joins and uploads a whole store.
  func uploadWholeStore() async throws {
    let document = try await device("third").document
    _ = try await document.synchronize()
    try await document.uploadStore()
  }

  /// Another device mentions a set, as it does if no head names it.
  func mention(_ set: URL) async throws {
    guard let application = RemoteName("sample"), let document = RemoteName("things"),
      let name = RemoteName(set.lastPathComponent).flatMap({ SetName($0) }),
      let identifier = AuthorID(set.deletingLastPathComponent().lastPathComponent),
      let record = try files(in: "IntegrityKey", suffix: ".founding").first,
      let founding = RemoteName(record.lastPathComponent).flatMap({ FoundingName($0) })
    else { throw CocoaError(.fileNoSuchFile) }
    let hierarchy = ApplicationHierarchy(application: application).document(document)
    let protection = try DocumentProtection(
      keys: nil, hierarchy: hierarchy, own: founding.integrityKey)
    let mention = protection.mention(author: identifier, set: name)
    try await FileManagerBackend(folder: remote.path).upload([], to: hierarchy.file(of: mention))
  }

  /// Another device uploads two whole stores, and removes the sets that they contain and that all have.
  func vacuum() async throws {
    let device = try await device("fifth")
    for name in ["five", "six"] {
      try await device.push(name)
      _ = try await device.document.uploadStore()
    }
    let report = try await device.document.vacuum(VacuumPolicy(grace: 0))
    guard report.plan.sets.count == 2 else { throw CocoaError(.fileWriteUnknown) }
  }

  /// A copy of all that lies there now, and who looks at it.
  func copy(_ password: String = password) throws -> (place: URL, inspector: RemoteInspector) {
    let place = folder.url.appending(path: UUID().uuidString)
    try FileManager.default.copyItem(at: remote, to: place)
    return (
      place,
      RemoteInspector(
        backend: FileManagerBackend(folder: place.path), password: isEncrypted ? password : nil)
    )
  }

  /// Everything that lies there: files with their bytes, folders without.
  func contents() throws -> [String: Data?] { try Self.contents(of: remote) }

  static func contents(of folder: URL) throws -> [String: Data?] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return Dictionary(
      uniqueKeysWithValues: paths.map { path in
        let place = folder.appending(path: path)
        let isFolder = (try? place.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) ?? false
        return (path, isFolder ? nil : try? Data(contentsOf: place))
      })
  }

  /// Plans a repair and does it.
  ///
  /// - Returns: what undoes it.
  @discardableResult
  func repair(
    from copy: (place: URL, inspector: RemoteInspector)? = nil, password: String = password
  ) async throws -> RemoteRepair {
    try await apply(inspector(password).planRepair(from: copy?.inspector), from: copy)
  }

  /// Does what a plan says.
  ///
  /// - Returns: what undoes it.
  @discardableResult
  func apply(
    _ plan: RepairPlan, from copy: (place: URL, inspector: RemoteInspector)? = nil
  ) async throws -> RemoteRepair {
    let repair = RemoteRepair(
      backend: FileManagerBackend(folder: remote.path),
      other: copy.map { FileManagerBackend(folder: $0.place.path) },
      quarantine: try Quarantine(newAt: folder.file(UUID().uuidString)))
    let failures = try await repair.apply(plan)
    guard failures.isEmpty else { throw CocoaError(.fileWriteUnknown) }
    return repair
  }

  /// A device deletes the document.
  func deleteDocument() async throws { try await device("third").document.delete() }

  // MARK: Damage

  /// The files in a folder of the document whose names end so, in order.
  func files(in folder: String, suffix: String = "") throws -> [URL] {
    let root = remote.appending(path: "sample/Documents/things/\(folder)")
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    return (files?.compactMap { $0 as? URL } ?? []).filter { $0.path.hasSuffix(suffix) }.sorted {
      $0.path < $1.path
    }
  }

  /// The set files of the device that pushed three sets.
  func sets() throws -> [URL] {
    let all = Dictionary(grouping: try files(in: "SyncChanges", suffix: ".set")) {
      $0.deletingLastPathComponent().path
    }
    return all.values.first { $0.count == 3 } ?? []
  }

  /// Changes one byte in the middle of a file.
  func flip(_ file: URL) throws {
    var bytes = [UInt8](try Data(contentsOf: file))
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: file)
  }

  /// Renames a set file to what its bytes ask for.
  func rename(_ file: URL, sequence: Int) throws {
    let hash = ContentHash(of: [UInt8](try Data(contentsOf: file)))
    let number = String(repeating: "0", count: 10 - String(sequence).count) + String(sequence)
    try FileManager.default.moveItem(
      at: file, to: file.deletingLastPathComponent().appending(path: "\(number)-\(hash).set"))
  }
}
