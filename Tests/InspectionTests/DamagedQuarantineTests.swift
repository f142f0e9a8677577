import ChangeTracking
import FileManagerBackend
import Foundation
import Inspection
import SyncProtocol
import TemporaryFolders
import Testing

/// A quarantine that was damaged before its repair is undone.
@Suite struct DamagedQuarantineTests {
  enum Damage: String, CaseIterable, Sendable {
    case fileCut, fileFlipped, fileEmptied, fileRemoved, fileLinked, fileFolder
    case lineRemoved, lineCut, lineGarbled, linesSwapped, lineTwice, logCut
  }

  private static let secret = Data("what lies outside of the quarantine".utf8)

  @Test(arguments: ["repair.log", "repair.count"])
  func `what somebody puts in the place of a log while a repair runs is not written to`(_ file: String)
    async throws
  {
    let sample = try await SampleRemote(encrypted: false)
    try sample.flip(try sample.sets()[1])
    let plan = try await sample.inspector.planRepair()
    let folder = sample.folder.url.appending(path: "kept")
    let victim = sample.folder.url.appending(path: "victim")
    try Self.secret.write(to: victim)
    let quarantine = try Quarantine(newAt: folder.path)
    try FileManager.default.removeItem(at: folder.appending(path: file))
    try FileManager.default.createSymbolicLink(at: folder.appending(path: file), withDestinationURL: victim)

    try await RemoteRepair(
      backend: FileManagerBackend(folder: sample.remote.path), quarantine: quarantine
    ).apply(plan)

    #expect(try Data(contentsOf: victim) == Self.secret)
  }

  /// A remote before and after a repair, and the quarantine of that.
  private struct Repaired {
    let sample: SampleRemote
    let damaged: [String: Data?]
    let quarantine: URL
    let kept: URL
    let repaired: URL

    init() async throws {
      sample = try await SampleRemote(encrypted: false)
      let sets = try sample.sets()
      try sample.flip(sets[1])
      try FileManager.default.removeItem(at: sets[2])
      try sample.flip(try #require(try sample.files(in: "RecentSyncs", suffix: ".head").first))
      let readMe = sample.remote.appending(path: "sample/ReadMe.txt")
      try Data("else".utf8).write(to: readMe)
      try FileManager.default.removeItem(at: sample.remote.appending(path: "sample/Information"))
      damaged = try sample.contents()
      quarantine = sample.folder.url.appending(path: "kept")
      let plan = try await sample.inspector.planRepair()
      let kept = try Quarantine(newAt: quarantine.path)
      let failures = try await RemoteRepair(
        backend: FileManagerBackend(folder: sample.remote.path), quarantine: kept
      ).apply(plan)
      #expect(failures.isEmpty)
      self.kept = sample.folder.url.appending(path: "kept whole")
      repaired = sample.folder.url.appending(path: "repaired")
      try FileManager.default.copyItem(at: quarantine, to: self.kept)
      try FileManager.default.copyItem(at: sample.remote, to: repaired)
      try DamagedQuarantineTests.secret.write(to: sample.folder.url.appending(path: "secret"))
    }

    func reset() throws {
      for (place, source) in [(quarantine, kept), (sample.remote, repaired)] {
        try FileManager.default.removeItem(at: place)
        try FileManager.default.copyItem(at: source, to: place)
      }
    }

    func undo() async throws -> [UndoRemainder] {
      try await RemoteRepair(
        backend: FileManagerBackend(folder: sample.remote.path), quarantine: Quarantine(at: quarantine.path)
      ).undo()
    }

    /// Does one kind of damage to what a number chooses.
    func befall(_ damage: Damage, _ number: Int) throws {
      let names = try FileManager.default.contentsOfDirectory(atPath: quarantine.path).sorted()
      let file = quarantine.appending(path: names[number % names.count])
      let bytes = try Data(contentsOf: file)
      let log = quarantine.appending(path: "repair.log")
      let content = try Data(contentsOf: log)
      var lines = content.split(separator: UInt8(ascii: "\n")).map { Data($0) }
      let line = number % lines.count
      switch damage {
      case .fileCut: return try bytes.prefix(bytes.count / 2).write(to: file)
      case .fileEmptied: return try Data().write(to: file)
      case .fileFlipped:
        var flipped = [UInt8](bytes)
        guard !flipped.isEmpty else { return }
        flipped[(number * 31) % flipped.count] ^= 4
        return try Data(flipped).write(to: file)
      case .fileRemoved, .fileLinked, .fileFolder:
        try FileManager.default.removeItem(at: file)
        if damage == .fileLinked {
          try FileManager.default.createSymbolicLink(
            at: file, withDestinationURL: sample.folder.url.appending(path: "secret"))
        }
        if damage == .fileFolder {
          try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        }
        return
      case .logCut: return try content.prefix(number * 97 % content.count).write(to: log)
      case .lineRemoved: lines.remove(at: line)
      case .lineCut: lines[line] = Data(lines[line].prefix(lines[line].count / 2))
      case .lineGarbled: lines[line] = Data("garbage".utf8)
      case .linesSwapped: lines.swapAt(line, (line + 1) % lines.count)
      case .lineTwice: lines.append(lines[line])
      }
      try (lines.reduce(into: Data()) { $0 += $1 + Data("\n".utf8) }).write(to: log)
    }
  }

