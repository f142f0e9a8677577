import BackendConformance
import Simulation
import SyncProtocol

/// Carries files between the copies of a folder that the devices have, as Syncthing or Dropbox do: each file by itself, in any order,
/// perhaps in part first. Of two files that were made with one name one stays, the other is put aside.
final class Replicator {
  private struct Delivery {
    var source: Int
    var target: Int
    var change: SimulatedStorage.Change
    /// Which writing of the file is delivered, or was removed.
    var version: Int
    /// Which one the writer had there before.
    var base: Int?
  }

  private let copies: [SimulatedStorage]
  private let families: Set<ProtocolSimulation.Family>
  private var deliveries: [Delivery] = []
  /// What lies there in part, by device.
  private var partial: [Set<RemotePath>]
  /// Which writing of each file a device has, or had when it removed it. A removal is nothing to a later writing, though it be of the same bytes.
  private var versions: [[RemotePath: Int]]
  /// Which writing of each file a device knows to have been removed. What is delivered late of such a file does not bring it back.
  private var removed: [[RemotePath: Int]]
  private var writings = 0

  init(_ copies: [SimulatedStorage], families: Set<ProtocolSimulation.Family>) {
    self.copies = copies
    self.families = families
    partial = Array(repeating: [], count: copies.count)
    versions = Array(repeating: [:], count: copies.count)
    removed = Array(repeating: [:], count: copies.count)
  }

  /// Takes notice of what the devices did.
  func collect() {
    for (source, copy) in copies.enumerated() {
      for change in copy.takeChanges() {
        let base = base(of: change, at: source)
        let version = version(of: change, at: source)
        for target in copies.indices where target != source {
          deliveries.append(
            Delivery(source: source, target: target, change: change, version: version, base: base))
        }
      }
    }
  }

  private func base(of change: SimulatedStorage.Change, at source: Int) -> Int? {
    if case .written(let path) = change { versions[source][path] ?? 0 } else { nil }
  }

  private func version(of change: SimulatedStorage.Change, at source: Int) -> Int {
    switch change {
    case .folder: return 0
    case .removed(let path, _):
      let version = versions[source][path] ?? 0
      removed[source][path] = version
      return version
    case .written(let path):
      writings += 1
      versions[source][path] = writings
      return writings
    }
  }

  private func note(_ delivery: Delivery, of path: RemotePath, at copy: Int) {
    versions[copy][path] = max(versions[copy][path] ?? 0, delivery.version)
  }

  /// Delivers some of what is under way.
  func deliver(_ count: Int, _ random: inout SeededRandomSource) async throws {
    for _ in 0..<count where !deliveries.isEmpty {
      let delivery = deliveries.remove(at: Int.random(in: 0..<deliveries.count, using: &random))
      let isPartial = families.contains(.partialFiles) && random.oneIn(4)
      try await carryOut(delivery, partly: isPartial, &random)
    }
  }

  /// Delivers everything, until all copies are alike.
  func deliverAll(_ random: inout SeededRandomSource) async throws {
    while !deliveries.isEmpty {
      let delivery = deliveries.removeFirst()
      try await carryOut(delivery, partly: false, &random)
    }
  }

  private func carryOut(_ delivery: Delivery, partly: Bool, _ random: inout SeededRandomSource) async throws {
    let (source, target) = (copies[delivery.source].files, copies[delivery.target].files)
    switch delivery.change {
    case .folder(let path):
      if source.hasFolder(path), target.files[path] == nil { try await target.makeDirectory(path) }
    case .removed(let path, let was):
      guard versions[delivery.target][path] ?? 0 <= delivery.version else { return }
      removed[delivery.target][path] = delivery.version
      if source.files[path] == nil, let there = target.files[path], there == was {
        try await target.remove(path)
      }
    case .written(let path):
      guard let bytes = source.files[path], !partial[delivery.source].contains(path) else { return }
      if let removed = removed[delivery.target][path], delivery.version <= removed { return }
      // Who writes over what another device has too has changed it, and made no second one.
      let isSuccessor = delivery.base == versions[delivery.target][path] ?? 0
      note(delivery, of: path, at: delivery.target)
      if let there = target.files[path], there != bytes, !isSuccessor,
        !partial[delivery.target].contains(path)
      {
        return try await settle(delivery, path, bytes, there)
      }
      if let folder = path.parent {
        // The file that lay there was removed where something was written into the folder.
        if target.files[folder] != nil { try await target.remove(folder) }
        try await target.makeDirectory(folder)
      }
      if partly, bytes.count > 1, target.files[path] == nil {
        partial[delivery.target].insert(path)
        let length = Int.random(in: 0..<bytes.count, using: &random)
        try await target.replace(path, with: Array(bytes.prefix(length)))
        deliveries.append(delivery)
      } else {
        partial[delivery.target].remove(path)
        try await target.replace(path, with: bytes)
      }
    }
  }

  /// Of two files of one name the one that is greater by its bytes stays, everywhere.
  private func settle(_ delivery: Delivery, _ path: RemotePath, _ bytes: [UInt8], _ there: [UInt8])
    async throws
  {
    if families.contains(.conflictCopies), let name = path.name, let folder = path.parent {
      for copy in copies { copy.addForeign("\(name).sync-conflict-20260101-000000-ABCDEFG", to: folder) }
    }
    if there.lexicographicallyPrecedes(bytes) {
      try await copies[delivery.target].files.upload(bytes, to: path)
      for target in copies.indices where target != delivery.target && target != delivery.source {
        deliveries.append(
          Delivery(
            source: delivery.target, target: target, change: .written(path), version: delivery.version))
      }
    } else {
      deliveries.append(
        Delivery(
          source: delivery.target, target: delivery.source, change: .written(path),
          version: delivery.version))
    }
  }

  /// Forgets what is under way: the storage of everybody was changed behind its back.
  func forget() {
    collect()
    deliveries = []
    partial = Array(repeating: [], count: copies.count)
    versions = Array(repeating: [:], count: copies.count)
    removed = Array(repeating: [:], count: copies.count)
  }
}

extension MemoryBackend {
  /// Writes a file, also in the place of a folder: that was removed where the file was written.
  fileprivate func replace(_ path: RemotePath, with bytes: [UInt8]) async throws(BackendError) {
    do throws(BackendError) {
      try await upload(bytes, to: path)
    } catch {
      guard error.code == .isADirectory else { throw error }
      try await remove(path)
      try await upload(bytes, to: path)
    }
  }

  /// Whether a folder is there.
  func hasFolder(_ path: RemotePath) -> Bool { snapshot.split(separator: "\n").contains("\(path)/") }
}
