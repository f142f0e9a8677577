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
      if Bool.random(using: &random) {
        _ = try remote.befall(path, misfortune, stage)
      } else if let length = remote.bytes(path)?.count {
        let noise = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        try remote.write(noise, to: path)
      }
    }
    return (remote, stage)
  }
}
