import BackendConformance
import Crypto
import Foundation
import TICDSOpenSSL
import TemporaryFolders
import Testing

@testable import SyncProtocol

/// Somebody who can write to the storage puts many key files there, so that a newcomer does not come to the genuine one in the time that he
/// takes. Whatever he does to dates and names, repeating the attempt gets on and ends.
@Suite struct CrowdedKeyFolderTests {
  /// What storage says of when files were written.
  enum Dates: CaseIterable {
    /// Nothing.
    case none
    /// Those of strangers before the genuine one.
    case before
    case after
    case around
    /// Anything, and something else at each attempt.
    case changing
  }

  /// Which keys founding records name.
  enum Cited: CaseIterable {
    case genuine
    case strange
    case none
  }

  /// What the attacker does between attempts.
  enum Conduct: CaseIterable {
    case rests
    /// Gives his files other names.
    case renames
    /// Adds as many as are tried at once.
    case adds
    /// Puts others in the place of his.
    case replaces
  }

  struct Cell: CustomTestStringConvertible, Sendable {
    var (dates, cited, conduct) = (Dates.none, Cited.none, Conduct.rests)
    /// Whether the genuine file takes as much work as three usual ones, because it has a slot for each of three passwords.
    var isDear = false
    var testDescription: String { "\(dates), \(cited), \(conduct)\(isDear ? ", dear" : "")" }

    static let all = Dates.allCases.flatMap { dates in
      Cited.allCases.flatMap { cited in
        Conduct.allCases.flatMap { conduct in
          [false, true].map { Cell(dates: dates, cited: cited, conduct: conduct, isDear: $0) }
        }
      }
    }
  }

  private static let cost = Scrypt.Parameters(cost: 8, blockSize: 8, parallelization: 1)
  private static let crowd = 200
  /// Files that are tried at once.
  private static let budget = 60
  private let hierarchy = DocumentHierarchy.notes.application

  /// Made once: what is different is which of them lie there.
  private static let pool = (0..<crowd * 4).compactMap { _ in
    try? KeyFile.create(password: "strange", parameters: cost).file
  }

  private func genuine(_ isDear: Bool) throws -> KeyFile {
    let made = try KeyFile.create(password: "right", parameters: Self.cost)
    guard isDear else { return made.file }
    return try ["second", "third"].reduce(made.file) { file, password in
      try file.addingPassword(password, with: made.key, parameters: Self.cost)
    }
  }

  @Test(arguments: Cell.all)
  func `the genuine file is opened within as many attempts as all files take`(_ cell: Cell) async throws {
    let folder = try TemporaryFolder()
    let genuine = try genuine(cell.isDear)
    var random = SystemRandomNumberGenerator()
    let own = KeyFileName(genuine.keyIdentifier, using: &random)
    var unused = Self.pool[...]
    func strangers(_ count: Int) throws -> [KeyFile] {
      try #require(unused.count >= count)
      defer { unused = unused.dropFirst(count) }
      return Array(unused.prefix(count))
    }
    var strange = try strangers(Self.crowd)
    var names = strange.map { KeyFileName($0.keyIdentifier, using: &random) }
    let fewest = (Self.crowd + genuine.slots.count + Self.budget - 1) / Self.budget
    var result = KeyUnlocking.Result()
    var attempts = 0
    while result.keys.isEmpty, attempts < fewest {
      if attempts > 0 {
        switch cell.conduct {
        case .rests: break
        case .renames: names = strange.map { KeyFileName($0.keyIdentifier, using: &random) }
        case .adds:
          let new = try strangers(Self.budget)
          strange += new
          names += new.map { KeyFileName($0.keyIdentifier, using: &random) }
        case .replaces:
          strange = try strangers(Self.crowd)
          names = strange.map { KeyFileName($0.keyIdentifier, using: &random) }
        }
      }
      attempts += 1
      let remote = MemoryBackend()
      for path in [hierarchy.root, hierarchy.encryption] { try await remote.makeDirectory(path) }
      for (name, file) in zip(names + [own], strange + [genuine]) {
        try await remote.upload(file.bytes, to: hierarchy.encryption / name.name)
      }
      let cited: Set<KeyIdentifier> =
        switch cell.cited {
        case .genuine: [own.key]
        case .strange: Set(names.map(\.key))
        case .none: []
        }
      result = try await KeyUnlocking(
        backend: remote, hierarchy: hierarchy, workLimit: UInt64(Self.budget) * 8 * 8,
        memory: KeyFileMemory(path: folder.file("tried"), cost: Self.cost, secrets: .system)
      ).unlock((names + [own]).sorted(), "right", first: cited, written: dates(cell.dates, own, names))
    }
    #expect(result.keys.map(\.identifier) == [own.key])
    #expect(!FileManager.default.fileExists(atPath: folder.file("tried")))
  }

  private func dates(_ dates: Dates, _ own: KeyFileName, _ names: [KeyFileName]) -> [KeyFileName: Duration] {
    let genuine = 10_000
    var written = [own: Duration.seconds(genuine)]
    for (number, name) in names.enumerated() {
      switch dates {
      case .none: return [:]
      case .before: written[name] = .seconds(genuine - 1 - number)
      case .after: written[name] = .seconds(genuine + 1 + number)
      case .around: written[name] = .seconds(genuine + (number.isMultiple(of: 2) ? 1 : -1) * (1 + number))
      case .changing: written[name] = .seconds(Int.random(in: 0..<2 * genuine))
      }
    }
    return written
  }
}
