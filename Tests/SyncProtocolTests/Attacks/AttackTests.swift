import Foundation
import ProcessTesting
import Testing

/// Somebody can write to the storage and has no key: each kind of file, each kind of attack.
@Suite struct AttackTests {
  /// Of one synchronisation. Of thousands of key files 4,096 are read at most, once, to find those that the password is tried on.
  private static let requestLimit = AttackRemote.many > 256 ? 4_096 + 700 : 700
  private static let byteLimit: Int64 = 16 << 20
  /// Of one synchronisation once everything is done that can be done while the attack stands.
  private static let lastingLimit = 20
  /// Authors who are believed and cannot be read are tried again, 16 in one synchronisation. Of thousands, 256 are tried for the first time in
  /// each, and not all of them have had their turn when it is measured.
  private static let plainLastingLimit = AttackRemote.many > 256 ? 400 : 100

  @Test(arguments: AttackedFile.allCases, Attack.allCases)
  func `with encryption, an attack brings about what the table says, and nothing that lasts`(
    _ file: AttackedFile, _ attack: Attack
  ) async throws {
    try await check(file, attack, isEncrypted: true)
  }

  @Test(arguments: AttackTable.codedFiles, AttackTable.believableAttacks)
  func `without encryption, whoever writes is believed, and stops nobody for good`(
    _ file: AttackedFile, _ attack: Attack
  ) async throws {
    try await check(file, attack, isEncrypted: false)
  }

  @Test(arguments: AttackTable.foundingFiles, Attack.allCases)
  func `where only one device has founded the document, with encryption, no attack on that founding lasts`(
    _ file: AttackedFile, _ attack: Attack
  ) async throws {
    try await check(file, attack, isEncrypted: true, isFoundedOnce: true)
  }

  @Test(arguments: AttackTable.foundingFiles, AttackTable.believableAttacks)
  func
    `where only one device has founded the document, without encryption, an attack on that founding ends with it`(
      _ file: AttackedFile, _ attack: Attack
    ) async throws
  {
    try await check(file, attack, isEncrypted: false, isFoundedOnce: true)
  }

  private func check(
    _ file: AttackedFile, _ attack: Attack, isEncrypted: Bool, isFoundedOnce: Bool = false
  ) async throws {
    let stage = try await AttackStage.ready(isEncrypted: isEncrypted, isFoundedOnce: isFoundedOnce)
    let row = AttackedFile.allCases.firstIndex(of: file) ?? 0
    let columns = AttackTable.attacks(isEncrypted: isEncrypted)
    let column = try #require(columns.firstIndex(of: attack))
    var cells: [AttackCell] = []
    for (number, way) in attack.ways.enumerated() {
      let seed = UInt64(1_000 + row * 100 + column * 10 + number)
      guard let seen = try await AttackRun(stage, seed: seed).run(attack, way, on: file) else { continue }
      let cell = AttackCell(seen)
      cells.append(cell)
      let log = seen.log.prefix(40).joined(separator: "\n")
      if ProcessInfo.processInfo.environment["TICDS_SHOW_ATTACKS"] != nil {
        print(
          "WAY \(isEncrypted) \(file) \(attack) \(way): \(cell); removed \(seen.agreesOnceRemoved), restored \(seen.agreesOnceRestored), requests \(seen.requests), lasting \(seen.lastingRequests), bytes \(seen.bytes)"
        )
        if ProcessInfo.processInfo.environment["TICDS_SHOW_ATTACKS"] == "log" { print(log) }
      }
      #expect(seen.readable.isEmpty, "\(way)")
      #expect(seen.requests <= Self.requestLimit, "\(way)\n\(log)")
      #expect(seen.bytes <= Self.byteLimit, "\(way)")
      #expect(seen.lastingRequests <= (isEncrypted ? Self.lastingLimit : Self.plainLastingLimit), "\(way)")
      if cell.outcome != .believed || isEncrypted {
        #expect(seen.wrong.isEmpty, "\(way)")
        #expect(seen.agreesOnceRemoved || seen.agreesOnceRestored, "\(way)\n\(log)")
      }
    }
    let cell = AttackCell(cells)
    if ProcessInfo.processInfo.environment["TICDS_SHOW_ATTACKS"] != nil {
      print("CELL \(isEncrypted) \(isFoundedOnce) \(file) \(attack): \(cell?.description ?? "–")")
    }
    let expected = AttackTable.rows(isEncrypted: isEncrypted, isFoundedOnce: isFoundedOnce)[file]?[column]
    #expect(cell == expected)
  }

  @Test(arguments: [true, false], [true, false])
  func `the page on security shows the table that is tested`(_ isEncrypted: Bool, _ isFoundedOnce: Bool)
    throws
  {
    let page = try String(contentsOf: Checkout.root.appending(path: "Docs/Security.md"), encoding: .utf8)
    let kind = isEncrypted ? "With encryption" : "Without encryption"
    let heading = "### \(kind)\(isFoundedOnce ? ", founded once" : "")"
    let section = try #require(page.components(separatedBy: "\(heading)\n").dropFirst().first)
    let tables = section.components(separatedBy: "\n\n").map { $0.trimmingCharacters(in: .newlines) }
      .filter { $0.hasPrefix("| | ") }
    let shown = try #require(tables.first).split(separator: "\n").map(String.init)
    #expect(shown == Self.lines(isEncrypted, isFoundedOnce))
  }

  private static func lines(_ isEncrypted: Bool, _ isFoundedOnce: Bool) -> [String] {
    let attacks = AttackTable.attacks(isEncrypted: isEncrypted)
    let rows = AttackTable.rows(isEncrypted: isEncrypted, isFoundedOnce: isFoundedOnce)
    let head = "| | " + attacks.map(\.rawValue).joined(separator: " | ") + " |"
    let rule = "|---|" + attacks.map { _ in "---|" }.joined()
    return [head, rule]
      + AttackedFile.allCases.filter { rows[$0] != nil }.map { file in
        "| \(file.rawValue) | " + (rows[file] ?? []).map { $0?.description ?? "–" }.joined(separator: " | ")
          + " |"
      }
  }
}
