import ByteFixtures
import Foundation

/// Remotes on which files were damaged at random.
enum RandomDamage {
  static let seeds = ProcessInfo.processInfo.environment["TICDS_LONG_TESTS"] == nil ? 30 : 300

  /// A remote of which from one file in twenty to all are damaged; every other one is encrypted.
  static func remote(_ seed: Int) async throws -> (AttackRemote, AttackStage) {
    var random = SeededGenerator(seed: UInt64(seed))
    let stage = try await AttackStage.ready(isEncrypted: seed.isMultiple(of: 2), isFoundedOnce: false)
    let remote = try AttackRemote()
    try remote.copy(stage.remote)
    let misfortunes = Misfortune.allCases.filter { $0 != .unreadable }
    let share = Int.random(in: 1...20, using: &random)
    for path in remote.files where Int.random(in: 1...20, using: &random) <= share {
      guard let misfortune = misfortunes.randomElement(using: &random) else { continue }
      if Int.random(in: 0..<8, using: &random) == 0 {
        try replace(path, on: remote, &random)
      } else if Bool.random(using: &random) {
        _ = try remote.befall(path, misfortune, stage)
      } else if let length = remote.bytes(path)?.count {
        let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        try remote.write(noise, to: path)
      }
    }
    if Int.random(in: 0..<4, using: &random) == 0 { try layStrangers(on: remote) }
    if Int.random(in: 0..<4, using: &random) == 0 { try renameFolder(on: remote, &random) }
    if Int.random(in: 0..<3, using: &random) == 0 { try await mixIn(on: remote, stage, &random) }
    if Int.random(in: 0..<4, using: &random) == 0 { try empty(on: remote, &random) }
    if Int.random(in: 0..<3, using: &random) == 0 { try misname(on: remote, &random) }
    if Int.random(in: 0..<8, using: &random) == 0 { try exchange(on: remote, &random) }
    if Int.random(in: 0..<8, using: &random) == 0 { try nestFolder(on: remote, &random) }
    if Int.random(in: 0..<8, using: &random) == 0 { try moveToOtherDocument(on: remote, &random) }
    if Int.random(in: 0..<8, using: &random) == 0 { try leaveOlder(on: remote, &random) }
    return (remote, stage)
  }

  /// Changes a digit in the names of sets, or of an author's folder.
  private static func misname(on remote: AttackRemote, _ random: inout SeededGenerator) throws {
    let sets = remote.files.filter { $0.hasSuffix(".set") }.sorted()
    guard let one = sets.randomElement(using: &random) else { return }
    let folder = one.split(separator: "/").dropLast().joined(separator: "/") + "/"
    let isOfFolder = Bool.random(using: &random)
    // The first digits of its number make it one far off.
    let offset = isOfFolder ? folder.count - 2 : folder.count + Int.random(in: 0..<24, using: &random)
    let digit: Character = Bool.random(using: &random) ? "1" : "2"
    for path in sets where path == one || isOfFolder && path.hasPrefix(folder) {
      guard let bytes = remote.bytes(path) else { continue }
      var letters = Array(path)
      guard letters[offset].isHexDigit else { continue }
      letters[offset] = digit
      let other = String(letters)
      guard !remote.exists(other) else { continue }
      try remote.remove(path)
      try remote.write(bytes, to: other)
    }
  }

  /// Exchanges the names of two folders that lie beside each other.
  private static func exchange(on remote: AttackRemote, _ random: inout SeededGenerator) throws {
    let folders = Set(remote.files.map { $0.split(separator: "/").dropLast().joined(separator: "/") })
    guard let one = folders.sorted().randomElement(using: &random),
      let parent = one.lastIndex(of: "/").map({ one[...$0] }),
      let other = folders.sorted().filter({
        $0 != one && $0.hasPrefix(parent) && !$0.dropFirst(parent.count).contains("/")
      })
      .randomElement(using: &random)
    else { return }
    let (first, second, third) = (remote.place(one), remote.place(other), remote.place("\(one) exchanged"))
    guard !FileManager.default.fileExists(atPath: third.path) else { return }
    try FileManager.default.moveItem(at: first, to: third)
    try FileManager.default.moveItem(at: second, to: first)
    try FileManager.default.moveItem(at: third, to: second)
  }