  @Test
  func
    `undoing gives back every byte, or names what is not as it was, and with a whole quarantine does the rest`()
    async throws
  {
    let repaired = try await Repaired()
    let count = try FileManager.default.contentsOfDirectory(atPath: repaired.kept.path).count
    #expect(count > 6)
    for damage in Damage.allCases {
      for number in 0..<12 {
        let what: Comment = "\(damage) \(number)"
        try repaired.reset()
        try repaired.befall(damage, number)
        let left: [UndoRemainder]?
        do { left = try await repaired.undo() } catch { left = nil }
        let found = try repaired.sample.contents()
        let different = Set(found.keys).union(repaired.damaged.keys).filter {
          found[$0] != repaired.damaged[$0]
        }
        if let left {
          #expect(different.isEmpty || !left.isEmpty, what)
          // What lines that are lost told of nobody can name.
          let named = Set(left.compactMap { $0.path.map { "\($0)" } })
          #expect(left.contains { $0.path == nil } || different.isSubset(of: named), what)
        }
        #expect(!found.values.contains(Self.secret), what)

        try FileManager.default.removeItem(at: repaired.quarantine)
        try FileManager.default.copyItem(at: repaired.kept, to: repaired.quarantine)
        #expect(try await repaired.undo() == [], what)
        #expect(try repaired.sample.contents() == repaired.damaged, what)
      }
    }
  }

  @Test func `lines in another order, or twice, are undone like others`() async throws {
    let repaired = try await Repaired()
    for damage in [Damage.linesSwapped, .lineTwice] {
      for number in 0..<8 {
        try repaired.reset()
        try repaired.befall(damage, number)
        #expect(try await repaired.undo() == [])
        #expect(try repaired.sample.contents() == repaired.damaged)
      }
    }
  }

  @Test(arguments: [Int.max, Int.max - 1, 0, -1, .min])
  func `a line with a number that no step can have stops nothing`(number: Int) async throws {
    let repaired = try await Repaired()
    let log = repaired.quarantine.appending(path: "repair.log")
    let line = #"{"kind":"removed","number":\#(number),"path":"x"}"#
    let hash = ContentHash(of: Array(line.utf8))
    try (try Data(contentsOf: log) + Data("\(hash) \(line)\n".utf8)).write(to: log)
    _ = try await repaired.undo()
    #expect(try repaired.sample.contents() == repaired.damaged)
  }

  @Test
  func `a log that ends before all that was done is noticed, and one whose last line was not done is not`()
    async throws
  {
    let repaired = try await Repaired()
    let log = repaired.quarantine.appending(path: "repair.log")
    let content = try Data(contentsOf: log)
    let last = try #require(content.dropLast().lastIndex(of: UInt8(ascii: "\n")))
    try content.prefix(last + 1).write(to: log)
    #expect(
      try await repaired.undo().contains { $0.path == nil && $0.reason.words.contains("cannot be read") })

    try repaired.reset()
    try (content + Data("0123".utf8)).write(to: log)
    #expect(try await repaired.undo() == [])
  }

  @Test func `where what was repaired does not lie any more nothing is written`() async throws {
    let repaired = try await Repaired()
    let other = try await SampleRemote(encrypted: false)
    let before = try other.contents()
    let repair = RemoteRepair(
      backend: FileManagerBackend(folder: other.remote.path),
      quarantine: try Quarantine(at: repaired.quarantine.path))
    await #expect { try await repair.undo() } throws: { error in
      if case RepairError.anotherRemote = error { true } else { false }
    }
    #expect(try other.contents() == before)

    try FileManager.default.removeItem(at: repaired.sample.remote.appending(path: "sample"))
    await #expect { try await repaired.undo() } throws: { error in
      if case RepairError.anotherRemote = error { true } else { false }
    }
    #expect(try repaired.sample.contents().isEmpty)
  }

  @Test func `a folder with a link in it is put aside with the link, which is made again`() async throws {
    let sample = try await SampleRemote(encrypted: false)
    let head = try #require(try sample.files(in: "RecentSyncs", suffix: ".head").first)
    try FileManager.default.removeItem(at: head)
    try FileManager.default.createDirectory(at: head, withIntermediateDirectories: false)
    let link = head.appending(path: "link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/nowhere at all")

    let repair = try await sample.repair()

    #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == nil)
    #expect(try await repair.undo() == [])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/nowhere at all")
  }
}
