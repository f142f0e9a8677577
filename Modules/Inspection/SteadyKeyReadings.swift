import Crypto
import Locking
import SyncProtocol

/// Passes everything on to another back end, but reads what decides which keys count until it reads the same twice in a row.
///
/// A bad cable, a bad memory or a bad server shows a sound file damaged once. Where it is the file of a key, that key seems to be nobody's,
/// and all that it seals forged; so verifying and repairing make sure of these files before they judge any other.
final class SteadyKeyReadings: WrappingBackend {
  let base: any SyncBackend
  /// Why files of keys could not be had.
  private let failures = Locked<[RemotePath: BackendError]>([:])

  /// Readings of a file or folder, at most.
  private static let limit = 8
  /// Files that are remembered, at most: whoever can write there can name any number after keys.
  private static let failureLimit = 1_024

  /// Whether that which names files of keys is made sure of as well, which takes a few more requests for each document.
  private let listings: Bool

  init(_ base: any SyncBackend, listings: Bool) {
    self.base = base
    self.listings = listings
  }

  // MARK: What could not be had

  /// A file that may hold a key which is not at hand although the founding records of an application name it; `nil` if there is none.
  ///
  /// What else bears such a name holds nobody up: it may be a stranger's.
  func failure(holdingUp application: ApplicationReader) -> BackendError? {
    let named = Set(
      application.entries.compactMap { node in
        if case .founding(let name) = node.roleOfName { name.key } else { nil as KeyIdentifier? }
      })
    let failure = failures.withLock { all in
      all.filter { path, _ in
        guard path.parent == application.hierarchy.encryption, let key = path.keyOfFile else { return false }
        return named.contains(key) && application.keys.ring?[key] == nil
      }.min { $0.key < $1.key }?.value
    }
    guard let failure, failure.code == .notFound else { return failure }
    let words = ["its folder names it", failure.detail].filter { !$0.isEmpty }.joined(separator: "; ")
    return BackendError(.notFound, path: failure.path, detail: words, recovery: Self.lateAdvice)
  }

  /// Why a file could not be had that reads differently each time; `nil` if none does.
  var unsteady: BackendError? {
    failures.withLock { all in all.filter { $0.value.code == .contradictory }.min { $0.key < $1.key }?.value }
  }

  private func note(_ failure: BackendError?, _ path: RemotePath) {
    failures.withLock { all in
      guard let failure else { return all[path] = nil }
      if all.count < Self.failureLimit { all[path] = failure }
    }
  }

  // MARK: Readings

  func download(_ path: RemotePath, limit: Int) async throws(BackendError) -> [UInt8] {
    guard path.keyOfFile != nil else { return try await base.download(path, limit: limit) }
    var last = await reading(path, limit)
    for _ in 1..<Self.limit {
      let next = await reading(path, limit)
      if next == last {
        if case .failure(let failure) = next, failure.isOfStorage {
          note(failure, path)
        } else {
          note(nil, path)
        }
        return try next.get()
      }
      last = next
    }
    note(BackendError(.contradictory, path: path, detail: Self.detail, recovery: Self.advice), path)
    // Others are worth a try: they may hold the same key.
    throw BackendError(.damaged, path: path, detail: Self.detail, recovery: Self.advice)
  }

  private static let detail = "it reads differently each time"
  private static let lateAdvice =
    "Wait until the storage has delivered all files, and try again; if it stays so, put “Encryption” back from a copy of the remote."
  private static let advice =
    "Look to the connection and to the disks and memory of the server and of this device, and try again."

  private func reading(_ path: RemotePath, _ limit: Int) async -> Result<[UInt8], BackendError> {
    do throws(BackendError) {
      return .success(try await base.download(path, limit: limit))
    } catch {
      return .failure(error)
    }
  }

  /// Nothing of the files of keys, so that each is read by itself.
  func downloadAtOnce(
    _ names: [RemoteName], in folder: RemotePath, limit: Int
  ) async -> [RemoteName: [UInt8]] {
    // They lie in one folder; nearly all that is asked for lies elsewhere.
    let others = folder.isOfKeys ? names.filter { folder.appending($0).keyOfFile == nil } : names
    return others.isEmpty ? [:] : await base.downloadAtOnce(others, in: folder, limit: limit)
  }

  /// Of a folder on whose names keys depend everything that any listing shows: a file that is missing in one of them is there all the same.
  func list(_ folder: RemotePath) async throws(BackendError) -> RemoteListing {
    var all = try await base.list(folder)
    guard listings, folder.leadsToKeys else { return all }
    var last = all
    for _ in 1..<Self.limit {
      let next = try await base.list(folder)
      if next.isSame(as: last) { break }
      all =
        RemoteListing(entries: next.entries + all.entries, foreign: next.foreign + all.foreign)
        .withoutDoubles
      last = next
    }
    return all
  }
}

extension RemotePath {
  /// The key whose own file belongs here, or of which a wrapped copy does; `nil` for a place of another file.
  fileprivate var keyOfFile: KeyIdentifier? {
    switch FileRole(path: names, kind: .file) {
    case .keyFile: name.flatMap { KeyFileName($0) }?.key
    case .wrappedKey(let name): name.key
    default: nil
    }
  }

  /// Whether files of keys may lie in a folder.
  fileprivate var isOfKeys: Bool {
    names.count == 2 && self == ApplicationHierarchy(application: names[0]).encryption
  }

  /// Whether the names in a folder tell of keys and of foundings, or lead to those that do.
  fileprivate var leadsToKeys: Bool {
    switch names.count {
    case 1: true
    case 2: isOfKeys || self == ApplicationHierarchy(application: names[0]).founding
    case 3, 4:
      names[1].description == "Documents" && (names.count == 3 || names[3].description == "IntegrityKey")
    default: false
    }
  }
}

extension BackendError {
  /// Whether storage keeps a file back, so that nothing tells what it holds: not if something else lies in its place.
  fileprivate var isOfStorage: Bool { ![.tooLarge, .isADirectory, .notADirectory].contains(code) }
}

extension RemoteListing {
  fileprivate func isSame(as other: RemoteListing) -> Bool {
    Set(foreign) == Set(other.foreign)
      && Dictionary(entries.map { ($0.name, $0.kind) }) { $1 }
        == Dictionary(other.entries.map { ($0.name, $0.kind) }) { $1 }
  }
}
