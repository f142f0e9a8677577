import ChangeTracking
import Foundation
import SyncProtocol
import TICDSZlib

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What an attacker has done to a remote, and how it can be undone.
struct Damage: Sendable {
  /// What was changed, and what lay there before; nothing if it was added.
  var originals: [String: Data?] = [:]
  /// Folders that were changed as a whole, with what lay below them.
  var folders: [String: [String: Data]] = [:]
}

extension AttackRemote {
  /// Half of the files of a folder; where names are drawn at random, half of the kinds, so that what comes of it is no chance.
  private static func half(of files: [String], in folder: AttackedFile) -> [String] {
    // Floors go with the heads, among which they lie.
    func kind(_ file: String) -> Substring {
      let ending = file.split(separator: ".").last ?? ""
      return ending == "floor" ? "head" : ending
    }
    switch folder {
    case .keyFolder: return files.filter { kind($0) == "keys" }
    case .applicationFolder, .documentFolder:
      let kinds = Set(files.map(kind)).sorted().enumerated().filter { $0.offset.isMultiple(of: 2) }.map(
        \.element)
      return files.filter { kinds.contains(kind($0)) }
    default: return files.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
    }
  }

  /// Lays hands on everything of one kind, as far as it belongs to the first device where it belongs to one.
  func inflict(_ attack: Attack, _ way: Attack.Way, on file: AttackedFile, of stage: AttackStage) throws
    -> Damage
  {
    var damage = Damage()
    let targets = targets(file)
    if file.isFolder {
      for path in targets { try inflict(attack, way, onFolder: path, file, stage, &damage) }
    } else {
      try inflict(attack, way, on: targets, file, stage, &damage)
    }
    return damage
  }

  /// The files or folders that an attack is about.
  func targets(_ file: AttackedFile) -> [String] {
    let application = "com.example.notes"
    switch file {
    case .applicationFolder: return [application]
    case .keyFolder: return exists("\(application)/Encryption") ? ["\(application)/Encryption"] : []
    case .clientFolder: return ["\(application)/ClientDevices/device-a"]
    case .documentFolder: return [AttackStage.document]
    case .headFolder: return ["\(AttackStage.document)/RecentSyncs"]
    case .authorFolder: return firstAuthor.map { ["\(AttackStage.document)/SyncChanges/\($0)"] } ?? []
    case .set:
      return firstAuthor.map { author in
        files.filter { $0.hasPrefix("\(AttackStage.document)/SyncChanges/\(author)/") }
      } ?? []
    case .head:
      return firstAuthor.map { author in
        files.filter {
          $0.hasPrefix("\(AttackStage.document)/RecentSyncs/\(author)") && $0.hasSuffix(".head")
        }
      } ?? []
    default:
      return files.filter {
        $0.hasPrefix(application) && !$0.contains("/other/") && Self.role(of: $0) == file
      }
    }
  }

  /// The author of whom the first device has pushed most: the one that is asked for sets.
  private var firstAuthor: String? {
    files.first { $0.hasSuffix(".resend") }?.split(separator: "/").last?.split(separator: ".").dropFirst()
      .first
      .map(String.init)
  }

  private func replace(_ path: String, _ content: some Sequence<UInt8>, _ damage: inout Damage) throws {
    let content = Data(content)
    guard bytes(path) != content else { return }
    note(path, &damage)
    try write(content, to: path)
  }

  private func note(_ path: String, _ damage: inout Damage) {
    if damage.originals[path] == nil { damage.originals[path] = .some(bytes(path)) }
  }

