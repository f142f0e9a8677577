import ChangeTracking
import FileManagerBackend
import Foundation
import Inspection
import SyncProtocol
import TemporaryFolders

/// A remote in a real folder, as an attacker sees it: paths and bytes.
struct AttackRemote: Sendable {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
  }

  var root: String { folder.file("remote") }
  var backend: FileManagerBackend { FileManagerBackend(folder: root) }

  func place(_ path: String) -> URL { URL(filePath: root).appending(path: path) }

  /// The paths of everything that is no folder, in order.
  var files: [String] { entries(includingFolders: false) }

  /// Whatever lies there, folders too.
  var entries: [String] { entries(includingFolders: true) }

  private func entries(includingFolders: Bool) -> [String] {
    let all = FileManager.default.enumerator(atPath: root)
    var entries: [String] = []
    while let path = all?.nextObject() as? String {
      let isFolder = all?.fileAttributes?[.type] as? FileAttributeType == .typeDirectory
      if includingFolders || !isFolder { entries.append(path) }
    }
    return entries.sorted()
  }

  func exists(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: place(path).path)) != nil
  }

  /// The bytes of an ordinary file that is no bomb.
  func bytes(_ path: String) -> Data? {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: place(path).path),
      attributes[.type] as? FileAttributeType == .typeRegular, (attributes[.size] as? Int ?? 0) < 1 << 26
    else { return nil }
    return try? Data(contentsOf: place(path))
  }

  /// All small ordinary files.
  var contents: [String: Data] {
    Dictionary(uniqueKeysWithValues: files.compactMap { path in bytes(path).map { (path, $0) } })
  }

  func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    let place = place(path)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try? FileManager.default.removeItem(at: place)
    try Data(bytes).write(to: place)
  }

  func remove(_ path: String) throws {
    if exists(path) { try FileManager.default.removeItem(at: place(path)) }
  }

  /// Takes over what another remote has and this one has not.
  func add(_ other: [String: Data]) throws {
    for (path, bytes) in other where !exists(path) { try write(bytes, to: path) }
  }

  /// Makes this remote a copy of another.
  func copy(_ other: AttackRemote) throws {
    try? FileManager.default.removeItem(atPath: root)
    try FileManager.default.copyItem(atPath: other.root, toPath: root)
  }

  /// What an entry is for.
  static func role(of path: String, isFolder: Bool = false) -> AttackedFile? {
    guard let names = RemotePath(path)?.names else { return nil }
    return AttackedFile(
      FileRole(path: names, kind: isFolder ? .folder : .file), isOfDocument: names.count > 3)
  }
}
