import ChangeTracking
import Crypto
import Foundation
import TICDSSQLite
import TICDSZlib

/// Transfers whole stores, and believes only what it has verified.
package struct WholeStoreTransfer: Sendable {
  let backend: any SyncBackend
  let hierarchy: DocumentHierarchy
  let protection: DocumentProtection
  private let limits: WholeStoreLimits
  /// How many entries of the folder are looked at, about.
  static let entryLimit = 20_000

  package init(
    backend: any SyncBackend, hierarchy: DocumentHierarchy, protection: DocumentProtection,
    limits: WholeStoreLimits = WholeStoreLimits()
  ) {
    self.backend = backend
    self.hierarchy = hierarchy
    self.protection = protection
    self.limits = limits
  }

  /// What lies in the folder.
  struct Listing {
    /// What members of the document have written, the one that contains most last.
    var stores: [Listed] = []
    /// Names in the form of ours that nobody with a key at hand has written.
    var unverified: [RemoteName] = []
  }

  /// A whole store that lies there.
  package struct Listed: Hashable, Sendable {
    var name: WholeStoreName
    /// Bytes, where the storage says.
    var size: Int64?

    package init(name: WholeStoreName, size: Int64?) {
      self.name = name
      self.size = size
    }

    /// Whether the file has as many bytes as its name says, as far as the storage tells.
    var hasSizeOfName: Bool { size.map { WholeStoreName.SizeClass(of: $0) == name.size } ?? true }
  }

  func list() async throws(BackendError) -> Listing {
    let found = try await backend.listIfPresent(hierarchy.wholeStore, limit: Self.entryLimit)
    var listing = Listing()
    for entry in found?.listing.entries ?? [] where entry.kind == .file {
      guard let name = WholeStoreName(entry.name) else { continue }
      if protection.verifies(name) {
        listing.stores.append(Listed(name: name, size: entry.size))
      } else {
        listing.unverified.append(entry.name)
      }
    }
    listing.stores.sort { $0.name < $1.name }
    return listing
  }

  // MARK: Upload

  /// Writes the file of a snapshot.
  func pack(
    _ snapshot: StoreSnapshot, to path: String, progress: WholeStoreProgress.Handler?
  ) throws -> WholeStoreName {
    let author = snapshot.author
    let sequence = snapshot.contents[author]
    let seen = snapshot.contents.total - sequence
    let file = DocumentFile.wholeStore(by: author, sequence: sequence, seen: seen)
    let context = file.context(in: hierarchy, protection.foundings[0])
    let seal = { () throws(CryptoError) in try protection.files.writer(as: context) }
    let written = try WholeStoreWriter.write(storeAt: snapshot.path, to: path, seal: seal) { done, total in
      progress?(
        WholeStoreProgress(phase: .packing, done: Int64(clamping: done), total: Int64(clamping: total)))
    }
    return protection.wholeStore(author: author, sequence: sequence, seen: seen, written)
  }

  /// Uploads a file. It has its name from the hash of its bytes, so one that arrives in part is none.
  func upload(
    _ path: String, as name: WholeStoreName, progress: WholeStoreProgress.Handler?
  ) async throws(BackendError) {
    let total = LocalFile.size(of: path) ?? 0
    let handler: TransferProgress = { done in
      progress?(WholeStoreProgress(phase: .uploading, done: done, total: total))
    }
    do throws(BackendError) {
      try await backend.upload(file: path, to: hierarchy.file(of: name), progress: handler)
    } catch {
      guard error.code == .notFound else { throw error }
      try await backend.makeFolder(hierarchy.wholeStore)
      try await backend.upload(file: path, to: hierarchy.file(of: name), progress: handler)
    }
  }

  // MARK: Download

  /// Fetches a whole store and writes the store that it holds, with its files.
  ///
  /// - Parameters:
  ///   - listed: what to fetch.
  ///   - scratch: where the file goes meanwhile.
  ///   - store: where the store goes; nothing lies there.
  /// - Throws: ``Refusal`` if it is not what a member has written, and whatever else stands in the way.
  package func fetch(
    _ listed: Listed, through scratch: ScratchFolder, to store: String,
    progress: WholeStoreProgress.Handler?
  ) async throws -> StoreSnapshot {
    let file = scratch.file("download")
    try await download(listed, to: file, progress: progress)
    do {
      try unpack(file, listed.name, to: store, progress)
      let snapshot = try StoreSnapshot(reading: store)
      guard snapshot.author == listed.name.author, snapshot.contents[snapshot.author] == listed.name.sequence,
        snapshot.contents.total == listed.name.total
      else { throw Refusal("it contains other sets than its name says") }
      return snapshot
    } catch let error where !Self.tellsNothing(error) {
      throw Refusal(Refusal.words(error, hiding: store))
    }
  }

  /// Whether the file that lies there has the bytes that its name tells: as much is transferred as to fetch it.
  func isIntact(_ listed: Listed, through scratch: ScratchFolder) async throws -> Bool {
    do {
      try await download(listed, to: scratch.file("download"), progress: nil)
      return true
    } catch is Refusal {
      return false
    }
  }

  /// Fetches the file of a whole store, and refuses one that is not what its name says.
  private func download(
    _ listed: Listed, to file: String, progress: WholeStoreProgress.Handler?
  ) async throws {
    let greatest = min(listed.name.size.greatest, limits.fileSize)
    if let size = listed.size, WholeStoreName.SizeClass(of: size) != listed.name.size || size > greatest {
      throw Refusal(size > greatest ? "it is larger than its name says" : "it has not arrived in full")
    }
    do {
      try await backend.download(
        hierarchy.file(of: listed.name), toFile: file, limit: greatest, expecting: listed.size,
        progress: progress)
    } catch let error as BackendError {
      guard let obstacle = SyncFinding.Obstacle(error) else { throw error }
      if error.code.isTransient { throw error }
      var refusal = Refusal("it \(obstacle.words)")
      refusal.storage = error.code == .forbidden ? error : nil
      throw refusal
    }
    guard try LocalFile.hash(of: file) == listed.name.hash else {
      throw Refusal("its bytes are not those that its name tells")
    }
  }

  /// Why a whole store is not begun with.
  package struct Refusal: Error, CustomStringConvertible {
    package var description: String
    /// Why the storage did not deliver it, which tells nothing of the file itself.
    package fileprivate(set) var storage: BackendError?
    package init(_ description: String) { self.description = description }

    /// What a failure tells, without the place of the copy that was looked at: it is gone by then.
    ///
    /// - Parameter path: where that lay.
    package static func words(_ error: any Error, hiding path: String) -> String {
      if let error = error as? ReplicaError { return error.message }
      // Its statements are of nobody's concern.
      if let error = error as? SQLiteError { return "SQLite cannot read it: \(error.message)" }
      return "\(error)".replacing(path, with: "its store").split(separator: "\n").joined(separator: "; ")
    }
  }

  /// Passes over a whole store that the storage does not deliver though it answers otherwise: whoever waited for that one file would
  /// never begin, and another one or the sets may do.
  ///
  /// - Throws: the failure, if it is not that of one file.
  func refusal(ofUndelivered failure: BackendError) async throws(BackendError) -> Refusal {
    guard failure.code.isTransient else { throw failure }
    do throws(BackendError) { _ = try await list() } catch {
      throw error.code == .cancelled ? error : failure
    }
    let words = failure.detail.isEmpty ? "" : " (\(failure.detail))"
    return Refusal("the storage does not deliver it\(words), though it answers otherwise")
  }

  /// Whether a failure tells nothing of the file.
  static func tellsNothing(_ error: any Error) -> Bool {
    if error is CancellationError || (error as? CryptoError)?.code == .cancelled { return true }
    return BackendError.isOfThisDevice(error)
  }

  private func unpack(
    _ file: String, _ name: WholeStoreName, to store: String, _ progress: WholeStoreProgress.Handler?
  ) throws {
    try protection.files.requireForm(of: LocalFile.beginning(of: file, count: 8))
    let total = LocalFile.size(of: file) ?? 0
    var failure: CryptoError?
    for founding in protection.foundings {
      let context = DocumentFile.wholeStore(by: name.author, sequence: name.sequence, seen: name.seen)
        .context(in: hierarchy, founding)
      do {
        try WholeStoreReader.read(
          file, to: store, limits: limits,
          opening: { protection.files.reader(as: context) }
        ) { done in progress?(WholeStoreProgress(phase: .unpacking, done: done, total: total)) }
        return
      } catch let error as CryptoError where error.code == .authenticationFailed {
        failure = failure ?? error
        LocalFile.remove(store)
      }
    }
    throw failure ?? CryptoError(.authenticationFailed, "it belongs to no founding of the document")
  }
}