  /// Takes away all files of one folder or two: the sets of an author, the floors, whatever it is.
  private static func empty(on remote: AttackRemote, _ random: inout SeededGenerator) throws {
    if Bool.random(using: &random) {
      for path in remote.files where path.hasSuffix(".floor") { try remote.remove(path) }
    }
    let folders = Set(remote.files.map { $0.split(separator: "/").dropLast().joined(separator: "/") })
    for folder in folders.sorted().shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random))
    where !folder.isEmpty {
      for path in remote.files where path.hasPrefix(folder + "/") { try remote.remove(path) }
    }
  }

  /// Puts files of another remote, or of before, among those that lie there: folders of sets, single files, the keys.
  private static func mixIn(
    on remote: AttackRemote, _ stage: AttackStage, _ random: inout SeededGenerator
  ) async throws {
    let isEncrypted = Bool.random(using: &random)
    let other = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: true)
    let files = other.remote.contents.sorted { $0.key < $1.key }
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      for (path, bytes) in files where path.contains("/SyncChanges/") && !remote.exists(path) {
        try remote.write([UInt8](bytes), to: path)
      }
    case 1:
      let strays = files.filter { path, _ in
        path.contains("/ClientDevices/") || path.contains("/Founding/") || path.hasSuffix(".founding")
      }
      for (path, bytes) in strays.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)) {
        try remote.write([UInt8](bytes), to: path)
      }
    default:
      for path in remote.files where path.contains("/Encryption/") { try remote.remove(path) }
      // One key file of before may open something, and none that came later is there.
      let old = stage.archive.filter { $0.key.contains("/Encryption/") }.sorted { $0.key < $1.key }
      for (path, bytes) in old.prefix(1) { try remote.write([UInt8](bytes), to: path) }
    }
  }

  /// Folders of somebody else, beside that of the application.
  static let strangers = ["Photos/2024/sea.jpg", "Work/Documents/old/letter.txt", "Home/ReadMe.txt"]

  static func layStrangers(on remote: AttackRemote) throws {
    for path in strangers { try remote.write(Array("somebody's".utf8), to: path) }
  }

  /// Gives a folder with all in it a name that differs in case, or the one that copies and backups have, or moves it a level up.
  private static func renameFolder(
    on remote: AttackRemote, _ random: inout SeededGenerator
  ) throws {
    let folders = Set(
      remote.files.flatMap { path in
        let names = path.split(separator: "/").dropLast()
        return names.indices.map { names[...$0].joined(separator: "/") }
      }
    ).sorted()
    guard let folder = folders.randomElement(using: &random) else { return }
    let parts = folder.split(separator: "/").map(String.init)
    let name = parts.last ?? ""
    let names = [name.uppercased(), name.lowercased(), "\(name) (1)", "\(name)2", "\(name)~", "../\(name)"]
    guard let other = names.randomElement(using: &random), parts.count > 1 || other.first != "." else {
      return
    }
    let place = remote.place((parts.dropLast() + [other]).joined(separator: "/"))
    guard !FileManager.default.fileExists(atPath: place.path) else { return }
    try FileManager.default.moveItem(at: remote.place(folder), to: place)
  }

  /// Puts a folder into one of its name.
  private static func nestFolder(on remote: AttackRemote, _ random: inout SeededGenerator) throws {
    let folders = Set(remote.files.map { $0.split(separator: "/").dropLast().joined(separator: "/") })
    guard let folder = folders.sorted().randomElement(using: &random),
      let name = folder.split(separator: "/").last
    else { return }
    let (place, aside) = (remote.place(folder), remote.place("\(folder) nested"))
    guard !FileManager.default.fileExists(atPath: aside.path) else { return }
    try FileManager.default.moveItem(at: place, to: aside)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    try FileManager.default.moveItem(at: aside, to: place.appending(path: String(name)))
  }

  /// Moves the folder of an author into a document that is beside his.
  private static func moveToOtherDocument(on remote: AttackRemote, _ random: inout SeededGenerator) throws {
    let sets = remote.files.filter { $0.hasSuffix(".set") }.sorted()
    guard let set = sets.randomElement(using: &random) else { return }
    let names = set.split(separator: "/").dropLast().map(String.init)
    guard let index = names.firstIndex(of: "Documents"), index + 1 < names.count else { return }
    var other = names
    other[index + 1] = "beside"
    let place = remote.place(other.joined(separator: "/"))
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.moveItem(at: remote.place(names.joined(separator: "/")), to: place)
  }

  /// Puts something that is no file in the place of one, or gives it a name that differs in case alone.
  private static func replace(
    _ path: String, on remote: AttackRemote, _ random: inout SeededGenerator
  ) throws {
    let ways: [Attack.Way] = [.linkToCopy, .linkToNothing, .pipe]
    if let way = ways.randomElement(using: &random), Bool.random(using: &random) {
      return try remote.putAside(path, way)
    }
    guard let bytes = remote.bytes(path) else { return }
    var names = path.split(separator: "/").map(String.init)
    let place = Int.random(in: names.indices, using: &random)
    names[place] = Bool.random(using: &random) ? names[place].uppercased() : names[place].lowercased()
    try remote.remove(path)
    try remote.write(bytes, to: names.joined(separator: "/"))
  }
}