  /// Files that are added where there are many. What is looked at in one go is bounded by 256.
  static let many = ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] == nil ? 100 : 3_000

  // MARK: Files

  private func inflict(
    _ attack: Attack, _ way: Attack.Way, on targets: [String], _ file: AttackedFile, _ stage: AttackStage,
    _ damage: inout Damage
  ) throws {
    switch attack {
    case .forged:
      for (path, bytes) in try Forger(self, stage).files(file, count: 1, targets) {
        try replace(path, bytes, &damage)
      }
    case .replayed:
      let old = stage.archive.filter { Self.role(of: $0.key) == file && !$0.key.contains("/other/") }
      for (path, data) in old where bytes(path) != data { try replace(path, data, &damage) }
    case .swapped:
      guard let path = targets.first, let own = bytes(path) else { return }
      let readMe =
        "com.example.notes/\(file == .readMe ? "ClientDevices/device-a/deviceInfo.plist" : "ReadMe.txt")"
      let alike = files.first {
        $0 != path && Self.role(of: $0) == file && bytes($0).map { $0 != own && !$0.isEmpty } ?? false
      }
      let other = alike ?? readMe
      guard let content = bytes(other) else { return }
      try replace(path, content, &damage)
      try replace(other, own, &damage)
    case .removed:
      for path in targets {
        note(path, &damage)
        try remove(path)
      }
    case .emptied: for path in targets { try replace(path, [], &damage) }
    case .cut:
      for path in targets {
        let whole = bytes(path) ?? Data()
        try replace(path, whole.prefix(whole.count / 2), &damage)
      }
    case .linked:
      for path in targets {
        note(path, &damage)
        try putAside(path, way)
      }
    case .bombed:
      switch way {
      case .many:
        for (path, bytes) in try Forger(self, stage).files(file, count: Self.many, targets) {
          try replace(path, bytes, &damage)
        }
      case .huge:
        for path in targets {
          note(path, &damage)
          try write([], to: path)
          truncate(place(path).path, 8 << 30)
        }
      default:
        let bomb = try Forger.bomb(file)
        for path in targets { try replace(path, bomb, &damage) }
      }
    }
  }

  /// Puts something that is no file into the place of one.
  func putAside(_ path: String, _ way: Attack.Way) throws {
    let outside = folder.file("outside-\(path.hashValue)")
    if exists(path) { try FileManager.default.moveItem(atPath: place(path).path, toPath: outside) }
    switch way {
    case .linkToCopy:
      try FileManager.default.createSymbolicLink(atPath: place(path).path, withDestinationPath: outside)
    case .linkToNothing:
      try FileManager.default.createSymbolicLink(atPath: place(path).path, withDestinationPath: "/nowhere")
    case .pipe: mkfifo(place(path).path, 0o644)
    default:
      try FileManager.default.createDirectory(at: place(path), withIntermediateDirectories: false)
    }
  }

  // MARK: Folders

  private func contents(below folder: String) -> [String: Data] {
    contents.filter { $0.key.hasPrefix(folder + "/") }
  }

  private func inflict(
    _ attack: Attack, _ way: Attack.Way, onFolder path: String, _ file: AttackedFile, _ stage: AttackStage,
    _ damage: inout Damage
  ) throws {
    let parent = path.split(separator: "/").dropLast().joined(separator: "/")
    switch attack {
    case .forged:
      for (path, bytes) in Forger.folders(file, beside: path, count: 1) { try replace(path, bytes, &damage) }
      return
    case .replayed:
      for (old, data) in stage.archive where old.hasPrefix(path + "/") && bytes(old) != data {
        try replace(old, data, &damage)
      }
      return
    case .bombed:
      switch way {
      case .many:
        for (path, bytes) in Forger.folders(file, beside: path, count: Self.many) {
          try replace(path, bytes, &damage)
        }
      case .huge:
        try replace("\(path)/huge", [], &damage)
        truncate(place("\(path)/huge").path, 8 << 30)
      default:
        let deep = Array(repeating: "deep", count: 200).joined(separator: "/")
        try replace("\(path)/\(deep)/file", [], &damage)
      }
      return
    default: break
    }
    damage.folders[path] = contents(below: path)
    switch attack {
    case .swapped:
      if parent.isEmpty { try replace("com.example.other/Documents/x/documentInfo.plist", [1], &damage) }
      let brothers = try FileManager.default.contentsOfDirectory(atPath: place(parent).path).sorted()
        .map { parent.isEmpty ? $0 : "\(parent)/\($0)" }
      guard let other = brothers.first(where: { $0 != path && isFolder($0) }) else { return }
      damage.folders[other] = contents(below: other)
      let aside = folder.file("aside")
      try FileManager.default.moveItem(atPath: place(path).path, toPath: aside)
      try FileManager.default.moveItem(at: place(other), to: place(path))
      try FileManager.default.moveItem(atPath: aside, toPath: place(other).path)
    case .removed: try remove(path)
    case .emptied:
      try remove(path)
      try FileManager.default.createDirectory(at: place(path), withIntermediateDirectories: true)
    case .cut:
      for lost in Self.half(of: contents(below: path).keys.sorted(), in: file) { try remove(lost) }
    default:
      if way == .otherKind {
        try remove(path)
        try write([1], to: path)
      } else {
        try putAside(path, way)
      }
    }
  }

  func isFolder(_ path: String) -> Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: place(path).path)
    return attributes?[.type] as? FileAttributeType == .typeDirectory
  }

  // MARK: Undoing

  /// Takes away what the attacker has put there; what he has spoilt is gone then.
  func clear(_ damage: Damage) throws {
    for (path, original) in damage.originals where original == nil || bytes(path) != original {
      try remove(path)
    }
    for (path, files) in damage.folders {
      if !isFolder(path) { try remove(path) }
      for (path, data) in contents(below: path) where files[path] == nil && Self.isForeign(path, data, damage)
      {
        try remove(path)
      }
    }
  }

  /// What came out of another folder that was swapped.
  private static func isForeign(_ path: String, _ data: Data, _ damage: Damage) -> Bool {
    damage.folders.count > 1 && damage.folders.values.contains { $0.values.contains(data) }
  }

  /// Puts back what lay there before.
  func restore(_ damage: Damage) throws {
    for (path, original) in damage.originals {
      if let original { try write(original, to: path) }
    }
    for (path, data) in damage.folders.values.joined() { try write(data, to: path) }
  }
}
